//! What is in a change besides its purpose: secrets, hidden characters, dangerous operations, dependencies.
//!
//! Only what a plan *adds* counts: lines that are new in a file, and the proposal's own words. A secret that is removed, or stands
//! in lines that stay, is masked wherever it would be shown or kept, and denies nothing.

pub(crate) mod change;
pub(crate) mod dependency;
pub(crate) mod lexicon;
pub(crate) mod source;

mod danger;
mod direction;
mod hidden;
pub(crate) mod spelling;
mod words;

pub(crate) use danger::SKIPPED_TEST;
#[cfg(test)]
pub(crate) use danger::names as danger_names;

use crate::facts::{Facts, FileContent};
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::{Action, Payload, Step};
use crate::secret;
use change::{Added, FileChange};
use serde::Serialize;

/// Where something was found. All empty: in the proposal's words about the whole plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The step's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The file; none if it is in the step's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in the new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// Something that opens a door for whoever reads it. The value itself is never kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Secret {
    /// Whether its shape leaves no doubt.
    pub certain: bool,
    /// Such as `GitHub token`.
    pub what: &'static str,
    /// Where.
    pub place: Place,
}

/// A character that hides or deceives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct HiddenText {
    /// What it does.
    pub kind: crate::text::Hidden,
    /// Where; each kind once a line.
    pub place: Place,
}

/// An operation that takes privileges, or that nothing legitimate does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Danger {
    /// Whether nothing legitimate does it; else a person judges.
    pub certain: bool,
    /// In words.
    pub what: String,
    /// Where.
    pub place: Place,
}

/// A package that a manifest or lock file names differently afterwards.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DependencyChange {
    /// The manifest or lock file.
    pub manifest: String,
    /// The package, or the setting that names a source.
    pub name: String,
    /// What happened to it.
    pub change: DependencyKind,
    /// Where it comes from now, if that is a registry, repository, address or folder that was not used before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_source: Option<String>,
    /// The well-known package whose name an added one resembles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resembles: Option<String>,
    /// What a lock file now takes for a version that was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether it runs a script of its own when it is installed, and did not before.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub runs_script: bool,
    /// Where.
    pub place: Place,
}

/// What happened to a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DependencyKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Another version, or other features.
    Version,
    /// Another origin: registry, repository, address, folder.
    Source,
    /// The same version with another hash or address in a lock file.
    Content,
}

/// Everything that was found in a plan, each list in the order of the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Signals {
    /// Secrets in what is added.
    pub secrets: Vec<Secret>,
    /// Hidden and deceptive characters in what is added.
    pub hidden: Vec<HiddenText>,
    /// Dangerous operations in what is added.
    pub dangers: Vec<Danger>,
    /// What becomes of the project's dependencies.
    pub dependencies: Vec<DependencyChange>,
}

/// What is in a plan.
#[must_use]
pub fn signals(plan: &Plan, facts: &Facts) -> Signals {
    let steps = change::of(plan, facts.source());
    let whole = change::whole(plan, facts.source(), &steps);
    of_plan(plan, &steps, whole.as_deref())
}

/// [`signals`], given the plan's line changes step by step and, where steps share a file, as a whole.
pub(crate) fn of_plan(plan: &Plan, steps: &[FileChange<'_>], whole: Option<&[FileChange<'_>]>) -> Signals {
    let mut signals = of_changes(plan, steps);
    if let Some(whole) = whole {
        let more = of_changes(plan, whole);
        join(&mut signals.secrets, more.secrets, |it| &mut it.place);
        join(&mut signals.hidden, more.hidden, |it| &mut it.place);
        join(&mut signals.dangers, more.dangers, |it| &mut it.place);
        join(&mut signals.dependencies, more.dependencies, |it| &mut it.place);
    }
    signals
}

/// Adds what the whole shows and the steps do not. What both show is the same thing, at another line perhaps: of each kind in
/// each file the larger number counts.
fn join<T: Clone + Ord>(found: &mut Vec<T>, whole: Vec<T>, place: fn(&mut T) -> &mut Place) {
    let key = |item: &T| {
        let mut key = item.clone();
        let place = place(&mut key);
        (place.step, place.line) = (None, None);
        key
    };
    let mut known: BTreeMap<T, usize> = BTreeMap::new();
    for item in &*found {
        *known.entry(key(item)).or_default() += 1;
    }
    // The first ones of a kind are taken for those that are known, unless their place says that they are not.
    let places: BTreeSet<T> = found.iter().cloned().collect();
    let (same, other): (Vec<T>, Vec<T>) = whole.into_iter().partition(|item| places.contains(item));
    for item in same.into_iter().chain(other) {
        match known.get_mut(&key(&item)).filter(|left| **left > 0) {
            Some(left) => *left -= 1,
            None => found.push(item),
        }
    }
}

