//! The permit: proof that a plan is approved and that nothing has drifted. The executor acts on nothing else.

use crate::hash::Digest;
use crate::id::{CorrelationId, PlanId, RunId};
use crate::plan::Change;
use crate::prelude::*;

/// Consumed by one run. It has no public constructor: see [`permit`](crate::permit).
#[derive(Debug)]
pub struct Permit {
    work: Work,
}

/// What a run is to do, spelled out to the byte.
#[derive(Debug)]
pub struct Work {
    /// The run this work was permitted for.
    pub run_id: RunId,
    /// The plan it carries out.
    pub plan_id: PlanId,
    /// The operation it belongs to.
    pub correlation_id: CorrelationId,
    /// What was approved.
    pub plan_hash: Digest,
    /// The run that is taken back, if this is an undo.
    pub undoes: Option<RunId>,
    /// What happens to each file, sorted by path.
    pub changes: Vec<Change>,
}

impl Permit {
    /// The work, given up to the executor; the permit is gone.
    #[must_use]
    pub fn into_work(self) -> Work {
        self.work
    }

    /// The work, to look at.
    #[must_use]
    pub const fn work(&self) -> &Work {
        &self.work
    }
}
