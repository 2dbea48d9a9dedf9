//! Acts outside the project, spelled out to the byte: what an autopilot plan does where there are no transactions.
//!
//! Of the primitives only those that write drafts are performed so far. A plan with any other step has no effects, and no permit.

use crate::action::primitive::PrimitiveId;
use crate::facts::{FileContent, FileState};
use crate::id::RunId;
use crate::path::RelPath;
use crate::plan::{Content, Plan};
use crate::prelude::*;
use crate::proposal::{Action, Step};
use alloc::sync::Arc;
use serde_json::{Map, Value};

/// The acts that write a draft into the outbox.
pub const DRAFTS: [&str; 2] = [PrimitiveId::WriteOutcomeDraft.name(), PrimitiveId::WriteEmailDraft.name()];

/// The mode of a draft: the user's alone.
pub const DRAFT_MODE: u32 = 0o600;

/// The longest name of a step that names a draft.
const LONGEST_NAME: usize = 64;

/// One act outside the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    step: String,
    act: String,
    place: RelPath,
    content: Content,
}

/// Why a step has no effect that could be performed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing performs step `{step}`: {why}")]
pub struct NotPerformed {
    /// The step.
    pub step: String,
    /// Why not.
    pub why: &'static str,
}

impl Effect {
    /// An act that leaves this content at a place.
    #[must_use]
    pub fn new(step: &str, act: &str, place: RelPath, content: Content) -> Self {
        Self { step: step.to_owned(), act: act.to_owned(), place, content }
    }

    /// The step's id.
    #[must_use]
    pub fn step(&self) -> &str {
        &self.step
    }

    /// What is done, such as `write_email_draft`.
    #[must_use]
    pub fn act(&self) -> &str {
        &self.act
    }

    /// Where, in the names of whoever performs it: `outbox/RUN/STEP.txt`.
    #[must_use]
    pub const fn place(&self) -> &RelPath {
        &self.place
    }

    /// The exact bytes.
    #[must_use]
    pub fn content(&self) -> &FileContent {
        &self.content
    }

    /// What is there afterwards. Before it, nothing is.
    #[must_use]
    pub fn after(&self) -> FileState {
        FileState::of(Some(&self.content))
    }
}

/// The effects of a plan in execution order, for this run.
///
/// # Errors
/// [`NotPerformed`] at the first step that nothing performs, or that does not carry its exact bytes.
pub fn of_plan(plan: &Plan, run: &RunId) -> Result<Vec<Effect>, NotPerformed> {
    plan.ordered_steps().into_iter().map(|(_, step)| of_step(step, run.as_str())).collect()
}

/// Whether every step of a plan is performed by somebody, and carries its exact bytes.
#[must_use]
pub fn are_performed(plan: &Plan) -> bool {
    plan.proposal.steps.iter().all(|step| of_step(step, "run").is_ok())
}

fn of_step(step: &Step, run: &str) -> Result<Effect, NotPerformed> {
    let not = |why| NotPerformed { step: step.id.clone(), why };
    let Action::Primitive { id, parameters } = &step.action else { return Err(not("it is no primitive")) };
    let (bytes, end) = match id {
        PrimitiveId::WriteOutcomeDraft => (outcome(parameters), "txt"),
        PrimitiveId::WriteEmailDraft => (message(parameters), "eml"),
        _ => return Err(not("nothing performs this primitive yet")),
    };
    let bytes = bytes.map_err(not)?;
    if !names_a_file(&step.id) {
        return Err(not(
            "its id does not name a draft: at most 64 letters, digits, `-` and `_`, beginning with a letter or digit",
        ));
    }
    let place =
        RelPath::parse(&format!("outbox/{run}/{}.{end}", step.id)).map_err(|_| not("its id does not name a draft"))?;
    Ok(Effect::new(&step.id, id.name(), place, Arc::new(FileContent::new(bytes, DRAFT_MODE))))
}

/// Whether a step's id can be the name of a file, everywhere and as itself.
fn names_a_file(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    id.len() <= LONGEST_NAME && id.chars().all(plain) && id.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// The title, if there is one, and the body as it is.
fn outcome(parameters: &Map<String, Value>) -> Result<Vec<u8>, &'static str> {
    let body = text(parameters, "body")?.ok_or("it has no `body`")?;
    let title = text(parameters, "title")?.map(|title| format!("{title}\n\n"));
    Ok([title.unwrap_or_default().as_str(), body].concat().into_bytes())
}

