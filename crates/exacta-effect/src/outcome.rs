//! How a run of effects ended: the one account of it, for the process that ran it and for the one that recovered it.

use crate::effector::Trace;
use exacta_kernel::facts::FileState;
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ended", rename_all = "snake_case")]
pub enum Outcome {
    /// Every effect is as approved, found by looking.
    Completed {
        /// What each did.
        receipts: Receipts,
    },
    /// It never came to its first act.
    NothingDone,
    /// Everything is as before.
    RolledBack {
        /// What failed.
        cause: String,
    },
    /// Somebody stopped it. Everything is as before.
    Cancelled,
    /// Some effects could not be compensated, or somebody changed what they left: those are named.
    NeedsAttention {
        /// What failed.
        cause: String,
        /// What remains, one line for each.
        remains: Vec<String>,
    },
    /// Nobody can tell whether an act happened.
    Unknown {
        /// The step.
        step: String,
        /// What is known about it.
        evidence: String,
    },
}

/// What a completed run did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipts {
    /// The run.
    pub run_id: RunId,
    /// One for each effect, in the order they were performed.
    pub steps: Vec<Receipt>,
}

/// What one effect did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The step.
    pub step: String,
    /// Where, in the effector's own names.
    pub path: RelPath,
    /// As it was.
    pub before: FileState,
    /// As it is, looked at.
    pub after: FileState,
    /// Bytes written or sent.
    pub bytes: u64,
    /// What the effector knows of it beyond that: what was read, or what was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
}

impl Receipt {
    pub(crate) fn of(trace: &Trace, undo: bool, result: Option<serde_json::Value>) -> Self {
        let bytes = match &trace.after {
            FileState::File { size, .. } if !undo => *size,
            _ => 0,
        };
        let (before, after) = (FileState::Absent, trace.after.clone());
        let (before, after) = if undo { (after, before) } else { (before, after) };
        Self { step: trace.step.clone(), path: trace.place.clone(), before, after, bytes, result }
    }
}
