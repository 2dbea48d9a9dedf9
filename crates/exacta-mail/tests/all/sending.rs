//! Sending over a wire that fails at every stage: what the effector says is what happened.

use crate::acts::{RUN, effector, mail, of_bytes, send, settled, word};
use exacta_effect::{Direction, Effector as _, Reversal, Seen};
use exacta_kernel::effect::SEND;
use exacta_testkit::{Post, PostSetup};
use std::time::Instant;

/// The faults of the next connections, what the effector answers, what is found out, how many connections there were, and whether
/// the message is stored.
const FAULTS: [(&[&str], &str, Seen, usize, bool); 18] = [
    (&[], "done", Seen::Done, 1, true),
    (&["mail_4xx"], "done", Seen::Done, 2, true),
    (&["rcpt_4xx", "data_command_4xx"], "done", Seen::Done, 3, true),
    (&["cut_at_rcpt"], "done", Seen::Done, 2, true),
    (&["cut_at_data"], "done", Seen::Done, 2, true),
    (&["rcpt_4xx", "rcpt_4xx", "rcpt_4xx"], "not done", Seen::Before, 3, false),
    (&["cut_at_data", "cut_at_data", "cut_at_data"], "not done", Seen::Before, 3, false),
    (&["mail_5xx"], "not done", Seen::Before, 1, false),
    (&["rcpt_5xx"], "not done", Seen::Before, 1, false),
    (&["data_4xx"], "not done", Seen::Before, 1, false),
    (&["data_5xx"], "not done", Seen::Before, 1, false),
    (&["cut_before_store"], "lost", Seen::Unsure, 1, false),
    (&["reset_before_store"], "lost", Seen::Unsure, 1, false),
    (&["hang_before_store"], "lost", Seen::Unsure, 1, false),
    (&["cut_after_store"], "lost", Seen::Unsure, 1, true),
    (&["reset_after_store"], "lost", Seen::Unsure, 1, true),
    (&["hang_after_store"], "lost", Seen::Unsure, 1, true),
    (&["nonsense_after_store"], "lost", Seen::Unsure, 1, true),
];

#[test]
fn what_is_said_is_what_happened() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    for (index, (faults, said, found, connections, stored)) in FAULTS.iter().enumerate() {
        post.faults(faults);
        let before = post.log().len();
        let hand = effector(&post);
        let (effect, trace) = send(&format!("s{index}"));
        assert_eq!(hand.reversal(&trace.act), Reversal::None);
        assert_eq!(hand.look(&trace), Ok(Seen::Before));
        let answer = word(&hand.perform(&effect, &trace));
        let name = format!("{faults:?}: {answer:?}");
        assert_eq!(answer.0, *said, "{name}");
        assert_eq!(hand.look(&trace), Ok(if *said == "done" { Seen::Done } else { Seen::Before }), "{name}");
        assert_eq!(settled(&hand, &trace, Direction::Perform), *found, "{name}");
        let log = post.log().split_off(before);
        assert_eq!(log.iter().filter(|line| line.starts_with("connection")).count(), *connections, "{name}: {log:?}");
        assert_eq!(
            log.iter().filter(|line| line.starts_with("stored")).count(),
            usize::from(*stored),
            "{name}: {log:?}"
        );
    }
}

/// A server that keeps what it sends tells what became of a message.
#[test]
fn what_was_sent_is_found_among_what_was_sent() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    post.faults(&["cut_after_store"]);
    let hand = effector(&post);
    let (effect, trace) = send("s1");
    assert_eq!(word(&hand.perform(&effect, &trace)).0, "lost");
    // Another message that only speaks of it is not it.
    post.deliver("Sent", format!("Subject: about <{RUN}.s1@here.example>\r\n\r\nx\r\n").as_bytes());
    post.deliver("Sent", format!("Message-ID: <x.{RUN}.s1@here.example>\r\n\r\nx\r\n").as_bytes());
    assert_eq!(settled(&effector(&post), &trace, Direction::Perform), Seen::Unsure);
    post.deliver("Sent", &mail("s1", "as the server keeps it"));
    assert_eq!(settled(&effector(&post), &trace, Direction::Perform), Seen::Done);
}

/// The bytes that arrive are those that were approved.
#[test]
fn the_bytes_arrive_as_they_are() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    let hand = effector(&post);
    let (effect, trace) = send("s1");
    assert_eq!(word(&hand.perform(&effect, &trace)).0, "done");
    assert_eq!(post.messages(""), [effect.content().unwrap().bytes().to_vec()]);
    assert!(post.stored()[0].contains(" from me@here.example to you@there.example bytes"), "{:?}", post.stored());
    let place = |step: &str| format!("mail/home/sent/{RUN}/{step}.eml");
    let with = |text: &str, from: &str, to: &str| {
        String::from_utf8(mail("s2", text)).unwrap().replacen(from, to, 1).into_bytes()
    };
    for (bytes, why) in [
        (with("a\nb", "x", "x"), "carriage return"),
        (with("a\r\n.\nMAIL FROM:<x@y.example>", "x", "x"), "carriage return"),
        (with("a", "To: ", "Bcc: e@f.example\r\nTo: "), "Bcc"),
        (with("a", "you@there.example", "\"you\" <you@there.example>"), "plain addresses"),
        (with("a", ".s2@", ".s3@"), "Message-ID"),
        (with("a", "me@here.example", "boss@here.example"), "account's address"),
        (with(&"x".repeat(1_000), "x", "x"), "998"),
    ] {
        let (effect, trace) = of_bytes("s2", SEND, &place("s2"), bytes);
        let refused = word(&hand.perform(&effect, &trace));
        assert!(refused.0 == "not done" && refused.1.contains(why), "{why}: {refused:?}");
    }
    for bad in [
        "mail/home/sent/x.eml",
        "mail/other/sent/r/s2.eml",
        "mail/home/drafts/r/s2.eml",
        "outbox/r/s2.eml",
        "mail/home/sent/r/s 2.eml",
    ] {
        let (effect, trace) = of_bytes("s2", SEND, bad, mail("s2", "a"));
        assert!(hand.look(&trace).is_err(), "{bad}");
        assert_eq!(word(&hand.perform(&effect, &trace)).0, "not done", "{bad}");
    }
    assert_eq!(post.stored().len(), 1);
}

#[test]
fn an_unreachable_server_is_tried_three_times() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    let (account, password) = crate::acts::account(&post.imap(), "smtp://127.0.0.1:1");
    let hand = exacta_mail::MailEffector::within(vec![(account, password)], crate::acts::LIMITS);
    let (effect, trace) = send("s1");
    let begin = Instant::now();
    let answer = word(&hand.perform(&effect, &trace));
    assert!(answer.0 == "not done" && answer.1.contains("cannot be reached"), "{answer:?}");
    assert!(begin.elapsed().as_millis() >= 600, "it waits 200 and 400 ms");
    assert_eq!(settled(&hand, &trace, Direction::Perform), Seen::Before);
}
