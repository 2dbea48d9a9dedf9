//! The third stage: everything is looked at once more, and the commit record is written.

use super::prepare::Prepared;
use super::receipt::{Event, Objection, RunOptions};
use super::stage::Staging;
use crate::area::{EXEC, Names, shown};
use crate::error::{IoError, RunError};
use crate::fs::{Fs, Rename};
use crate::mark::Mark;
use crate::settle::Committed;
use rustix::io::Errno;
use std::time::Duration;

/// A run whose commit record is durable, not yet visible.
pub(crate) struct Ready<'a, 'fs, F: Fs> {
    pub(super) committed: Committed<'a, 'fs, F>,
    pub(super) spent: Vec<Duration>,
}

impl<'a, 'fs, F: Fs> Staging<'a, 'fs, F> {
    /// The last checks, and then the commit record: the moment from which the run will happen.
    pub(crate) fn commit(self, options: &mut RunOptions<'_>) -> Result<Ready<'a, 'fs, F>, RunError> {
        let checked = (options.before_commit)(&self.prepared.work.changes)
            .map_err(|objection| match objection {
                Objection::Check(message) => RunError::CheckFailed { message },
                Objection::Withdrawn(message) => RunError::Withdrawn { message },
            })
            .and_then(|()| self.prepared.recheck(options))
            .and_then(|()| self.recheck_journal())
            .and_then(|()| self.recheck_place());
        if let Err(error) = checked {
            self.prepared.discard();
            return Err(error);
        }
        (options.observer)(Event::Committing);
        let area = self.prepared.area;
        let names = Names(&self.journal.run_id);
        let (intent, commit) = (names.intent(), Mark::Commit.name(area.fs.key(), &self.journal.run_id));
        if let Err(errno) = area.fs.rename((&area.dir, &intent), (&area.dir, &commit), Rename::NoReplace) {
            self.prepared.discard();
            return Err(IoError { call: "commit", path: shown(&commit), errno }.into());
        }
        let Self { prepared, journal, file, spent } = self;
        // Nobody could run a program that is held open for writing.
        drop(prepared.new);
        let (known, old) = (prepared.work.changes.as_slice(), prepared.old);
        let committed = Committed { area, journal, known, old, file, folders: prepared.folders };
        match area.sync() {
            Ok(()) => Ok(Ready { committed, spent }),
            Err(error) => Err(committed.unsettled(&error)),
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
