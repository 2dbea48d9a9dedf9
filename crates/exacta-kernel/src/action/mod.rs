//! The three domains of action as data: what a step touches, its tier, whether it can be undone, whether it needs approval.

pub mod primitive;
pub mod tool;

use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// How dangerous a primitive or tool is by itself; a floor under the risk level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Reads only.
    Low,
    /// Writes drafts.
    Medium,
    /// Sends, publishes, or writes in bulk.
    High,
}

/// Whether what a step did can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reversibility {
    /// Nothing to undo.
    NoEffect,
    /// Put back exactly.
    Exact,
    /// Made good by another action.
    Compensated,
    /// Cannot be undone.
    Irreversible,
}

impl Tier {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Low => "low".to_owned(),
            Self::Medium => "medium".to_owned(),
            Self::High => "high".to_owned(),
        }
    }
}
