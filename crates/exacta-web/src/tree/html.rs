//! HTML into a tree of places, in one pass over html5ever's tokens. It builds no document: what is bounded (depth, places) is bounded while the
//! tokens come, and every step takes the same time however deep a page nests.

use super::node::{MAX_DEPTH, MAX_NODES, Node};
use super::{bound, link};
use crate::selector::{Found, Selectors};
use crate::text::{IMAGE, LINK, STATE, normal};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A page and what it says of itself.
#[derive(Debug, Default)]
pub(crate) struct Html {
    pub(crate) page: Node,
    pub(crate) title: String,
    /// The first headings of the first rank.
    pub(crate) headings: Vec<String>,
    /// It asks for a password.
    pub(crate) password: bool,
    /// Its end is there.
    pub(crate) closed: bool,
    /// What it says to those without scripts.
    pub(crate) noscript: String,
    /// How many scripts it has.
    pub(crate) scripts: usize,
    /// Which rules found something.
    pub(crate) found: Vec<bool>,
}

/// Reads a page of a host.
pub(crate) fn html(text: &str, host: &str, selectors: &Selectors) -> Html {
    let sink = Sink(RefCell::new(Builder::new(host, selectors)));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(&*bound::bounded(text)));
    // It stops only at scripts, for which this sink never asks.
    let _done = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.into_inner().finish()
}

struct Sink<'s>(RefCell<Builder<'s>>);

impl TokenSink for Sink<'_> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut builder = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return builder.start(&tag),
            Token::TagToken(tag) => builder.end(&tag.name),
            Token::CharacterTokens(text) => builder.chars(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// Elements that hold nothing.
const VOID: [&str; 15] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    "frame",
];
/// Elements whose text nobody sees, or which are no text.
const SKIPPED: [&str; 16] = [
    "script", "style", "svg", "math", "canvas", "iframe", "template", "object", "audio", "video", "noembed",
    "noframes", "map", "datalist", "applet", "noscript",
];
/// Elements that only change how a word looks: a word goes on through them.
const LOOKS: [&str; 25] = [
    "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "dfn", "em", "font", "i", "kbd", "mark", "nobr", "q",
    "samp", "small", "strong", "sub", "sup", "tt", "u", "var", "wbr",
];
/// Elements within a text that end a word.
const INLINE: [&str; 12] =
    ["a", "button", "data", "del", "ins", "label", "output", "s", "span", "strike", "time", "br"];

/// An element that is open.
struct Open {
    tag: String,
    /// It is a place of the tree.
    placed: bool,
    /// Nothing in it is seen: it is skipped, hidden, ignored, or not chosen.
    hidden: bool,
    /// It is of those that were chosen, or within one.
    chosen: bool,
    /// What a link leads to.
    link: String,
    selected: Vec<Found>,
}

struct Builder<'s> {
    host: &'s str,
    selectors: &'s Selectors,
    open: Vec<Open>,
    /// How many of each tag are open, so that nobody looks for one that is not.
    counts: BTreeMap<String, usize>,
    places: Vec<Node>,
    made: usize,
    run: String,
    catching: Option<Catching>,
    caught: String,
    out: Html,
}

/// Text that is kept beside the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Catching {
    Title,
    Heading,
    Noscript,
}

