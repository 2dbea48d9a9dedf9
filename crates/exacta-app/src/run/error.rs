//! How a command ends whose run failed.

use crate::error::{Error, ErrorCode as Code, Exit};
use exacta_exec::RunError;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;

/// A run's failure, with how the command ends.
pub(crate) fn run_error(error: &RunError) -> Error {
    let (exit, code) = match error {
        RunError::Refused { .. } => (Exit::Denied, Code::TARGET_REFUSED),
        RunError::Drifted { .. } => (Exit::Drifted, Code::TARGET_CHANGED),
        RunError::Exists { .. } => (Exit::Drifted, Code::ALREADY_RUN),
        RunError::CheckFailed { .. } => (Exit::RolledBack, Code::CHECK_FAILED),
        RunError::Withdrawn { .. } => (Exit::Drifted, Code::APPROVAL_OUTDATED),
        RunError::Cancelled => (Exit::RolledBack, Code::CANCELLED),
        RunError::Failed(error) if error.is_locked() => (Exit::Fault, Code::LOCKED),
        RunError::Failed(_) | RunError::RolledBack { .. } | RunError::Changed { .. } => {
            (Exit::RolledBack, Code::ROLLED_BACK)
        }
        RunError::Locked { .. } => (Exit::Fault, Code::LOCKED),
        RunError::NotBegun => (Exit::Fault, Code::NOT_BEGUN),
        RunError::Kept { .. } => (Exit::Fault, Code::EDIT_KEPT),
        RunError::NeedsAttention { .. } | RunError::BadJournal { .. } | RunError::UnknownRun { .. } => {
            (Exit::Fault, Code::NEEDS_ATTENTION)
        }
        RunError::NotKept { .. } => (Exit::Fault, Code::NOT_KEPT),
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
    Error::fault(Code::UNRECORDED, message)
        .hint(cause.then(hint!["the next command that decides or acts records it, or ", Remedy::Recover]))
}
