//! What one run of effects does, taken out of its permit.

use crate::effector::{Direction, IdempotencyKey, Trace};
use exacta_kernel::effect::Effect;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use exacta_kernel::permit::Permit;

/// What the stages of a run work on. Outside the tests of this crate only a permit becomes it.
#[derive(Debug, Clone)]
pub(crate) struct EffectWork {
    pub(crate) run_id: RunId,
    pub(crate) plan_id: PlanId,
    pub(crate) correlation_id: CorrelationId,
    pub(crate) plan_hash: Digest,
    /// The run that is undone, if this is an undo.
    pub(crate) undoes: Option<RunId>,
    /// In the order they are performed.
    pub(crate) effects: Vec<Effect>,
}

impl EffectWork {
    /// Which way this run goes.
    pub(crate) const fn direction(&self) -> Direction {
        if self.undoes.is_some() { Direction::Compensate } else { Direction::Perform }
    }

    /// What each effect leaves, in the order of this run: an undo goes through them from the last to the first.
    pub(crate) fn traces(&self) -> Vec<Trace> {
        let made_by = self.undoes.as_ref().unwrap_or(&self.run_id);
        let trace = |effect: &Effect| Trace {
            step: effect.step().to_owned(),
            act: effect.act().to_owned(),
            place: effect.place().clone(),
            after: effect.after(),
            key: IdempotencyKey::of(made_by, (effect.step(), effect.act()), Direction::Perform, 0),
        };
        let mut traces: Vec<Trace> = self.effects.iter().map(trace).collect();
        if self.undoes.is_some() {
            traces.reverse();
        }
        traces
    }
}

impl From<Permit> for EffectWork {
    fn from(permit: Permit) -> Self {
        let work = permit.into_work();
        Self {
            run_id: work.run_id().clone(),
            plan_id: work.plan_id().clone(),
            correlation_id: work.correlation_id().clone(),
            plan_hash: work.plan_hash(),
            undoes: work.undoes().cloned(),
            effects: work.effects().to_vec(),
        }
    }
}
