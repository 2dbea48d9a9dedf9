//! An occasion: what an autopilot does once, from reading to the end. It is kept in the record, and each of its changes has its entry.

use super::standing::StandingNow;
use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::lineage::For;
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::autopilot::AutopilotName;
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::time::Timestamp;
use exacta_record::{DocumentChange, DocumentKind, DocumentRecord};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Where an occasion stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the specification")]
pub enum OccasionState {
    Ready,
    Running,
    NeedsApproval,
    NeedsClarification,
    Retrying,
    Succeeded,
    Failed,
    Blocked,
    Canceled,
}

impl OccasionState {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Running => "running",
            Self::NeedsApproval => "needs_approval",
            Self::NeedsClarification => "needs_clarification",
            Self::Retrying => "retrying",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::Canceled => "canceled",
        }
    }

    /// Whether nothing more comes of it.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Blocked | Self::Canceled)
    }
}

/// What an autopilot did, or does, once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Occasion {
    /// Names it for ever.
    pub run_id: String,
    /// Whose it is.
    pub autopilot: String,
    /// Where it stands.
    pub state: OccasionState,
    /// Why it stands there, in words.
    pub reason: String,
    /// When it began.
    pub at: Timestamp,
    /// The time of the schedule that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Timestamp>,
    /// The plan that waits, or was executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// What an approver signs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<String>,
    /// What was read.
    pub reads: Vec<Read>,
    /// Who wrote what was read: a draft may answer them. Lower case.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub correspondents: BTreeSet<String>,
    /// What a monitor saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monitor: Option<Monitor>,
    /// What is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Needs>,
    /// What was sent.
    pub sends: Vec<Sent>,
    /// The provider and model whose words are in its drafts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
    /// What it cost, in US cents.
    pub spend_cents: u32,
    /// Whether a person allowed it to pass the soft caps of spending.
    #[serde(default, skip_serializing_if = "is_false")]
    pub spend_agreed: bool,
    /// The run that executed its plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<Execution>,
    /// What there is to say when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Value>,
}

/// Something that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    /// The step of the plan.
    pub step: String,
    /// The page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What it was, by hash.
    pub sha256: String,
    /// How large it was.
    pub bytes: u64,
    /// When.
    pub fetched_at: Timestamp,
    /// Whether the site said that nothing changed since.
    pub from_cache: bool,
}

/// What a monitor saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Monitor {
    /// `first`, `unchanged`, `changed`, `error` or `suppressed`.
    pub verdict: String,
    /// How much changed, 0 to 1 in ten-thousandths.
    pub score: u32,
    /// What is there now and was not.
    pub added: Vec<String>,
    /// What was there and is not.
    pub removed: Vec<String>,
    /// The places that change by themselves.
    pub volatile: Vec<String>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What is missing before it can go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// `provider`, `approval` or `clarification`.
    pub kind: String,
    /// What the answer is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What the answer may be.
    pub candidates: Vec<String>,
}

/// A mail that was to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The step.
    pub step: String,
    /// To whom.
    pub to: Vec<String>,
    /// The message's own name.
    pub message_id: String,
    /// `sent`, `not_sent` or `unknown`.
    pub outcome: String,
}

/// The run that executed an occasion's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// Which one.
    pub run_id: String,
}

impl For {
    pub fn new(name: &AutopilotName, occasion: Option<&str>, standing: StandingNow) -> Self {
        let StandingNow { sha256, allowed } = standing;
        Self { name: name.to_string(), occasion: occasion.map(ToOwned::to_owned), sha256, allowed }
    }
}

impl Occasion {
    pub(super) fn new(run_id: String, autopilot: &AutopilotName, due: Option<Timestamp>) -> Self {
        Self {
            run_id,
            autopilot: autopilot.to_string(),
            state: OccasionState::Running,
            reason: "it reads".to_owned(),
            at: now(),
            due,
            plan_id: None,
            plan_hash: None,
            reads: Vec::new(),
            correspondents: BTreeSet::new(),
            monitor: None,
            needs: None,
            sends: Vec::new(),
            written_by: None,
            spend_cents: 0,
            spend_agreed: false,
            execution: None,
            receipt: None,
        }
    }

