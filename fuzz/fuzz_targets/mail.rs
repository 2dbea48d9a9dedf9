//! A message from anybody: never a panic, and nothing of its view hides or steers.
#![no_main]

use exacta_kernel::text::hidden;
use exacta_mail::message::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let message = read(data);
    let addresses = message.from.iter().chain(&message.to).chain(&message.cc).map(ToString::to_string);
    let attachments = message.attachments.iter().map(|attachment| format!("{} {}", attachment.name, attachment.media_type));
    let doubts = message.doubts.iter().map(ToString::to_string);
    let own = [message.subject.clone(), message.date.clone(), message.message_id.clone(), message.text.clone()];
    for text in own.into_iter().chain(addresses).chain(attachments).chain(doubts) {
        assert!(hidden(&text).next().is_none(), "{text:?}");
    }
});
