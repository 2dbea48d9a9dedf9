//! After the commit record: a run is finished or put back, by itself or by whoever finds it.
//!
//! Every decision here looks only at what is there (each target, and the file kept for it beside the project), so it may be
//! interrupted anywhere and begun again.

mod back;
mod forward;

use crate::area::{Area, EXEC, Names, shown};
use crate::bytes::{Found, Seen, find, is, state};
use crate::error::{IoError, RunError};
use crate::folders::Folders;
use crate::fs::{Fs, Kind, Rename, Stat};
use crate::held::Held;
use crate::journal::{Journal, Step};
use crate::mark::Mark;
use exacta_kernel::facts::FileState;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Change;
use rustix::io::Errno;

/// A run whose commit record exists.
pub(crate) struct Committed<'a, F: Fs> {
    pub(crate) area: Area<'a, F>,
    pub(crate) journal: Journal,
    /// What each step does, to the byte; none where another process did it, and only the journal tells.
    pub(crate) known: &'a [Change],
    /// Of each step, the old file, held open; none where another process did it.
    pub(crate) old: Vec<Option<Held<F>>>,
    /// The journal, locked.
    pub(crate) file: F::File,
    pub(crate) folders: Folders<'a, F>,
}

/// A step and its number in the journal.
pub(crate) type Numbered = (usize, Step);

/// Why a run did not go through.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Halt {
    #[error(transparent)]
    Io(#[from] IoError),
    #[error("`{0}` was changed by another program during the run")]
    Changed(RelPath),
    #[error("cancelled")]
    Cancelled,
}

/// What is found in a place, against what a step says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    After,
    /// Someone else's.
    Other,
}

impl<'a, F: Fs> Committed<'a, F> {
    /// A run that another process left.
    pub(crate) fn found(area: &Area<'a, F>, journal: Journal, file: F::File) -> Self {
        let folders = Folders::new(area.fs);
        Self { area: area.clone(), journal, known: &[], old: Vec::new(), file, folders }
    }

    /// Makes the visible result durable, reads it back and writes the done record.
    pub(crate) fn finish(&mut self) -> Result<(), Halt> {
        let leaves = self.journal.leaves.clone();
        self.folders.remove_empty(leaves.iter())?;
        self.folders.sync()?;
        self.verify()?;
        let journal = self.find_journal()?;
        self.area.enter_over(&self.journal.run_id, Mark::Done, &journal)?;
        Ok(())
    }

    /// The steps with their numbers: first those that delete, so that a file can give way to a folder and a folder to a file; then the
    /// others. Between the two, folders go and are made.
    pub(crate) fn phases(&self) -> (Vec<Numbered>, Vec<Numbered>) {
        let steps = self.journal.steps.iter().cloned().enumerate();
        steps.partition(|(_, step)| step.after == FileState::Absent)
    }

    /// Removes the folders that give way to a file, and makes those that are missing.
    pub(crate) fn change_folders(&mut self) -> Result<(), IoError> {
        let (gone, made) = (self.journal.gone.clone(), self.journal.folders.clone());
        self.folders.remove_empty(gone.iter().map(|folder| &folder.path))?;
        self.folders.make_all(&made)
    }

    /// Puts everything back after a failure, and says how that ended.
    pub(crate) fn roll_back(mut self, halt: Halt) -> RunError {
        if let Halt::Io(error) = &halt
            && error.is_sync()
        {
            // Nobody knows what is on the disk now, so no further rename is built upon it.
            return self.unsettled(error);
        }
        match self.decide_back().and_then(|()| self.put_back()) {
            Err(error) => self.unsettled(&error),
            Ok(kept) if !kept.is_empty() => RunError::Kept { kept },
            Ok(_) => match halt {
                Halt::Cancelled => RunError::Cancelled,
                Halt::Changed(path) => RunError::Changed { path },
                cause => match unable(&cause) {
                    Some((path, reason)) => RunError::Refused { path, reason: reason.to_owned() },
                    None => RunError::RolledBack { cause: cause.to_string() },
                },
            },
        }
    }

