//! The answer of a gate.

use serde::{Deserialize, Serialize};

/// An answer. Ordered, so that combining gates is `max` and a new gate can only tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Runs without a person.
    Allow,
    /// A person must approve.
    Confirm,
    /// Never runs.
    Deny,
}
