//! What a failed system call is reported as.

use rustix::io::Errno;

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
}
