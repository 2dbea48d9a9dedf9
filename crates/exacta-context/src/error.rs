//! Why nothing could be selected.

use rustix::io::Errno;

/// A project that cannot be read. What cannot be read inside it is left out and named instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    /// The project's own folder cannot be listed.
    #[error("cannot read the project's folder: {0}")]
    Project(Errno),
}