/// A message in the form that mail programs open as a draft (RFC 5322).
fn message(parameters: &Map<String, Value>) -> Result<Vec<u8>, &'static str> {
    let body = text(parameters, "body")?.ok_or("it has no `body`")?;
    let subject = text(parameters, "subject")?.ok_or("it has no `subject`")?;
    let to = recipients(parameters)?;
    // INVARIANT: no header has a line end of the proposal's own, so none can be put in.
    if subject.chars().chain(to.chars()).any(char::is_control) {
        return Err("`to` or `subject` has a control character");
    }
    let head = format!(
        "To: {to}\r\nSubject: {}\r\nX-Unsent: 1\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n",
        encoded(subject)
    );
    let body = body.replace("\r\n", "\n").replace('\n', "\r\n");
    Ok([head, body].concat().into_bytes())
}

fn recipients(parameters: &Map<String, Value>) -> Result<String, &'static str> {
    const WRONG: &str = "`to` is no plain address, or no list of them";
    let addresses: Vec<&str> = match parameters.get("to") {
        Some(Value::String(address)) => vec![address],
        Some(Value::Array(list)) => list.iter().map(|item| item.as_str().ok_or(WRONG)).collect::<Result<_, _>>()?,
        _ => return Err("it has no `to`"),
    };
    let plain = |address: &&str| {
        let odd = |c: char| !c.is_ascii_graphic() || ",;:<>()[]\\\"".contains(c);
        address.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
            && !address.contains(odd)
    };
    if addresses.is_empty() || !addresses.iter().all(plain) {
        return Err(WRONG);
    }
    Ok(addresses.join(", "))
}

/// A header's text: as it is where it is short and plain ASCII, else in encoded words (RFC 2047), folded.
fn encoded(text: &str) -> String {
    const SHORT: usize = 60;
    if text.len() <= SHORT && text.is_ascii() && !text.contains("=?") {
        return text.to_owned();
    }
    let mut words: Vec<String> = vec![String::new()];
    for c in text.chars() {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).as_bytes();
        let plain = c.is_ascii_alphanumeric();
        let piece = if plain { c.to_string() } else { bytes.iter().map(|byte| format!("={byte:02X}")).collect() };
        match words.last_mut() {
            Some(last) if last.len() + piece.len() <= SHORT => last.push_str(&piece),
            _ => words.push(piece),
        }
    }
    let words: Vec<String> = words.iter().map(|word| format!("=?UTF-8?Q?{word}?=")).collect();
    words.join("\r\n ")
}

fn text<'p>(parameters: &'p Map<String, Value>, name: &str) -> Result<Option<&'p str>, &'static str> {
    match parameters.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err("a parameter is no text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_message_is_its_exact_bytes() {
        let message =
            message(&map(json!({ "to": ["a@b.example", "c@d.example"], "subject": "Hello", "body": "one\ntwo\r\n" })));
        let text = String::from_utf8(message.unwrap()).unwrap();
        assert_eq!(
            text,
            "To: a@b.example, c@d.example\r\nSubject: Hello\r\nX-Unsent: 1\r\nMIME-Version: 1.0\r\n\
             Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\none\r\ntwo\r\n"
        );
    }

    #[test]
    fn nothing_is_put_into_a_header() {
        for (to, subject) in [("a@b.example", "x\r\nBcc: e@f.example"), ("a@b.example\nBcc: e@f.example", "x")] {
            assert!(message(&map(json!({ "to": to, "subject": subject, "body": "" }))).is_err(), "{to} {subject}");
        }
        for to in ["", "a", "a@b, c@d", "<a@b>", "ä@b", "@b", "a@"] {
            assert!(message(&map(json!({ "to": to, "subject": "x", "body": "" }))).is_err(), "{to}");
        }
        assert!(message(&map(json!({ "to": [], "subject": "x", "body": "" }))).is_err());
    }

    #[test]
    fn a_subject_survives() {
        assert_eq!(encoded("Grüße = 1"), "=?UTF-8?Q?Gr=C3=BC=C3=9Fe=20=3D=201?=");
        assert_eq!(encoded("=?UTF-8?Q?x?="), "=?UTF-8?Q?=3D=3FUTF=2D8=3FQ=3Fx=3F=3D?=");
        let long = encoded(&"ü".repeat(40));
        assert!(long.split("\r\n ").all(|word| word.len() <= 75 && word.starts_with("=?UTF-8?Q?=")), "{long}");
    }

    #[test]
    fn only_plain_ids_name_a_file() {
        for (id, is) in
            [("s1", true), ("a-b_c", true), ("", false), ("-a", false), ("a/b", false), ("..", false), ("ä", false)]
        {
            assert_eq!(names_a_file(id), is, "{id}");
        }
        assert!(!names_a_file(&"a".repeat(65)));
    }
}
