//! The permit to undo a completed run.

use super::{Acts, Permit, Work};
use crate::approval::{ApprovalError, Demand, VerifiedApproval};
use crate::effect::Effect;
use crate::facts::FileState;
use crate::hash::{Digest, canonical_hash};
use crate::id::{CorrelationId, PlanId, ProjectId, RunId};
use crate::path::RelPath;
use crate::plan::Change;
use crate::prelude::*;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A run that went through, as the verified log tells it: the state of each target before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completed {
    /// The run.
    pub run_id: RunId,
    /// The plan it executed.
    pub plan_id: PlanId,
    /// The operation it belongs to.
    pub correlation_id: CorrelationId,
    /// What it did to each file.
    pub changes: BTreeMap<RelPath, Transition>,
}

/// What a run did to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// Before it.
    pub before: FileState,
    /// After it.
    pub after: FileState,
}

/// Why a run cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UndoRefused {
    /// Nobody who counts asked for it.
    #[error(transparent)]
    NotApproved(#[from] ApprovalError),
    /// What would be put back is not what the record says was there.
    #[error("what would be put back at `{0}` is not what the record says was there")]
    NotRecorded(RelPath),
    /// The hash could not be computed.
    #[error("the undo cannot be written in canonical form")]
    NotCanonical,
}

impl Completed {
    /// The hash that an approver signs to have this run undone.
    ///
    /// # Errors
    /// Only where canonical JSON cannot be written, which the types rule out.
    pub fn undo_hash(&self) -> Result<Digest, serde_json::Error> {
        canonical_hash(&("exacta.undo/1", self))
    }
}

/// Checks that an approver asked for exactly this run to be undone and that `changes` do exactly that.
///
/// # Errors
/// [`UndoRefused`] says what does not hold.
pub fn permit_undo(
    completed: &Completed,
    changes: Vec<Change>,
    approval: VerifiedApproval,
    project: &ProjectId,
    now: Timestamp,
    run_id: RunId,
) -> Result<Permit, UndoRefused> {
    let plan_hash = completed.undo_hash().map_err(|_| UndoRefused::NotCanonical)?;
    let demand = Demand { project, plan_id: &completed.plan_id, plan_hash, now };
    approval.covers(&demand)?;
    reverses(completed, &changes)?;
    Ok(permit_of(completed, plan_hash, Acts::Files(changes), run_id))
}

/// The same for a run that acted outside the project: that `effects` are exactly those which the record says it performed.
///
/// # Errors
/// [`UndoRefused`] says what does not hold.
pub fn permit_undo_of_effects(
    completed: &Completed,
    effects: Vec<Effect>,
    approval: VerifiedApproval,
    project: &ProjectId,
    now: Timestamp,
    run_id: RunId,
) -> Result<Permit, UndoRefused> {
    let plan_hash = completed.undo_hash().map_err(|_| UndoRefused::NotCanonical)?;
    let demand = Demand { project, plan_id: &completed.plan_id, plan_hash, now };
    approval.covers(&demand)?;
    let performed: BTreeMap<RelPath, Transition> = effects.iter().map(Transition::of).collect();
    let differs = |(path, change): &(&RelPath, &Transition)| completed.changes.get(*path) != Some(*change);
    let missing = |path: &&RelPath| !performed.contains_key(*path);
    let odd = performed.iter().find(differs).map(|(path, _)| path).or_else(|| completed.changes.keys().find(missing));
    if let Some(path) = odd {
        return Err(UndoRefused::NotRecorded(path.clone()));
    }
    Ok(permit_of(completed, plan_hash, Acts::Effects(effects), run_id))
}

impl Transition {
    /// What an effect leaves where nothing was, by its place.
    #[must_use]
    pub fn of(effect: &Effect) -> (RelPath, Self) {
        (effect.place().clone(), Self { before: FileState::Absent, after: effect.after() })
    }
}

fn permit_of(completed: &Completed, plan_hash: Digest, acts: Acts, run_id: RunId) -> Permit {
    let work = Work {
        run_id,
        plan_id: completed.plan_id.clone(),
        correlation_id: completed.correlation_id.clone(),
        plan_hash,
        automatic: false,
        undoes: Some(completed.run_id.clone()),
        acts,
    };
    Permit { work }
}

/// Whether the changes lead each recorded file from its after back to its before, and touch nothing else.
fn reverses(completed: &Completed, changes: &[Change]) -> Result<(), UndoRefused> {
    let mut open: BTreeSet<&RelPath> = completed.changes.keys().collect();
    for change in changes {
        let (from, to) = (FileState::of(change.before.as_deref()), FileState::of(change.after.as_deref()));
        let recorded = completed.changes.get(&change.path).filter(|_| open.remove(&change.path));
        if recorded.is_none_or(|recorded| recorded.after != from || recorded.before != to) {
            return Err(UndoRefused::NotRecorded(change.path.clone()));
        }
    }
    open.first().map_or(Ok(()), |path| Err(UndoRefused::NotRecorded((*path).clone())))
}
