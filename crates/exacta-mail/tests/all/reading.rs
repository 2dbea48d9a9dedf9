//! What people see of a message.

use crate::mails::{large, small};
use exacta_kernel::text::hidden;
use exacta_mail::message::{Message, read};
use proptest::prelude::*;

/// A message as text, all of it.
pub fn shown(message: &Message) -> String {
    let list =
        |all: &[exacta_mail::message::Address]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut text = format!("From: {}\n", list(&message.from));
    for (name, value) in [
        ("To", list(&message.to)),
        ("Cc", list(&message.cc)),
        ("Date", message.date.clone()),
        ("Message-ID", message.message_id.clone()),
    ] {
        if !value.is_empty() {
            text.push_str(&format!("{name}: {value}\n"));
        }
    }
    text.push_str(&format!("Subject: {}\n", message.subject));
    let kind = &message.kind;
    for (is, word) in [
        (kind.is_automatic, "automatic"),
        (kind.is_bounce, "bounce"),
        (kind.is_list, "list"),
        (kind.asks_receipt, "asks for a receipt"),
        (kind.offers_unsubscribe, "offers to unsubscribe"),
    ] {
        if is {
            text.push_str(&format!("({word})\n"));
        }
    }
    for attachment in &message.attachments {
        text.push_str(&format!("[{} {} {}]\n", attachment.name, attachment.media_type, attachment.size));
    }
    for doubt in &message.doubts {
        text.push_str(&format!("! {doubt}\n"));
    }
    for line in message.text.lines() {
        text.push_str(&format!("| {line}\n"));
    }
    text
}

/// Nothing of a view hides or steers, and nothing of it is long.
pub fn is_inert(message: &Message) -> bool {
    let text = shown(message);
    hidden(&text).next().is_none() && message.text.chars().count() <= 200_000 * 9 && message.doubts.len() <= 50
}

#[test]
fn small_messages_are_shown_so() {
    let mut table = String::new();
    for (name, bytes) in small() {
        let message = read(&bytes);
        assert!(is_inert(&message), "{name}");
        table.push_str(&format!("== {name}\n{}\n", shown(&message)));
    }
    insta::assert_snapshot!(table);
}

#[test]
fn nobody_answers_a_machine() {
    for (name, bytes) in small() {
        let answered = !read(&bytes).kind.must_not_be_answered();
        assert_eq!(answered, !["an automatic answer", "a bounce"].contains(&name), "{name}");
    }
}

/// Cut anywhere, every message is still read.
#[test]
fn a_message_that_is_cut_is_read() {
    for (name, bytes) in small() {
        for end in 0..bytes.len() {
            assert!(is_inert(&read(&bytes[..end])), "{name} {end}");
        }
    }
    for (name, bytes, _) in large() {
        assert!(is_inert(&read(&bytes[..bytes.len().min(100_000)])), "{name}");
    }
}

/// Pieces of which nasty messages are made.
const PIECES: [&str; 40] = [
    "From: ",
    "To: ",
    "Subject: ",
    "a@x.example",
    "<",
    ">",
    "(",
    ")",
    "\"",
    "\\",
    ",",
    ";",
    ":",
    "\r\n",
    "\n",
    "\r",
    " ",
    "\t",
    "Content-Type: multipart/mixed; boundary=b",
    "Content-Type: multipart/alternative; boundary=b",
    "Content-Type: text/html",
    "Content-Type: text/plain; charset=utf-7",
    "Content-Transfer-Encoding: base64",
    "Content-Transfer-Encoding: quoted-printable",
    "--b",
    "--b--",
    "\r\n\r\n",
    "=?utf-8?Q?",
    "=?utf-8?B?",
    "?=",
    "=C3",
    "+AGE-",
    "<div hidden>",
    "</div>",
    "<p style=\"display:none\">",
    "<!--",
    "-->",
    "&#x202e;",
    "\u{202e}",
    "name*0*=utf-8''%e2",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_bytes_are_a_message(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        prop_assert!(is_inert(&read(&bytes)));
    }

    #[test]
    fn any_pieces_are_a_message(pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..120)) {
        prop_assert!(is_inert(&read(pieces.concat().as_bytes())));
    }

    /// What is written as `From` is never shown as another address.
    #[test]
    fn a_plain_sender_is_itself(name in "[a-z]{1,10}", host in "[a-z]{1,10}\\.example", rest in ".{0,80}") {
        let address = format!("{name}@{host}");
        let rest: String = rest.chars().filter(|c| !c.is_control()).collect();
        let message = read(format!("From: {address}\r\nSubject: {rest}\r\n\r\n{rest}\r\n").as_bytes());
        prop_assert_eq!(message.from.len(), 1);
        prop_assert_eq!(&message.from[0].address, &address);
    }
}
