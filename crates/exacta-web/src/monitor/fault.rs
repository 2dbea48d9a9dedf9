//! Tells a page that fails from one that changed. What is in the page's place is known by what it says of itself, by how much of the page is
//! left, and by whether the page said the same before.

use super::phrases::{BOT, CONSENT, GONE, LOGIN, MAINTENANCE, PARKED, SCRIPTS};
use super::rules::Rules;
use super::sight::Sight;
use crate::error::{WebError, WebErrorKind};
use crate::page::{Kind, Page};
use crate::text::{WILD, hash};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is wrong with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// It could not be read.
    Unread,
    /// Its status says so.
    Status,
    /// It ends too soon.
    CutShort,
    /// There is nothing in it.
    Empty,
    /// It is something else than it was, or was said to be.
    Type,
    /// It says that it is not there, or that its site fails.
    SoftError,
    /// Its site is being worked on.
    Maintenance,
    /// It wants to know who looks.
    Login,
    /// It wants consent.
    Consent,
    /// It wants no programs.
    BotWall,
    /// It is nothing without scripts.
    ScriptOnly,
    /// Nobody uses the name.
    Parked,
    /// Most of it is missing.
    Collapsed,
    /// A rule matches nothing in it.
    Rule,
}

pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

impl Fault {
    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(crate) fn of(error: &WebError) -> Self {
        let kind = match error.kind {
            WebErrorKind::CutShort => ErrorKind::CutShort,
            WebErrorKind::Type { .. } => ErrorKind::Type,
            _ => ErrorKind::Unread,
        };
        Self::new(kind, error.to_string())
    }

    pub(crate) fn not_asked() -> Self {
        Self::new(ErrorKind::Unread, "the site says that nothing changed, but nothing is known of the page yet")
    }
}

/// The page as it is compared, if it is the page.
pub(crate) fn check(before: Option<&Sight>, page: &Page, rules: &Rules) -> Result<Sight, Fault> {
    if !matches!(page.status, 200 | 203) {
        return Err(Fault::new(ErrorKind::Status, format!("the site answers with status {}", page.status)));
    }
    if page.body.iter().all(u8::is_ascii_whitespace) {
        return Err(Fault::new(ErrorKind::Empty, "the page is empty"));
    }
    if is_binary(page) {
        return Err(Fault::new(ErrorKind::Type, "the page is not text"));
    }
    if let Some(before) = before.filter(|before| before.kind != page.kind) {
        return Err(Fault::new(
            ErrorKind::Type,
            format!("the page was {} and is {}", name(before.kind), name(page.kind)),
        ));
    }
    let Some(sight) = Sight::of(page, rules) else {
        return Err(Fault::new(ErrorKind::CutShort, format!("the page is not whole: it is no {}", name(page.kind))));
    };
    if let Some(rule) = sight.unmet.first() {
        let rule = exacta_kernel::text::excerpt(rule, 100);
        return Err(Fault::new(ErrorKind::Rule, format!("the rule `{rule}` matches nothing in the page")));
    }
    match Seen::new(before, &sight, page).fault() {
        Some(fault) => Err(fault),
        None => Ok(sight),
    }
}

const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Html => "HTML",
        Kind::Text => "plain text",
        Kind::Json => "JSON",
        Kind::Feed => "a feed",
    }
}

fn is_binary(page: &Page) -> bool {
    let text = page.text();
    let strange =
        text.chars().filter(|c| *c == '\0' || *c == '\u{fffd}' || (c.is_control() && !c.is_whitespace())).count();
    strange > 8 && strange * 20 > text.chars().count()
}

/// A page with fewer words says nothing else than what it says of itself.
const SHORT: usize = 120;
/// Fewer words than this, and a page that had more has collapsed: in hundredths.
const COLLAPSED: usize = 20;
/// A page with fewer words cannot collapse.
const LARGE: usize = 40;

/// All that is asked about a page.
struct Seen<'s> {
    before: Option<&'s Sight>,
    now: &'s Sight,
    url: &'s str,
    words: usize,
    words_before: usize,
    /// How much of the page before is still there, in hundredths of its words.
    kept: usize,
    /// Title and headings that were not there before.
    heads: Vec<String>,
    /// The text, and the text before.
    text: String,
    text_before: String,
}

