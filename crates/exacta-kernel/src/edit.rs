//! A person's edit: the proposal whose files end as the person left them, and everything else as it was proposed.

use crate::derive::{DeriveError, with_diffs};
use crate::diff;
use crate::facts::FileContent;
use crate::hash::canonical_json;
use crate::path::RelPath;
use crate::plan::{Effect, Plan};
use crate::prelude::*;

/// Why an edit does not make a proposal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The files are as the plan leaves them already.
    #[error("nothing was edited: the plan stays as it is")]
    Nothing,
    /// Files that the plan has no text of.
    #[error("the plan leaves no text in `{0}` that could be edited")]
    Unknown(RelPath),
    /// A file is edited back to what it is now.
    #[error("the edit leaves `{0}` as it is now, so its step would change nothing")]
    Undone(RelPath),
    /// The document is not what the parser left.
    #[error(transparent)]
    Unwritable(#[from] DeriveError),
}

/// The text files that a plan writes, as it leaves them. Not those that two steps change: which of them was edited, nobody
/// could tell.
#[must_use]
pub fn editable(plan: &Plan) -> Vec<(&RelPath, &str)> {
    plan.effects().iter().filter_map(|effect| Some((&effect.path, text(plan, effect)?))).collect()
}

/// The text of the proposal with these files edited. It goes through [`crate::parse`] like any other. No model is named:
/// what a person wrote is nobody else's.
///
/// # Errors
/// [`EditError`].
pub fn edited(plan: &Plan, files: &BTreeMap<RelPath, String>) -> Result<Vec<u8>, EditError> {
    let mut diffs = BTreeMap::new();
    for (path, text) in files {
        let effect = effect(plan, path).ok_or_else(|| EditError::Unknown(path.clone()))?;
        let Some(after) = effect.after.as_ref().filter(|after| after.bytes() != text.as_bytes()) else { continue };
        if effect.before.as_ref().is_some_and(|before| before.bytes() == text.as_bytes()) {
            return Err(EditError::Undone(path.clone()));
        }
        let after = FileContent::new(text.as_bytes().to_vec(), after.mode());
        let diff = diff::render_exact(path, effect.before.as_deref(), Some(&after));
        let step = plan.proposal().steps.get(effect.step).ok_or(DeriveError::Unwritable)?;
        // Lines that go may be no text, although those that come are.
        diffs.insert(step.id.clone(), String::from_utf8(diff).map_err(|_| EditError::Unknown(path.clone()))?);
    }
    if diffs.is_empty() {
        return Err(EditError::Nothing);
    }
    let mut document = plan.proposal().document.clone();
    document.remove("model");
    let whole = canonical_json(&document).map_err(|_| DeriveError::Unwritable)?;
    Ok(with_diffs(whole, &diffs)?)
}

fn effect<'p>(plan: &'p Plan, path: &RelPath) -> Option<&'p Effect> {
    plan.effects().iter().find(|effect| effect.path == *path && text(plan, effect).is_some())
}

/// What a step leaves in its file, if it alone does and that is text.
fn text<'p>(plan: &Plan, effect: &'p Effect) -> Option<&'p str> {
    let alone = plan.effects().iter().filter(|other| other.path == effect.path).count() == 1;
    let after = effect.after.as_ref().filter(|after| alone && !after.is_binary())?;
    core::str::from_utf8(after.bytes()).ok()
}
