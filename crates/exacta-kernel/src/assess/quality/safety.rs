//! Safety: does the plan avoid dangerous patterns and loss?

use super::words::every;
use super::{View, issue_at};
use crate::assess::Issue;
use crate::facts::FileContent;
use crate::prelude::*;
use crate::scan::SKIPPED_TEST;
use crate::scan::change::FileChange;
use crate::scan::lexicon::HIDES;
use crate::scan::source::{Role, is_test};

/// Words that show that a loss is meant.
const REMOVAL: &[&str] = &[
    "delete",
    "deletes",
    "deleted",
    "deleting",
    "remove",
    "removes",
    "removed",
    "removing",
    "drop",
    "drops",
    "dropped",
    "obsolete",
    "unused",
    "dead",
    "move",
    "moves",
    "moved",
    "rename",
    "renamed",
    "replace",
    "replaces",
    "replaced",
    "superseded",
    "deprecated",
    "merge",
    "merged",
    "inline",
    "inlined",
    "extract",
    "extracts",
    "extracted",
    "split",
    "migrate",
    "migrated",
    "rewrite",
    "simplify",
    "trim",
    "shrink",
    "cut",
    "longer",
    "redundant",
    "duplicate",
    "cleanup",
    "strip",
    "reduce",
];
/// Lines that keep a test from running, lower case.
const SKIPS: &[&str] = &[
    "#[ignore",
    ".skip(",
    "xit(",
    "xdescribe(",
    "@pytest.mark.skip",
    "@unittest.skip",
    "@ignore",
    "@disabled",
    "t.skip(",
    "t.skipnow(",
    "pending(\"",
    "[ignore",
];
/// What lines of tests have that compare.
const ASSERTS: &[&[u8]] = &[
    b"assert",
    b"Assert",
    b"ASSERT",
    b"expect(",
    b"EXPECT_",
    b"REQUIRE(",
    b"CHECK(",
    b".should",
    b"t.Error",
    b"t.Fatal",
    b"require.",
];
/// Lines that hide an error, lower case.
const SWALLOWS: &[&str] = &[
    "except: pass",
    "except exception: pass",
    "catch {}",
    "catch (e) {}",
    "catch(e) {}",
    "catch (error) {}",
    "catch (exception) {}",
    "catch (_) {}",
    "rescue nil",
    "rescue => e; end",
];

pub(super) fn issues(view: &View<'_>) -> Vec<Issue> {
    let mut issues = found(view);
    issues.extend(unasserted(view));
    for change in view.changes {
        issues.extend(loss(change));
        issues.extend(skipped(change));
        issues.extend(swallowed(change).filter(|_| change.role != Role::Foreign));
    }
    issues
}

/// What the scan found.
fn found(view: &View<'_>) -> Vec<Issue> {
    let signals = view.signals;
    let mut issues = Vec::new();
    for secret in &signals.secrets {
        let points = if secret.certain { 10_000 } else { 4000 };
        issues.push(issue_at(
            points,
            format!("adds what looks like a secret: {}", secret.what),
            "read it from the environment or a key store",
            secret.place.clone(),
        ));
    }
    // A skipped test is an issue of its own below.
    for danger in signals.dangers.iter().filter(|danger| danger.what != SKIPPED_TEST) {
        let points = if danger.certain { 10_000 } else { 3000 };
        issues.push(issue_at(points, danger.what.clone(), "find a way that needs less power", danger.place.clone()));
    }
    for hidden in &signals.hidden {
        issues.push(issue_at(
            4000,
            format!("contains a {}", hidden.kind.name()),
            "remove it, or write it as an escape",
            hidden.place.clone(),
        ));
    }
    for dependency in &signals.dependencies {
        if let Some(known) = &dependency.resembles {
            let message = format!("`{}` resembles the well-known `{known}`", dependency.name);
            issues.push(issue_at(4000, message, "check the name", dependency.place.clone()));
        }
        if let Some(source) = &dependency.new_source {
            issues.push(issue_at(
                2000,
                format!("`{}` comes from a source that was not used before: {source}", dependency.name),
                "use the registry the project uses",
                dependency.place.clone(),
            ));
        }
    }
    issues
}

