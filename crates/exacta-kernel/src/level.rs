//! How dangerous something is, in one word.

use serde::{Deserialize, Serialize};

/// Low, medium, high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// 0–30.
    Low,
    /// 31–65.
    Medium,
    /// 66–100.
    High,
}