    /// For a run that has to be left as it is. Recovery will put it back.
    pub(crate) fn unsettled(&self, error: &IoError) -> RunError {
        drop(self.area.mark(&self.journal.run_id, Mark::Back));
        RunError::NeedsAttention { run_id: self.journal.run_id.clone(), what: error.to_string() }
    }

    /// From here on the run is put back, whoever does it.
    pub(crate) fn decide_back(&self) -> Result<(), IoError> {
        self.area.mark(&self.journal.run_id, Mark::Back)?;
        self.area.sync()?;
        self.area.leave_over(&self.journal.run_id, Mark::Done)
    }

    /// Removes the old files of a run that is over, and its name among the open ones. What someone wrote into one of them in the last
    /// moment is put aside and named. Failures leave files that the next recovery removes.
    pub(crate) fn remove_old(&self) -> Vec<String> {
        let names = Names(&self.journal.run_id);
        let mut kept = Vec::new();
        for (index, step) in self.journal.steps.iter().enumerate() {
            match self.beside(index, step) {
                Ok(Place::Other) => kept.extend(self.put_aside(index).ok().flatten()),
                Ok(Place::Before | Place::After) => drop(self.area.remove(&names.file(index))),
                Err(_) => {}
            }
        }
        drop(self.area.unmark(&self.journal.run_id, Mark::Commit));
        kept
    }

    /// The same for a run that may have been interrupted or put back, and left more.
    pub(crate) fn tidy(&self) -> Vec<String> {
        let names = Names(&self.journal.run_id);
        let kept = self.remove_old();
        for index in 0..self.journal.steps.len() {
            drop(self.area.remove(&names.again(index)));
        }
        drop(self.area.remove(&names.intent()));
        drop(self.area.unmark(&self.journal.run_id, Mark::Back));
        kept
    }

    /// Reads every target back by its path, and makes sure that nobody wrote into an old file meanwhile.
    fn verify(&mut self) -> Result<(), Halt> {
        let mut folders = Folders::new(self.area.fs);
        for (index, step) in self.journal.steps.clone().iter().enumerate() {
            let found = match folders.of(&step.path) {
                Ok(Some(dir)) => self.place(&dir, index, step)?,
                Ok(None) if step.after == FileState::Absent => Place::After,
                Ok(None) => Place::Other,
                Err(error) if error.is_obstacle() => self.behind(step)?,
                Err(error) => return Err(error.into()),
            };
            let beside = self.beside(index, step)?;
            if found != Place::After || beside == Place::Other || !self.has_its_attributes(index, step)? {
                return Err(Halt::Changed(step.path.clone()));
            }
        }
        Ok(())
    }

    /// The journal, which must be where it was written, in a folder that others find.
    fn find_journal(&self) -> Result<Stat, IoError> {
        let gone = || IoError { call: "find the journal in", path: EXEC.to_owned(), errno: Errno::STALE };
        if !self.area.is_in_place()? {
            return Err(gone());
        }
        let held = self.area.fs.stat(&self.file).map_err(IoError::of("look at the journal in", EXEC))?;
        let name = Mark::Commit.name(self.area.fs.key(), &self.journal.run_id);
        match self.area.fs.stat_in(&self.area.dir, &name) {
            Ok(now) if now.id == held.id => Ok(held),
            Ok(_) | Err(Errno::NOENT) => Err(gone()),
            Err(errno) => Err(IoError { call: "look at", path: shown(&name), errno }),
        }
    }

    /// Whether the old file of a step still has what the new one was given.
    fn has_its_attributes(&self, index: usize, step: &Step) -> Result<bool, IoError> {
        let Some(Some(old)) = self.old.get(index) else { return Ok(true) };
        let fs = self.area.fs;
        let now = fs.stat(&old.file).and_then(|stat| fs.attributes(&old.file, &stat));
        Ok(now.map_err(IoError::of("read the attributes of", step.path.as_str()))? == old.attributes)
    }

    /// What a step finds at the path of its target, whose folder may be missing.
    fn target(&mut self, index: usize, step: &Step) -> Result<Place, IoError> {
        match self.folders.of(&step.path) {
            Ok(Some(dir)) => return self.place(&dir, index, step),
            Ok(None) => {}
            Err(error) if error.is_obstacle() => return self.behind(step),
            Err(error) => return Err(error),
        }
        Ok(classify(&Seen::State(FileState::Absent), step))
    }

