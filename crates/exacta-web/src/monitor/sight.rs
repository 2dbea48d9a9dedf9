//! A page as it is compared.

use super::rules::Rules;
use crate::noise;
use crate::page::{Kind, Page};
use crate::text::shown;
use crate::tree::{self, Node, Tree};
use serde::{Deserialize, Serialize};

/// The most places that are named.
const MAX_NAMED: usize = 50;

/// A page in its normal form, with what was learnt of its places. Small enough to be kept: no larger than the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sight {
    pub(crate) kind: Kind,
    pub(crate) sha256: String,
    pub(crate) final_url: String,
    pub(crate) title: String,
    pub(crate) headings: Vec<String>,
    pub(crate) password: bool,
    pub(crate) closed: bool,
    pub(crate) tree: Tree,
    #[serde(skip)]
    pub(crate) noscript: String,
    #[serde(skip)]
    pub(crate) scripts: usize,
    /// The rules that found nothing.
    #[serde(skip)]
    pub(crate) unmet: Vec<String>,
    /// JSON that tells of an error and of nothing else.
    #[serde(skip)]
    pub(crate) failure: bool,
}

impl Sight {
    /// Reads a page; none if it is not of the kind that it is said to be.
    pub(crate) fn of(page: &Page, rules: &Rules) -> Option<Self> {
        let text = page.text();
        let mut sight = Self::empty(page);
        match page.kind {
            Kind::Html => sight.html(&text, page, rules),
            Kind::Json => {
                let (node, value) = tree::json(&text)?;
                sight.failure = is_failure(&value);
                sight.tree = Tree(node);
            }
            Kind::Feed => sight.tree = Tree(tree::feed(&text)?.node()),
            Kind::Text => sight.tree = Tree(tree::plain_text(&text)),
        }
        if page.kind != Kind::Html && rules.selects() {
            sight.unmet.push(rules.name(0).to_owned());
        }
        sight.ignore_text(rules);
        settle(&mut sight.tree.0);
        Some(sight)
    }

    fn empty(page: &Page) -> Self {
        Self {
            kind: page.kind,
            sha256: page.sha256.clone(),
            final_url: page.final_url.clone(),
            title: String::new(),
            headings: Vec::new(),
            password: false,
            closed: page.kind != Kind::Html,
            tree: Tree::default(),
            noscript: String::new(),
            scripts: 0,
            unmet: Vec::new(),
            failure: false,
        }
    }

    fn html(&mut self, text: &str, page: &Page, rules: &Rules) {
        let host = url::Url::parse(&page.final_url)
            .ok()
            .and_then(|url| url.host_str().map(ToOwned::to_owned))
            .unwrap_or_default();
        let mut html = tree::html(text, &host, &rules.selectors);
        self.unmet = html
            .found
            .iter()
            .enumerate()
            .filter(|(_, found)| !**found)
            .map(|(index, _)| rules.name(index).to_owned())
            .collect();
        if !html.title.is_empty() && rules.selectors.chooses_all() {
            let mut title = Node::place("title");
            title.children.push(Node::text(&html.title));
            html.page.children.insert(0, title);
        }
        self.title = html.title;
        self.headings = html.headings;
        self.password = html.password;
        self.closed = html.closed;
        self.noscript = html.noscript;
        self.scripts = html.scripts;
        self.tree = Tree(html.page);
    }

    fn ignore_text(&mut self, rules: &Rules) {
        for (name, pattern) in &rules.patterns {
            if !drop_matching(&mut self.tree.0, pattern) {
                self.unmet.push(name.clone());
            }
        }
    }

    /// As it is kept after the first look.
    pub(crate) fn first(mut self) -> Self {
        let size = self.tree.0.size();
        mark_never(&mut self.tree.0, size);
        self
    }

    /// How many words it has.
    pub(crate) fn size(&self) -> usize {
        self.tree.0.size()
    }

    /// All text that says something, in small letters, up to so many bytes.
    pub(crate) fn lower(&self, most: usize) -> String {
        let mut text = String::new();
        self.tree.0.texts(&mut |words, volatile| {
            if !volatile && text.len() < most {
                text.push_str(&shown(words.iter().map(String::as_str)).to_lowercase());
                text.push('\n');
            }
        });
        text
    }

    /// The places that are not compared.
    pub(crate) fn volatile(&self) -> Vec<String> {
        let mut named = Vec::new();
        name_volatile(&self.tree.0, &mut Vec::new(), &mut named);
        named.dedup();
        named.truncate(MAX_NAMED);
        named
    }

    /// The text of the page, a line for each text: what a person reads of it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.tree.0.texts(&mut |words, _| {
            text.push_str(&shown(words.iter().map(String::as_str)));
            text.push('\n');
        });
        text
    }
}

/// An answer of a program that tells what went wrong.
fn is_failure(value: &serde_json::Value) -> bool {
    let Some(map) = value.as_object() else { return false };
    let tells = |key: &String| matches!(key.to_ascii_lowercase().as_str(), "error" | "errors" | "exception" | "fault");
    let beside = |key: &String| {
        let key = key.to_ascii_lowercase();
        matches!(
            key.as_str(),
            "message"
                | "code"
                | "status"
                | "detail"
                | "details"
                | "success"
                | "ok"
                | "type"
                | "title"
                | "path"
                | "data"
        ) || noise::is_never(&key)
    };
    let told = map
        .iter()
        .any(|(key, value)| tells(key) && !matches!(value, serde_json::Value::Null | serde_json::Value::Bool(false)));
    told && map.iter().all(|(key, value)| tells(key) || (beside(key) && (key != "data" || value.is_null())))
}

fn drop_matching(node: &mut Node, pattern: &regex::Regex) -> bool {
    let before = node.children.len();
    node.children
        .retain(|child| !(child.is_text() && pattern.is_match(&shown(child.words.iter().map(String::as_str)))));
    let mut found = node.children.len() != before;
    for child in &mut node.children {
        found |= drop_matching(child, pattern);
    }
    found
}

/// Ages become one word everywhere.
fn settle(node: &mut Node) {
    if node.is_text() {
        noise::without_ages(&mut node.words);
    }
    node.children.iter_mut().for_each(settle);
}

/// Places that never hold what a page is about, unless they hold most of it.
pub(super) fn mark_never(node: &mut Node, whole: usize) {
    if noise::is_never(&node.name) && node.size() * 5 < whole * 2 {
        node.habit.volatile = true;
        // It is no habit that could be given up.
        node.habit.varied = u32::MAX;
        return;
    }
    for child in &mut node.children {
        mark_never(child, whole);
    }
}

fn name_volatile<'n>(node: &'n Node, path: &mut Vec<&'n str>, named: &mut Vec<String>) {
    if named.len() > MAX_NAMED {
        return;
    }
    if !node.is_text() {
        path.push(&node.name);
    }
    let partly = node.words.iter().any(|word| word == crate::text::WILD) && node.habit.varied > 0;
    if node.habit.volatile || node.habit.optional || partly {
        let skipped = usize::from(path.len() > 1);
        named.push(path.get(skipped..).unwrap_or_default().join(" > "));
    } else {
        for child in &node.children {
            name_volatile(child, path, named);
        }
    }
    if !node.is_text() {
        path.pop();
    }
}
