//! The plan for a mail: it is archived, noted, and an answer is drafted. Whatever the mail says is quoted and inert; it chooses nothing but the
//! address that a draft goes back to.

use super::recipe::{excerpt, finished, fit, with_account};
use exacta_kernel::autopilot::Autopilot;
use exacta_kernel::effect::is_plain_address;
use exacta_kernel::hash::Digest;
use exacta_mail::message::Message;
use serde_json::{Value, json};

/// The most of a mail's text that a note quotes, in characters.
const QUOTED: usize = 4_000;

/// The most lines of a mail that an answer quotes.
const LINES: usize = 40;

/// A mail as it was read.
pub(super) struct Mail {
    /// `ACCOUNT/UIDVALIDITY/UID`; none where its text was forwarded.
    pub id: Option<String>,
    /// To the byte.
    pub bytes: Vec<u8>,
    /// Of the bytes.
    pub sha256: Digest,
}

/// Who may be answered: the one sender with a plain address, if it is no machine.
pub(super) fn sender(message: &Message) -> Option<String> {
    let [one] = message.from.as_slice() else { return None };
    let answered = is_plain_address(&one.address) && !message.kind.must_not_be_answered();
    answered.then(|| one.address.clone())
}

/// The plan. `to` is whom the answer is sent to; none where it is only drafted. `words` are a model's for the answer.
pub(super) fn plan(
    autopilot: &Autopilot,
    mail: &Mail,
    message: &Message,
    from: Option<&str>,
    to: Option<&str>,
    words: Option<&str>,
) -> Value {
    let about = excerpt(&message.subject, 150);
    let subject = if about.is_empty() { "Your mail".to_owned() } else { format!("Re: {about}") };
    let title = if about.is_empty() { "A mail".to_owned() } else { format!("Mail: {about}") };
    let body = words.map_or_else(|| answer(autopilot, message), ToOwned::to_owned);
    let known = match &mail.id {
        Some(id) => json!({ "message_id": id, "sha256": mail.sha256, "bytes": mail.bytes.len() }),
        None => json!({}),
    };
    let mut steps = vec![
        json!({ "id": "read", "type": "read_forwarded_email", "target": "inbox", "sha256": mail.sha256,
            "description": "Read the mail, as it was when it was looked at" }),
        json!({ "id": "archive", "type": "triage_email", "target": "inbox", "dependencies": ["read"],
            "description": "Move the mail from the inbox to the archive", "action": "archive" }),
        json!({ "id": "outcome", "type": "write_outcome_draft", "target": "outbox", "dependencies": ["archive"],
            "description": "Note who wrote, about what, and what there is to doubt", "title": title, "body": fit(&note(message)) }),
        json!({ "id": "mail", "type": "write_email_draft", "target": "outbox", "dependencies": ["outcome"],
            "description": "Draft an answer to who wrote the mail",
            "to": sender(message).into_iter().collect::<Vec<_>>(), "subject": subject, "body": body }),
    ];
    for step in steps.iter_mut().take(2).filter_map(Value::as_object_mut) {
        let reads = step.get("type").is_some_and(|kind| kind == "read_forwarded_email");
        let fits = |name: &str| !reads || name != "bytes";
        step.extend(
            known
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(name, _)| fits(name))
                .map(|(name, value)| (name.clone(), value.clone())),
        );
    }
    if let Some(to) = to {
        steps.push(json!({ "id": "send", "type": "send_email", "target": to, "dependencies": ["mail"],
            "description": "Send the answer to who wrote the mail", "to": [to], "subject": subject, "body": body }));
    }
    with_account(&mut steps, autopilot, from);
    finished(autopilot, json!({}), steps)
}

/// What a person should know of a mail.
fn note(message: &Message) -> String {
    let from: Vec<String> = message.from.iter().map(|one| excerpt(&one.to_string(), 200)).collect();
    let from = if from.is_empty() { "nobody that it names".to_owned() } else { from.join(", ") };
    let mut text =
        format!("From: {from}\nDate: {}\nSubject: {}\n", excerpt(&message.date, 100), excerpt(&message.subject, 300));
    for doubt in &message.doubts {
        text.push_str(&format!("Doubt: {}\n", excerpt(&doubt.to_string(), 300)));
    }
    if message.kind.must_not_be_answered() {
        text.push_str("A machine wrote it: nobody is answered.\n");
    }
    for attachment in message.attachments.iter().take(20) {
        let name = excerpt(&attachment.name, 120);
        text.push_str(&format!("Attachment: {name} ({} bytes, not opened)\n", attachment.size));
    }
    let words: String = message.text.chars().take(QUOTED).collect();
    text.push('\n');
    text.push_str(&quoted(&words, usize::MAX));
    if words.len() < message.text.len() {
        text.push_str(&format!("(cut here: the whole has {} characters)\n", message.text.chars().count()));
    }
    text
}

/// An answer without a model: it says that the mail arrived, and quotes it where the user wants more than a line.
fn answer(autopilot: &Autopilot, message: &Message) -> String {
    let subject = excerpt(&message.subject, 100);
    let about = if subject.is_empty() { String::new() } else { format!(" about \"{subject}\"") };
    let mut text = format!("Hello,\n\nthank you for your mail{about}. It has arrived, and I will get back to you.\n");
    if autopilot.tuning.reply_length != "short" && !message.text.trim().is_empty() {
        text.push_str("\nYou wrote:\n");
        text.push_str(&quoted(&message.text, LINES));
    }
    fit(&text)
}

fn quoted(text: &str, most: usize) -> String {
    let line = |line: &str| format!("> {}\n", excerpt(line, 400));
    let all = text.lines().count();
    let mut quoted: String = text.lines().take(most).map(line).collect();
    if all > most {
        quoted.push_str(&format!("> (and {} lines more)\n", all - most));
    }
    quoted
}