    /// What a step finds whose folder is none: there is no such file. If it is not the run itself that left a file there, somebody did,
    /// and nothing can be put back.
    fn behind(&mut self, step: &Step) -> Result<Place, IoError> {
        if step.before == FileState::Absent {
            return Ok(Place::Before);
        }
        let Some((index, above)) = self.journal.step_above(&step.path).map(|(at, step)| (at, step.clone())) else {
            return Ok(Place::Other);
        };
        Ok(match self.target(index, &above)? {
            Place::After => Place::After,
            Place::Before | Place::Other => Place::Other,
        })
    }

    /// What a step finds in the place of its target.
    fn place(&self, dir: &F::Dir, index: usize, step: &Step) -> Result<Place, IoError> {
        let io = IoError::of("read", step.path.as_str());
        let found = self.compare(dir, step.path.name(), index, step).map_err(io)?;
        Ok(found.unwrap_or_else(|| classify(&Seen::State(FileState::Absent), step)))
    }

    /// What lies beside the project for a step. Nothing counts as ours.
    fn beside(&self, index: usize, step: &Step) -> Result<Place, IoError> {
        let name = Names(&self.journal.run_id).file(index);
        let found = self.compare(&self.area.dir, &name, index, step).map_err(IoError::of("read", &shown(&name)))?;
        let nothing = if step.after == FileState::Absent { Place::After } else { Place::Before };
        Ok(found.unwrap_or(nothing))
    }

    /// What is at a name, against what a step says: by its bytes where they are known, else by its hash. `None` for nothing.
    fn compare(&self, dir: &F::Dir, name: &str, index: usize, step: &Step) -> Result<Option<Place>, Errno> {
        let fs = self.area.fs;
        let file = match find(fs, dir, name)? {
            Found::Absent => return Ok(None),
            // A folder of the run's own is no file.
            Found::Other if self.is_own_folder(dir, name, step)? => return Ok(None),
            Found::Other => return Ok(Some(Place::Other)),
            Found::File(file) => file,
        };
        let Some(change) = self.known.get(index) else { return Ok(Some(classify(&state(fs, &file)?, step))) };
        let stat = fs.stat(&file)?;
        for (content, place) in [(&change.before, Place::Before), (&change.after, Place::After)] {
            if let Some(content) = content
                && is(fs, &file, &stat, content)?
            {
                return Ok(Some(place));
            }
        }
        Ok(Some(Place::Other))
    }

    /// Whether a folder is at the place of a target where the run makes one, or where one gives way to it.
    fn is_own_folder(&self, dir: &F::Dir, name: &str, step: &Step) -> Result<bool, Errno> {
        if name != step.path.name() || !self.journal.swaps(&step.path) {
            return Ok(false);
        }
        let found = self.area.fs.stat_in(dir, name)?;
        Ok(found.kind == Kind::Folder && !found.mount)
    }

    /// Keeps what lies beside the project for a step under a name of its own; `None` if nothing lies there.
    fn put_aside(&self, index: usize) -> Result<Option<String>, IoError> {
        let names = Names(&self.journal.run_id);
        let (from, to) = (names.file(index), names.aside(index));
        match self.area.fs.rename((&self.area.dir, &from), (&self.area.dir, &to), Rename::NoReplace) {
            Ok(()) => Ok(Some(shown(&to))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(IoError { call: "keep", path: shown(&from), errno }),
        }
    }
}

/// Whether it is in the nature of a target that it cannot be renamed as needed.
fn unable(halt: &Halt) -> Option<(RelPath, &'static str)> {
    let Halt::Io(IoError { path, errno, .. }) = halt else { return None };
    let reason = match *errno {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => "its file system cannot exchange or place files in one step",
        Errno::XDEV => "its folder is on another file system than `.exacta`, or has a quota of its own",
        _ => return None,
    };
    Some((RelPath::parse(path).ok()?, reason))
}

fn classify(seen: &Seen, step: &Step) -> Place {
    match seen {
        Seen::State(state) if *state == step.before => Place::Before,
        Seen::State(state) if *state == step.after => Place::After,
        _ => Place::Other,
    }
}
