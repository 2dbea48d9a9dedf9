//! Numeric limits. A policy may lower each of them and raise none.

use serde::{Deserialize, Serialize};

/// The limits in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Caps {
    /// Steps in a file or autopilot plan.
    pub steps: u64,
    /// Steps in a site plan.
    pub site_steps: u64,
    /// Files a plan may touch.
    pub files: u64,
    /// Dependencies of one step.
    pub dependencies: u64,
    /// Bytes of one target.
    pub target_bytes: u64,
    /// Tokens a plan may be estimated at.
    pub tokens: u64,
    /// Seconds a plan stays usable.
    pub expiry_seconds: u64,
    /// Runs at the same time, over all profiles.
    pub runs: u32,
    /// Pages a site plan may touch.
    pub pages: u64,
    /// Tool calls of a site plan.
    pub tool_calls: u64,
    /// Cost of a site plan, in hundredths of a US cent.
    pub cost: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            steps: 10,
            site_steps: 12,
            files: 15,
            dependencies: 5,
            target_bytes: 64 << 20,
            tokens: 96_000,
            expiry_seconds: 1800,
            runs: 5,
            pages: 200,
            tool_calls: 40,
            cost: 50_000,
        }
    }
}
