//! What a person asked to have changed, as every surface shows it.

use exacta_kernel::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person's request for changes: the plan waits for its proposer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangesRequested {
    /// The approver who asked.
    pub by: String,
    /// When.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// What should be different, in that person's words.
    pub text: String,
    /// The places it is about, as `PATH:LINE`; empty if it is about the whole plan.
    pub places: Vec<String>,
}