/// A file that goes, or most of it, without a word about it.
fn loss(change: &FileChange<'_>) -> Option<Issue> {
    if is_meant(change) {
        return None;
    }
    if change.after.is_none() {
        let hint = "say in the description why the file can go";
        return Some(issue_at(2500, "deletes a file without saying why", hint, change.place(None)));
    }
    let before = change.before.map_or(0, lines);
    let (gone, come) = (change.removed_lines().count(), change.added_lines().count());
    let gutted = before >= 40 && gone * 10 > before * 6 && come * 2 < gone;
    gutted.then(|| {
        issue_at(
            2500,
            format!("takes out {gone} of {before} lines without saying why"),
            "say in the description what goes, and why",
            change.place(None),
        )
    })
}

/// Whether the step says that something goes.
fn is_meant(change: &FileChange<'_>) -> bool {
    change.descriptions().any(removes)
}

/// Whether a text says that something goes.
pub(super) fn removes(text: &str) -> bool {
    every(text).any(|word| REMOVAL.contains(&word.as_str()))
}

/// Assertions that tests lose without a word about it, unless other tests of the plan gain as many.
fn unasserted(view: &View<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    let (mut lost, mut gained) = (0, 0);
    for change in view.changes.iter().filter(|change| holds_tests(change)) {
        let mut removed = change.removed_lines().filter(|line| is_assertion(line.bytes)).peekable();
        let first = removed.peek().map(|line| line.line);
        let (gone, come) = (removed.count(), change.added_lines().filter(|line| is_assertion(line.bytes)).count());
        lost += gone;
        gained += come;
        if gone > come && change.after.is_some() && !is_meant(change) {
            issues.push(issue_at(
                4000,
                format!("takes {} of {gone} assertions out of tests (old line)", gone - come),
                "keep them, or say in the description why they can go",
                change.place(first),
            ));
        }
    }
    if gained >= lost { Vec::new() } else { issues }
}

/// Whether assertions in a file check other code; tests in Rust stand beside it.
fn holds_tests(change: &FileChange<'_>) -> bool {
    let beside = |content: &FileContent| memchr::memmem::find(content.bytes(), b"#[test]").is_some();
    is_test(change.path) || (change.path.name().ends_with(".rs") && change.before.is_some_and(beside))
}

pub(super) fn is_assertion(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let comment =
        [&b"//"[..], b"#", b"*", b"/*", b"import ", b"from ", b"use "].iter().any(|start| line.starts_with(start));
    !comment && ASSERTS.iter().any(|phrase| memchr::memmem::find(line, phrase).is_some())
}

fn lines(content: &FileContent) -> usize {
    memchr::memchr_iter(b'\n', content.bytes()).count()
}

/// Whether a line keeps a test from running.
pub(super) fn is_skip(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let text = text.trim_start();
    SKIPS.iter().any(|phrase| text.starts_with(phrase) || (phrase.starts_with('.') && text.contains(phrase)))
}

/// A test that no longer runs.
fn skipped(change: &FileChange<'_>) -> Option<Issue> {
    let tests = is_test(change.path) || change.path.name().ends_with(".rs");
    let line = change.marked_added(HIDES).find(|line| tests && is_skip(line.bytes))?;
    Some(issue_at(6000, "keeps a test from running", "fix the test, or remove it and say why", change.place(line.line)))
}

/// An error that nobody will see.
fn swallowed(change: &FileChange<'_>) -> Option<Issue> {
    let line = change.marked_added(HIDES).find(|line| {
        let text = String::from_utf8_lossy(line.bytes).to_lowercase();
        SWALLOWS.iter().any(|phrase| text.contains(phrase))
            || (is_open_handler(&text) && is_unhandled(change, line.line))
    })?;
    Some(issue_at(
        3000,
        "hides an error",
        "handle it, report it, or say why it may be ignored",
        change.place(line.line),
    ))
}

/// Whether a line, lower case, begins what is done about an error and ends there.
fn is_open_handler(text: &str) -> bool {
    let text = text.trim();
    (text.starts_with("except") && text.ends_with(':')) || (text.contains("catch") && text.ends_with('{'))
}

/// Whether the added line after this one does nothing, or ends the block.
fn is_unhandled(change: &FileChange<'_>, line: u64) -> bool {
    let next = change.added_lines().find(|next| next.line == line + 1);
    next.is_some_and(|next| matches!(next.bytes.trim_ascii(), b"pass" | b"..." | b"}" | b"});" | b"})"))
}
