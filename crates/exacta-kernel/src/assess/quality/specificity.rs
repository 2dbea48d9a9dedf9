//! Specificity: are the steps about something in particular, and is what they write finished?

use super::elision::{self, is_elision};
use super::stub::stub;
use super::words::{Worth, worth_of_request};
use super::{View, in_step, issue, issue_at, worded};
use crate::assess::Issue;
use crate::prelude::*;
use crate::proposal::{Action, Step};
use crate::scan::change::FileChange;
use crate::scan::lexicon::OPEN;
use crate::scan::source::Role;
use serde_json::{Map, Value};

/// Code that says it is not written yet.
const UNFINISHED: &[&str] = &[
    "todo!(",
    "unimplemented!(",
    "notimplementederror",
    "notimplementedexception",
    "not implemented",
    "not yet implemented",
    "unsupportedoperationexception(\"todo",
];
/// What such code is called; a body that does nothing is the worse case of it.
const NOT_WRITTEN: &str = "adds code that says it is not written yet";
/// Values that someone is meant to replace.
const STAND_INS: &[&str] = &[
    "lorem ipsum",
    "replace_me",
    "replaceme",
    "replace-me",
    "changeme",
    "change_me",
    "your-api-key",
    "your_api_key",
    "<your",
    "your-domain",
    "yourdomain",
    "your_name_here",
    "insert your",
    "[insert",
    "xxxxxxxx",
    "placeholder value",
    "fill in",
];
/// File names that say nothing.
const NAMELESS: &[&str] = &[
    "untitled", "new", "temp", "tmp", "foo", "bar", "baz", "file", "file1", "asdf", "newfile", "new_file", "copy",
    "final", "stuff", "misc",
];

pub(super) fn issues(view: &View<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    issues.extend(request(view).map(worded));
    for step in view.steps() {
        let (points, what) = match view.worth(step) {
            Worth::Good => (0, ""),
            Worth::Thin => (3000, "the description says hardly more than the step's type"),
            Worth::Vague if is_told(view) => (4000, "only the request tells what the step is for"),
            Worth::Vague => (8000, "the description would fit any other step"),
        };
        if points > 0 {
            let hint = "say what is changed, and why";
            issues.push(worded(issue_at(view.share(points), what, hint, in_step(step))));
        }
        issues.extend(placeholder(view, step));
    }
    issues.extend(view.changes.iter().flat_map(unfinished));
    issues
}

/// Whether there is one step and a request that tells what it is for.
fn is_told(view: &View<'_>) -> bool {
    view.steps().len() == 1 && worth_of_request(&view.plan.proposal().intent.text) == Worth::Good
}

fn request(view: &View<'_>) -> Option<Issue> {
    let points = match worth_of_request(&view.plan.proposal().intent.text) {
        Worth::Good => return None,
        Worth::Thin => 2000,
        Worth::Vague => 4000,
    };
    Some(issue(points, "the request is vague", "say in `intent.text` what is wanted in particular"))
}

/// A placeholder among a primitive's parameters or a tool's arguments.
fn placeholder(view: &View<'_>, step: &Step) -> Option<Issue> {
    let name = stand_in(step)?;
    Some(issue_at(view.share(5000), format!("`{name}` is only a placeholder"), "give the real value", in_step(step)))
}

/// The first parameter or argument whose value is only a placeholder.
pub(super) fn stand_in(step: &Step) -> Option<&str> {
    values(step)?.iter().find(|(_, value)| is_blank(value)).map(|(name, _)| name.as_str())
}

/// How many of a step's parameters or arguments are only placeholders, and how many there are.
pub(super) fn blanks(step: &Step) -> (usize, usize) {
    values(step).map_or((0, 0), |map| (map.values().filter(|value| is_blank(value)).count(), map.len()))
}

fn values(step: &Step) -> Option<&Map<String, Value>> {
    match &step.action {
        Action::Primitive { parameters, .. } => Some(parameters),
        Action::ToolCall { arguments, .. } => Some(arguments),
        _ => None,
    }
}

fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(is_stand_in)
}

