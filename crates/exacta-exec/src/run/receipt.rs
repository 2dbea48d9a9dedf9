//! What goes into a run besides the permit, what is heard of it, and what comes out.

use exacta_kernel::facts::FileState;
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Change;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How a run is made, and who hears of it.
pub struct RunOptions<'a> {
    /// Whether everything is made durable. Without it a run still survives the death of its process, not a power cut.
    pub sync: bool,
    /// Set by another thread to cancel; looked at between steps.
    pub cancel: &'a AtomicBool,
    /// How long to wait for targets that another run holds.
    pub wait: Duration,
    /// Hears of every event, in order.
    pub observer: &'a mut dyn FnMut(Event),
    /// The last word before the first visible change, told what the run will do to the byte: checks on that result, and whether
    /// what the run was permitted under still holds. An error discards the run.
    pub before_commit: &'a mut dyn FnMut(&[Change]) -> Result<(), Objection>,
}

/// Enters a run into the record, and says whether it is there. Called once, when every target is locked and every new file lies
/// ready; the run comes to its commit only after it, and one that is not entered ends as if it had never been.
pub type Begin<'a> = dyn FnMut() -> bool + 'a;

/// What stands against a run whose result lies ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objection {
    /// A check failed; what it said.
    Check(String),
    /// What it was permitted under no longer holds; what changed.
    Withdrawn(String),
}

/// What a run tells while it goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The new content of a target lies ready.
    StepStaged {
        /// The target.
        path: RelPath,
    },
    /// Everything is verified and durable; the next moment changes the project.
    Committing,
    /// A target is as approved.
    StepDone {
        /// The target.
        path: RelPath,
    },
    /// Everything is put back.
    RollingBack {
        /// Why.
        cause: String,
    },
}

/// What a completed run did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipts {
    /// The run.
    pub run_id: RunId,
    /// One for each target, sorted by path.
    pub steps: Vec<Receipt>,
    /// Bytes that another program wrote into an old file at the very end: where they are kept, relative to the project root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
}

/// What happened to one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The target.
    pub path: RelPath,
    /// As it was.
    pub before: FileState,
    /// As it is, read back.
    pub after: FileState,
    /// Bytes written.
    pub bytes: u64,
    /// Time spent on it, in microseconds; 0 where recovery completed the run.
    pub duration_us: u64,
}
