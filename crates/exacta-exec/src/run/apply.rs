//! The fourth stage: the new files take the places of the old ones. Between the first rename and the last the project is
//! mixed for whoever looks, so there is nothing in that moment but renames, and the folders that they need or leave.

use super::commit::Ready;
use crate::area::Names;
use crate::error::{IoError, RunError};
use crate::fs::{Fs, Rename};
use crate::journal::Step;
use crate::receipt::{Event, Receipts, RunOptions, receipts};
use crate::settle::Halt;
use exacta_kernel::facts::FileState;
use rustix::io::Errno;
use std::sync::atomic::Ordering;
use std::time::Instant;

impl<F: Fs> Ready<'_, F> {
    /// Makes the run visible, verifies it and writes the done record; or puts everything back (INV-PLAN-3).
    pub(crate) fn apply(mut self, options: &mut RunOptions<'_>) -> Result<Receipts, RunError> {
        match self.show(options).and_then(|()| self.committed.finish()) {
            Ok(()) => {}
            Err(halt) => {
                (options.observer)(Event::RollingBack { cause: halt.to_string() });
                return Err(self.committed.roll_back(halt));
            }
        }
        for step in &self.committed.journal.steps {
            (options.observer)(Event::StepDone { path: step.path.clone() });
        }
        let kept = self.committed.remove_old();
        let old = std::mem::take(&mut self.committed.old);
        self.committed.area.fs.close(old.into_iter().flatten().map(|held| held.file).collect());
        let mut receipts = receipts(&self.committed.journal);
        for (receipt, spent) in receipts.steps.iter_mut().zip(&self.spent) {
            receipt.duration_us = u64::try_from(spent.as_micros()).unwrap_or(u64::MAX);
        }
        receipts.kept = kept;
        Ok(receipts)
    }

    /// What is adopted is there already.
    fn show(&mut self, options: &RunOptions<'_>) -> Result<(), Halt> {
        if self.committed.journal.adopts { Ok(()) } else { self.rename_all(options) }
    }

    fn rename_all(&mut self, options: &RunOptions<'_>) -> Result<(), Halt> {
        let (deletes, others) = self.committed.phases();
        self.rename_each(&deletes, options)?;
        self.committed.change_folders()?;
        self.rename_each(&others, options)
    }

    fn rename_each(&mut self, steps: &[(usize, Step)], options: &RunOptions<'_>) -> Result<(), Halt> {
        for (index, step) in steps {
            if options.cancel.load(Ordering::Relaxed) {
                return Err(Halt::Cancelled);
            }
            let start = Instant::now();
            self.rename(*index, step)?;
            if let Some(spent) = self.spent.get_mut(*index) {
                *spent += start.elapsed();
            }
        }
        Ok(())
    }

    /// One step. What comes out must be the very file that was checked: if it is not, someone saved in between.
    fn rename(&mut self, index: usize, step: &Step) -> Result<(), Halt> {
        let area = self.committed.area.clone();
        let dir = self.committed.folders.of(&step.path)?.ok_or_else(|| Halt::Changed(step.path.clone()))?;
        let name = Names(&self.committed.journal.run_id).file(index);
        let (ours, theirs) = ((&area.dir, name.as_str()), (&dir, step.path.name()));
        let (call, answer) = match (&step.before, &step.after) {
            (FileState::Absent, _) => ("create", area.fs.rename(ours, theirs, Rename::NoReplace)),
            (_, FileState::Absent) => ("delete", area.fs.rename(theirs, ours, Rename::NoReplace)),
            _ => ("exchange", area.fs.rename(ours, theirs, Rename::Exchange)),
        };
        match answer {
            Ok(()) => {}
            Err(Errno::NOENT | Errno::EXIST) => return Err(Halt::Changed(step.path.clone())),
            Err(errno) => return Err(IoError { call, path: step.path.to_string(), errno }.into()),
        }
        let Some(Some(old)) = self.committed.old.get(index) else { return Ok(()) };
        let io = |errno| IoError { call: "look at", path: step.path.to_string(), errno };
        let came_out = area.fs.stat_in(&area.dir, &name).map_err(io)?;
        let checked = area.fs.stat(&old.file).map_err(io)?;
        if came_out.id == checked.id { Ok(()) } else { Err(Halt::Changed(step.path.clone())) }
    }
}
