//! Approve selected: the proposal that consists of some steps of another, and of some steps only of some hunks.

use crate::diff;
use crate::hash::canonical_json;
use crate::hint;
use crate::hint::{Hint, Remedy};
use crate::plan::{Effect, Plan};
use crate::prelude::*;
use crate::proposal::{Action, Proposal};
use serde_json::{Map, Value, json};

/// A selection as it was written, such as `s1` and `s3:1-2`.
pub const WRITTEN: &str = "a step (`s1`), or hunks of one (`s3:2`, `s3:1-2`)";

/// The text of a proposal of some steps, and which of them it has only in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// It goes through [`crate::parse`] like any other.
    pub text: Vec<u8>,
    /// By step: the hunks that were selected, counted from 1 as they are shown.
    pub parts: BTreeMap<String, BTreeSet<usize>>,
}

/// Why some steps do not make a proposal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeriveError {
    /// Selecting nothing is a rejection, and is asked for as one.
    #[error("no step is selected")]
    Nothing,
    /// Ids that are not steps of the plan.
    #[error("the plan has no step {}", quoted(.0))]
    Unknown(Vec<String>),
    /// Selected steps whose dependencies are not selected.
    #[error("{}", missing(.0))]
    Missing(Vec<Missing>),
    /// A hunk that the step's diff does not have.
    #[error("step `{step}` has no hunk {hunk}: it has {has}")]
    NoHunk {
        /// The step.
        step: String,
        /// The hunk that was named.
        hunk: usize,
        /// How many there are.
        has: usize,
    },
    /// A step of which no part can be selected.
    #[error("step `{step}` cannot be selected in part: {why}")]
    Indivisible {
        /// The step.
        step: String,
        /// Why not.
        why: &'static str,
    },
    /// The document is not what the parser left.
    #[error("the proposal cannot be written down again")]
    Unwritable,
}

/// A selected step and a dependency of it that is not selected.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// The selected step.
    pub step: String,
    /// What it needs.
    pub needs: String,
}

impl DeriveError {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Hint {
        match self {
            Self::Nothing => hint!["use ", Remedy::Reject(None), " to refuse the whole plan"],
            Self::Unknown(_) => hint!["see the ids of the steps with ", Remedy::Show(None)],
            Self::Missing(missing) => {
                let needed: BTreeSet<&str> = missing.iter().map(|missing| missing.needs.as_str()).collect();
                hint![format!("select {} too", quoted(needed))]
            }
            Self::NoHunk { step, has: 0, .. } | Self::Indivisible { step, .. } => {
                hint![format!("select the whole step: `{step}`")]
            }
            Self::NoHunk { step, has, .. } => {
                hint![format!("`{step}:1-{has}` is all of it; "), Remedy::Show(None), " has the hunks in order"]
            }
            Self::Unwritable => hint!["run ", Remedy::AuditVerify],
        }
    }
}

/// The text of a proposal with only the selected steps, renumbered, their order kept. It goes through [`crate::parse`] like any
/// other. Constraints all stay: stages only ever add them.
///
/// # Errors
/// [`DeriveError`] names what is missing or unknown.
pub fn derive(proposal: &Proposal, selected: &BTreeSet<String>) -> Result<Vec<u8>, DeriveError> {
    closed(proposal, selected)?;
    let mut kept: Vec<(u64, usize)> = Vec::new();
    for (index, step) in proposal.steps.iter().enumerate().filter(|(_, step)| selected.contains(&step.id)) {
        kept.push((step.order, index));
    }
    kept.sort_unstable();
    let steps = proposal.document.get("steps").and_then(Value::as_array).ok_or(DeriveError::Unwritable)?;
    let mut renumbered = Vec::new();
    for ((_, index), order) in kept.into_iter().zip(1_u64..) {
        let mut step = steps.get(index).and_then(Value::as_object).ok_or(DeriveError::Unwritable)?.clone();
        step.insert("order".to_owned(), json!(order));
        renumbered.push(Value::Object(step));
    }
    let mut document = proposal.document.clone();
    document.insert("steps".to_owned(), Value::Array(renumbered));
    canonical_json(&document).map_err(|_| DeriveError::Unwritable)
}

/// The same with hunks: each word names a step, or hunks of one. A step that is named whole is whole, whatever else is named of it.
///
/// # Errors
/// As [`derive()`], and where a step has no such hunk, or cannot be divided.
pub fn derive_parts(plan: &Plan, words: &[String]) -> Result<Derived, DeriveError> {
    let proposal = plan.proposal();
    let mut selected: BTreeMap<String, Option<BTreeSet<usize>>> = BTreeMap::new();
    let mut unknown = Vec::new();
    for word in words {
        match named(proposal, word) {
            Some((step, None)) => drop(selected.insert(step, None)),
            Some((step, Some(hunks))) => {
                if let Some(chosen) = selected.entry(step).or_insert_with(|| Some(BTreeSet::new())) {
                    chosen.extend(hunks);
                }
            }
            None => unknown.push(word.clone()),
        }
    }
    if !unknown.is_empty() {
        return Err(DeriveError::Unknown(unknown));
    }
    let (mut parts, mut diffs) = (BTreeMap::new(), BTreeMap::new());
    for (id, chosen) in &selected {
        if let Some(chosen) = chosen
            && let Some(part) = part(plan, id, chosen)?
        {
            parts.insert(id.clone(), chosen.clone());
            diffs.insert(id.clone(), part);
        }
    }
    let whole = derive(proposal, &selected.into_keys().collect())?;
    Ok(Derived { text: with_diffs(whole, &diffs)?, parts })
}

