//! Drives a run through its stages, as the app does, on any file system.

use crate::RunError;
use crate::fs::Fs;
use crate::receipt::{Objection, Receipts, RunOptions};
use crate::run;
use crate::work::FileWork;
use exacta_kernel::plan::Change;

/// What is done between the stages.
pub(super) struct Between<'a> {
    /// Enters the run into the record, and says whether it is there.
    pub(super) enter: &'a mut dyn FnMut() -> bool,
    /// The last word before the commit.
    pub(super) check: &'a mut dyn FnMut(&[Change]) -> Result<(), Objection>,
}

/// The whole run.
pub(super) fn execute<F: Fs>(
    fs: &F,
    work: &FileWork,
    between: Between<'_>,
    options: &mut RunOptions<'_>,
) -> Result<Receipts, RunError> {
    let staged = run::stage(fs, work, options)?;
    if !(between.enter)() {
        staged.stage.discard();
        return Err(RunError::NotBegun);
    }
    let entered = staged.try_map(|staged| staged.entered())?;
    if let Err(objection) = (between.check)(entered.stage.changes()) {
        return Err(entered.stage.refuse(objection));
    }
    let committed = entered.try_map(|entered| entered.commit(options))?;
    committed.finish(options)
}
