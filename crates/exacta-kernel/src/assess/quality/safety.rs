//! Safety: does the plan avoid dangerous patterns and loss?

use super::words::every;
use super::{View, issue_at};
use crate::assess::Issue;
use crate::assess::source::{Role, is_test};
use crate::facts::FileContent;
use crate::prelude::*;
use crate::proposal::Action;
use crate::scan::SKIPPED_TEST;
use crate::scan::change::FileChange;
use crate::scan::lexicon::HIDES;

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
    let meant = every(&change.step.description).any(|word| REMOVAL.contains(&word.as_str()));
    if meant {
        return None;
    }
    if matches!(change.step.action, Action::FileDelete { .. }) {
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

fn lines(content: &FileContent) -> usize {
    memchr::memchr_iter(b'\n', content.bytes()).count()
}

/// A test that no longer runs.
fn skipped(change: &FileChange<'_>) -> Option<Issue> {
    let is_skip = |line: &[u8]| {
        let text = String::from_utf8_lossy(line).to_lowercase();
        SKIPS
            .iter()
            .any(|phrase| text.trim_start().starts_with(phrase) || (phrase.starts_with('.') && text.contains(phrase)))
    };
    let tests = is_test(change.path) || change.path.name().ends_with(".rs");
    let line = change.marked_added(HIDES).find(|line| tests && is_skip(line.bytes))?;
    Some(issue_at(
        6000,
        "keeps a test from running",
        "mend the test, or take it out and say why",
        change.place(line.line),
    ))
}

/// An error that nobody will see.
fn swallowed(change: &FileChange<'_>) -> Option<Issue> {
    let line = change.marked_added(HIDES).find(|line| {
        let text = String::from_utf8_lossy(line.bytes).to_lowercase();
        SWALLOWS.iter().any(|phrase| text.contains(phrase))
    })?;
    Some(issue_at(
        1500,
        "hides an error",
        "handle it, report it, or say why it may be ignored",
        change.place(line.line),
    ))
}