impl<'s> Seen<'s> {
    fn new(before: Option<&'s Sight>, now: &'s Sight, page: &'s Page) -> Self {
        let known: Vec<&String> =
            before.map(|before| before.headings.iter().chain([&before.title]).collect()).unwrap_or_default();
        let heads =
            [&now.title].into_iter().chain(&now.headings).filter(|head| !head.is_empty() && !known.contains(head));
        let heads: Vec<String> = heads.map(|head| head.to_lowercase()).collect();
        Self {
            before,
            now,
            url: &page.url,
            words: now.size(),
            words_before: before.map_or(0, Sight::size),
            kept: before.map_or(0, |before| kept(before, now)),
            heads,
            text: now.lower(24 * 1024),
            text_before: before.map(|before| before.lower(256 * 1024)).unwrap_or_default(),
        }
    }

    fn fault(&self) -> Option<Fault> {
        if self.words == 0 && self.now.scripts == 0 {
            return Some(Fault::new(ErrorKind::Empty, "the page has no text"));
        }
        if self.now.failure && self.before.is_none_or(|_| self.kept < 50) {
            return Some(Fault::new(ErrorKind::SoftError, "the answer tells of an error"));
        }
        if self.is_cut() {
            return Some(Fault::new(ErrorKind::CutShort, "the page ends before its end"));
        }
        if self.now.kind == Kind::Html || self.now.kind == Kind::Text {
            let found = self.wall().or_else(|| self.scripts()).or_else(|| self.elsewhere());
            if found.is_some() {
                return found;
            }
        }
        self.collapsed()
    }

    /// Its end is missing, or it is the beginning of what it was.
    fn is_cut(&self) -> bool {
        let Some(before) = self.before else { return false };
        if before.closed && !self.now.closed {
            return true;
        }
        let (old, new) = (before.text(), self.now.text());
        let new = new.trim_end();
        self.now.kind == Kind::Text
            && old.len() > new.len()
            && old.starts_with(new)
            && !old.get(new.len()..).unwrap_or_default().starts_with('\n')
    }

    /// The page is another one that says what it is.
    fn wall(&self) -> Option<Fault> {
        let lists = [
            (ErrorKind::Parked, PARKED, "the name is not used by anybody, or is for sale"),
            (ErrorKind::BotWall, BOT, "the site wants no programs, or not from here"),
            (ErrorKind::Consent, CONSENT, "the site wants consent first"),
            (ErrorKind::Maintenance, MAINTENANCE, "the site is being worked on"),
            (ErrorKind::SoftError, GONE, "the site says that the page is not there, or that it fails"),
            (ErrorKind::Login, LOGIN, "the site wants a login"),
        ];
        if self.now.password && !self.before.is_some_and(|before| before.password) && self.is_other(SHORT) {
            return Some(Fault::new(ErrorKind::Login, "the site wants a login"));
        }
        let headed = lists.iter().find(|(_, phrases, _)| self.heads.iter().any(|head| says(head, phrases)));
        let found = headed.or_else(|| {
            if !self.is_other(SHORT) {
                return None;
            }
            lists.iter().find(|(_, phrases, _)| self.in_text(phrases))
        });
        found.map(|(kind, _, message)| Fault::new(*kind, *message))
    }

    /// Whether hardly anything of the page is left, and what is there is short.
    fn is_other(&self, short: usize) -> bool {
        match self.before {
            Some(_) => self.kept < 50 && self.words < short.max(self.words_before / 2),
            None => self.words < short / 2,
        }
    }

    /// A long phrase that the page did not have before.
    fn in_text(&self, phrases: &[&str]) -> bool {
        let telling = phrases.iter().filter(|phrase| phrase.contains(' ') || phrase.len() >= 7);
        telling.into_iter().any(|phrase| self.text.contains(*phrase) && !self.text_before.contains(*phrase))
    }

    fn scripts(&self) -> Option<Fault> {
        let fault = || Some(Fault::new(ErrorKind::ScriptOnly, "the page is empty without its scripts"));
        let wants = |text: &str| SCRIPTS.iter().any(|phrase| text.contains(phrase));
        let asks = wants(&self.text) || self.now.noscript.to_lowercase().contains("javascript");
        let few = self.words < 25;
        match self.before {
            _ if self.words == 0 => fault(),
            None if few && asks => fault(),
            Some(_)
                if few && self.kept < 50 && (asks || self.now.scripts > 0) && self.words * 2 < self.words_before =>
            {
                fault()
            }
            _ => None,
        }
    }

