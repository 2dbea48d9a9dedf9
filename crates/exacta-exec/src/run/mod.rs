//! One run: a permit goes in, receipts come out, and the project is exactly as approved or exactly as before.
//!
//! Each stage takes the one before it: [`Prepared`] → [`Staging`](stage::Staging) →
//! [`Ready`](commit::Ready) → done. See `docs/execution.md` for the order and why it is safe.

mod apply;
mod commit;
mod prepare;
mod receipt;
mod stage;

pub(crate) use apply::receipts;
pub(crate) use prepare::Held;
use prepare::Prepared;
pub use receipt::{Begin, Event, Objection, Receipt, Receipts, RunOptions};

use crate::area::Area;
use crate::error::{IoError, RunError};
use crate::fs::{Disk, Fs};
use crate::lock::{Locks, Patience};
use crate::recover;
use crate::root::ProjectRoot;
use exacta_kernel::permit::{Permit, Work};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long a run gives way to the recovery of an earlier one that died, and how often it looks.
const RECOVERY: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

impl ProjectRoot {
    /// Carries out what was permitted: all of it or nothing.
    ///
    /// Runs that died earlier are recovered first.
    ///
    /// # Errors
    /// [`RunError`]; unless it [is unsettled](RunError::is_unsettled), the project is as it was before.
    pub fn run(
        &self,
        permit: Permit,
        begin: &mut Begin<'_>,
        options: &mut RunOptions<'_>,
    ) -> Result<Receipts, RunError> {
        let disk = Disk::new(self, options.sync).map_err(IoError::of("open project", "."))?;
        execute(&disk, &permit.into_work(), begin, options)
    }
}

/// The whole run, on any file system.
pub(crate) fn execute<F: Fs>(
    fs: &F,
    work: &Work,
    begin: &mut Begin<'_>,
    options: &mut RunOptions<'_>,
) -> Result<Receipts, RunError> {
    let area = Area::open_or_make(fs)?;
    let _locks = lock(&area, work, options)?;
    let staged = Prepared::check(&area, work)?.stage(options.cancel, options.observer)?;
    let committed = staged.enter(begin)?.commit(options)?;
    committed.apply(options)
}

/// Takes the locks of all targets, at a moment when no earlier run is half done.
fn lock<'fs, F: Fs>(area: &Area<'fs, F>, work: &Work, options: &RunOptions<'_>) -> Result<Locks<'fs, F>, RunError> {
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
