//! What one user can do on one site. Its hash is bound into every plan, and compared again before a run.

use exacta_kernel::action::tool::REGISTRY;
use exacta_kernel::hash::{Digest, canonical_hash};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A site as a user finds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The address it is reached at.
    pub url: String,
    /// The address that it gives itself.
    pub home: String,
    /// Whether its links are plain, so that the interface is asked with `?rest_route=`.
    pub plain_links: bool,
    /// The version of WordPress, where it is told.
    pub version: Option<String>,
    /// The user's number.
    pub user_id: u64,
    /// The user's name.
    pub user: String,
    /// What the user may do with pages.
    pub rights: PageRights,
    /// Whether the site keeps revisions; none where that cannot be told yet. Without them a person's edit between our last look and
    /// our write cannot be found afterwards.
    pub revisions: Option<bool>,
    /// The types of content that the user can read, sorted.
    pub post_types: BTreeSet<String>,
    /// The templates that a page can have; none where they are not told.
    pub templates: Option<BTreeSet<String>>,
    /// The meta fields that the site has registered for pages. Others are dropped without a word.
    pub meta: BTreeSet<String>,
}

/// What a user may do with pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "WordPress's capabilities are independent of each other")]
#[expect(missing_docs, reason = "the names are WordPress's own, without `_pages`")]
pub struct PageRights {
    pub edit: bool,
    pub edit_others: bool,
    pub edit_published: bool,
    pub publish: bool,
    pub delete: bool,
    pub delete_others: bool,
    pub delete_published: bool,
    pub unfiltered_html: bool,
}

impl Manifest {
    /// The tools that this user can use here, in the order of the registry.
    #[must_use]
    pub fn tools(&self) -> Vec<&'static str> {
        REGISTRY.iter().map(|tool| tool.name).filter(|name| self.offers(name)).collect()
    }

    /// Whether this user can use a tool here.
    #[must_use]
    pub fn offers(&self, tool: &str) -> bool {
        let rights = self.rights;
        match tool {
            "site.get_environment" | "content.inventory" | "seo.get_config" => true,
            // What was made has to be put into the trash where a run fails.
            "content.create_page" | "content.bulk_create" => rights.edit && rights.delete,
            "content.update_page" => rights.edit,
            // What was published has to be put back to a draft, which is an edit of a published page.
            "content.publish_page" => rights.edit && rights.publish && rights.edit_published,
            "content.trash_page" => rights.edit && rights.delete,
            _ => false,
        }
    }

    /// SHA-256 of the manifest in canonical form. That there are revisions can be told only once a page was changed, so only that there
    /// are none counts: else the first edit of a site would block every plan.
    #[must_use]
    pub fn sha256(&self) -> Digest {
        let known = Self { revisions: self.revisions.filter(|kept| !kept), ..self.clone() };
        canonical_hash(&known).unwrap_or_else(|_| Digest::of(format!("{known:?}").as_bytes()))
    }
}
