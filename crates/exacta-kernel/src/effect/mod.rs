//! Acts outside the project, spelled out to the byte: what an autopilot plan does where there are no transactions.
//!
//! Steps that read have no effect: what they read is in the plan by its hash. A plan with a step that nothing performs has no
//! effects, and no permit.

mod message;
pub mod site;

pub use message::{LINE, is_plain_address, unfit_body};

use crate::action::primitive::PrimitiveId;
use crate::facts::{FileContent, FileState};
use crate::hash::Digest;
use crate::id::RunId;
use crate::path::RelPath;
use crate::plan::{Content, Plan};
use crate::prelude::*;
use crate::proposal::{Action, Step};
use alloc::sync::Arc;
use message::{Made, message};
use serde_json::{Map, Value};

/// A primitive's parameters.
type Parameters = Map<String, Value>;

/// The acts that write a draft into the outbox.
pub const DRAFTS: [&str; 2] = [PrimitiveId::WriteOutcomeDraft.name(), PrimitiveId::WriteEmailDraft.name()];

/// The act that puts a mail's draft into an account's folder of drafts: the same bytes as in the outbox.
pub const APPEND_DRAFT: &str = "append_draft";

/// The act that sends a mail.
pub const SEND: &str = PrimitiveId::SendEmail.name();

/// The act that moves a message to the archive.
pub const ARCHIVE: &str = PrimitiveId::TriageEmail.name();

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
    content: Option<Content>,
    after: FileState,
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
        let after = FileState::of(Some(&content));
        Self { step: step.to_owned(), act: act.to_owned(), place, content: Some(content), after }
    }

    /// An act on something that is there already, such as moving a message: what it is afterwards, without its bytes.
    #[must_use]
    pub fn of_state(step: &str, act: &str, place: RelPath, after: FileState) -> Self {
        Self { step: step.to_owned(), act: act.to_owned(), place, content: None, after }
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

    /// The exact bytes; none where it acts on what is there already.
    #[must_use]
    pub fn content(&self) -> Option<&FileContent> {
        self.content.as_deref()
    }

    /// What is there afterwards. Before it, nothing is.
    #[must_use]
    pub fn after(&self) -> FileState {
        self.after.clone()
    }
}

/// The effects of a plan in execution order, for this run. Steps that read have none.
///
/// # Errors
/// [`NotPerformed`] at the first step that nothing performs, or that does not carry its exact bytes.
pub fn of_plan(plan: &Plan, run: &RunId) -> Result<Vec<Effect>, NotPerformed> {
    effects(plan, run.as_str())
}

/// Whether every step of a plan is performed by somebody, and carries its exact bytes.
#[must_use]
pub fn are_performed(plan: &Plan) -> bool {
    effects(plan, "run").is_ok()
}

fn effects(plan: &Plan, run: &str) -> Result<Vec<Effect>, NotPerformed> {
    let mut effects = Vec::new();
    for (_, step) in plan.ordered_steps() {
        effects.extend(of_step(step, run).map_err(|why| NotPerformed { step: step.id.clone(), why })?);
    }
    Ok(effects)
}

/// A message in a mailbox, as it was read: never its number alone, because another message can have it later.
struct Message<'p> {
    account: &'p str,
    validity: u32,
    uid: u32,
    after: FileState,
}

fn of_step(step: &Step, run: &str) -> Result<Vec<Effect>, &'static str> {
    let (id, parameters) = match &step.action {
        Action::Primitive { id, parameters } => (id, parameters),
        Action::ToolCall { tool, arguments } => return site::of_call(step, (tool, arguments), run),
        _ => return Err("it is no primitive"),
    };
    match id {
        PrimitiveId::ReadWeb
        | PrimitiveId::ReadSources
        | PrimitiveId::ReadForwardedEmail
        | PrimitiveId::AggregateDailySummary => Ok(Vec::new()),
        PrimitiveId::WriteOutcomeDraft => Ok(vec![draft(step, *id, run, "txt", outcome(parameters)?)?]),
        PrimitiveId::WriteEmailDraft => email_draft(step, parameters, run),
        PrimitiveId::TriageEmail => archive(step, parameters),
        PrimitiveId::SendEmail => {
            let account = text(parameters, "account")?.ok_or("it names no mail account")?;
            let bytes = message(parameters, &Made { run, step: file_name(step)?, draft: false })?;
            Ok(vec![at(step, SEND, &format!("mail/{account}/sent/{run}/{}.eml", step.id), bytes)?])
        }
        PrimitiveId::ReadVaultFile | PrimitiveId::ScheduleRun => Err("nothing performs this primitive"),
    }
}

