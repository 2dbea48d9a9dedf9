//! What goes into a run besides the permit, what is heard of it, and what comes out.

use crate::journal::{Journal, Step};
use exacta_kernel::facts::FileState;
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How a run is made, and who hears of it.
pub struct RunOptions<'a> {
    /// Set by another thread to cancel; looked at between steps.
    pub cancel: &'a AtomicBool,
    /// How long to wait for targets that another run holds.
    pub wait: Duration,
    /// Hears of every event, in order. It is told, and has no say.
    pub observer: &'a mut dyn FnMut(Event),
}

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

/// What a run did, from its journal.
pub(crate) fn receipts(journal: &Journal) -> Receipts {
    let Journal { run_id, steps, adopts, .. } = journal;
    let receipt = |step: &Step| Receipt {
        path: step.path.clone(),
        before: step.before.clone(),
        after: step.after.clone(),
        bytes: if let FileState::File { size, .. } = step.after
            && !adopts
        {
            size
        } else {
            0
        },
        duration_us: 0,
    };
    Receipts { run_id: run_id.clone(), steps: steps.iter().map(receipt).collect(), kept: Vec::new() }
}
