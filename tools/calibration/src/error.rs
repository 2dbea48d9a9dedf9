//! What can go wrong while measuring.

/// What can go wrong while measuring.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or a process.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Git said no.
    #[error("git: {0}")]
    Git(String),
    /// Something cannot be written as JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// A pattern or policy of the kit itself.
    #[error("{0}")]
    Own(String),
}
