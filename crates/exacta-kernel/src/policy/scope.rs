//! How far a plan may reach over the network.

use serde::{Deserialize, Serialize};

/// What may be reached over the network. Ordered, narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NetworkScope {
    /// Nothing.
    None,
    /// The configured AI provider.
    AiOnly,
    /// Everything the user configured: AI provider, sites, mail, sources.
    Configured,
}

impl NetworkScope {
    /// The name as it is written in a policy.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::AiOnly => "AI_ONLY",
            Self::Configured => "CONFIGURED",
        }
    }
}
