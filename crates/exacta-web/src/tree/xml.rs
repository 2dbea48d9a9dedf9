//! RSS, Atom and plain text into a tree. No entity is expanded and nothing is loaded, whatever a document declares.

use super::node::Node;
use crate::text::{LINK, normal};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The deepest element that is read.
const MAX_XML_DEPTH: usize = 64;
/// The most entries.
const MAX_ENTRIES: usize = 2_000;

/// A feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Feed {
    pub(crate) title: String,
    /// What it says of itself.
    pub(crate) about: String,
    pub(crate) entries: Vec<Entry>,
    /// It is neither RSS nor Atom: its texts alone.
    pub(crate) other: Vec<String>,
}

/// One entry of a feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) title: String,
    pub(crate) link: String,
    pub(crate) text: String,
    /// Only where there is another text beside it.
    pub(crate) summary: String,
    pub(crate) id: String,
    pub(crate) date: String,
}

/// The feed, or none for what is not well-formed.
pub(crate) fn feed(text: &str) -> Option<Feed> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}').trim_start());
    reader.config_mut().expand_empty_elements = true;
    let mut reading = Reading::default();
    loop {
        match reader.read_event().ok()? {
            Event::Start(_) if reading.open.len() >= MAX_XML_DEPTH => return None,
            Event::Start(tag) => reading.start(&tag),
            Event::End(_) => reading.end(),
            Event::Text(text) => reading.text.push_str(&text.xml10_content()),
            Event::CData(text) => reading.text.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) => match reference.resolve_char_ref().ok()? {
                Some(c) => reading.text.push(c),
                None => reading.text.push_str(entity(&reference.xml10_content())),
            },
            Event::Eof => break,
            _ => {}
        }
    }
    (reading.open.is_empty() && reading.any).then_some(reading.feed)
}

const ENTITIES: [(&str, &str); 6] =
    [("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'"), ("nbsp", " ")];

fn entity(name: &str) -> &'static str {
    ENTITIES.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text)
}

#[derive(Default)]
struct Reading {
    open: Vec<String>,
    text: String,
    feed: Feed,
    entry: Option<Entry>,
    known: bool,
    any: bool,
}

impl Reading {
    fn start(&mut self, tag: &BytesStart<'_>) {
        self.any = true;
        let name = tag.local_name().as_ref().to_ascii_lowercase();
        if self.open.is_empty() {
            self.known = matches!(name.as_str(), "rss" | "feed" | "rdf");
        }
        if matches!(name.as_str(), "item" | "entry")
            && self.known
            && self.entry.is_none()
            && self.feed.entries.len() < MAX_ENTRIES
        {
            self.entry = Some(Entry::default());
        }
        if name == "link"
            && let Some(entry) = &mut self.entry
        {
            let attribute =
                |name: &str| tag.try_get_attribute(name).ok().flatten().map(|found| found.value.into_owned());
            let alternate = attribute("rel").is_none_or(|rel| rel == "alternate");
            if let Some(href) = attribute("href").filter(|_| alternate) {
                entry.link = href.replace("&amp;", "&");
            }
        }
        self.text.clear();
        self.open.push(name);
    }

    fn end(&mut self) {
        let Some(name) = self.open.pop() else { return };
        let text = std::mem::take(&mut self.text);
        if matches!(name.as_str(), "item" | "entry") && self.known {
            self.feed.entries.extend(self.entry.take().map(Entry::whole));
            return;
        }
        let parent = self.open.last().map_or("", String::as_str);
        match &mut self.entry {
            Some(entry) if matches!(parent, "item" | "entry") => entry.take(&name, text),
            Some(_) => {}
            None if name == "title" && self.known && matches!(parent, "channel" | "feed") => {
                self.feed.title = stripped(&text)
            }
            None if matches!((parent, name.as_str()), ("channel", "description") | ("feed", "subtitle"))
                && self.known =>
            {
                self.feed.about = stripped(&text)
            }
            None if !self.known && !text.trim().is_empty() && self.feed.other.len() < MAX_ENTRIES => {
                self.feed.other.push(format!("{name}: {}", normal(&text)));
            }
            None => {}
        }
    }
}

impl Entry {
    fn take(&mut self, name: &str, text: String) {
        match name {
            "title" => self.title = stripped(&text),
            "link" if self.link.is_empty() => self.link = text.trim().to_owned(),
            "description" | "summary" => self.summary = stripped(&text),
            "content" | "encoded" => self.text = stripped(&text),
            "guid" | "id" => self.id = text.trim().to_owned(),
            "pubdate" | "published" | "date" => self.date = text.trim().to_owned(),
            "updated" if self.date.is_empty() => self.date = text.trim().to_owned(),
            _ => {}
        }
    }

    /// A summary alone is the text.
    fn whole(mut self) -> Self {
        if self.text.is_empty() {
            self.text = std::mem::take(&mut self.summary);
        }
        self
    }

    fn node(&self) -> Node {
        let mut node = Node::place("entry");
        let link = super::link::target(&self.link, "");
        let head = if link.is_empty() { self.title.clone() } else { format!("{} {LINK}{link}", self.title) };
        node.children.push(Node::text(head.trim()));
        // A summary that is how the text begins says nothing more.
        let summary = Some(&self.summary).filter(|summary| !self.text.starts_with(summary.as_str()));
        let texts = summary.into_iter().chain([&self.text]).filter(|text| !text.is_empty());
        node.children.extend(texts.map(|text| Node::text(text)));
        node
    }
}

/// Text of what may be HTML.
fn stripped(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return normal(text);
    }
    let html = super::html(text, "", &crate::selector::Selectors::default());
    let mut out = Vec::new();
    html.page.texts(&mut |words, _| out.push(crate::text::shown(words.iter().map(String::as_str))));
    out.join(" ")
}

impl Feed {
    /// The entries as places. When it was built is not among them.
    pub(crate) fn node(&self) -> Node {
        let mut page = Node::place("page");
        page.children.extend(
            [&self.title, &self.about].into_iter().filter(|text| !text.is_empty()).map(|text| Node::text(text)),
        );
        page.children.extend(self.entries.iter().map(Entry::node));
        page.children.extend(self.other.iter().map(|text| Node::text(text)));
        page
    }
}

/// Plain text: each line is one text, each paragraph one place.
pub(crate) fn plain_text(text: &str) -> Node {
    let mut page = Node::place("page");
    let mut paragraph = Node::place("paragraph");
    for line in text.lines() {
        let line = normal(line);
        if !line.is_empty() {
            paragraph.children.push(Node::text(&line));
        } else if !paragraph.children.is_empty() {
            page.children.push(std::mem::replace(&mut paragraph, Node::place("paragraph")));
        }
    }
    if !paragraph.children.is_empty() {
        page.children.push(paragraph);
    }
    page
}
