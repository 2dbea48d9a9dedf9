//! A page as it is: every field whose change counts, and nothing that moves by itself.

use crate::client::Client;
use crate::error::SiteError;
use exacta_kernel::hash::{Digest, canonical_json};
use serde_json::{Map, Value};

/// The raw fields of a page. Two pages with the same text are the same to the byte.
///
/// Left out are `modified` (it has one second, and moves without a change), the revision (a person's autosave moves it), and the date
/// of a draft (it floats).
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are WordPress's own")]
pub struct Page {
    pub id: u64,
    pub title: String,
    pub status: String,
    pub slug: String,
    pub parent: u64,
    pub template: String,
    pub author: u64,
    pub menu_order: i64,
    pub comment_status: String,
    pub ping_status: String,
    /// None where it floats.
    pub date: Option<String>,
    pub meta: Map<String, Value>,
    pub excerpt: String,
    pub content: String,
}

/// A page and what its answer tells beside it.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) page: Page,
    /// Its newest revision; 0 where it has none, or they are off.
    pub(crate) newest: u64,
    /// What WordPress would make of its title.
    pub(crate) generated_slug: String,
    /// Whether this user may write any HTML into it.
    pub(crate) unfiltered: bool,
}

impl Page {
    /// Its fields as text, one line each, then its content as it is: what is hashed, kept and compared.
    #[must_use]
    pub fn text(&self) -> String {
        let json = |value: Value| {
            canonical_json(&value).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
        };
        let mut text = String::new();
        for (name, value) in self.fields() {
            text.push_str(name);
            text.push_str(": ");
            text.push_str(&json(value));
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&self.content);
        text
    }

    /// SHA-256 of [`Page::text`].
    #[must_use]
    pub fn sha256(&self) -> Digest {
        Digest::of(self.text().as_bytes())
    }

    /// SHA-256 of what stays of a page that was made, whatever its slug and status are.
    pub(crate) fn made(&self) -> Digest {
        Self { slug: String::new(), status: String::new(), date: None, ..self.clone() }.sha256()
    }

    /// The page of a text; `None` if it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (head, content) = text.split_once("\n\n")?;
        let mut fields = Map::new();
        for line in head.lines() {
            let (name, value) = line.split_once(": ")?;
            fields.insert(name.to_owned(), serde_json::from_str(value).ok()?);
        }
        let text = |name: &str| fields.get(name)?.as_str().map(ToOwned::to_owned);
        let number = |name: &str| fields.get(name)?.as_u64();
        let page = Self {
            id: number("page")?,
            title: text("title")?,
            status: text("status")?,
            slug: text("slug")?,
            parent: number("parent")?,
            template: text("template")?,
            author: number("author")?,
            menu_order: fields.get("menu_order")?.as_i64()?,
            comment_status: text("comment_status")?,
            ping_status: text("ping_status")?,
            date: text("date"),
            meta: fields.get("meta")?.as_object()?.clone(),
            excerpt: text("excerpt")?,
            content: content.to_owned(),
        };
        Some(page)
    }

    /// Whether its date floats: it has none until it is published.
    pub(crate) fn floats(status: &str) -> bool {
        exacta_kernel::action::tool::is_unpublished(status)
    }

    fn fields(&self) -> [(&'static str, Value); 13] {
        let date = self.date.clone().map_or(Value::Null, Value::String);
        [
            ("page", self.id.into()),
            ("title", self.title.clone().into()),
            ("status", self.status.clone().into()),
            ("slug", self.slug.clone().into()),
            ("parent", self.parent.into()),
            ("template", self.template.clone().into()),
            ("author", self.author.into()),
            ("menu_order", self.menu_order.into()),
            ("comment_status", self.comment_status.clone().into()),
            ("ping_status", self.ping_status.clone().into()),
            ("date", date),
            ("meta", Value::Object(self.meta.clone())),
            ("excerpt", self.excerpt.clone().into()),
        ]
    }
}

impl Found {
    /// A page out of an answer in `context=edit`.
    pub(crate) fn of(answer: &Value, client: &Client) -> Result<Self, SiteError> {
        let strange = |what: &str| SiteError::Strange(format!("the page has no `{what}`"));
        let text =
            |name: &str| answer.get(name).and_then(Value::as_str).map(ToOwned::to_owned).ok_or_else(|| strange(name));
        let raw = |name: &str| {
            let raw = answer.get(name).and_then(|field| field.get("raw")).and_then(Value::as_str);
            raw.map(ToOwned::to_owned).ok_or_else(|| strange(name))
        };
        let number = |name: &str| answer.get(name).and_then(Value::as_u64).ok_or_else(|| strange(name));
        if answer.get("type").and_then(Value::as_str) != Some("page") {
            return Err(SiteError::Strange("it is no page".to_owned()));
        }
        let status = text("status")?;
        let links = answer.get("_links");
        let newest = links.and_then(|links| links.pointer("/predecessor-version/0/id")).and_then(Value::as_u64);
        if !links
            .and_then(|links| links.pointer("/collection/0/href"))
            .and_then(Value::as_str)
            .is_some_and(|at| client.is_own(at))
        {
            return Err(SiteError::Strange("it is a page of another site".to_owned()));
        }
        let page = Page {
            id: number("id")?,
            title: raw("title")?,
            slug: text("slug")?,
            parent: number("parent")?,
            template: text("template")?,
            author: number("author")?,
            menu_order: answer.get("menu_order").and_then(Value::as_i64).ok_or_else(|| strange("menu_order"))?,
            comment_status: text("comment_status")?,
            ping_status: text("ping_status")?,
            date: if Page::floats(&status) { None } else { Some(text("date")?) },
            // PHP writes an empty map as a list.
            meta: answer.get("meta").and_then(Value::as_object).cloned().unwrap_or_default(),
            excerpt: raw("excerpt")?,
            content: raw("content")?,
            status,
        };
        Ok(Self {
            page,
            newest: newest.unwrap_or(0),
            generated_slug: answer.get("generated_slug").and_then(Value::as_str).unwrap_or_default().to_owned(),
            unfiltered: links.is_some_and(|links| links.get("wp:action-unfiltered-html").is_some()),
        })
    }
}