    /// The site leads to its front page or its login instead.
    fn elsewhere(&self) -> Option<Fault> {
        let before = self.before?;
        let path = |url: &str| url::Url::parse(url).map(|url| url.path().to_ascii_lowercase()).unwrap_or_default();
        let (was, is) = (path(&before.final_url), path(&self.now.final_url));
        if was == is || self.kept >= 50 {
            return None;
        }
        let login = ["login", "signin", "sign-in", "sign_in", "sso", "auth", "account"];
        if is.split(['/', '.', '?']).any(|part| login.contains(&part)) {
            return Some(Fault::new(ErrorKind::Login, "the site leads to its login"));
        }
        let front = is == "/" && path(self.url) != "/";
        front.then(|| Fault::new(ErrorKind::SoftError, "the site leads to its front page instead"))
    }

    fn collapsed(&self) -> Option<Fault> {
        let before = self.before?;
        let fault = |message: &str| Some(Fault::new(ErrorKind::Collapsed, message));
        if self.words_before >= LARGE && self.words * 100 < self.words_before * COLLAPSED {
            return fault("most of the page is missing");
        }
        let entries = |sight: &Sight| sight.tree.0.children.iter().filter(|child| child.name == "entry").count();
        if self.now.kind == Kind::Feed && entries(before) >= 2 && entries(self.now) == 0 {
            return fault("the feed has no entries");
        }
        (self.now.kind == Kind::Html && lost_its_middle(before, self.now))
            .then(|| Fault::new(ErrorKind::Collapsed, "the main part of the page is empty"))
    }
}

/// Whether a title or a heading says one of these and little else.
fn says(head: &str, phrases: &[&str]) -> bool {
    let parts = head.split([' ', '|']).filter(|word| !word.is_empty()).count();
    phrases.iter().any(|phrase| {
        let found = head.match_indices(phrase).any(|(at, _)| {
            let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            let (start, end) = (head.get(..at).unwrap_or_default(), head.get(at + phrase.len()..).unwrap_or_default());
            edge(start.chars().next_back()) && edge(end.chars().next())
        });
        let words = phrase.split(' ').count();
        // One word has to be nearly all; a sentence may have the site's name beside it.
        let beside = if words == 1 { 3 } else { 7 };
        found && parts <= words + beside && (words > 1 || starts_or_stands_apart(head, phrase))
    })
}

/// A single word counts where it begins the heading or is all of a part of it: `Login | Example`, not `Our new login page`.
fn starts_or_stands_apart(head: &str, phrase: &str) -> bool {
    let mut parts = head.split(['|', '-', ':', '·', '.', '!', '(', ')', ',']).map(str::trim);
    parts.any(|part| part == phrase)
}

/// How much of a page's text is in another, in hundredths of its words.
fn kept(before: &Sight, now: &Sight) -> usize {
    let mut there: BTreeMap<u64, usize> = BTreeMap::new();
    now.tree.0.texts(&mut |words, _| {
        for word in words {
            *there.entry(hash(word)).or_default() += 1;
        }
    });
    let (mut all, mut left) = (0_usize, 0_usize);
    before.tree.0.texts(&mut |words, volatile| {
        for word in words.iter().filter(|word| *word != WILD && !volatile) {
            all += 1;
            if let Some(count) = there.get_mut(&hash(word)).filter(|count| **count > 0) {
                *count -= 1;
                left += 1;
            }
        }
    });
    (left * 100).checked_div(all).unwrap_or(100)
}

/// Whether the place that held most of the page is there and holds nothing.
fn lost_its_middle(before: &Sight, now: &Sight) -> bool {
    let main = |sight: &Sight| {
        let mut found = None;
        find_main(&sight.tree.0, &mut found);
        found
    };
    matches!((main(before), main(now)), (Some(old), Some(0)) if old >= 10 && old * 100 >= before.size() * 25)
}

fn find_main(node: &crate::tree::Node, found: &mut Option<usize>) {
    let name = node.name.as_str();
    let main = name == "main"
        || name.starts_with("main.")
        || name.starts_with("main#")
        || name.ends_with("#content")
        || name.ends_with("#main")
        || name.ends_with(".content");
    if main && found.is_none() {
        *found = Some(node.size());
        return;
    }
    for child in &node.children {
        find_main(child, found);
    }
}
