//! The site tools: a static registry. A site's manifest decides only which of them it offers.

use super::{Reversibility, Tier};
use crate::prelude::*;
use serde_json::{Map, Value};

/// One entry of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// Its name, such as `content.create_page`.
    pub name: &'static str,
    /// The floor under the risk level.
    pub tier: Tier,
    /// What a call weighs in the estimates.
    pub weight: u32,
    /// Whether what it did can be undone.
    pub reversibility: Reversibility,
    /// The arguments it takes; no other is accepted.
    pub arguments: &'static [&'static str],
    /// Those of them that it cannot do without.
    pub needs: &'static [&'static str],
}

/// What is written of a page, and `stored`: what WordPress makes of it where that is something else, predicted and shown.
const CREATE: &[&str] = &["title", "slug", "content", "excerpt", "parent", "template", "meta", "stored"];

/// The same of a page that is there, `before`: the state of it that the plan was made on, and `status`, which that state has.
const UPDATE: &[&str] =
    &["id", "title", "slug", "content", "excerpt", "parent", "template", "meta", "stored", "before", "status"];

/// The tool whose tier depends on its page.
const UPDATE_PAGE: &str = "content.update_page";

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
        name: UPDATE_PAGE,
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

    /// The tier of a call: its tool's, but high where it changes what the public sees. What nobody knows is high.
    #[must_use]
    pub fn tier_of(name: &str, arguments: &Map<String, Value>) -> Tier {
        match Self::find(name) {
            Some(tool) if !changes_public(name, arguments) => tool.tier,
            _ => Tier::High,
        }
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

/// Whether a call changes a page that is not provably a draft.
#[must_use]
pub fn changes_public(name: &str, arguments: &Map<String, Value>) -> bool {
    let status = arguments.get("status").and_then(Value::as_str);
    name == UPDATE_PAGE && !status.is_some_and(is_unpublished)
}

/// Whether a page in this status was never seen by the public.
#[must_use]
pub fn is_unpublished(status: &str) -> bool {
    matches!(status, "draft" | "pending" | "auto-draft")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_public_sees_is_high() {
        for (tool, status, tier) in [
            ("content.update_page", json!("draft"), Tier::Medium),
            ("content.update_page", json!("pending"), Tier::Medium),
            ("content.update_page", json!("publish"), Tier::High),
            ("content.update_page", json!("future"), Tier::High),
            ("content.update_page", json!("private"), Tier::High),
            ("content.update_page", json!(null), Tier::High),
            ("content.create_page", json!(null), Tier::Medium),
            ("content.publish_page", json!("draft"), Tier::High),
            ("content.inventory", json!(null), Tier::Low),
            ("content.delete", json!("draft"), Tier::High),
        ] {
            let arguments = [("status".to_owned(), status.clone())].into_iter().collect();
            assert_eq!(Tool::tier_of(tool, &arguments), tier, "{tool} {status}");
        }
    }
}
