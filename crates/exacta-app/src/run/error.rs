//! How a command ends whose run failed.

use crate::error::{Error, Exit};
use exacta_exec::RunError;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;

/// The code for a target that cannot be changed without losing something.
pub(crate) const TARGET_REFUSED: &str = "target_refused";

/// The code for a run that failed and left everything as before.
pub(crate) const ROLLED_BACK: &str = "rolled_back";

/// A run's failure, with how the command ends.
pub(crate) fn run_error(error: &RunError) -> Error {
    let (exit, code) = match error {
        RunError::Refused { .. } => (Exit::Denied, TARGET_REFUSED),
        RunError::Drifted { .. } => (Exit::Drifted, "target_changed"),
        RunError::Exists { .. } => (Exit::Drifted, "already_run"),
        RunError::CheckFailed { .. } => (Exit::RolledBack, "check_failed"),
        RunError::Withdrawn { .. } => (Exit::Drifted, "approval_outdated"),
        RunError::Cancelled => (Exit::RolledBack, "cancelled"),
        RunError::Failed(error) if error.is_locked() => (Exit::Fault, "locked"),
        RunError::Failed(_) | RunError::RolledBack { .. } | RunError::Changed { .. } => (Exit::RolledBack, ROLLED_BACK),
        RunError::Locked { .. } => (Exit::Fault, "locked"),
        RunError::NotBegun => (Exit::Fault, "not_begun"),
        RunError::Kept { .. } => (Exit::Fault, "edit_kept"),
        RunError::NeedsAttention { .. } | RunError::BadJournal { .. } | RunError::UnknownRun { .. } => {
            (Exit::Fault, "needs_attention")
        }
        RunError::NotKept { .. } => (Exit::Fault, "not_kept"),
    };
    let told = Error::new(exit, code, error.to_string());
    match error.hint() {
        Some(hint) => told.hint(hint),
        None => told,
    }
}

/// How a run ended, where that could not be entered into the record.
pub(super) fn unrecorded(ended: &str, error: &Error) -> Error {
    let message = format!("{ended}; but this could not be recorded: {}", error.message);
    if error.is_tampered() {
        return Error { message, ..error.clone() };
    }
    let cause = error.hint.clone().unwrap_or_else(|| "remove the cause".into());
    Error::fault("unrecorded", message)
        .hint(cause.then(hint!["the next command that decides or acts records it, or ", Remedy::Recover]))
}
