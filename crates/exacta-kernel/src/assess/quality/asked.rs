//! What a request asks for, by its words and by the files it names.

use super::View;
use super::completeness::hold;
use super::words::{every, stem, telling};
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::source::Role;

/// Words that make documentation the thing that was asked for.
pub(super) const DOCUMENTS: &[&str] = &[
    "document",
    "documents",
    "documented",
    "documentation",
    "docs",
    "doc",
    "readme",
    "changelog",
    "comment",
    "comments",
    "typo",
    "typos",
    "wording",
    "spelling",
    "grammar",
    "guide",
    "guides",
    "manual",
    "tutorial",
    "faq",
    "section",
    "sections",
    "chapter",
    "paragraph",
    "heading",
    "headings",
    "translation",
    "translations",
];
/// Words that make settings, tests or anything else but code the thing that was asked for.
const OTHER_WORK: &[&str] = &[
    "config",
    "configuration",
    "setting",
    "settings",
    "test",
    "tests",
    "testing",
    "coverage",
    "flaky",
    "spec",
    "license",
    "licence",
    "example",
    "examples",
    "dependency",
    "dependencies",
    "bump",
    "upgrade",
    "version",
    "workflow",
    "pipeline",
    "docker",
    "container",
    "image",
    "icon",
    "schema",
    "migration",
    "lint",
    "format",
    "localization",
    "text",
    "copy",
    "release",
];
/// Words about what a program does, which no document or test can fix.
pub(super) const BEHAVIOUR: &[&str] = &[
    "bug",
    "bugs",
    "crash",
    "crashes",
    "crashed",
    "crashing",
    "panic",
    "panics",
    "exception",
    "exceptions",
    "throws",
    "fails",
    "failing",
    "hangs",
    "freezes",
    "leak",
    "leaks",
    "deadlock",
    "race",
    "overflow",
    "segfault",
    "corrupt",
    "corrupts",
    "corrupted",
    "returns",
];
/// Words that name something people see.
pub(super) const SCREEN: &[&str] = &[
    "button", "page", "screen", "dialog", "modal", "form", "menu", "sidebar", "toolbar", "tooltip", "layout", "ui",
    "theme", "dropdown", "checkbox", "banner", "widget", "navbar", "footer", "header",
];

/// Whether documentation, tests or settings are what was asked for: by a word, or because the request names the very documents and
/// settings that change and is not about what a program does. So the same change loses the same, however the request is worded.
pub(super) fn is_asked_for(view: &View<'_>) -> bool {
    let files = &view.plan.proposal().intent.files;
    let targets = |change: &FileChange<'_>| files.iter().any(|file| file.as_str() == change.path.as_str());
    let mentions = |change: &FileChange<'_>| is_mentioned(view, change.path.name());
    let read = |change: &FileChange<'_>| matches!(change.role, Role::Docs | Role::Config);
    let named = |change: &FileChange<'_>| read(change) && (targets(change) || mentions(change));
    let named = !view.changes.is_empty() && view.changes.iter().all(named);
    asks_for_other_work(view) || (named && !asks_for(view, BEHAVIOUR))
}

pub(super) fn asks_for_other_work(view: &View<'_>) -> bool {
    asks_for(view, DOCUMENTS) || asks_for(view, OTHER_WORK)
}

/// Whether the request names a file, with its ending or without.
fn is_mentioned(view: &View<'_>, name: &str) -> bool {
    let (text, name) = (view.plan.proposal().intent.text.to_lowercase(), name.to_lowercase());
    let stem = name.split('.').next().unwrap_or_default();
    let told = |word: &str| word.chars().filter(|c| c.is_alphanumeric()).count() > 3;
    text.contains(&name) || told(stem) && every(&text).any(|word| word == stem)
}

/// Whether the changed lines have a word of the request: then settings are what it is about.
pub(super) fn is_held(view: &View<'_>) -> bool {
    let asked: BTreeSet<String> =
        telling(&view.plan.proposal().intent.text).map(|word| stem(&word).to_owned()).collect();
    hold(view.changes.iter().flat_map(|change| &change.lines).map(|line| line.bytes), &asked)
}

/// Whether the request has one of these words.
pub(super) fn asks_for(view: &View<'_>, words: &[&str]) -> bool {
    every(&view.plan.proposal().intent.text).any(|word| words.contains(&word.as_str()))
}
