//! Feasibility: will what the plan leaves behind work at all?
//!
//! A valid plan's files exist, its diffs apply and its steps do not conflict; this looks at what the bytes become.

use super::specificity::{ELISION_HINT, STUB_HINT, elided, stand_in};
use super::{View, in_step, issue_at, lack};
use crate::action::primitive::PrimitiveId;
use crate::assess::Issue;
use crate::diff::ChangeKind;
use crate::facts::FileContent;
use crate::prelude::*;
use crate::proposal::{Action, Step};
use crate::scan::change::FileChange;
use crate::scan::source::{Language, Role, language, pieces};
use serde::de::IgnoredAny;

/// Empty files that mean something.
const MEANT_EMPTY: &[&str] = &["__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll", ".npmignore"];

pub(super) fn issues(view: &View<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    if !view.changes.is_empty() && view.plan.changes().is_empty() {
        issues.push(lack(8000, "the plan ends where it began", "leave out the steps that undo each other"));
    }
    for change in view.changes {
        issues.extend(hinted(change));
        issues.extend(markers(change));
        issues.extend(malformed(change));
        issues.extend(unbalanced(change));
        issues.extend(empty(change));
    }
    issues.extend(view.steps().iter().filter_map(|step| unusable(view, step)));
    issues
}

/// A comment that stands for the rest of the file; worst where it takes the place of code that was there.
fn hinted(change: &FileChange<'_>) -> Option<Issue> {
    let elided = elided(change)?;
    let (points, what) = match (elided.lost, elided.stub) {
        (true, false) => (10_000, "takes code out and leaves a comment in its place"),
        (true, true) => (10_000, "takes code out and leaves a body that does nothing in its place"),
        (false, false) => (4000, "leaves a comment where code should be"),
        (false, true) => (4000, "leaves a body that does nothing where code should be"),
    };
    let hint = if elided.stub { STUB_HINT } else { ELISION_HINT };
    Some(issue_at(points, what, hint, change.place(elided.line)))
}

/// The marks that a merge leaves where it could not decide.
fn markers(change: &FileChange<'_>) -> Option<Issue> {
    let is_marker = |line: &[u8]| line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> ");
    let line = change.added_lines().find(|line| is_marker(line.bytes))?;
    Some(issue_at(6000, "adds the marks of a merge conflict", "resolve the conflict", change.place(line.line)))
}

/// JSON or TOML that could be read before, or is new, and cannot be read now.
pub(super) fn malformed(change: &FileChange<'_>) -> Option<Issue> {
    let after = change.after?;
    let name = change.path.name();
    let reads: fn(&[u8]) -> bool = match name.rsplit('.').next()? {
        "json" => |bytes| serde_json::from_slice::<IgnoredAny>(unmarked(bytes)).is_ok(),
        "toml" => |bytes| core::str::from_utf8(unmarked(bytes)).is_ok_and(|text| text.parse::<toml::Table>().is_ok()),
        _ => return None,
    };
    // Some tools allow comments in JSON.
    let lenient = change
        .before
        .map_or_else(|| memchr::memmem::find(after.bytes(), b"//").is_some(), |before| !reads(before.bytes()));
    if lenient || change.role == Role::Test || reads(after.bytes()) {
        return None;
    }
    let first = change.added_lines().next().map(|line| line.line);
    Some(issue_at(5000, "the file cannot be read any more", "fix its syntax", change.place(first)))
}

/// Without a byte order mark, which readers of either pass over.
fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// Brackets that were balanced, or are new, and are not balanced now.
fn unbalanced(change: &FileChange<'_>) -> Option<Issue> {
    let language = language(change.path.name())
        .filter(|language| matches!(language, Language::Rust | Language::Go | Language::Java))?;
    let after = change.after?;
    // Lines that stay weigh the same on both sides.
    let shift: i64 = change
        .lines
        .iter()
        .map(|line| match line.kind {
            ChangeKind::Added => depth(line.bytes, language),
            ChangeKind::Removed => -depth(line.bytes, language),
        })
        .sum();
    if shift == 0 || balance(after, language) != shift {
        return None;
    }
    let first = change.added_lines().next().map(|line| line.line);
    Some(issue_at(3000, "brackets do not match any more", "close what is opened", change.place(first)))
}

/// Opening braces less closing ones, as far as lines tell strings and comments.
fn balance(content: &FileContent, language: Language) -> i64 {
    content.bytes().split(|byte| *byte == b'\n').map(|line| depth(line, language)).sum()
}

/// The same of one line.
fn depth(line: &[u8], language: Language) -> i64 {
    let weigh = |byte: &u8| i64::from(*byte == b'{') - i64::from(*byte == b'}');
    let mut depth = 0;
    if memchr::memchr2(b'{', b'}', line).is_some() {
        pieces(line, language, |piece| depth += piece.iter().map(weigh).sum::<i64>());
    }
    depth
}

fn empty(change: &FileChange<'_>) -> Option<Issue> {
    let blank = change.before.is_none() && change.after.is_some_and(|after| after.bytes().trim_ascii().is_empty());
    let meant = MEANT_EMPTY.contains(&change.path.name())
        || !matches!(change.role, Role::Source | Role::Config | Role::Manifest);
    (blank && !meant)
        .then(|| issue_at(1500, "creates an empty file", "give it its content, or leave it out", change.place(None)))
}

/// A primitive or tool without what it needs.
fn unusable(view: &View<'_>, step: &Step) -> Option<Issue> {
    if let Some(name) = stand_in(step) {
        let message = format!("a placeholder in `{name}` cannot work");
        return Some(issue_at(view.share(6000), message, "give the real value", in_step(step)));
    }
    let autopilot = view.plan.proposal().autopilot.as_ref();
    let missing = match &step.action {
        Action::Primitive { id: PrimitiveId::ReadWeb, parameters } => (!parameters.contains_key("url")
            && autopilot.is_none_or(|autopilot| autopilot.web_source_url.is_none()))
        .then_some("url"),
        Action::Primitive { id: PrimitiveId::ReadSources, parameters } => (!parameters.contains_key("urls")
            && autopilot.is_none_or(|autopilot| autopilot.daily_sources.is_empty()))
        .then_some("urls"),
        Action::ToolCall { tool, arguments } if tool == "content.create_page" => {
            ["title", "content"].into_iter().find(|key| !arguments.contains_key(*key))
        }
        Action::ToolCall { tool, arguments } if tool == "content.bulk_create" => {
            (!arguments.contains_key("items")).then_some("items")
        }
        _ => None,
    }?;
    Some(issue_at(
        view.share(8000),
        format!("`{}` needs `{missing}`", step.action.name()),
        format!("give `{missing}`"),
        in_step(step),
    ))
}
