//! The site tools: a static registry. A site's manifest decides only which of them it offers.

use super::{Reversibility, Tier};
use crate::prelude::*;

/// One entry of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// Its name, such as `content.create_page`.
    pub name: &'static str,
    /// The floor under the risk level.
    pub tier: Tier,
    /// What a call weighs in the estimates.
    pub weight: u32,
    /// Whether what it did can be taken back.
    pub reversibility: Reversibility,
    /// The arguments it takes; no other is accepted.
    pub arguments: &'static [&'static str],
    /// Those of them that it cannot do without.
    pub needs: &'static [&'static str],
}

/// What is written of a page, and `stored`: what WordPress makes of it where that is something else, predicted and shown.
const CREATE: &[&str] = &["title", "slug", "content", "excerpt", "parent", "template", "meta", "stored"];

/// The same of a page that is there, and `before`: the state of it that the plan was made on.
const UPDATE: &[&str] =
    &["id", "title", "slug", "content", "excerpt", "parent", "template", "meta", "stored", "before"];

/// Every tool a plan may call.
pub const REGISTRY: &[Tool] = &[
    Tool {
        name: "site.get_environment",
        tier: Tier::Low,
        weight: 1,
        reversibility: Reversibility::NoEffect,
        arguments: &["sha256"],
        needs: &[],
    },
    Tool {
        name: "content.inventory",
        tier: Tier::Low,
        weight: 2,
        reversibility: Reversibility::NoEffect,
        arguments: &["post_types", "statuses", "page", "per_page", "sha256"],
        needs: &[],
    },
    Tool {
        name: "seo.get_config",
        tier: Tier::Low,
        weight: 1,
        reversibility: Reversibility::NoEffect,
        arguments: &["sha256"],
        needs: &[],
    },
    Tool {
        name: "content.create_page",
        tier: Tier::Medium,
        weight: 4,
        reversibility: Reversibility::Compensated,
        arguments: CREATE,
        needs: &["title"],
    },
    Tool {
        name: "content.bulk_create",
        tier: Tier::High,
        weight: 6,
        reversibility: Reversibility::Compensated,
        arguments: &["items"],
        needs: &["items"],
    },
    Tool {
        name: "content.update_page",
        tier: Tier::Medium,
        weight: 4,
        reversibility: Reversibility::Compensated,
        arguments: UPDATE,
        needs: &["id"],
    },
    Tool {
        name: "content.publish_page",
        tier: Tier::High,
        weight: 4,
        reversibility: Reversibility::Compensated,
        arguments: &["id", "stored", "before"],
        needs: &["id"],
    },
    Tool {
        name: "content.trash_page",
        tier: Tier::High,
        weight: 4,
        reversibility: Reversibility::Compensated,
        arguments: &["id", "before"],
        needs: &["id"],
    },
];

impl Tool {
    /// The tool of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Tool> {
        REGISTRY.iter().find(|tool| tool.name == name)
    }

    /// Whether it changes a site.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.reversibility != Reversibility::NoEffect
    }

    /// The names of all tools, for messages.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        REGISTRY.iter().map(|tool| tool.name).collect()
    }
}
