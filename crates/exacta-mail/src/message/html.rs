//! HTML into text, in one flat pass: no tree is built, so that no nesting and no number of attributes costs more than its length.
//!
//! What a mail program would not show (`display:none`, text of size nothing, `hidden`) is dropped and counted. Where it is doubtful
//! whether something is hidden, it is shown.

use super::entity;
use super::style::{Hiding, hides};

/// What came of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    /// Characters of text that nobody would have seen.
    pub(super) hidden: usize,
    /// Whether a hidden element has no end.
    pub(super) without_end: bool,
    /// References to images, styles and frames elsewhere.
    pub(super) remote: usize,
}

/// Elements whose text is none.
const RAW: [&str; 7] = ["script", "style", "title", "template", "iframe", "noframes", "object"];

/// Elements that have no end.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// Elements that begin a line.
const BLOCK: [&str; 28] = [
    "address",
    "article",
    "blockquote",
    "body",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "tr",
    "ul",
];

/// Elements that end where the next of their kind begins.
const ENDED_BY_NEXT: [&str; 8] = ["p", "li", "td", "th", "tr", "dt", "dd", "option"];

/// Text from HTML.
pub(super) fn shown(html: &str) -> Shown {
    let mut pass = Pass { shown: Shown::default(), hiding: Hiding::of(html), hidden: None, pre: 0, link: None };
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        pass.text(rest.get(..at).unwrap_or_default());
        rest = pass.tag(rest.get(at..).unwrap_or_default());
    }
    pass.text(rest);
    pass.finish()
}

struct Pass {
    shown: Shown,
    /// What style sheets hide.
    hiding: Hiding,
    hidden: Option<HiddenElement>,
    pre: usize,
    /// Where the current link leads, and where its text begins.
    link: Option<(String, usize)>,
}

/// An element that is not shown.
struct HiddenElement {
    name: String,
    /// How many of its name are open in it.
    depth: usize,
    /// Its text, in case it never ends.
    text: String,
}

/// A tag.
struct Tag {
    name: String,
    closes: bool,
    attributes: Vec<(String, String)>,
}

impl Pass {
    /// Takes a tag, a comment, or a `<` that is neither, and gives what follows it.
    fn tag<'h>(&mut self, html: &'h str) -> &'h str {
        if let Some(comment) = html.strip_prefix("<!--") {
            return comment.find("-->").and_then(|end| comment.get(end + 3..)).unwrap_or_default();
        }
        let next = html.as_bytes().get(1).copied().unwrap_or_default();
        if next == b'!' || next == b'?' {
            return html.find('>').and_then(|end| html.get(end + 1..)).unwrap_or_default();
        }
        if next != b'/' && !next.is_ascii_alphabetic() {
            self.text("<");
            return html.get(1..).unwrap_or_default();
        }
        let (tag, rest) = read(html);
        let name = tag.name.clone();
        self.element(&tag);
        if !tag.closes && RAW.contains(&name.as_str()) { skip(rest, &name) } else { rest }
    }

    fn element(&mut self, tag: &Tag) {
        let name = tag.name.as_str();
        if !tag.closes {
            self.count_remote(tag);
        }
        if self.within_hidden(tag) {
            return;
        }
        let void = VOID.contains(&name);
        if !tag.closes
            && !void
            && !RAW.contains(&name)
            && (hides(&tag.attributes) || self.hiding.hides(name, &tag.attributes))
        {
            self.hidden = Some(HiddenElement { name: name.to_owned(), depth: 1, text: String::new() });
            return;
        }
        match (name, tag.closes) {
            ("br", _) => self.shown.text.push('\n'),
            ("li", false) => {
                self.line();
                self.shown.text.push_str("- ");
            }
            ("td" | "th", true) => self.shown.text.push(' '),
            ("img", false) => self.image(tag),
            ("pre", closes) => {
                self.pre = if closes { self.pre.saturating_sub(1) } else { self.pre.saturating_add(1) };
                self.line();
            }
            ("a", false) => {
                let to = attribute(tag, "href").unwrap_or_default().trim().to_owned();
                self.link = Some((to, self.shown.text.len()));
            }
            ("a", true) => self.end_link(),
            (name, _) if BLOCK.contains(&name) => self.line(),
            _ => {}
        }
    }

    /// Whether a tag is within a hidden element, or ends it.
    fn within_hidden(&mut self, tag: &Tag) -> bool {
        let Some(hidden) = &mut self.hidden else { return false };
        let name = tag.name.as_str();
        if name == hidden.name {
            let by_next = !tag.closes && ENDED_BY_NEXT.contains(&name);
            hidden.depth = if tag.closes || by_next { hidden.depth - 1 } else { hidden.depth + 1 };
            if hidden.depth == 0 {
                self.drop_hidden();
                return !by_next;
            }
            return true;
        }
        // A paragraph ends where the next block begins, or the one around it ends.
        if hidden.name == "p" && (BLOCK.contains(&name) || ["table", "td"].contains(&name)) {
            self.drop_hidden();
            return false;
        }
        true
    }

    fn drop_hidden(&mut self) {
        if let Some(hidden) = self.hidden.take() {
            self.shown.hidden += hidden.text.chars().filter(|c| !c.is_whitespace()).count();
        }
    }

    fn text(&mut self, raw: &str) {
        if raw.is_empty() {
            return;
        }
        let text = entity::decoded(raw);
        let (out, pre) = match &mut self.hidden {
            Some(hidden) => (&mut hidden.text, 0),
            None => (&mut self.shown.text, self.pre),
        };
        if pre > 0 {
            out.push_str(&text);
            return;
        }
        for c in text.chars() {
            match c {
                ' ' | '\t' | '\n' | '\r' | '\u{c}' => {
                    if !out.is_empty() && !out.ends_with([' ', '\n']) {
                        out.push(' ');
                    }
                }
                c => out.push(c),
            }
        }
    }

    fn line(&mut self) {
        if !self.shown.text.is_empty() && !self.shown.text.ends_with('\n') {
            self.shown.text.push('\n');
        }
    }

    fn image(&mut self, tag: &Tag) {
        if let Some(words) = attribute(tag, "alt").map(str::trim).filter(|words| !words.is_empty()) {
            self.shown.text.push_str(&format!("[image: {}]", entity::decoded(words)));
        }
    }

    /// Where a link leads is shown beside its text, if the text is not the same.
    fn end_link(&mut self) {
        let Some((to, from)) = self.link.take() else { return };
        let to = entity::decoded(&to);
        let text = self.shown.text.get(from..).unwrap_or_default().trim();
        let leads = ["http:", "https:", "mailto:"].iter().any(|scheme| to.to_ascii_lowercase().starts_with(scheme));
        if leads && !text.is_empty() && text != to {
            let short: String = to.chars().take(200).collect();
            let cut = if short.len() < to.len() { "…" } else { "" };
            self.shown.text.push_str(&format!(" <{short}{cut}>"));
        }
    }

    fn count_remote(&mut self, tag: &Tag) {
        let loads = ["src", "background", "poster", "srcset", "data"];
        let remote = |value: &str| value.contains("//");
        let is = |(name, value): &&(String, String)| {
            remote(value)
                && (loads.contains(&name.as_str())
                    || (tag.name == "link" && name == "href")
                    || (name == "style" && value.contains("url(")))
        };
        self.shown.remote += tag.attributes.iter().filter(is).count();
    }

    fn finish(mut self) -> Shown {
        if let Some(hidden) = self.hidden.take()
            && !hidden.text.trim().is_empty()
        {
            self.shown.without_end = true;
            self.line();
            self.shown.text.push_str(&hidden.text);
        }
        self.shown
    }
}

fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    tag.attributes.iter().find(|(named, _)| named == name).map(|(_, value)| value.as_str())
}

/// What follows the end of an element whose content is no text.
fn skip<'h>(html: &'h str, name: &str) -> &'h str {
    let bytes = html.as_bytes();
    let mut from = 0;
    while let Some(at) = bytes.get(from..).and_then(|rest| rest.iter().position(|byte| *byte == b'<')) {
        let start = from + at;
        let end = start + 2 + name.len();
        if bytes.get(start + 1) == Some(&b'/')
            && bytes.get(start + 2..end).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        {
            return html.get(start..).unwrap_or_default();
        }
        from = start + 1;
    }
    ""
}

/// The most attributes of a tag that are kept.
const ATTRIBUTES: usize = 64;

/// Reads a tag, and gives what follows it; all that is left, if it never ends.
fn read(html: &str) -> (Tag, &str) {
    let (mut at, bytes) = (1, html.as_bytes());
    let closes = bytes.get(at) == Some(&b'/');
    at += usize::from(closes);
    let end = |from: usize, stop: &dyn Fn(u8) -> bool| {
        bytes
            .get(from..)
            .and_then(|rest| rest.iter().position(|byte| stop(*byte)))
            .map_or(bytes.len(), |found| from + found)
    };
    let name_end = end(at, &|byte| byte.is_ascii_whitespace() || byte == b'>' || byte == b'/');
    let name = html.get(at..name_end.min(at + 32)).unwrap_or_default().to_ascii_lowercase();
    let mut tag = Tag { name, closes, attributes: Vec::new() };
    at = name_end;
    loop {
        at = end(at, &|byte| !byte.is_ascii_whitespace() && byte != b'/');
        match bytes.get(at) {
            None => return (tag, ""),
            Some(b'>') => return (tag, html.get(at + 1..).unwrap_or_default()),
            Some(_) => {}
        }
        let name_end = end(at + 1, &|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'=' | b'/'));
        let name = html.get(at..name_end).unwrap_or_default();
        at = end(name_end, &|byte| !byte.is_ascii_whitespace());
        let mut value = "";
        if bytes.get(at) == Some(&b'=') {
            at = end(at + 1, &|byte| !byte.is_ascii_whitespace());
            let (from, to, next) = match bytes.get(at) {
                Some(quote @ (b'"' | b'\'')) => {
                    let to = end(at + 1, &|byte| byte == *quote);
                    (at + 1, to, to + 1)
                }
                _ => {
                    let to = end(at, &|byte| byte.is_ascii_whitespace() || byte == b'>');
                    (at, to, to)
                }
            };
            value = html.get(from..to).unwrap_or_default();
            at = next;
        }
        if tag.attributes.len() < ATTRIBUTES {
            let value: String = value.chars().take(4_096).collect();
            tag.attributes.push((name.chars().take(64).collect::<String>().to_ascii_lowercase(), value));
        }
    }
}
