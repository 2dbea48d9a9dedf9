//! What one run does to files, taken out of its permit.

use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use exacta_kernel::permit::Permit;
use exacta_kernel::plan::Change;

/// What the stages of a run work on. Outside the tests of this crate only a permit becomes it.
#[derive(Debug)]
pub(crate) struct FileWork {
    pub(crate) run_id: RunId,
    pub(crate) plan_id: PlanId,
    pub(crate) correlation_id: CorrelationId,
    pub(crate) plan_hash: Digest,
    /// The run that is undone, if this is an undo.
    pub(crate) undoes: Option<RunId>,
    /// What happens to each file, sorted by path.
    pub(crate) changes: Vec<Change>,
}

impl From<Permit> for FileWork {
    fn from(permit: Permit) -> Self {
        let work = permit.into_work();
        Self {
            run_id: work.run_id().clone(),
            plan_id: work.plan_id().clone(),
            correlation_id: work.correlation_id().clone(),
            plan_hash: work.plan_hash(),
            undoes: work.undoes().cloned(),
            changes: work.changes().to_vec(),
        }
    }
}
