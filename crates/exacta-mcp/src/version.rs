//! The versions of the protocol that are spoken.

/// The version without a handshake: each request says it.
pub const STATELESS: &str = "2026-07-28";

/// The versions that begin with `initialize`, oldest first.
pub const INITIALIZED: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The one version in which several messages may come in one array.
const BATCHED: &str = "2025-03-26";

/// How a request is to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// By [`STATELESS`].
    Stateless,
    /// By one of [`INITIALIZED`].
    Initialized(&'static str),
}

impl Era {
    /// Whether several messages may come in one array.
    pub fn is_batched(self) -> bool {
        self == Self::Initialized(BATCHED)
    }
}

/// The version that a handshake ends with: the one that the client asks for, or else our newest.
pub(crate) fn negotiated(asked: &str) -> &'static str {
    let newest = INITIALIZED.last().copied().unwrap_or_default();
    INITIALIZED.into_iter().find(|known| *known == asked).unwrap_or(newest)
}
