//! The third stage: everything is looked at once more, and the commit record is written.

use super::prepare::Prepared;
use super::stage::{Entered, Written};
use crate::area::{EXEC, Names, shown};
use crate::error::{IoError, RunError};
use crate::fs::{Fs, Rename};
use crate::mark::Mark;
use crate::receipt::{Event, Objection, RunOptions};
use crate::settle::Committed;
use exacta_kernel::plan::Change;
use rustix::io::Errno;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A run whose commit record is durable, not yet visible.
pub(crate) struct Ready<'a, F: Fs> {
    pub(super) committed: Committed<'a, F>,
    pub(super) spent: Vec<Duration>,
}

impl<'a, F: Fs> Entered<'a, F> {
    /// What the run will do, to the byte.
    pub(crate) fn changes(&self) -> &'a [Change] {
        &self.written.prepared.work.changes
    }

    /// Drops everything that was staged, because of what stands against the run.
    pub(crate) fn refuse(self, objection: Objection) -> RunError {
        self.written.prepared.discard();
        match objection {
            Objection::Check(message) => RunError::CheckFailed { message },
            Objection::Withdrawn(message) => RunError::Withdrawn { message },
        }
    }

    /// The last look, and then the commit record: the moment from which the run will happen.
    ///
    /// INVARIANT: between the look and the first rename there is nothing but the commit record and its sync.
    pub(crate) fn commit(self, options: &mut RunOptions<'_>) -> Result<Ready<'a, F>, RunError> {
        let Written { prepared, journal, file, spent } = self.written.rechecked(options.cancel)?;
        (options.observer)(Event::Committing);
        let area = prepared.area.clone();
        let names = Names(&journal.run_id);
        let (intent, commit) = (names.intent(), Mark::Commit.name(area.fs.key(), &journal.run_id));
        if let Err(errno) = area.fs.rename((&area.dir, &intent), (&area.dir, &commit), Rename::NoReplace) {
            prepared.discard();
            return Err(IoError { call: "commit", path: shown(&commit), errno }.into());
        }
        // Nobody could run a program that is held open for writing.
        drop(prepared.new);
        let (known, old) = (prepared.work.changes.as_slice(), prepared.old);
        let committed = Committed { area, journal, known, old, file, folders: prepared.folders };
        match committed.area.sync() {
            Ok(()) => Ok(Ready { committed, spent }),
            Err(error) => Err(committed.unsettled(&error)),
        }
    }
}

impl<F: Fs> Written<'_, F> {
    /// The same run, if everything is still as it was; otherwise everything staged is dropped.
    fn rechecked(self, cancel: &AtomicBool) -> Result<Self, RunError> {
        let checked = self.prepared.recheck(cancel);
        match checked.and_then(|()| self.recheck_journal()).and_then(|()| self.recheck_place()) {
            Ok(()) => Ok(self),
            Err(error) => {
                self.prepared.discard();
                Err(error)
            }
        }
    }

    /// The journal again, as the new files: it is what would put everything back.
    fn recheck_journal(&self) -> Result<(), RunError> {
        let Prepared { area, work, .. } = &self.prepared;
        let name = Names(&work.run_id).intent();
        let io = |errno| IoError { call: "look at", path: shown(&name), errno };
        let held = area.fs.stat(&self.file).map_err(io)?;
        let same = match area.fs.stat_in(&area.dir, &name) {
            Ok(now) => {
                now.id == held.id && held.links == 1 && self.journal.is_in(area.fs, &self.file, work).map_err(io)?
            }
            Err(Errno::NOENT) => false,
            Err(errno) => return Err(io(errno).into()),
        };
        if same {
            return Ok(());
        }
        Err(RunError::RolledBack {
            cause: format!("`{}` was changed by another program before the commit", shown(&name)),
        })
    }

    /// A journal in a folder that was moved away is found by nobody.
    fn recheck_place(&self) -> Result<(), RunError> {
        match self.prepared.area.is_in_place()? {
            true => Ok(()),
            false => Err(RunError::RolledBack { cause: format!("`{EXEC}` was moved before the commit") }),
        }
    }
}
