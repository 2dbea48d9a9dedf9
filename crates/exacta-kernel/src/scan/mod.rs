//! What is in a change besides its purpose: secrets, hidden characters, dangerous operations, dependencies.
//!
//! Only what a plan *adds* counts: lines that are new in a file, and the proposal's own words. Taking a secret out is fine.

pub(crate) mod change;
pub(crate) mod dependency;
pub(crate) mod lexicon;
pub mod secret;

mod danger;
mod direction;
mod hidden;
mod words;

pub(crate) use danger::SKIPPED_TEST;

use crate::check::ValidPlan;
use crate::facts::Facts;
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::{Action, Payload, Proposal, Step};
use change::FileChange;
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
pub fn signals(plan: &ValidPlan, facts: &Facts) -> Signals {
    of_plan(plan.plan(), &change::of(plan.plan(), facts.source()))
}

/// [`signals`], given the plan's line changes.
pub(crate) fn of_plan(plan: &Plan, changes: &[FileChange<'_>]) -> Signals {
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

/// The secrets in a proposal that never became a valid plan, so that none of it is stored as it came.
#[must_use]
pub fn proposal_secrets(proposal: &Proposal) -> Vec<Secret> {
    let mut secrets: Vec<Secret> = words::of(proposal).iter().flat_map(secrets_in_words).collect();
    for step in &proposal.steps {
        for text in payload_texts(step) {
            secrets.extend(secret::find(text.as_bytes()).into_iter().map(|found| Secret {
                certain: found.certain,
                what: found.what,
                place: Place { step: Some(step.id.clone()), path: Some(step.target.clone()), line: None },
            }));
        }
    }
    secrets
}

fn secrets_in_words(words: &words::Words<'_>) -> Vec<Secret> {
    let place = words.place();
    let found = secret::find(words.text.as_bytes()).into_iter();
    found.map(|found| Secret { certain: found.certain, what: found.what, place: place.clone() }).collect()
}

fn secrets_in_file(change: &FileChange<'_>) -> Vec<Secret> {
    let mut secrets = Vec::new();
    for added in &change.added {
        let mut lines = added.lines();
        secrets.extend(secret::find(added.bytes).into_iter().map(|found| Secret {
            certain: found.certain,
            what: found.what,
            place: change.place(lines.at(found.start)),
        }));
    }
    secrets
}

/// What a file step would add, as far as it can be told without the file.
fn payload_texts(step: &Step) -> Vec<String> {
    match &step.action {
        Action::FileCreate(payload) | Action::FileModify(payload) => match payload {
            Payload::Content(content) => vec![content.clone()],
            Payload::Edits(edits) => edits.iter().map(|edit| edit.replace.clone()).collect(),
            Payload::Diff(diff) => vec![added_by(diff)],
        },
        _ => Vec::new(),
    }
}

/// The lines that a diff adds.
fn added_by(diff: &str) -> String {
    let added = diff.lines().filter_map(|line| line.strip_prefix('+'));
    added.collect::<Vec<_>>().join("\n")
}
