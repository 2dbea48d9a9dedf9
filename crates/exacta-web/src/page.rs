//! What was read.

use crate::error::WebErrorKind;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a site answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Got {
    /// A page.
    Page(Box<Page>),
    /// The page is as it was when the validators were given.
    NotModified,
}

/// One page, as it was read. A status that tells of an error is still a page: the monitor says what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The address that was asked for.
    pub url: String,
    /// The address that answered, after redirects.
    pub final_url: String,
    /// The status of the answer.
    pub status: u16,
    /// What kind of text it is.
    pub kind: Kind,
    /// The type as the site gave it, at most 200 characters.
    pub content_type: String,
    /// The page, unpacked, in the site's own character set.
    pub body: Vec<u8>,
    /// SHA-256 of the body, in hexadecimal digits.
    pub sha256: String,
    /// What to ask with the next time.
    pub validators: Validators,
    /// How long the site asks to wait before the next request.
    pub retry_after: Option<Duration>,
}

/// What kind of text a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// HTML.
    Html,
    /// Plain text.
    Text,
    /// JSON.
    Json,
    /// RSS or Atom.
    Feed,
}

/// What a site gave with a page so that it can be asked whether the page is still the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The address they belong to.
    pub url: String,
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether there is anything to ask with.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

impl Page {
    /// How many bytes the page has.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.body.len()
    }

    /// The page as text, by its byte order mark, its type, or what it says of itself.
    #[must_use]
    pub fn text(&self) -> String {
        crate::charset::decode(&self.body, &self.content_type)
    }

    /// A page from bytes that were kept, for those who do not read it again.
    #[must_use]
    pub fn kept(url: &str, content_type: &str, body: Vec<u8>) -> Option<Self> {
        let kind = Kind::of(content_type, &body).ok()?;
        let sha256 = digest(&body);
        Some(Self {
            url: url.to_owned(),
            final_url: url.to_owned(),
            status: 200,
            kind,
            content_type: content_type.to_owned(),
            body,
            sha256,
            validators: Validators::default(),
            retry_after: None,
        })
    }
}

impl Kind {
    /// The kind by the type that the site gives; XML and missing types by how the body begins.
    pub(crate) fn of(content_type: &str, body: &[u8]) -> Result<Self, WebErrorKind> {
        let name = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match name.as_str() {
            "text/html" | "application/xhtml+xml" => Ok(Self::Html),
            "text/plain" | "text/markdown" => Ok(Self::Text),
            "application/json" | "text/json" => Ok(Self::Json),
            "application/rss+xml" | "application/atom+xml" | "application/rdf+xml" => Ok(Self::Feed),
            "application/xml" | "text/xml" => Ok(xml(body)),
            _ if name.ends_with("+json") && name.starts_with("application/") => Ok(Self::Json),
            "" => guess(body).ok_or_else(|| WebErrorKind::Type { found: "none".to_owned() }),
            _ => Err(WebErrorKind::Type { found: exacta_kernel::text::excerpt(&name, 100) }),
        }
    }
}

fn xml(body: &[u8]) -> Kind {
    let head = String::from_utf8_lossy(body.get(..1024).unwrap_or(body)).to_ascii_lowercase();
    if head.contains("<html") { Kind::Html } else { Kind::Feed }
}

/// What a body without a type begins with.
fn guess(body: &[u8]) -> Option<Kind> {
    let head = body.get(..512).unwrap_or(body);
    let text = std::str::from_utf8(head)
        .or_else(|error| std::str::from_utf8(head.get(..error.valid_up_to()).unwrap_or_default()));
    let text = text.ok()?.trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    if begins(&["<!doctype html", "<html", "<head", "<body"]) {
        Some(Kind::Html)
    } else if begins(&["<?xml", "<rss", "<feed"]) {
        Some(xml(body))
    } else if begins(&["{", "["]) {
        Some(Kind::Json)
    } else {
        None
    }
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
