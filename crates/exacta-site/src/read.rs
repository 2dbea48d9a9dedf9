//! What the tools that read find: bytes in canonical form, with their hash and how many things are in them.

use crate::client::Client;
use crate::error::SiteError;
use crate::manifest::Manifest;
use exacta_kernel::hash::{Digest, canonical_json};
use serde_json::{Value, json};

/// The most pages that are listed in one answer: WordPress gives no more.
const PER_PAGE: u64 = 100;

/// The most that one inventory lists.
const MOST: u64 = 10_000;

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// In canonical JSON.
    pub bytes: Vec<u8>,
    /// Of the bytes.
    pub sha256: Digest,
    /// How many things it lists.
    pub count: u64,
}

impl Snapshot {
    fn of(value: &Value, count: u64) -> Result<Self, SiteError> {
        let bytes =
            canonical_json(value).map_err(|_| SiteError::Strange("it has numbers that mean nothing".to_owned()))?;
        Ok(Self { sha256: Digest::of(&bytes), bytes, count })
    }
}

/// `site.get_environment`: what the site is and what can be done there.
///
/// # Errors
/// [`SiteError`]
pub fn environment(manifest: &Manifest) -> Result<Snapshot, SiteError> {
    let Manifest { url, version, user, rights, revisions, post_types, templates, meta, .. } = manifest;
    let value = json!({
        "url": url, "version": version, "user": user, "rights": rights, "revisions": revisions, "post_types": post_types,
        "templates": templates, "meta": meta, "tools": manifest.tools(),
    });
    Snapshot::of(&value, 1)
}

/// `content.inventory`: the pages, in pages of a hundred, without their content.
///
/// # Errors
/// [`SiteError`]
pub fn inventory(client: &Client, statuses: &[&str]) -> Result<Snapshot, SiteError> {
    const FIELDS: &str = "id,slug,status,title,parent,template,modified_gmt,link";
    let status = if statuses.is_empty() { "any".to_owned() } else { statuses.join(",") };
    let mut pages = Vec::new();
    for number in 1..=MOST / PER_PAGE {
        let query = [
            ("context", "edit".to_owned()),
            ("status", status.clone()),
            ("orderby", "id".to_owned()),
            ("order", "asc".to_owned()),
            ("per_page", PER_PAGE.to_string()),
            ("page", number.to_string()),
            ("_fields", FIELDS.to_owned()),
        ];
        let reply = client.get("/wp/v2/pages", &query)?;
        let list = reply.body.as_array().ok_or_else(|| SiteError::Strange("it is no list of pages".to_owned()))?;
        pages.extend(list.iter().map(summary));
        // Some of those that are counted may not be shown to this user, so that a list can be short and not be the last.
        if number * PER_PAGE >= reply.total.unwrap_or(0) || list.is_empty() {
            break;
        }
    }
    let count = pages.len() as u64;
    Snapshot::of(&json!({ "pages": pages }), count)
}

/// `seo.get_config`: what search engines are told, as far as the interface tells it.
///
/// # Errors
/// [`SiteError`]
pub fn seo(client: &Client) -> Result<Snapshot, SiteError> {
    let index = client.get("/", &[])?.body;
    let field = |name: &str| index.get(name).cloned().unwrap_or_default();
    let namespaces = index.get("namespaces").and_then(Value::as_array).cloned().unwrap_or_default();
    let known = ["yoast", "rankmath", "aioseo", "seopress"];
    let plugins: Vec<&str> = known
        .into_iter()
        .filter(|name| namespaces.iter().any(|space| space.as_str().is_some_and(|space| space.starts_with(name))))
        .collect();
    // Only some users may read the settings.
    let settings = client.get("/wp/v2/settings", &[]).map(|reply| reply.body).unwrap_or_default();
    let setting = |name: &str| settings.get(name).cloned().unwrap_or_default();
    let value = json!({
        "name": field("name"), "description": field("description"), "plugins": plugins,
        "show_on_front": setting("show_on_front"), "page_on_front": setting("page_on_front"),
    });
    Snapshot::of(&value, 1)
}

fn summary(page: &Value) -> Value {
    let field = |name: &str| page.get(name).cloned().unwrap_or_default();
    let title = page.pointer("/title/raw").cloned().unwrap_or_default();
    json!({
        "id": field("id"), "slug": field("slug"), "status": field("status"), "title": title, "parent": field("parent"),
        "template": field("template"), "modified_gmt": field("modified_gmt"),
    })
}
