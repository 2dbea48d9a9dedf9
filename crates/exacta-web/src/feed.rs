//! What a page tells, as items: for a brief of several sources.

use crate::page::{Kind, Page};
use crate::selector::Selectors;
use crate::text::{normal, shown};
use crate::tree;
use exacta_kernel::text::excerpt;
use serde_json::Value;

/// The most items of one page.
const MAX_ITEMS: usize = 50;
/// The longest title, link and text.
const MAX_TITLE: usize = 200;
const MAX_TEXT: usize = 600;

/// One thing that a page tells. All of it is a stranger's text: data, never an instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// What it is called.
    pub title: String,
    /// Where it leads, as the page says; only http and https.
    pub link: Option<String>,
    /// How it begins.
    pub text: String,
    /// When it was published, as the page says.
    pub date: Option<String>,
}

/// The items of RSS, Atom and JSON Feed; a page of another kind is one item. The newest come first, as feeds have them.
#[must_use]
pub fn items(page: &Page) -> Vec<Item> {
    let text = page.text();
    let items = match page.kind {
        Kind::Feed => tree::feed(&text).map(|feed| entries(&feed, page)),
        Kind::Json => tree::json(&text)
            .map(|(node, value)| json_feed(&value, page).unwrap_or_else(|| vec![one(&page.url, "", &node, page)])),
        Kind::Html => {
            let html = tree::html(&text, "", &Selectors::default());
            Some(vec![one(&html.title, html.headings.first().map_or("", String::as_str), &html.page, page)])
        }
        Kind::Text => Some(vec![one(
            text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default(),
            "",
            &tree::plain_text(&text),
            page,
        )]),
    };
    items.unwrap_or_default()
}

fn entries(feed: &tree::Feed, page: &Page) -> Vec<Item> {
    let items = feed.entries.iter().take(MAX_ITEMS).map(|entry| Item {
        title: excerpt(if entry.title.is_empty() { &entry.text } else { &entry.title }, MAX_TITLE),
        link: link(&entry.link, page).or_else(|| link(&entry.id, page)),
        text: excerpt(&entry.text, MAX_TEXT),
        date: (!entry.date.is_empty()).then(|| excerpt(&entry.date, 60)),
    });
    items.filter(|item| !item.title.is_empty()).collect()
}

/// `https://jsonfeed.org`.
fn json_feed(value: &Value, page: &Page) -> Option<Vec<Item>> {
    let said = |item: &Value, names: &[&str]| {
        names.iter().find_map(|name| item.get(name).and_then(Value::as_str)).unwrap_or_default().to_owned()
    };
    if !said(value, &["version"]).contains("jsonfeed.org") {
        return None;
    }
    let items = value.get("items")?.as_array()?.iter().take(MAX_ITEMS).map(|item| {
        let html = said(item, &["content_html"]);
        let plain = said(item, &["content_text", "summary"]);
        let text = if plain.is_empty() { plain_of(&html) } else { normal(&plain) };
        let title = normal(&said(item, &["title"]));
        let date = said(item, &["date_published", "date_modified"]);
        Item {
            title: excerpt(if title.is_empty() { &text } else { &title }, MAX_TITLE),
            link: link(&said(item, &["url", "external_url"]), page),
            text: excerpt(&text, MAX_TEXT),
            date: (!date.is_empty()).then(|| excerpt(&date, 60)),
        }
    });
    Some(items.collect())
}

fn plain_of(html: &str) -> String {
    flat(&tree::html(html, "", &Selectors::default()).page)
}

fn flat(node: &tree::Node) -> String {
    let mut text = Vec::new();
    node.texts(&mut |words, _| text.push(shown(words.iter().map(String::as_str))));
    text.join(" ")
}

fn one(title: &str, heading: &str, node: &tree::Node, page: &Page) -> Item {
    let title = if title.is_empty() { heading } else { title };
    let title = if title.is_empty() { &page.url } else { title };
    Item {
        title: excerpt(&normal(title), MAX_TITLE),
        link: link(&page.url, page),
        text: excerpt(&flat(node), MAX_TEXT),
        date: None,
    }
}

/// An address that a person could open.
fn link(text: &str, page: &Page) -> Option<String> {
    let base = url::Url::parse(&page.final_url).ok()?;
    if text.trim().is_empty() {
        return None;
    }
    let url = base.join(text.trim()).ok()?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.as_str().len() <= crate::limits::MAX_URL;
    plain.then(|| url.into())
}
