//! How a run ended, for the record and for people: the one account of it, whoever brought the run to its end.

use crate::error::Error;
use crate::view::outcome;
use exacta_effect as effect;
use exacta_exec::{Outcome, Receipts, RunError};
use exacta_kernel::audit::Event;
use exacta_kernel::id::{PlanId, RunId};
use exacta_record::RunState;
use serde_json::{Value, json};

use exacta_view::Recovery;

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) state: RunState,
    /// In words.
    pub(crate) reason: String,
    pub(crate) receipts: Value,
    /// Where bytes are that somebody else saved meanwhile.
    pub(crate) kept: Vec<String>,
    /// Whether it is certain that the run changed nothing.
    pub(crate) untouched: bool,
}

impl Ended {
    /// As the process that ran it saw it.
    pub(crate) fn completed(receipts: &Receipts, undo: bool) -> Result<Self, Error> {
        let how = if undo { "every target is as it was before that run" } else { "every target is as approved" };
        let kept = receipts.kept.clone();
        Ok(Self { receipts: serde_json::to_value(receipts)?, kept, ..Self::with(RunState::Completed, how.to_owned()) })
    }

    /// A run that had begun and failed, as the process that ran it saw it.
    pub(crate) fn failed(error: &RunError, reason: String) -> Self {
        let state = match error {
            RunError::Kept { .. } => RunState::NeedsAttention,
            error if error.is_unsettled() => RunState::NeedsAttention,
            RunError::Cancelled => RunState::Cancelled,
            _ => RunState::RolledBack,
        };
        Self::with(state, reason)
    }

    /// A run that is in the record and never went further than that.
    pub(crate) fn nothing_done(reason: String) -> Self {
        Self { untouched: true, ..Self::with(RunState::RolledBack, reason) }
    }

    /// As the executor tells it of a run whose process died.
    pub(crate) fn of(found: Outcome) -> Result<Self, Error> {
        Ok(match found {
            Outcome::Completed(receipts) => {
                let reason = "the commit point had passed: every target is as approved".to_owned();
                Self { reason, ..Self::completed(&receipts, false)? }
            }
            Outcome::RolledBack => {
                let how = "the commit point had passed, and what was done could not be finished: every target is as before again";
                Self::with(RunState::RolledBack, how.to_owned())
            }
            Outcome::NothingDone => {
                let how = "the commit point had not passed: the run changed nothing";
                Self { untouched: true, ..Self::with(RunState::RolledBack, how.to_owned()) }
            }
            Outcome::NotAdopted => Self::nothing_done(
                "the commit point had passed, but what it was to adopt is not there any more: it touched nothing"
                    .to_owned(),
            ),
            // What it met of others would be named. A target that is as the run did not expect, it never touched.
            Outcome::NoTrace => Self::nothing_done(
                "nobody recorded its end: it had no effect, or all that it did was put back".to_owned(),
            ),
            Outcome::EditsKept(kept) => Self::edits_kept(kept),
            Outcome::Contradicted(changed) => Self::contradicted(&changed),
        })
    }

    /// As the run outside the project tells it, live or recovered.
    pub(crate) fn of_effects(found: &effect::Outcome, undo: bool) -> Result<Self, Error> {
        use effect::Outcome;
        Ok(match found {
            Outcome::Completed { receipts } => {
                let how = if undo { "every effect of that run is undone" } else { "every effect is as approved" };
                Self { receipts: serde_json::to_value(receipts)?, ..Self::with(RunState::Completed, how.to_owned()) }
            }
            Outcome::NothingDone => Self::nothing_done("the run never came to its first act".to_owned()),
            Outcome::RolledBack { cause } => {
                Self::with(RunState::RolledBack, format!("everything is as before: {cause}"))
            }
            Outcome::Cancelled => {
                Self::with(RunState::Cancelled, "the run was cancelled; everything is as before".to_owned())
            }
            Outcome::NeedsAttention { cause, remains } => {
                let reason = format!("{cause}; what it did could not all be undone: {}", remains.join("; "));
                Self::with(RunState::NeedsAttention, reason)
            }
            Outcome::Unknown { step, evidence } => {
                let reason = format!("nobody can tell whether step `{step}` was done: {evidence}");
                Self::with(RunState::Unknown, reason)
            }
        })
    }

    /// What the log calls it, where the process that ran it records it.
    pub(crate) const fn event(&self, undo: bool) -> Event {
        match self.state {
            RunState::Completed if undo => Event::RunUndone,
            RunState::Completed => Event::PlanExecuted,
            RunState::NeedsAttention | RunState::Unknown => Event::RunNeedsAttention,
            _ => Event::RunRolledBack,
        }
    }

    /// What is told of a run that was recovered.
    pub(crate) fn into_recovery(self, run_id: &RunId, plan_id: &PlanId) -> Recovery {
        Recovery {
            run_id: run_id.to_string(),
            plan_id: plan_id.to_string(),
            outcome: outcome(self.state),
            reason: self.reason,
            kept: self.kept,
        }
    }

    fn with(state: RunState, reason: String) -> Self {
        Self { state, reason, receipts: json!({}), kept: Vec::new(), untouched: false }
    }

    /// Everything is as before, but for this.
    fn edits_kept(kept: Vec<String>) -> Self {
        let except = if kept.is_empty() { "what somebody else saved meanwhile".to_owned() } else { quoted(&kept) };
        let reason = format!("everything is as before except {except}, saved by another program and kept");
        Self { receipts: json!({ "kept": &kept }), kept, ..Self::with(RunState::NeedsAttention, reason) }
    }

    /// The journal and the targets contradict each other.
    fn contradicted(changed: &[String]) -> Self {
        let reason = format!(
            "by its journal it changed nothing, but these are not as before: {}; somebody changed the journal, or the files since",
            quoted(changed)
        );
        Self::with(RunState::NeedsAttention, reason)
    }
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
