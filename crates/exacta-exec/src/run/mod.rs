//! One run, driven by whoever holds the permit: each stage is a type, and only the stage before it makes it.
//!
//! ```text
//! Permitted ─stage→ Staged ─entered→ Entered ─commit→ Committed ─finish→ Receipts
//! ```
//!
//! What comes between the stages is the caller's: it enters the run into the record while what is staged is synced, and has the
//! operator's checks look at the result before the commit. See `docs/execution.md` for the order and why it is safe.

mod apply;
mod commit;
mod prepare;
mod stage;

use prepare::Prepared;

use crate::area::Area;
use crate::error::RunError;
use crate::fs::{Disk, Fs};
use crate::lock::{Locks, Patience};
use crate::receipt::{Objection, Receipts, RunOptions};
use crate::recover;
use crate::root::ProjectRoot;
use crate::work::FileWork;
use exacta_kernel::permit::Permit;
use exacta_kernel::plan::Change;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long a run gives way to the recovery of an earlier one that died, and how often it looks.
const RECOVERY: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// Work that was permitted, and the project it is done in. Nothing has happened yet.
pub struct Permitted {
    disk: Disk,
    work: FileWork,
}

/// A run that has all its targets, and whose new files and journal lie ready and are being synced. It is to be entered into the record
/// now. Dropped, it is as if its process had died: the next recovery removes what it staged.
#[must_use]
pub struct Staged<'p>(Locked<'p, Disk, stage::Staged<'p, Disk>>);

/// A run that is in the record and on the disk. Nothing of it is visible. Dropped, it is as if its process had died.
#[must_use]
pub struct Entered<'p>(Locked<'p, Disk, stage::Entered<'p, Disk>>);

/// A run whose commit record is durable: it will be finished or put back, by this process or by the next.
#[must_use]
pub struct Committed<'p>(Locked<'p, Disk, commit::Ready<'p, Disk>>);

/// A stage, with the locks on its targets.
pub(crate) struct Locked<'p, F: Fs, S> {
    pub(crate) stage: S,
    locks: Locks<'p, F>,
}

impl ProjectRoot {
    /// Takes a permit, which is gone with it. With `sync` everything is made durable; without, a run still survives the death of its
    /// process, not a power cut.
    ///
    /// # Errors
    /// [`RunError`] if the project cannot be opened.
    pub fn permitted(&self, permit: Permit, sync: bool) -> Result<Permitted, RunError> {
        let disk = self.disk_with(sync)?;
        Ok(Permitted { disk, work: FileWork::from(permit) })
    }
}

impl Permitted {
    /// Takes the targets, looks at them, and writes the new files and the journal. Runs that died earlier are recovered first.
    ///
    /// # Errors
    /// [`RunError`]; nothing was changed, and the run never began.
    pub fn stage(&self, options: &mut RunOptions<'_>) -> Result<Staged<'_>, RunError> {
        stage(&self.disk, &self.work, options).map(Staged)
    }
}

impl<'p> Staged<'p> {
    /// The run is in the record. Waits until what is staged is on the disk.
    ///
    /// # Errors
    /// [`RunError`] if a sync failed: nothing was changed, and what was staged is dropped.
    pub fn entered(self) -> Result<Entered<'p>, RunError> {
        self.0.try_map(stage::Staged::entered).map(Entered)
    }

    /// The run could not be entered: what was staged is dropped, as if it had never been.
    pub fn discard(self) {
        self.0.stage.discard();
    }
}

impl<'p> Entered<'p> {
    /// What the run will do, to the byte, for checks on that result.
    #[must_use]
    pub fn changes(&self) -> &'p [Change] {
        self.0.stage.changes()
    }

    /// Something stands against the run: what was staged is dropped, and nothing was changed.
    #[must_use]
    pub fn refuse(self, objection: Objection) -> RunError {
        self.0.stage.refuse(objection)
    }

    /// Looks at every target and every new file once more, and writes the commit record.
    ///
    /// # Errors
    /// [`RunError`]; unless it [is unsettled](RunError::is_unsettled), nothing was changed.
    pub fn commit(self, options: &mut RunOptions<'_>) -> Result<Committed<'p>, RunError> {
        self.0.try_map(|entered| entered.commit(options)).map(Committed)
    }
}

impl Committed<'_> {
    /// Makes the run visible, verifies it and writes the done record; or puts everything back.
    ///
    /// # Errors
    /// [`RunError`]; unless it [is unsettled](RunError::is_unsettled), the project is as it was before.
    pub fn finish(self, options: &mut RunOptions<'_>) -> Result<Receipts, RunError> {
        self.0.finish(options)
    }
}

impl<F: Fs> Locked<'_, F, commit::Ready<'_, F>> {
    /// INVARIANT: the targets are locked until the run is over.
    pub(crate) fn finish(self, options: &mut RunOptions<'_>) -> Result<Receipts, RunError> {
        let Self { stage, locks } = self;
        let ended = stage.apply(options);
        drop(locks);
        ended
    }
}

impl<'p, F: Fs, S> Locked<'p, F, S> {
    /// The next stage, under the same locks.
    pub(crate) fn try_map<N>(self, next: impl FnOnce(S) -> Result<N, RunError>) -> Result<Locked<'p, F, N>, RunError> {
        let Self { stage, locks } = self;
        Ok(Locked { stage: next(stage)?, locks })
    }
}

/// The first stage, on any file system.
pub(crate) fn stage<'p, F: Fs>(
    fs: &'p F,
    work: &'p FileWork,
    options: &mut RunOptions<'_>,
) -> Result<Locked<'p, F, stage::Staged<'p, F>>, RunError> {
    let area = Area::open_or_make(fs)?;
    let locks = lock(&area, work, options)?;
    let stage = Prepared::check(area, work)?.stage(options)?;
    Ok(Locked { stage, locks })
}

/// Takes the locks of all targets, at a moment when no earlier run is half done.
fn lock<'fs, F: Fs>(area: &Area<'fs, F>, work: &FileWork, options: &RunOptions<'_>) -> Result<Locks<'fs, F>, RunError> {
    let patience = Patience { wait: options.wait, cancel: options.cancel };
    let targets: BTreeSet<String> = work.changes.iter().map(|change| change.path.fold_key()).collect();
    let until = Instant::now().checked_add(RECOVERY);
    loop {
        match recover::settle_all(area) {
            // How they ended is not lost: their marks tell it to whoever recovers next, and records it.
            //
            // One may have begun after the record was asked. Nobody acts upon it here; if it is about one of the targets, it is
            // found below.
            Ok(_) | Err(RunError::UnknownRun { .. }) => {}
            Err(error) => return Err(error),
        }
        let locks = Locks::take(area, &work.run_id, work.changes.iter().map(|change| &change.path), &patience)?;
        // The run we waited for may have died: then it comes first, and whoever recovers it needs the locks.
        let Some(run_id) = recover::in_the_way(area, &targets)? else { return Ok(locks) };
        drop(locks);
        if until.is_none_or(|until| Instant::now() > until) {
            return Err(RunError::NeedsAttention {
                run_id,
                what: "it was interrupted and is not recovered".to_owned(),
            });
        }
        std::thread::sleep(PAUSE);
    }
}
