//! From what is asked for to an exact call: the page as it is now, and what WordPress will make of what is sent. What cannot be put
//! back is refused here, before anything is sent.

use crate::call::Op;
use crate::client::Client;
use crate::error::SiteError;
use crate::kses::elements_lost;
use crate::manifest::Manifest;
use crate::page::{Found, Page};
use crate::saved::saved;
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use exacta_kernel::text::excerpt;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// How many slugs are tried before a free one is given up.
const SLUGS: u32 = 50;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request<'r> {
    /// What is to be done.
    pub op: Op,
    /// The page; none for a new one.
    pub id: Option<u64>,
    /// The fields that are to be written.
    pub fields: &'r Map<String, Value>,
}

/// A call with its exact arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Drafted {
    /// The arguments: what was asked for, what WordPress stores instead where that differs, and the state of the page.
    pub arguments: Map<String, Value>,
    /// The page as it is now; none for a new one.
    pub before: Option<Page>,
    /// What a person has to know before approving it, one line each.
    pub notes: Vec<String>,
}

/// Why no call can be made of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NoDraft {
    /// The stable code.
    pub code: &'static str,
    /// Why.
    pub message: String,
    /// What helps.
    pub hint: Hint,
}

/// Makes the exact call of what is asked for, on the page as it is now.
///
/// # Errors
/// [`NoDraft`]
pub fn draft_call(client: &Client, manifest: &Manifest, request: &Request<'_>) -> Result<Drafted, NoDraft> {
    let mut notes = Vec::new();
    let found = match request.id {
        None => None,
        Some(id) => Some(found(client, id)?),
    };
    if let Some(found) = &found {
        fits(request, manifest, &found.page)?;
        notes.extend(autosave(client, manifest, found.page.id)?);
    }
    lossless(request, manifest, found.as_ref())?;
    named(request, manifest)?;
    parent(client, request)?;
    let mut arguments = request.fields.clone();
    let stored = stored(client, manifest, request, found.as_ref())?;
    for (name, value) in &stored {
        let sent = request.fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let (sent, value) = (excerpt(sent, 80), excerpt(value.as_str().unwrap_or_default(), 80));
        notes.push(format!("WordPress will store the {name} `{value}` where `{sent}` is sent"));
    }
    if !stored.is_empty() {
        arguments.insert("stored".to_owned(), Value::Object(stored));
    }
    if request.op == Op::Update && manifest.revisions == Some(false) {
        notes.push(
            "the site keeps no revisions: an edit that a person saves in the moment of our write cannot be found"
                .to_owned(),
        );
    }
    if let Some(found) = &found {
        arguments.insert("id".to_owned(), found.page.id.into());
        arguments.insert("before".to_owned(), found.page.sha256().to_string().into());
        if request.op == Op::Update {
            arguments.insert("status".to_owned(), found.page.status.clone().into());
        }
    }
    Ok(Drafted { arguments, before: found.map(|found| found.page), notes })
}

fn no(code: &'static str, message: impl Into<String>, hint: impl Into<Hint>) -> NoDraft {
    NoDraft { code, message: message.into(), hint: hint.into() }
}

fn of(error: SiteError) -> NoDraft {
    NoDraft { code: error.code(), message: error.to_string(), hint: error.hint() }
}

fn found(client: &Client, id: u64) -> Result<Found, NoDraft> {
    let gone = || no("SITE_PAGE_CHANGED", format!("there is no page {id} on the site"), "read the inventory again");
    client.found(id).map_err(of)?.ok_or_else(gone)
}

/// That the act makes sense on the page as it is, and that this user may do it.
fn fits(request: &Request<'_>, manifest: &Manifest, page: &Page) -> Result<(), NoDraft> {
    let (id, rights) = (page.id, manifest.rights);
    let wrong =
        |message: String| Err(no("SITE_PAGE_CHANGED", message, "read the page again, and ask for what it needs"));
    let others = page.author != manifest.user_id;
    let live = matches!(page.status.as_str(), "publish" | "future" | "private");
    let (may_edit, may_delete) = (
        (!others || rights.edit_others) && (!live || rights.edit_published),
        (!others || rights.delete_others) && (!live || rights.delete_published),
    );
    if !may_edit || (request.op == Op::Trash && !may_delete) {
        let message = format!("the user `{}` may not do that to page {id}, which is {}", manifest.user, page.status);
        return Err(no("SITE_AUTH", message, hint![Remedy::SiteRole, " prints the role that may"]));
    }
    match (request.op, page.status.as_str()) {
        (_, "trash") => wrong(format!("page {id} is in the trash")),
        (Op::Publish, "publish") => wrong(format!("page {id} is published already")),
        (Op::Publish, "draft" | "pending") | (Op::Update | Op::Trash, _) => Ok(()),
        (_, status) => wrong(format!("page {id} is `{status}`, which nothing here publishes")),
    }
}

/// That nothing is lost which this user cannot put back.
fn lossless(request: &Request<'_>, manifest: &Manifest, found: Option<&Found>) -> Result<(), NoDraft> {
    let free = found.map_or(manifest.rights.unfiltered_html, |found| found.unfiltered);
    if free {
        return Ok(());
    }
    let sent = request.fields.get("content").and_then(Value::as_str);
    let there = found.map(|found| found.page.content.as_str());
    for (content, whose) in [(there, "the page's content has"), (sent, "the new content has")] {
        let lost = content.map(elements_lost).unwrap_or_default();
        if !lost.is_empty() {
            let message = format!(
                "{whose} {}, which WordPress takes out when the user `{}` saves the page, and which that user cannot put back",
                lost.join(", "),
                manifest.user
            );
            return Err(no(
                "SITE_LOSSY",
                message,
                "use a user with the capability `unfiltered_html`, or leave those elements out",
            ));
        }
    }
    Ok(())
}

