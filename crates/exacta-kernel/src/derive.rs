//! Approve selected: the proposal that consists of some steps of another.

use crate::hash::canonical_json;
use crate::prelude::*;
use crate::proposal::Proposal;
use serde_json::{Value, json};

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
    pub fn hint(&self) -> String {
        match self {
            Self::Nothing => "use `exacta reject` to refuse the whole plan".to_owned(),
            Self::Unknown(_) => "see the ids of the steps with `exacta show`".to_owned(),
            Self::Missing(missing) => {
                let needed: BTreeSet<&str> = missing.iter().map(|missing| missing.needs.as_str()).collect();
                format!("select {} too", quoted(needed))
            }
            Self::Unwritable => "run `exacta audit verify`".to_owned(),
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
