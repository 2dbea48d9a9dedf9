//! What one run does to files, taken out of its permit.

use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use exacta_kernel::permit::Permit;
use exacta_kernel::plan::{Change, Content};

/// What the stages of a run work on. Outside the tests of this crate only a permit becomes it.
#[derive(Debug)]
pub(crate) struct FileWork {
    pub(crate) run_id: RunId,
    pub(crate) plan_id: PlanId,
    pub(crate) correlation_id: CorrelationId,
    pub(crate) plan_hash: Digest,
    /// The run that is undone, if this is an undo.
    pub(crate) undoes: Option<RunId>,
    /// Whether what lies in the files already is adopted: they are expected as they are after their changes, and nothing is written.
    pub(crate) adopts: bool,
    /// What happens to each file, or happened to it before it is adopted, sorted by path.
    pub(crate) changes: Vec<Change>,
}

impl FileWork {
    /// What a target must be for the work to begin.
    pub(crate) fn expected<'c>(&self, change: &'c Change) -> Option<&'c Content> {
        if self.adopts { change.after.as_ref() } else { change.before.as_ref() }
    }
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
            adopts: work.adopts(),
            changes: work.changes().to_vec(),
        }
    }
}