fn of_changes(plan: &Plan, changes: &[FileChange<'_>]) -> Signals {
    let proposal = plan.proposal();
    let mut secrets: Vec<Secret> = words::of(proposal).iter().flat_map(secrets_in_words).collect();
    secrets.extend(changes.iter().flat_map(secrets_in_file));
    let dependencies = dependency::find(changes);
    Signals {
        secrets,
        hidden: hidden::find(proposal, changes),
        dangers: danger::find(changes, &dependencies),
        dependencies,
    }
}

/// The secrets in what a plan adds, whether or not it is valid: in its words, in the lines that are new in a file, and, of a
/// step that could not be turned into bytes, in whatever it would add.
#[must_use]
pub fn added_secrets(plan: &Plan) -> Vec<Secret> {
    let proposal = plan.proposal();
    let mut secrets: Vec<Secret> = words::of(proposal).iter().flat_map(secrets_in_words).collect();
    for (index, step) in proposal.steps.iter().enumerate() {
        match plan.effects().iter().find(|effect| effect.step == index) {
            Some(effect) => {
                let place = |line| Place { line: Some(line), ..file_place(step) };
                let after = effect.after.as_deref().map_or(&[][..], FileContent::bytes);
                secrets.extend(secrets_in_added(after, &change::added(effect), place));
            }
            None => secrets.extend(payload_texts(step).iter().flat_map(|text| {
                let found = secret::find(text.as_bytes()).into_iter();
                found.map(|found| Secret { certain: found.certain, what: found.what, place: file_place(step) })
            })),
        }
    }
    secrets
}

fn file_place(step: &Step) -> Place {
    Place { step: Some(step.id.clone()), path: Some(step.target.clone()), line: None }
}

fn secrets_in_words(words: &words::Words<'_>) -> Vec<Secret> {
    let place = words.place();
    let found = secret::find(words.text.as_bytes()).into_iter();
    found.map(|found| Secret { certain: found.certain, what: found.what, place: place.clone() }).collect()
}

fn secrets_in_file(change: &FileChange<'_>) -> Vec<Secret> {
    let after = change.after.map_or(&[][..], FileContent::bytes);
    secrets_in_added(after, &change.added, |line| change.place(line))
}

/// The secrets in added lines: those that can be told from the lines alone, and those of the whole file that they are a part of.
fn secrets_in_added(after: &[u8], runs: &[Added<'_>], place: impl Fn(u64) -> Place) -> Vec<Secret> {
    if runs.is_empty() {
        return Vec::new();
    }
    let whole = secret::find(after);
    let mut secrets = Vec::new();
    for added in runs {
        let (start, end) = (added.start, added.start + added.bytes.len());
        let inside = |found: &&secret::Found| found.start < end && start < found.end;
        let mut here: Vec<(usize, bool, &'static str)> = whole
            .iter()
            .filter(inside)
            .map(|found| (found.start.saturating_sub(start), found.certain, found.what))
            .collect();
        for found in secret::find(added.bytes) {
            let known = |other: &&secret::Found| {
                other.start < start + found.end && start + found.start < other.end && other.certain >= found.certain
            };
            if !whole.iter().any(|other| known(&other)) {
                here.push((found.start, found.certain, found.what));
            }
        }
        here.sort_unstable();
        let mut lines = added.lines();
        secrets.extend(here.into_iter().map(|(at, certain, what)| Secret {
            certain,
            what,
            place: place(lines.at(at)),
        }));
    }
    secrets
}

/// What a file step would add, as far as it can be told without the file.
fn payload_texts(step: &Step) -> Vec<String> {
    match &step.action {
        Action::FileCreate(payload) | Action::FileModify(payload) => match payload {
            Payload::Content(content) => vec![content.clone()],
            Payload::Bytes(bytes) => vec![String::from_utf8_lossy(bytes).into_owned()],
            Payload::Edits(edits) => edits.iter().map(|edit| edit.replace.clone()).collect(),
            Payload::Diff(diff) => vec![added_by(diff)],
            Payload::Kept(kept) => vec![kept.added()],
        },
        _ => Vec::new(),
    }
}

/// The lines that a diff adds.
fn added_by(diff: &str) -> String {
    let added = diff.lines().filter_map(|line| line.strip_prefix('+'));
    added.collect::<Vec<_>>().join("\n")
}
