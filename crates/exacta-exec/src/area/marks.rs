//! Marks in the folder: set, taken away, looked up.

use super::{Area, OVER, shown};
use crate::error::IoError;
use crate::fs::{Fs, Stat};
use crate::mark::Mark;
use exacta_kernel::id::RunId;
use rustix::io::Errno;

impl<F: Fs> Area<'_, F> {
    /// Marks an open run. It counts once the folder is synced.
    pub(crate) fn mark(&self, run: &RunId, mark: Mark) -> Result<(), IoError> {
        let name = mark.name(self.fs.key(), run);
        match self.fs.create(&self.dir, &name) {
            Ok(_) | Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(IoError { call: "create", path: shown(&name), errno }),
        }
    }

    /// Takes a mark of an open run away.
    pub(crate) fn unmark(&self, run: &RunId, mark: Mark) -> Result<(), IoError> {
        self.remove(&mark.name(self.fs.key(), run))
    }

    /// Whether an open run has a mark.
    pub(crate) fn is_marked(&self, run: &RunId, mark: Mark) -> Result<bool, IoError> {
        self.has(&mark.name(self.fs.key(), run))
    }

    /// Gives the journal of a run, which is `held`, its name among those of runs that are over. It counts once that folder is synced; until
    /// it is, the journal keeps its old name, so that no power cut can take both.
    pub(crate) fn enter_over(&self, run: &RunId, mark: Mark, held: &Stat) -> Result<(), IoError> {
        let over = self.over()?;
        let (commit, name) = (Mark::Commit.name(self.fs.key(), run), mark.name(self.fs.key(), run));
        let io = |errno| IoError { call: "keep the journal as", path: shown_over(&name), errno };
        match self.fs.link((&self.dir, &commit), (over, &name)) {
            Ok(()) => {}
            // Of a first attempt, or of somebody who saw its name.
            Err(Errno::EXIST) => {
                self.fs.remove(over, &name).map_err(io)?;
                self.fs.link((&self.dir, &commit), (over, &name)).map_err(io)?;
            }
            Err(errno) => return Err(io(errno)),
        }
        if self.fs.stat_in(over, &name).map_err(io)?.id != held.id {
            return Err(io(Errno::STALE));
        }
        self.fs.sync_dir(over).map_err(IoError::of("sync", OVER))
    }

    /// Takes a run out of those that are over, durably.
    pub(crate) fn leave_over(&self, run: &RunId, mark: Mark) -> Result<(), IoError> {
        let (over, name) = (self.over()?, mark.name(self.fs.key(), run));
        match self.fs.remove(over, &name) {
            Ok(()) => self.fs.sync_dir(over).map_err(IoError::of("sync", OVER)),
            Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(IoError { call: "remove", path: shown_over(&name), errno }),
        }
    }

    /// How a run ended whose journal is among those of runs that are over.
    pub(crate) fn ended(&self, run: &RunId) -> Result<Option<Mark>, IoError> {
        let Some(over) = &self.over else { return Ok(None) };
        for mark in Mark::OVER {
            let name = mark.name(self.fs.key(), run);
            match self.fs.stat_in(over, &name) {
                Ok(_) => return Ok(Some(mark)),
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(IoError { call: "look at", path: shown_over(&name), errno }),
            }
        }
        Ok(None)
    }
}

/// A name among the runs that are over as a path from the project root, for messages.
pub(crate) fn shown_over(name: &str) -> String {
    format!("{OVER}/{name}")
}
