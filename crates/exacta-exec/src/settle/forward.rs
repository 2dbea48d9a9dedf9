//! Finishing a run that was interrupted after its commit record.

use super::{Committed, Halt, Place};
use crate::area::Names;
use crate::bytes::{Seen, look};
use crate::error::IoError;
use crate::fs::{Fs, Rename};
use crate::journal::Step;
use exacta_kernel::facts::FileState;
use rustix::io::Errno;

impl<F: Fs> Committed<'_, F> {
    /// Whether every target is as before or as approved, and what is needed for the rest lies ready.
    pub(crate) fn can_go_forward(&mut self) -> Result<bool, IoError> {
        for (index, step) in self.journal.steps.clone().iter().enumerate() {
            if !self.can_advance(index, step)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Brings every target forward, durably, to the done record.
    pub(crate) fn go_forward(&mut self) -> Result<(), Halt> {
        if self.journal.adopts {
            return self.finish();
        }
        let (deletes, others) = self.phases();
        for (index, step) in &deletes {
            self.advance(*index, step)?;
        }
        self.change_folders()?;
        for (index, step) in &others {
            self.advance(*index, step)?;
        }
        self.finish()
    }

    fn can_advance(&mut self, index: usize, step: &Step) -> Result<bool, IoError> {
        Ok(match self.target(index, step)? {
            Place::After => true,
            // There is nothing that could be brought forward.
            Place::Before if self.journal.adopts => false,
            Place::Other => false,
            Place::Before => {
                let name = Names(&self.journal.run_id).file(index);
                let seen =
                    look(self.area.fs, &self.area.dir, &name).map_err(IoError::of("read", step.path.as_str()))?;
                seen == Seen::State(step.after.clone())
                    || (step.after == FileState::Absent && seen == Seen::State(step.before.clone()))
            }
        })
    }

    fn advance(&mut self, index: usize, step: &Step) -> Result<(), Halt> {
        let dir = match self.target(index, step)? {
            Place::After => {
                // Its folder has to be synced with the others, if it is one.
                return match self.folders.of(&step.path) {
                    Ok(_) => Ok(()),
                    Err(error) if error.is_obstacle() => Ok(()),
                    Err(error) => Err(error.into()),
                };
            }
            Place::Other => return Err(Halt::Changed(step.path.clone())),
            Place::Before => self.folders.make(step.path.parent())?,
        };
        let name = Names(&self.journal.run_id).file(index);
        let (ours, theirs) = ((&self.area.dir, name.as_str()), (&dir, step.path.name()));
        let answer = match (&step.before, &step.after) {
            (FileState::Absent, _) => self.area.fs.rename(ours, theirs, Rename::NoReplace),
            (_, FileState::Absent) => {
                // A crash may have kept the new name of the old file without taking its old one.
                self.area.remove(&name)?;
                self.area.fs.rename(theirs, ours, Rename::NoReplace)
            }
            _ => self.area.fs.rename(ours, theirs, Rename::Exchange),
        };
        match answer {
            Ok(()) => {}
            Err(Errno::NOENT | Errno::EXIST) => return Err(Halt::Changed(step.path.clone())),
            Err(errno) => return Err(IoError { call: "finish", path: step.path.to_string(), errno }.into()),
        }
        match self.beside(index, step)? {
            Place::Other => Err(Halt::Changed(step.path.clone())),
            Place::Before | Place::After => Ok(()),
        }
    }
}
