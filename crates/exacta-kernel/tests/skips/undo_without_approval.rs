//! An undo needs a verified approval of its own, not what is stored.
use exacta_kernel::approval::SignedStatement;
use exacta_kernel::id::{ProjectId, RunId};
use exacta_kernel::permit::{Completed, Permit, UndoRefused, permit_undo};
use exacta_kernel::time::Timestamp;

fn skip(
    completed: &Completed,
    stored: SignedStatement,
    project: &ProjectId,
    now: Timestamp,
    run_id: RunId,
) -> Result<Permit, UndoRefused> {
    permit_undo(completed, Vec::new(), stored, project, now, run_id)
}

fn main() {}