impl Client {
    /// A page as it is now, whatever any cache holds; `None` if there is none.
    ///
    /// # Errors
    /// [`SiteError`]
    pub fn page(&self, id: u64) -> Result<Option<Page>, SiteError> {
        Ok(self.found(id)?.map(|found| found.page))
    }

    /// Those of these pages that are there now, in the trash too, in the order of their numbers; a hundred at a time.
    ///
    /// # Errors
    /// [`SiteError`]
    pub fn pages(&self, ids: &[u64]) -> Result<Vec<Page>, SiteError> {
        let mut pages = Vec::new();
        for some in ids.chunks(100) {
            pages.extend(self.pages_of(some)?.into_iter().map(|found| found.page));
        }
        pages.sort_by_key(|page| page.id);
        Ok(pages)
    }

    pub(crate) fn found(&self, id: u64) -> Result<Option<Found>, SiteError> {
        match self.get(&format!("/wp/v2/pages/{id}"), &[("context", "edit".to_owned())]) {
            Ok(reply) => {
                let found = Found::of(&reply.body, self)?;
                if found.page.id == id {
                    return Ok(Some(found));
                }
                Err(SiteError::Strange(format!("page {} came where page {id} was asked for", found.page.id)))
            }
            Err(error) if error.is_gone() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The slugs among these that pictures and files without a page have.
    pub(crate) fn media_with_slugs(&self, slugs: &[&str]) -> Result<Vec<String>, SiteError> {
        let query = [("slug", slugs.join(",")), ("per_page", "100".to_owned()), ("_fields", "slug,post".to_owned())];
        let reply = self.get("/wp/v2/media", &query)?;
        let list = reply.body.as_array().into_iter().flatten();
        let loose = list.filter(|media| media.get("post").is_none_or(Value::is_null));
        Ok(loose.filter_map(|media| media.get("slug")?.as_str().map(ToOwned::to_owned)).collect())
    }

    /// Who has typed into a page since it was saved.
    pub(crate) fn autosaves(&self, id: u64) -> Result<Vec<u64>, SiteError> {
        let query = [("context", "edit".to_owned()), ("_fields", "author".to_owned())];
        let reply = self.get(&format!("/wp/v2/pages/{id}/autosaves"), &query)?;
        let list = reply.body.as_array().into_iter().flatten();
        Ok(list.filter_map(|autosave| autosave.get("author")?.as_u64()).collect())
    }

    /// The pages with one of these slugs, in the trash too.
    pub(crate) fn with_slugs(&self, slugs: &[&str]) -> Result<Vec<Found>, SiteError> {
        self.listed(("slug", slugs.join(",")))
    }

    /// Those of these pages that are there, in the trash too, in one request.
    pub(crate) fn pages_of(&self, ids: &[u64]) -> Result<Vec<Found>, SiteError> {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        self.listed(("include", ids.join(",")))
    }

    fn listed(&self, (name, value): (&str, String)) -> Result<Vec<Found>, SiteError> {
        let query = [
            (name, value),
            ("status", "any,trash".to_owned()),
            ("context", "edit".to_owned()),
            ("per_page", "100".to_owned()),
        ];
        let reply = self.get("/wp/v2/pages", &query)?;
        let list = reply.body.as_array().ok_or_else(|| SiteError::Strange("it is no list of pages".to_owned()))?;
        list.iter().map(|answer| Found::of(answer, self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    pub(crate) fn page() -> Page {
        Page {
            id: 4,
            title: "A \"page\"\n\nof two".to_owned(),
            status: "draft".to_owned(),
            slug: "a".to_owned(),
            parent: 0,
            template: String::new(),
            author: 2,
            menu_order: -1,
            comment_status: "closed".to_owned(),
            ping_status: "closed".to_owned(),
            date: None,
            meta: json!({ "b": [1, "x"], "a": "" }).as_object().unwrap().clone(),
            excerpt: "short".to_owned(),
            content: "<p>one</p>\r\n\n\ntwo: 2\n".to_owned(),
        }
    }

    #[test]
    fn a_page_is_its_text() {
        let page = page();
        assert_eq!(Page::parse(&page.text()), Some(page.clone()));
        let dated = Page { date: Some("2026-11-18T06:41:05".to_owned()), ..page.clone() };
        assert_eq!(Page::parse(&dated.text()), Some(dated.clone()));
        assert_ne!(dated.sha256(), page.sha256());
        assert_eq!(Page::parse("page: 4\n\nx"), None);
    }
}