/// The most hunks that one word names.
const MOST: usize = 10_000;

/// The step that a word names, and its hunks if it names some. A step may be called `a:1`.
fn named(proposal: &Proposal, word: &str) -> Option<(String, Option<BTreeSet<usize>>)> {
    if proposal.step(word).is_some() {
        return Some((word.to_owned(), None));
    }
    let (step, hunks) = word.rsplit_once(':')?;
    proposal.step(step)?;
    let (first, last) = hunks.split_once('-').unwrap_or((hunks, hunks));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (1 <= first && first <= last && last <= MOST).then(|| (step.to_owned(), Some((first..=last).collect())))
}

/// The diff of some hunks of a step; none where they are all there are.
fn part(plan: &Plan, id: &str, chosen: &BTreeSet<usize>) -> Result<Option<String>, DeriveError> {
    let indivisible = |why| DeriveError::Indivisible { step: id.to_owned(), why };
    let effect = divisible(plan, id).map_err(indivisible)?;
    let has = effect.hunks();
    if let Some(hunk) = chosen.iter().find(|hunk| **hunk > has) {
        return Err(DeriveError::NoHunk { step: id.to_owned(), hunk: *hunk, has });
    }
    if chosen.len() == has {
        return Ok(None);
    }
    let after = effect.with_hunks(chosen).ok_or_else(|| indivisible("it makes a new file"))?;
    let diff = diff::render_exact(&effect.path, effect.before.as_deref(), Some(&after));
    String::from_utf8(diff).map(Some).map_err(|_| indivisible("its lines are not all text"))
}

/// What a step does, if a part of that can be done.
fn divisible<'p>(plan: &'p Plan, id: &str) -> Result<&'p Effect, &'static str> {
    let steps = &plan.proposal().steps;
    let index = steps.iter().position(|step| step.id == id).ok_or("there is no such step")?;
    match steps.get(index).map(|step| &step.action) {
        Some(Action::FileCreate(_) | Action::FileModify(_)) => {}
        Some(Action::FileDelete { .. }) => return Err("it deletes a file"),
        _ => return Err("it changes no file"),
    }
    let effect = plan.effects().iter().find(|effect| effect.step == index).ok_or("it changes no file")?;
    if plan.effects().iter().any(|other| other.path == effect.path && other.step != index) {
        return Err("another step changes the same file");
    }
    if effect.hunks() == 0 {
        return Err("there are no lines of text in it that change");
    }
    Ok(effect)
}

/// The same proposal, in which these steps have another diff.
pub(crate) fn with_diffs(text: Vec<u8>, diffs: &BTreeMap<String, String>) -> Result<Vec<u8>, DeriveError> {
    if diffs.is_empty() {
        return Ok(text);
    }
    let mut document: Map<String, Value> = serde_json::from_slice(&text).map_err(|_| DeriveError::Unwritable)?;
    let steps = document.get_mut("steps").and_then(Value::as_array_mut).ok_or(DeriveError::Unwritable)?;
    for step in steps.iter_mut().filter_map(Value::as_object_mut) {
        if let Some(diff) = step.get("id").and_then(Value::as_str).and_then(|id| diffs.get(id)) {
            ["content", "content_base64", "edits", "mode"].iter().for_each(|field| drop(step.remove(*field)));
            step.insert("diff".to_owned(), json!(diff));
        }
    }
    canonical_json(&document).map_err(|_| DeriveError::Unwritable)
}

/// Whether the selection is not empty, names only steps there are, and holds every dependency of what it holds.
fn closed(proposal: &Proposal, selected: &BTreeSet<String>) -> Result<(), DeriveError> {
    if selected.is_empty() {
        return Err(DeriveError::Nothing);
    }
    let unknown: Vec<String> = selected.iter().filter(|id| proposal.step(id).is_none()).cloned().collect();
    if !unknown.is_empty() {
        return Err(DeriveError::Unknown(unknown));
    }
    let mut missing = Vec::new();
    for step in proposal.steps.iter().filter(|step| selected.contains(&step.id)) {
        for needs in step.dependencies.iter().filter(|id| !selected.contains(*id)) {
            missing.push(Missing { step: step.id.clone(), needs: needs.clone() });
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(DeriveError::Missing(missing)) }
}

fn missing(missing: &[Missing]) -> String {
    let one = |missing: &Missing| format!("step `{}` needs `{}`", missing.step, missing.needs);
    let all: Vec<String> = missing.iter().map(one).collect();
    format!("{}, not selected", all.join(", "))
}

fn quoted<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect();
    names.join(", ")
}
