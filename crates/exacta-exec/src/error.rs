//! What is reported when something cannot be done.

use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

/// A system call that failed: which one, on what, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot {call} `{path}`: {errno}")]
pub struct IoError {
    /// What was being done, as a verb: `open`, `sync`, `exchange`.
    pub call: &'static str,
    /// What it was done to, relative to the project root where it lies beneath it.
    pub path: String,
    /// The system's answer.
    pub errno: Errno,
}

impl IoError {
    /// For `map_err`: names the call and the path.
    pub(crate) fn of(call: &'static str, path: &str) -> impl FnOnce(Errno) -> Self {
        move |errno| Self { call, path: path.to_owned(), errno }
    }

    /// Whether something stands on the way that is no folder of this file system: a file, a symbolic link, a mount.
    pub(crate) const fn is_obstacle(&self) -> bool {
        matches!(self.errno, Errno::LOOP | Errno::NOTDIR | Errno::XDEV)
    }

    /// Whether somebody held a lock for longer than anybody needs it.
    #[must_use]
    pub const fn is_locked(&self) -> bool {
        matches!(self.errno, Errno::AGAIN)
    }

    /// Whether a sync failed: then nobody knows what is on the disk.
    pub(crate) fn is_sync(&self) -> bool {
        self.call == "sync"
    }
}

/// Why a run, a recovery or a look at their records did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// Targets are not as the plan expects them. Nothing was changed.
    #[error("{}", drifted(.targets))]
    Drifted {
        /// Every target that differs.
        targets: Vec<Drifted>,
    },
    /// A target that cannot be changed without losing something. Nothing was changed.
    #[error("`{path}` cannot be changed: {reason}")]
    Refused {
        /// The target.
        path: RelPath,
        /// What stands against it.
        reason: String,
    },
    /// Another run is at work on a target. Nothing was changed.
    #[error("`{path}` is locked by {}", held_by(.holder.as_ref()))]
    Locked {
        /// The target.
        path: RelPath,
        /// Who has it, as far as it can be told.
        holder: Option<Holder>,
    },
    /// The run could not be entered into the record. Nothing was changed.
    #[error("the run did not begin")]
    NotBegun,
    /// A run with this id exists already. Nothing was changed.
    #[error("run `{run_id}` exists already")]
    Exists {
        /// The run.
        run_id: RunId,
    },
    /// A check on the staged result failed. Nothing was changed.
    #[error("nothing was changed: {message}")]
    CheckFailed {
        /// What the check said.
        message: String,
    },
    /// What the run was permitted under no longer holds. Nothing was changed.
    #[error("nothing was changed: {message}")]
    Withdrawn {
        /// What changed.
        message: String,
    },
    /// A preparing call failed. Nothing was changed.
    #[error("nothing was changed: {0}")]
    Failed(#[from] IoError),
    /// The run was cancelled; everything is as before.
    #[error("the run was cancelled; everything is as before")]
    Cancelled,
    /// The run failed; everything is as before.
    #[error("everything is as before: {cause}")]
    RolledBack {
        /// What failed.
        cause: String,
    },
    /// Someone changed a target while the run was replacing it; everything is as before, and as that someone left it.
    #[error("everything is as before: `{path}` was changed by another program during the run")]
    Changed {
        /// The target.
        path: RelPath,
    },
    /// Someone saved targets while the run was replacing them. Their bytes are kept; everything else is as before.
    #[error("everything is as before except {}, saved by another program during the run and kept", list(.kept))]
    Kept {
        /// Where the bytes are, relative to the project root.
        kept: Vec<String>,
    },
    /// The outcome is not settled; recovery has to settle it.
    #[error("run `{run_id}` is not settled: {what}")]
    NeedsAttention {
        /// The run.
        run_id: RunId,
        /// What stands in the way.
        what: String,
    },
    /// A record in `.exacta/exec` that cannot be trusted or understood.
    #[error("the journal of run `{run_id}` cannot be used: {what}")]
    BadJournal {
        /// The run.
        run_id: RunId,
        /// Why.
        what: String,
    },
    /// A committed run of which the record does not know that it has no end. Nothing was touched.
    #[error("the journal of run `{run_id}` cannot be used: the record knows of no such run without an end")]
    UnknownRun {
        /// The run.
        run_id: RunId,
    },
    /// There is no finished run or before-image like that.
    #[error("no {what} is kept")]
    NotKept {
        /// What was asked for.
        what: String,
    },
}

/// A target that is not as expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drifted {
    /// The target.
    pub path: RelPath,
    /// What it is instead.
    pub found: String,
}

/// Who holds a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process.
    pub pid: u32,
    /// Its run.
    pub run_id: RunId,
}

impl RunError {
    /// What helps.
    #[must_use]
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::Locked { .. } => Some(hint!["wait for that run, or look at it with ", Remedy::Status]),
            Self::NeedsAttention { .. } => Some(hint!["remove the cause and run ", Remedy::Recover]),
            Self::Kept { .. } => {
                Some(hint!["look at the files named; ", Remedy::Show(None), " of the plan tells how the run stands"])
            }
            Self::BadJournal { .. } => {
                Some(hint!["nothing was touched; use the version that wrote it, or look at `.exacta/exec` by hand"])
            }
            Self::UnknownRun { .. } => Some(hint![
                "nothing was touched; if ",
                Remedy::List,
                " has the run as ended, move its files out of `.exacta/exec`"
            ]),
            Self::Failed(IoError { errno: Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP, .. }) => Some(hint![
                "the file system may lack a call that every run needs (renames that replace nothing, exchanges); \
                 keep the project on ext4, xfs, btrfs or tmpfs"
            ]),
            Self::Failed(IoError { errno: Errno::AGAIN, .. }) => Some(hint![
                "another process holds that lock for longer than any run does: find it with `fuser`, and give the command again"
            ]),
            Self::NotKept { .. } => Some(hint!["before-images are kept for a limited time: ", Remedy::PolicyShow]),
            Self::Drifted { .. }
            | Self::Refused { .. }
            | Self::NotBegun
            | Self::Withdrawn { .. }
            | Self::Changed { .. }
            | Self::Exists { .. }
            | Self::CheckFailed { .. }
            | Self::Failed(_)
            | Self::Cancelled
            | Self::RolledBack { .. } => None,
        }
    }

    /// Whether the project may differ from what it was before the run.
    #[must_use]
    pub const fn is_unsettled(&self) -> bool {
        matches!(self, Self::NeedsAttention { .. } | Self::BadJournal { .. } | Self::UnknownRun { .. })
    }
}

fn drifted(targets: &[Drifted]) -> String {
    let each: Vec<String> = targets.iter().map(|target| format!("`{}` {}", target.path, target.found)).collect();
    format!("the project is not as the plan expects: {}", each.join(", "))
}

fn held_by(holder: Option<&Holder>) -> String {
    holder
        .map_or_else(|| "another run".to_owned(), |holder| format!("run `{}` (process {})", holder.run_id, holder.pid))
}

fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