    /// It is over, and what there is to say of it.
    pub(super) fn over(&mut self, state: OccasionState, reason: impl Into<String>) {
        (self.state, self.reason) = (state, reason.into());
        self.receipt = Some(json!({
            "schema": "exacta.autopilot-receipt/1",
            "run_id": self.run_id,
            "autopilot": self.autopilot,
            "state": self.state,
            "reason": self.reason,
            "ended_at": now(),
            "read": self.reads.iter().map(|read| &read.sha256).collect::<Vec<_>>(),
            "plan_id": self.plan_id,
            "execution": self.execution,
            "spend_cents": self.spend_cents,
            "written_by": self.written_by,
        }));
    }

    /// The exit code that a command about it ends with.
    #[must_use]
    pub fn exit(&self) -> u8 {
        match self.state {
            OccasionState::NeedsApproval | OccasionState::NeedsClarification => Exit::Confirm.code(),
            OccasionState::Failed if self.sends.iter().any(|sent| sent.outcome == "unknown") => Exit::Fault.code(),
            OccasionState::Failed => Exit::RolledBack.code(),
            OccasionState::Blocked => Exit::Denied.code(),
            OccasionState::Canceled => Exit::Drifted.code(),
            _ => 0,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives references")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// The id of an occasion that there must be only one of: for a key of the caller's, or for a time of the schedule.
pub(super) fn id_of(name: &AutopilotName, key: &str) -> String {
    let hash = Digest::of(format!("exacta.occasion/1\0{name}\0{key}").as_bytes()).to_string();
    let part = |from: usize, to: usize| hash.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

impl App {
    /// The occasion of this id.
    ///
    /// # Errors
    /// If there is none.
    pub fn occasion(&self, id: &str) -> Result<Occasion, Error> {
        self.authorize(Act::Read)?;
        let found = self.find_occasion(id)?;
        Ok(serde_json::from_value(found.body)?)
    }

    /// Occasions, newest first.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn occasions(&self, name: Option<&AutopilotName>, limit: u32) -> Result<Vec<Occasion>, Error> {
        self.authorize(Act::Read)?;
        let found = self.store.documents(DocumentKind::Occasion, name.map(AutopilotName::as_str), Some(limit))?;
        found.into_iter().map(|found| Ok(serde_json::from_value(found.body)?)).collect()
    }

    pub(super) fn find_occasion(&self, id: &str) -> Result<DocumentRecord, Error> {
        self.store.document(DocumentKind::Occasion, id)?.ok_or_else(|| {
            let message = format!("no occasion `{}`", exacta_kernel::text::excerpt(id, 64));
            Error::new(Exit::Usage, "occasion_unknown", message).hint(hint![Remedy::AutopilotRuns, " shows them"])
        })
    }

    /// Remembers an occasion as it is now, with the entry about it. `was` is the hash it had; none for a new one. Whether it happened:
    /// of two who begin the same one, one does.
    pub(super) fn keep_occasion(&mut self, occasion: &Occasion, was: Option<Digest>) -> Result<bool, Error> {
        let name = &occasion.autopilot;
        let reason = format!("occasion of `{name}` is {}: {}", occasion.state.name(), occasion.reason);
        let mut entry = EntryDraft::new(Event::OccasionChanged, Actor::System, reason);
        entry.data = data(json!({
            "autopilot": name, "occasion": occasion.run_id, "state": occasion.state, "plan_id": occasion.plan_id,
            "read": occasion.reads.iter().map(|read| &read.sha256).collect::<Vec<_>>(),
        }));
        let change = DocumentChange {
            kind: DocumentKind::Occasion,
            id: occasion.run_id.clone(),
            owner: name.clone(),
            state: occasion.state.name().to_owned(),
            body: serde_json::to_value(occasion)?,
            was,
        };
        Ok(self.store.put_documents(&[change], &[entry], now())?)
    }

    /// The same for one that was just read: its hash is looked up.
    pub(super) fn update_occasion(&mut self, occasion: &Occasion) -> Result<(), Error> {
        let was = self.find_occasion(&occasion.run_id)?.hash;
        if self.keep_occasion(occasion, Some(was))? {
            return Ok(());
        }
        let message = format!("somebody else changed occasion `{}` at the same time", occasion.run_id);
        Err(Error::new(Exit::Drifted, "lost_race", message).hint("look at it again"))
    }
}
