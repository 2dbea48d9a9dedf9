//! Acts without an engine: an effector, an account, and what is asked of it.

use exacta_effect::{Answer, Direction, Effector as _, IdempotencyKey, Seen, Trace};
use exacta_kernel::effect::{APPEND_DRAFT, ARCHIVE, Effect, SEND};
use exacta_kernel::facts::{FileContent, FileState};
use exacta_kernel::path::RelPath;
use exacta_mail::{Account, Limits, MailEffector, Password, RawMessage};
use exacta_testkit::{POST_PASSWORD, POST_USER, Post};
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

pub const RUN: &str = "019a2f3e-7c1d-7e2a-9b4f-aaaaaaaaaaaa";

/// Short, so that tests need not wait: everything is on one machine.
pub const LIMITS: Limits = Limits {
    connect: Duration::from_secs(20),
    command: Duration::from_secs(20),
    message: Duration::from_millis(1_500),
};

pub fn password(text: &str) -> Password {
    Password::new(Zeroizing::new(text.to_owned())).unwrap()
}

pub fn account(imap: &str, smtp: &str) -> (Account, Password) {
    (Account::new("home", imap, smtp, POST_USER, POST_USER).unwrap(), password(POST_PASSWORD))
}

pub fn account_of(post: &Post) -> (Account, Password) {
    account(&post.imap(), &post.smtp())
}

/// An effector that nobody has asked anything yet: as a new process has it.
pub fn effector(post: &Post) -> MailEffector {
    MailEffector::within(vec![account_of(post)], LIMITS)
}

/// The exact bytes of a message of a run's step.
pub fn mail(step: &str, text: &str) -> Vec<u8> {
    format!(
        "From: {POST_USER}\r\nMessage-ID: <{RUN}.{step}@here.example>\r\nTo: you@there.example\r\nSubject: Hello\r\n\r\n{text}\r\n"
    )
    .into_bytes()
}

pub fn send(step: &str) -> (Effect, Trace) {
    of_bytes(step, SEND, &format!("mail/home/sent/{RUN}/{step}.eml"), mail(step, ".one\r\n.\r\nlast"))
}

pub fn draft(step: &str) -> (Effect, Trace) {
    of_bytes(step, APPEND_DRAFT, &format!("mail/home/drafts/{RUN}/{step}.eml"), mail(step, "a draft"))
}

pub fn archive(step: &str, message: &RawMessage) -> (Effect, Trace) {
    let place = RelPath::parse(&format!("mail/home/archive/{}/{}.eml", message.uid_validity, message.uid)).unwrap();
    let after = FileState::File { sha256: message.sha256, size: message.bytes.len() as u64, mode: 0o600 };
    let effect = Effect::of_state(step, ARCHIVE, place, after);
    let trace = trace(&effect);
    (effect, trace)
}

pub fn of_bytes(step: &str, act: &str, place: &str, bytes: Vec<u8>) -> (Effect, Trace) {
    let effect = Effect::new(step, act, RelPath::parse(place).unwrap(), Arc::new(FileContent::new(bytes, 0o600)));
    let trace = trace(&effect);
    (effect, trace)
}

fn trace(effect: &Effect) -> Trace {
    Trace {
        step: effect.step().to_owned(),
        act: effect.act().to_owned(),
        place: effect.place().clone(),
        after: effect.after(),
        key: key(effect.step()),
    }
}

pub fn key(name: &str) -> IdempotencyKey {
    serde_json::from_value(serde_json::Value::String(format!("{name:0>32}"))).unwrap()
}

/// What an answer says, in a word, with the reason.
pub fn word(answer: &Answer) -> (&'static str, String) {
    match answer {
        Answer::Done => ("done", String::new()),
        Answer::NotDone(fault) => ("not done", fault.to_string()),
        Answer::Lost(fault) => ("lost", fault.to_string()),
    }
}

/// What is found out after an act, as the engine does it.
pub fn settled(effector: &MailEffector, trace: &Trace, direction: Direction) -> Seen {
    effector.settle(trace, direction, &trace.key).unwrap()
}
