//! Putting a run back: every target exactly as before, and what someone else saved meanwhile left alone.

use super::{Committed, Place};
use crate::area::{EXEC, Names, shown};
use crate::bytes::{Seen, look, write_all};
use crate::error::IoError;
use crate::fs::{Fs, Rename};
use crate::journal::{JournalError, Step};
use crate::mark::Mark;
use exacta_kernel::facts::FileState;
use rustix::io::Errno;

impl<F: Fs> Committed<'_, F> {
    /// Puts everything back, durably. The answer names what was left because it is someone else's.
    pub(crate) fn put_back(&mut self) -> Result<Vec<String>, IoError> {
        let mut kept = Vec::new();
        if self.journal.adopts {
            // No target was touched, and none is.
            return self.close(kept);
        }
        let (deletes, others) = self.phases();
        for (index, step) in &others {
            self.put_back_step(*index, step, &mut kept)?;
        }
        let (made, gone) = (self.journal.folders.clone(), self.journal.gone.clone());
        self.folders.remove_empty(made.iter().map(|folder| &folder.path))?;
        self.folders.make_all(&gone)?;
        for (index, step) in &deletes {
            self.put_back_step(*index, step, &mut kept)?;
        }
        self.folders.sync()?;
        self.close(kept)
    }

    /// The targets that are not as before.
    pub(crate) fn not_as_before(&mut self) -> Result<Vec<String>, IoError> {
        let mut others = Vec::new();
        for (index, step) in self.journal.steps.clone().iter().enumerate() {
            if self.target(index, step)? != Place::Before {
                others.push(step.path.to_string());
            }
        }
        Ok(others)
    }

    /// Whether some target is as approved and not as before.
    pub(crate) fn shows(&mut self) -> Result<bool, IoError> {
        if self.journal.adopts {
            // What it adopts was there before it.
            return Ok(false);
        }
        for (index, step) in self.journal.steps.clone().iter().enumerate() {
            if self.target(index, step)? == Place::After {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The end of a run that was put back: its traces go, or stay as the record of what was kept.
    fn close(&mut self, mut kept: Vec<String>) -> Result<Vec<String>, IoError> {
        for (index, step) in self.journal.steps.iter().enumerate() {
            if self.beside(index, step)? == Place::Other {
                self.put_aside(index)?;
            }
        }
        // Also what was put aside by somebody who did not come to the end.
        kept.extend(self.area.aside(&self.journal.run_id, self.journal.steps.len())?);
        // Only then the decision may go: without it a commit record means `finish`.
        if kept.is_empty() {
            self.area.unmark(&self.journal.run_id, Mark::Commit)?;
            self.area.sync()?;
        } else {
            let io = IoError::of("look at the journal in", EXEC);
            let journal = self.area.fs.stat(&self.file).map_err(io)?;
            self.area.enter_over(&self.journal.run_id, Mark::EditKept, &journal)?;
        }
        self.tidy();
        Ok(kept)
    }

    fn put_back_step(&mut self, index: usize, step: &Step, kept: &mut Vec<String>) -> Result<(), IoError> {
        match self.target(index, step)? {
            Place::Before => {}
            Place::Other => kept.push(step.path.to_string()),
            Place::After if step.before == FileState::Absent => self.take_out(index, step, kept)?,
            Place::After => self.give_back(index, step, kept)?,
        }
        Ok(())
    }

    /// A file that the run created goes.
    fn take_out(&mut self, index: usize, step: &Step, kept: &mut Vec<String>) -> Result<(), IoError> {
        let name = Names(&self.journal.run_id).file(index);
        let Some(dir) = self.folders.of(&step.path)? else { return Ok(()) };
        self.clear(index, step)?;
        let (ours, theirs) = ((&self.area.dir, name.as_str()), (&dir, step.path.name()));
        match self.area.fs.rename(theirs, ours, Rename::NoReplace) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(()),
            Err(errno) => return Err(IoError { call: "take out", path: step.path.to_string(), errno }),
        }
        if self.beside(index, step)? == Place::Other {
            self.return_it(ours, theirs, step, kept)?;
        }
        Ok(())
    }

    /// A file that the run replaced or deleted comes back.
    fn give_back(&mut self, index: usize, step: &Step, kept: &mut Vec<String>) -> Result<(), IoError> {
        let name = Names(&self.journal.run_id).file(index);
        let dir = self.folders.make(step.path.parent())?;
        let seen = look(self.area.fs, &self.area.dir, &name).map_err(IoError::of("read", &shown(&name)))?;
        if seen == Seen::State(FileState::Absent) || seen == Seen::State(step.after.clone()) {
            self.rebuild(index, step)?;
        } else if seen != Seen::State(step.before.clone()) {
            // Someone wrote into the old file: it comes back with their bytes.
            kept.push(step.path.to_string());
        }
        let (ours, theirs) = ((&self.area.dir, name.as_str()), (&dir, step.path.name()));
        if step.after == FileState::Absent {
            return match self.area.fs.rename(ours, theirs, Rename::NoReplace) {
                Ok(()) => Ok(()),
                Err(Errno::EXIST) => {
                    kept.push(step.path.to_string());
                    Ok(())
                }
                Err(errno) => Err(IoError { call: "give back", path: step.path.to_string(), errno }),
            };
        }
        match self.area.fs.rename(ours, theirs, Rename::Exchange) {
            Ok(()) => {}
            Err(Errno::NOENT) => {
                kept.push(step.path.to_string());
                return Ok(());
            }
            Err(errno) => return Err(IoError { call: "give back", path: step.path.to_string(), errno }),
        }
        let came_out = look(self.area.fs, &self.area.dir, &name).map_err(IoError::of("read", &shown(&name)))?;
        if came_out != Seen::State(step.after.clone()) {
            // Someone saved in this very moment.
            self.area.fs.rename(ours, theirs, Rename::Exchange).map_err(IoError::of("return", step.path.as_str()))?;
            kept.push(step.path.to_string());
        }
        Ok(())
    }

    /// Gives someone's file back to the place it was taken from.
    fn return_it(
        &self,
        ours: (&F::Dir, &str),
        theirs: (&F::Dir, &str),
        step: &Step,
        kept: &mut Vec<String>,
    ) -> Result<(), IoError> {
        kept.push(step.path.to_string());
        match self.area.fs.rename(ours, theirs, Rename::NoReplace) {
            // If the place is taken again, it stays beside the project and is put aside at the end.
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(IoError { call: "return", path: step.path.to_string(), errno }),
        }
    }

    /// Makes room beside the project.
    fn clear(&self, index: usize, step: &Step) -> Result<(), IoError> {
        let name = Names(&self.journal.run_id).file(index);
        match self.beside(index, step)? {
            Place::Other => drop(self.put_aside(index)?),
            Place::Before | Place::After => self.area.remove(&name)?,
        }
        Ok(())
    }

    /// Makes the old file again from its before-image, for when a crash lost the name it was kept under.
    fn rebuild(&self, index: usize, step: &Step) -> Result<(), IoError> {
        let fs = self.area.fs;
        let names = Names(&self.journal.run_id);
        let (again, name) = (names.again(index), names.file(index));
        let io = |call| IoError::of(call, step.path.as_str());
        let image = match self.journal.before_image(fs, &self.file, &step.path) {
            Ok(Some(image)) => image,
            Ok(None) | Err(JournalError::Format(_) | JournalError::Broken(_)) => {
                return Err(io("use the before-image of")(Errno::BADMSG));
            }
            Err(JournalError::Io(errno)) => return Err(io("read the before-image of")(errno)),
        };
        self.area.remove(&again)?;
        let file = fs.create(&self.area.dir, &again).map_err(io("rebuild"))?;
        if let Some(attributes) = &step.attributes {
            fs.give(&file, attributes).map_err(|_| io("keep the attributes of")(Errno::PERM))?;
        }
        write_all(fs, &file, 0, image.bytes()).map_err(io("rebuild"))?;
        fs.set_mode(&file, image.mode()).map_err(io("set the mode of"))?;
        fs.sync(&file).map_err(io("sync"))?;
        fs.rename((&self.area.dir, &again), (&self.area.dir, &name), Rename::Replace).map_err(io("rebuild"))
    }
}
