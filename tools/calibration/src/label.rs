//! What a history says about its own commits: which ones caused a regression, and which ones were reverted.
//!
//! Only what later commits say in words counts: the commit they name as the one that broke something, or that they revert. No
//! guess is made from blame. Such labels are few, and a commit without one may still be faulty.

use crate::error::Error;
use crate::git::{Commit, Names};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// Commits, by their place in the history, each with the later ones that complain about it.
pub type Blamed = BTreeMap<usize, BTreeSet<usize>>;

/// What later commits say about earlier ones.
#[derive(Debug, Default)]
pub struct Labels {
    /// Named as the cause of a bug, a regression or a breakage.
    pub regressions: Blamed,
    /// Reverted.
    pub reverted: Blamed,
}

/// Endings of files that nothing runs.
const PROSE_ENDINGS: &[&str] = &["md", "markdown", "rst", "adoc", "txt", "org", "tex", "sgml", "po", "pot"];
/// Folders of such files.
const PROSE_FOLDERS: &[&str] = &["doc", "docs", "documentation", "man"];

/// A commit's name, or a pull request whose number a squashed commit has in its subject.
const REFERENCE: &str = r"(?:commits?\s+|PR\s+|pull request\s+|https?://\S+/(?:pull|commit)/)?[`\[(]?(?:(?P<id>[0-9a-f]{7,40})\b|#(?P<number>\d{2,6})\b)";

/// How commits name the one that broke something, before [`REFERENCE`].
const BLAMES: &[&str] = &[
    r"(?im)^\s*fixes:?\s+(?:commit\s+)?(?P<id>[0-9a-f]{7,40})\b",
    r"(?i)\bregress(?:ion|ions|ed|es)\b[^.;\n]{0,40}?\b(?:in|by|from|since|of|with|after|due to)\s+",
    r"(?i)\b(?:broken|broke|breakage|breaks)\b[^.;\n]{0,30}?\b(?:in|by|since|from|with|after)\s+",
    r"(?i)\b(?:bug|issue|problem|crash|leak|failure|failures|error|mistake|oversight|typo|overflow|deadlock|race)\b[^.;\n]{0,30}?\b(?:introduced|caused|created|added|made|in|from)\s+(?:in|by|with|from|since|when)?\s*",
];
/// The same, where the subject says that something is fixed.
const BLAMES_IN_FIX: &[&str] = &[r"(?i)\b(?:introduced|caused)\s+(?:in|by|with|from|since)\s+"];

/// Reads the messages of a whole history, newest first.
///
/// # Errors
/// Only for a bad pattern in this file.
pub fn labels(history: &[Commit]) -> Result<Labels, Error> {
    let names = Names::of(history);
    let numbers = numbers(history)?;
    let subjects = subjects(history);
    let (blames, in_fix) = (patterns(BLAMES)?, patterns(BLAMES_IN_FIX)?);
    let fix = pattern(r"(?i)\b(?:fix|fixe[sd]|fixing|fixup|bug|regress\w*|repair|unbreak|correct)\b")?;
    let reverts = pattern(r"(?i)\bthis reverts(?: commits?)?\s+(?P<id>[0-9a-f]{7,40})\b")?;
    let quoted = pattern(r#"(?i)^revert\s+"(?P<subject>.+)""#)?;
    let mut labels = Labels::default();
    for (at, commit) in history.iter().enumerate() {
        // Newest first: what a commit speaks of stands behind it.
        let earlier = |index: &usize| *index > at;
        let message = format!("{}\n{}", commit.subject, commit.body);
        let undone = reverts.captures_iter(&message).filter_map(|found| names.find(found.name("id")?.as_str()));
        let undone: BTreeSet<usize> = undone.filter(earlier).collect();
        let quoted = quoted.captures(&commit.subject).and_then(|found| Some(found.name("subject")?.as_str()));
        if undone.is_empty() && quoted.is_none() {
            let wanted = blames.iter().chain(in_fix.iter().filter(|_| fix.is_match(&commit.subject)));
            let named = wanted.flat_map(|pattern| pattern.captures_iter(&message)).filter_map(|found| {
                let number = || numbers.get(found.name("number")?.as_str()).copied();
                found.name("id").map_or_else(number, |id| names.find(id.as_str()))
            });
            for index in named.filter(earlier) {
                labels.regressions.entry(index).or_default().insert(at);
            }
        }
        let by_subject =
            || quoted.and_then(|subject| subjects.get(subject)?.iter().copied().find(earlier)).into_iter().collect();
        for index in if undone.is_empty() { by_subject() } else { undone } {
            labels.reverted.entry(index).or_default().insert(at);
        }
    }
    Ok(labels)
}

/// Whether a file is only for people to read; what is mended there was no regression.
#[must_use]
pub fn is_prose(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    PROSE_ENDINGS.contains(&ending) || folders.split('/').any(|folder| PROSE_FOLDERS.contains(&folder))
}

/// Squashed pull requests by number.
fn numbers(history: &[Commit]) -> Result<BTreeMap<&str, usize>, Error> {
    let number = pattern(r"\(#(\d{2,6})\)$")?;
    let found = history.iter().enumerate().filter_map(|(at, commit)| {
        let found = number.captures(&commit.subject)?.get(1)?;
        Some((commit.subject.get(found.range())?, at))
    });
    Ok(found.collect())
}

/// Commits by subject, newest first.
fn subjects(history: &[Commit]) -> BTreeMap<&str, Vec<usize>> {
    let mut subjects: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, commit) in history.iter().enumerate() {
        subjects.entry(&commit.subject).or_default().push(at);
    }
    subjects
}

fn patterns(texts: &[&str]) -> Result<Vec<Regex>, Error> {
    let whole = |text: &&str| if text.contains("?P<id>") { (*text).to_owned() } else { format!("{text}{REFERENCE}") };
    texts.iter().map(|text| pattern(&whole(text))).collect()
}

fn pattern(text: &str) -> Result<Regex, Error> {
    Regex::new(text).map_err(|error| Error::Own(error.to_string()))
}

#[cfg(test)]
#[path = "label_tests.rs"]
mod tests;