fn email_draft(step: &Step, parameters: &Parameters, run: &str) -> Result<Vec<Effect>, &'static str> {
    let bytes = message(parameters, &Made { run, step: file_name(step)?, draft: true })?;
    let mut effects = vec![draft(step, PrimitiveId::WriteEmailDraft, run, "eml", bytes.clone())?];
    if let Some(account) = text(parameters, "account")? {
        effects.push(at(step, APPEND_DRAFT, &format!("mail/{account}/drafts/{run}/{}.eml", step.id), bytes)?);
    }
    Ok(effects)
}

/// Without a message there is nothing to sort, and nothing is done.
fn archive(step: &Step, parameters: &Parameters) -> Result<Vec<Effect>, &'static str> {
    let Some(Message { account, validity, uid, after }) = message_of(parameters)? else { return Ok(Vec::new()) };
    let place = RelPath::parse(&format!("mail/{account}/archive/{validity}/{uid}.eml"));
    let place = place.map_err(|_| "its account is no plain name")?;
    Ok(vec![Effect::of_state(&step.id, ARCHIVE, place, after)])
}

/// The message that a step is about: `message_id` is `ACCOUNT/UIDVALIDITY/UID`, with its hash and size.
fn message_of(parameters: &Parameters) -> Result<Option<Message<'_>>, &'static str> {
    const WRONG: &str = "`message_id` is not ACCOUNT/UIDVALIDITY/UID with `sha256` and `bytes`";
    let Some(id) = text(parameters, "message_id")? else { return Ok(None) };
    let mut parts = id.split('/');
    let (account, validity, uid) = (parts.next(), parts.next(), parts.next());
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<u32>().ok()).ok_or(WRONG);
    let account = account.filter(|name| names_a_file(name) && parts.next().is_none()).ok_or(WRONG)?;
    let sha256 = text(parameters, "sha256")?.and_then(|hash| Digest::parse(hash).ok()).ok_or(WRONG)?;
    let size = parameters.get("bytes").and_then(Value::as_u64).ok_or(WRONG)?;
    let after = FileState::File { sha256, size, mode: DRAFT_MODE };
    Ok(Some(Message { account, validity: number(validity)?, uid: number(uid)?, after }))
}

/// A file in the outbox.
fn draft(step: &Step, id: PrimitiveId, run: &str, end: &str, bytes: Vec<u8>) -> Result<Effect, &'static str> {
    at(step, id.name(), &format!("outbox/{run}/{}.{end}", file_name(step)?), bytes)
}

fn at(step: &Step, act: &str, place: &str, bytes: Vec<u8>) -> Result<Effect, &'static str> {
    let place = RelPath::parse(place).map_err(|_| "its id or account names no place")?;
    Ok(Effect::new(&step.id, act, place, Arc::new(FileContent::new(bytes, DRAFT_MODE))))
}

fn file_name(step: &Step) -> Result<&str, &'static str> {
    const ODD: &str =
        "its id does not name a draft: at most 64 letters, digits, `-` and `_`, beginning with a letter or digit";
    if names_a_file(&step.id) { Ok(&step.id) } else { Err(ODD) }
}

/// Whether a name can be that of a file, everywhere and as itself.
pub(crate) fn names_a_file(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    id.len() <= LONGEST_NAME && id.chars().all(plain) && id.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// The title, if there is one, and the body as it is.
fn outcome(parameters: &Parameters) -> Result<Vec<u8>, &'static str> {
    let body = text(parameters, "body")?.ok_or("it has no `body`")?;
    let title = text(parameters, "title")?.map(|title| format!("{title}\n\n"));
    Ok([title.unwrap_or_default().as_str(), body].concat().into_bytes())
}

fn text<'p>(parameters: &'p Parameters, name: &str) -> Result<Option<&'p str>, &'static str> {
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

    #[test]
    fn a_message_is_never_a_number_alone() {
        let sha256 = Digest::of(b"mail").to_string();
        for (given, is) in [
            (json!({}), Some(false)),
            (json!({ "message_id": "home/7/12", "sha256": sha256, "bytes": 4 }), Some(true)),
            (json!({ "message_id": "home/7/12" }), None),
            (json!({ "message_id": "12", "sha256": sha256, "bytes": 4 }), None),
            (json!({ "message_id": "home/7/12/3", "sha256": sha256, "bytes": 4 }), None),
            (json!({ "message_id": "../7/12", "sha256": sha256, "bytes": 4 }), None),
            (json!({ "message_id": "home/7/x", "sha256": sha256, "bytes": 4 }), None),
        ] {
            assert_eq!(message_of(given.as_object().unwrap()).ok().map(|found| found.is_some()), is, "{given}");
        }
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
