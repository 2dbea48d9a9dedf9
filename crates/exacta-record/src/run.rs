//! Runs as they are remembered, and how one is started.

use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One execution of a plan, or one undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Names it.
    pub id: RunId,
    /// The plan it is of, or whose run it undoes.
    pub plan_id: PlanId,
    /// The run it undoes, if it is an undo.
    pub undoes: Option<RunId>,
    /// How it stands.
    pub state: RunState,
    /// When it began; the store sets it when the run starts.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The process that it is in.
    pub pid: u32,
    /// What tells that process from any other that ever has its number: the boot it belongs to, and when it started.
    pub boot: String,
    /// Per path, the state before and after; opaque here.
    pub changes: Value,
    /// What its steps did; opaque here.
    pub receipts: Value,
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Going on, or crashed and not yet recovered.
    Running,
    /// Everything is as approved.
    Completed,
    /// Everything is as before.
    RolledBack,
    /// Somebody stopped it: everything is as before.
    Cancelled,
    /// What it did is being put back, or its process crashed while it was.
    RollingBack,
    /// A person has to look.
    NeedsAttention,
    /// Nobody can tell whether an act of it happened: a person has to find out.
    Unknown,
    /// It was completed, and undone later.
    Undone,
}

impl RunState {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Running,
        Self::Completed,
        Self::RolledBack,
        Self::Cancelled,
        Self::RollingBack,
        Self::NeedsAttention,
        Self::Unknown,
        Self::Undone,
    ];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::RolledBack => "rolled_back",
            Self::Cancelled => "cancelled",
            Self::RollingBack => "rolling_back",
            Self::NeedsAttention => "needs_attention",
            Self::Unknown => "unknown",
            Self::Undone => "undone",
        }
    }

    /// The state of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether a run has no end: a process is at it, was and died, or a person has to look.
    #[must_use]
    pub const fn is_open(self) -> bool {
        self.is_under_way() || self.waits_for_a_person()
    }

    /// Whether a process is at it, or was and died.
    #[must_use]
    pub const fn is_under_way(self) -> bool {
        matches!(self, Self::Running | Self::RollingBack)
    }

    /// Whether a person has to look.
    #[must_use]
    pub const fn waits_for_a_person(self) -> bool {
        matches!(self, Self::NeedsAttention | Self::Unknown)
    }
}

impl core::fmt::Display for RunState {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// Which runs to list. Newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only these; all if empty.
    pub state: Vec<RunState>,
    /// Only of this plan.
    pub plan_id: Option<PlanId>,
    /// Only those whose id begins so.
    pub prefix: Option<String>,
    /// Only runs of plans, no undos.
    pub own: bool,
    /// Only those that began then or later.
    pub since: Option<Timestamp>,
    /// At most this many.
    pub limit: Option<u32>,
}

/// What became of the attempt to start a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Start {
    /// It is started, and its entry is on disk.
    Started,
    /// The plan no longer stands where it must.
    Lost {
        /// Where it stands now.
        status: Status,
    },
    /// The plan has had its one run, or the run its undo.
    AlreadyRun(
        /// That one.
        RunId,
    ),
    /// The log has come to the time before which it had to begin.
    TooLate {
        /// That time, by the log.
        at: Timestamp,
    },
    /// As many runs as allowed are going on.
    TooMany {
        /// So many.
        running: u32,
    },
}

/// A run that is to start.
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'a> {
    /// The run; the record sets when it began.
    pub run: &'a RunRecord,
    /// The plan must have one of these statuses.
    pub from: &'a [Status],
    /// How many runs may be going on with it.
    pub max_running: u32,
    /// It must begin before this time, by the log's clock, which never goes back.
    pub before: Option<Timestamp>,
}