impl<'s> Builder<'s> {
    fn new(host: &'s str, selectors: &'s Selectors) -> Self {
        let out = Html { found: vec![false; selectors.len()], ..Html::default() };
        let places = vec![Node::place("page")];
        let open = Vec::new();
        Self {
            host,
            selectors,
            open,
            counts: BTreeMap::new(),
            places,
            made: 0,
            run: String::new(),
            catching: None,
            caught: String::new(),
            out,
        }
    }

    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        self.imply_ends(name);
        self.state(tag, name);
        if VOID.contains(&name) {
            self.void(tag, name);
            return TokenSinkResult::Continue;
        }
        self.push(tag, name);
        self.catch(name);
        match name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" | "textarea" if !self.within("svg") => TokenSinkResult::RawData(RawKind::Rcdata),
            "plaintext" => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        }
    }

    fn push(&mut self, tag: &Tag, name: &str) {
        let (above_hidden, above_chosen) =
            self.open.last().map_or((false, self.selectors.chooses_all()), |open| (open.hidden, open.chosen));
        let selected =
            self.selectors.step(self.open.last().map(|open| open.selected.as_slice()), name, tag, &mut self.out.found);
        let ignored = self.selectors.is_ignored(&selected);
        let chosen = above_chosen || self.selectors.is_chosen(&selected);
        let hidden = above_hidden || ignored || SKIPPED.contains(&name) || name == "head" || is_hidden(tag, name);
        let inline = LOOKS.contains(&name) || INLINE.contains(&name);
        let placed = !inline
            && !matches!(name, "html" | "body")
            && !hidden
            && self.places.len() < MAX_DEPTH
            && self.made < MAX_NODES;
        if INLINE.contains(&name) {
            self.word_end();
        } else if !inline {
            self.flush();
        }
        if placed {
            self.made += 1;
            self.places.push(Node::place(place_name(tag, name)));
        }
        let link = if name == "a" {
            link::target(attribute(tag, "href").unwrap_or_default(), self.host)
        } else {
            String::new()
        };
        *self.counts.entry(name.to_owned()).or_default() += 1;
        self.open.push(Open { tag: name.to_owned(), placed, hidden, chosen, link, selected });
        if matches!(name, "del" | "s" | "strike") {
            self.mark(STATE, "struck");
        }
    }

    fn catch(&mut self, name: &str) {
        let catching = match name {
            "title" if !self.within("svg") && self.out.title.is_empty() => Catching::Title,
            "h1" if self.out.headings.len() < 4 => Catching::Heading,
            "noscript" => Catching::Noscript,
            "script" => {
                self.out.scripts += 1;
                return;
            }
            _ => return,
        };
        if self.catching.is_none() {
            self.catching = Some(catching);
            self.caught.clear();
        }
    }

    fn end(&mut self, name: &str) {
        if matches!(name, "html" | "body") {
            self.out.closed = true;
            return;
        }
        if name == "br" || name == "p" && !self.within("p") {
            self.flush();
        }
        if !self.within(name) {
            return;
        }
        while let Some(tag) = self.pop() {
            if tag == name {
                break;
            }
        }
    }

    /// Closes the innermost element.
    fn pop(&mut self) -> Option<String> {
        let inline = self.open.last().is_some_and(|open| LOOKS.contains(&open.tag.as_str()));
        let ends_word = self.open.last().is_some_and(|open| INLINE.contains(&open.tag.as_str()));
        if ends_word {
            self.word_end();
            if let Some(link) = self.open.last().filter(|open| !open.link.is_empty()).map(|open| open.link.clone()) {
                self.mark(LINK, &link);
            }
        } else if !inline {
            self.flush();
        }
        let open = self.open.pop()?;
        if let Some(count) = self.counts.get_mut(&open.tag) {
            *count = count.saturating_sub(1);
        }
        let caught = match open.tag.as_str() {
            "title" => Some(Catching::Title),
            "h1" => Some(Catching::Heading),
            "noscript" => Some(Catching::Noscript),
            _ => None,
        };
        if caught.is_some() && caught == self.catching {
            self.keep_caught();
        }
        if open.placed {
            self.close_place();
        }
        Some(open.tag)
    }

    fn keep_caught(&mut self) {
        let text = normal(&std::mem::take(&mut self.caught));
        match self.catching.take() {
            Some(Catching::Title) => self.out.title = text,
            Some(Catching::Heading) => self.out.headings.push(text),
            Some(Catching::Noscript) => self.out.noscript = text,
            None => {}
        }
    }

    fn close_place(&mut self) {
        if self.places.len() < 2 {
            return;
        }
        if let (Some(node), Some(parent)) = (self.places.pop(), self.places.last_mut()) {
            // An empty place is kept: what may appear in it has a place already.
            parent.children.push(node);
        }
    }

    fn chars(&mut self, text: &str) {
        if self.catching.is_some() && self.caught.len() < 4_096 {
            self.caught.push_str(text);
        }
        if self.seen() {
            // What stands for links and states is never a page's own.
            match text.contains(|c: char| ('\u{e000}'..='\u{f8ff}').contains(&c)) {
                true => self.run.extend(text.chars().filter(|c| !('\u{e000}'..='\u{f8ff}').contains(c))),
                false => self.run.push_str(text),
            }
        }
    }

    /// Whether text is seen here.
    fn seen(&self) -> bool {
        self.open.last().map_or(self.selectors.chooses_all(), |open| !open.hidden && open.chosen)
    }

    fn word_end(&mut self) {
        self.run.push(' ');
    }

    fn mark(&mut self, kind: char, what: &str) {
        if self.seen() && !what.is_empty() {
            self.run.push(' ');
            self.run.push(kind);
            self.run.push_str(what);
            self.run.push(' ');
        }
    }

    /// Ends a text.
    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        let words: Vec<String> = words(&run);
        if words.is_empty() {
            return;
        }
        self.made += 1;
        if let Some(place) = self.places.last_mut() {
            match place.children.last_mut().filter(|last| last.is_text() && self.made > MAX_NODES) {
                Some(last) => last.words.extend(words),
                None => place.children.push(Node { words, ..Node::default() }),
            }
        }
    }

    fn within(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|count| *count > 0)
    }

    fn void(&mut self, tag: &Tag, name: &str) {
        match name {
            "br" | "hr" => self.flush(),
            "img" if !is_hidden(tag, name) && !is_pixel(tag) => {
                let alt = normal(attribute(tag, "alt").unwrap_or_default());
                let file =
                    link::image(attribute(tag, "src").or_else(|| attribute(tag, "data-src")).unwrap_or_default());
                self.mark(IMAGE, &file);
                if self.seen() {
                    self.run.push_str(&alt);
                    self.word_end();
                }
            }
            "input" => self.input(tag),
            _ => {}
        }
    }

    fn input(&mut self, tag: &Tag) {
        let kind = attribute(tag, "type").unwrap_or("text").to_ascii_lowercase();
        match kind.as_str() {
            "password" => self.out.password = true,
            "hidden" => {}
            _ => {
                let value = normal(attribute(tag, "value").unwrap_or_default());
                if self.seen() {
                    self.word_end();
                    self.run.push_str(&value);
                    self.word_end();
                }
            }
        }
    }

    /// What an element is, beside its text: chosen, or not to be used.
    fn state(&mut self, tag: &Tag, name: &str) {
        if matches!(name, "button" | "input" | "option" | "select") {
            for state in ["disabled", "checked", "selected"] {
                if attribute(tag, state).is_some() {
                    self.mark(STATE, state);
                }
            }
        }
    }

    /// Elements that end where another begins.
    fn imply_ends(&mut self, name: &str) {
        let (ended, up_to): (&[&str], &[&str]) = match name {
            "li" => (&["li"], &["ul", "ol", "menu"]),
            "dt" | "dd" => (&["dt", "dd"], &["dl"]),
            "tr" => (&["tr"], &["table", "tbody", "thead", "tfoot"]),
            "td" | "th" => (&["td", "th"], &["tr", "table"]),
            "tbody" | "thead" | "tfoot" => (&["tbody", "thead", "tfoot"], &["table"]),
            "option" => (&["option"], &["select", "optgroup", "datalist"]),
            "body" => (&["head"], &[]),
            "address" | "article" | "aside" | "blockquote" | "details" | "div" | "dl" | "fieldset" | "figure"
            | "footer" | "form" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hr" | "main" | "nav" | "ol"
            | "p" | "pre" | "section" | "table" | "ul" => {
                (&["p"], &["button", "td", "div", "li", "article", "section"])
            }
            _ => return,
        };
        if !ended.iter().any(|tag| self.within(tag)) {
            return;
        }
        // Nobody writes a paragraph that ends more than this many elements later.
        let near = self.open.iter().rev().take(32);
        let found = near.enumerate().find_map(|(depth, open)| {
            let tag = open.tag.as_str();
            if ended.contains(&tag) {
                Some(Some(depth))
            } else if up_to.contains(&tag) {
                Some(None)
            } else {
                None
            }
        });
        for _ in 0..found.flatten().map_or(0, |depth| depth + 1) {
            self.pop();
        }
    }

    fn finish(mut self) -> Html {
        while self.pop().is_some() {}
        self.flush();
        while self.places.len() > 1 {
            self.close_place();
        }
        self.out.page = self.places.pop().unwrap_or_default();
        self.out
    }
}