/// That the site knows what is named: meta fields that are not registered are dropped without a word.
fn named(request: &Request<'_>, manifest: &Manifest) -> Result<(), NoDraft> {
    let meta = request.fields.get("meta").and_then(Value::as_object);
    if let Some(odd) = meta.and_then(|meta| meta.keys().find(|name| !manifest.meta.contains(*name))) {
        let known: Vec<&str> = manifest.meta.iter().map(String::as_str).collect();
        let hint = format!("the site has registered: {}", known.join(", "));
        return Err(no("PLAN_SCHEMA_INVALID", format!("the site has not registered the meta field `{odd}`"), hint));
    }
    let template = request.fields.get("template").and_then(Value::as_str).filter(|name| !name.is_empty());
    match (template, &manifest.templates) {
        (Some(name), Some(known)) if !known.contains(name) => Err(no(
            "PLAN_SCHEMA_INVALID",
            format!("the theme has no template `{name}` for pages"),
            "leave `template` out",
        )),
        _ => Ok(()),
    }
}

/// That the parent is there, and that no page comes to stand beneath itself.
fn parent(client: &Client, request: &Request<'_>) -> Result<(), NoDraft> {
    const DEEPEST: usize = 20;
    let mut next = request.fields.get("parent").and_then(Value::as_u64).unwrap_or(0);
    for _ in 0..DEEPEST {
        if next == 0 {
            return Ok(());
        }
        if Some(next) == request.id {
            return Err(no(
                "PLAN_SCHEMA_INVALID",
                format!("page {next} would stand beneath itself"),
                "choose another `parent`",
            ));
        }
        let page = found(client, next)?.page;
        if page.status == "trash" {
            return Err(no(
                "PLAN_SCHEMA_INVALID",
                format!("the parent, page {next}, is in the trash"),
                "choose another `parent`",
            ));
        }
        next = page.parent;
    }
    Err(no("PLAN_SCHEMA_INVALID", "the pages above it go in a circle, or too deep", "choose another `parent`"))
}

/// What WordPress stores where that is not what is sent.
fn stored(
    client: &Client,
    manifest: &Manifest,
    request: &Request<'_>,
    found: Option<&Found>,
) -> Result<Map<String, Value>, NoDraft> {
    let mut stored = Map::new();
    let text = |name: &str| request.fields.get(name).and_then(Value::as_str);
    if let Some(title) = text("title")
        && title.trim() != title
    {
        stored.insert("title".to_owned(), title.trim().into());
    }
    if let Some(content) = text("content")
        && let Cow::Owned(other) = saved(content, manifest)
    {
        stored.insert("content".to_owned(), other.into());
    }
    let page = found.map(|found| &found.page);
    let above = request.fields.get("parent").and_then(Value::as_u64);
    let parent = above.or_else(|| page.map(|page| page.parent)).unwrap_or(0);
    let slug = match (request.op, text("slug"), page) {
        (Op::Trash, ..) => None,
        (_, Some(slug), _) => Some(slug),
        (Op::Publish, None, Some(page)) if page.slug.is_empty() => found.map(|found| found.generated_slug.as_str()),
        (Op::Publish, None, Some(page)) => Some(page.slug.as_str()),
        (Op::Update, None, Some(page)) if above.is_some() => Some(page.slug.as_str()),
        _ => None,
    };
    if let Some(slug) = slug.filter(|slug| !slug.is_empty()) {
        let free = free_slug(client, slug, parent, request.id)?;
        let otherwise = text("slug").or_else(|| page.map(|page| page.slug.as_str())).unwrap_or_default();
        if free != otherwise {
            stored.insert("slug".to_owned(), free.into());
        }
    } else if let (Op::Update, Some(""), Some(page)) = (request.op, slug, page)
        && !Page::floats(&page.status)
    {
        return Err(no("PLAN_SCHEMA_INVALID", "a published page has a slug", "leave `slug` out"));
    }
    Ok(stored)
}

/// The slug that WordPress gives a page which asks for this one.
fn free_slug(client: &Client, slug: &str, parent: u64, own: Option<u64>) -> Result<String, NoDraft> {
    let names: Vec<String> =
        std::iter::once(slug.to_owned()).chain((2..=SLUGS).map(|number| format!("{slug}-{number}"))).collect();
    let asked: Vec<&str> = names.iter().map(String::as_str).collect();
    let pages = client.with_slugs(&asked).map_err(of)?;
    let media = client.media_with_slugs(&asked).map_err(of)?;
    let others = pages.iter().map(|found| &found.page).filter(|page| Some(page.id) != own && page.parent == parent);
    let taken: Vec<&str> = others.map(|page| page.slug.as_str()).chain(media.iter().map(String::as_str)).collect();
    let free = names.iter().find(|name| !taken.contains(&name.as_str()));
    free.cloned().ok_or_else(|| {
        no("SITE_SLUG_TAKEN", format!("`{slug}` and {SLUGS} like it are taken"), "choose another `slug`")
    })
}

/// What somebody else has typed into the page and not saved yet.
fn autosave(client: &Client, manifest: &Manifest, id: u64) -> Result<Option<String>, NoDraft> {
    let list = client.autosaves(id).map_err(of)?;
    let other = list.iter().any(|author| *author != manifest.user_id);
    Ok(other.then(|| format!("somebody else has typed into page {id} and not saved it yet")))
}