fn is_stand_in(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    matches!(lower.as_str(), "" | "tbd" | "todo" | "xxx" | "..." | "…" | "n/a" | "placeholder" | "test" | "foo" | "bar")
        || STAND_INS.iter().any(|word| lower.contains(word))
}

/// What a file's added lines leave open; each kind once a file.
fn unfinished(change: &FileChange<'_>) -> Vec<Issue> {
    let mut issues: BTreeMap<&str, Issue> = BTreeMap::new();
    let role = change.role;
    if let Some(line) = stub(change) {
        let what = "adds a function whose body does nothing yet";
        issues.insert(NOT_WRITTEN, issue_at(6000, what, STUB_HINT, change.place(line)));
    }
    for line in change.marked_added(OPEN) {
        let text = String::from_utf8_lossy(line.bytes).to_lowercase();
        // What only subclasses do is not unfinished.
        let abstract_method = text.contains("notimplemented") && is_abstract(change);
        if let Some((points, what, hint)) = open(&text, role)
            && !abstract_method
        {
            issues.entry(what).or_insert_with(|| issue_at(points, what, hint, change.place(line.line)));
        }
    }
    let stem = change.path.name().split('.').next().unwrap_or_default().to_lowercase();
    if change.before.is_none() && role != Role::Test && NAMELESS.contains(&stem.as_str()) {
        let message = format!("`{}` does not say what is in it", change.path.name());
        issues.insert("name", issue_at(1000, message, "name the file after its content", change.place(None)));
    }
    issues.into_values().collect()
}

fn is_abstract(change: &FileChange<'_>) -> bool {
    let words = [&b"abstract"[..], b"ABC", b"Abstract", b"subclass", b"Base"];
    change.after.is_some_and(|after| words.iter().any(|word| memchr::memmem::find(after.bytes(), word).is_some()))
}

/// What helps where the rest of a file is only hinted at.
pub(super) const ELISION_HINT: &str = "send the whole file, or a diff or edits that leave the rest alone";
/// What helps where a function does nothing yet.
pub(super) const STUB_HINT: &str =
    "write what the function does, or leave it out; a docstring or comment says that it does nothing on purpose";

/// Code that is not there.
pub(super) struct Elided {
    /// Where it should be.
    pub line: u64,
    /// Whether other code goes in exchange.
    pub lost: bool,
    /// Whether a function without a real body stands there, not a comment.
    pub stub: bool,
}

/// The first place of a file at which code is only hinted at.
pub(super) fn elided(change: &FileChange<'_>) -> Option<Elided> {
    let comment = elision::first(change);
    let line = comment.or_else(|| stub(change))?;
    let gone = change.removed_lines().count();
    Some(Elided { line, lost: gone > 4 || gone > change.added_lines().count(), stub: comment.is_none() })
}

fn open(text: &str, role: Role) -> Option<(u32, &'static str, &'static str)> {
    let trimmed = text.trim_start();
    let comment = ["//", "#", "/*", "*", "<!--", "--", "..."].iter().any(|start| trimmed.starts_with(start));
    if is_elision(text.as_bytes(), role) {
        return Some((6000, "a line takes the place of the rest of the file", ELISION_HINT));
    }
    if role == Role::Docs {
        let lorem = text.contains("lorem ipsum");
        return lorem.then_some((1500, "holds filler text", "write the real text"));
    }
    if role == Role::Foreign {
        return None;
    }
    if !comment && UNFINISHED.iter().any(|phrase| text.contains(phrase)) && role != Role::Test {
        return Some((3500, NOT_WRITTEN, "write it, or leave it out"));
    }
    if comment
        && ["todo", "fixme", "xxx"]
            .iter()
            .any(|word| trimmed.trim_start_matches(['/', '#', '*', '-', ' ', '<', '!']).starts_with(word))
    {
        return Some((
            800,
            "leaves a note about work that is still to do",
            "do it in this plan, or open a request for it",
        ));
    }
    if STAND_INS.iter().any(|phrase| text.contains(phrase)) && role != Role::Test {
        return Some((2000, "holds a placeholder value", "give the real value, or read it from the environment"));
    }
    None
}