fn words(run: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut plain = String::new();
    for word in run.split(' ') {
        if word.starts_with([LINK, IMAGE, STATE]) {
            out.extend(normal(&plain).split(' ').filter(|word| !word.is_empty()).map(ToOwned::to_owned));
            plain.clear();
            out.push(word.to_owned());
        } else {
            plain.push_str(word);
            plain.push(' ');
        }
    }
    out.extend(normal(&plain).split(' ').filter(|word| !word.is_empty()).map(ToOwned::to_owned));
    out
}

pub(crate) fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
}

fn is_hidden(tag: &Tag, name: &str) -> bool {
    if matches!(name, "html" | "body" | "main") {
        return false;
    }
    let style = || {
        let style: String =
            attribute(tag, "style").unwrap_or_default().chars().filter(|c| !c.is_whitespace()).collect();
        let style = style.to_ascii_lowercase();
        style.contains("display:none") || style.contains("visibility:hidden")
    };
    attribute(tag, "hidden").is_some() || style() || (name == "dialog" && attribute(tag, "open").is_none())
}

/// An image that only counts who looks.
fn is_pixel(tag: &Tag) -> bool {
    ["width", "height"].iter().any(|side| matches!(attribute(tag, side), Some("0" | "1" | "0px" | "1px")))
}

/// A tag with its id, or its first class, where a person chose them.
fn place_name(tag: &Tag, name: &str) -> String {
    let classes = || {
        attribute(tag, "class").unwrap_or_default().split_ascii_whitespace().take(16).filter(|class| is_chosen(class))
    };
    // A name that tells what the place is for is worth more than any other.
    let telling = classes().find(|class| crate::noise::tells(class)).map(|class| format!("{name}.{class}"));
    let id = || attribute(tag, "id").filter(|id| is_chosen(id)).map(|id| format!("{name}#{id}"));
    let class = || classes().next().map(|class| format!("{name}.{class}"));
    telling.or_else(id).or_else(class).unwrap_or_else(|| name.chars().take(40).collect())
}

/// Whether a person chose this name, and not a program.
fn is_chosen(name: &str) -> bool {
    (1..=40).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
        && !name.starts_with("css-")
        && !name.starts_with("sc-")
}
