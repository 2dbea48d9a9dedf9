//! Gates: each gives a verdict, all are recorded, the strictest wins.

use crate::prelude::*;
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

/// One gate's answer and its reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct GateVerdict {
    /// `security`, `policy`, `risk`, `quality` or `user`.
    pub gate: &'static str,
    /// Its answer.
    pub verdict: Verdict,
    /// The rule that spoke, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
}

/// The combined answer of all gates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The strictest verdict.
    pub verdict: Verdict,
    /// Every gate's verdicts, in the order security, policy, risk, quality, user.
    pub gates: Vec<GateVerdict>,
    /// Whether a run that needs no person is announced all the same.
    pub notice: bool,
}
