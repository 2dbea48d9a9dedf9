//! The second stage: new files and the journal lie ready beside the project. Nothing is visible yet, and until
//! the commit everything can be dropped.

use super::prepare::{Prepared, refused};
use crate::area::{Names, shown};
use crate::bytes::{is, write_all};
use crate::error::{IoError, RunError};
use crate::find::journal_of;
use crate::fs::{Attributes, Fs};
use crate::held::Held;
use crate::journal::{Folder, Journal};
use crate::lock::Desk;
use crate::mark::Mark;
use crate::receipt::{Event, RunOptions};
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Change;
use rustix::io::Errno;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A run whose new files and journal are written, and on their way to the disk.
pub(crate) struct Staged<'a, F: Fs> {
    written: Written<'a, F>,
    syncing: F::Syncing,
}

/// A run whose new files and journal are written.
pub(super) struct Written<'a, F: Fs> {
    pub(super) prepared: Prepared<'a, F>,
    pub(super) journal: Journal,
    /// The journal, locked.
    pub(super) file: F::File,
    pub(super) spent: Vec<Duration>,
}

/// A run that is in the record, and whose new files and journal are on the disk. Nothing of it is visible yet.
pub(crate) struct Entered<'a, F: Fs> {
    pub(super) written: Written<'a, F>,
}

impl<'a, F: Fs> Prepared<'a, F> {
    /// Writes the new files and the journal, and begins to sync them.
    pub(crate) fn stage(self, options: &mut RunOptions<'_>) -> Result<Staged<'a, F>, RunError> {
        let written = self.write(options.cancel, options.observer)?;
        let syncing = written.start_sync();
        Ok(Staged { written, syncing })
    }

    fn write(mut self, cancel: &AtomicBool, observer: &mut dyn FnMut(Event)) -> Result<Written<'a, F>, RunError> {
        let undone = self.work.undoes.as_ref().map(|run| journal_of(&self.area, run)).transpose()?.flatten();
        let (made, gone) = undone.as_ref().map_or((&[][..], &[][..]), |undone| (&undone.folders, &undone.gone));
        let old = self.old.iter().map(|old| old.as_ref().map(|old| &old.attributes));
        // A folder that comes back has the mode it had.
        let mode = |path: &RelPath| gone.iter().find(|folder| folder.path == *path).and_then(|folder| folder.mode);
        let missing = std::mem::take(&mut self.missing).into_iter();
        let missing = missing.map(|path| Folder { mode: mode(&path), path }).collect();
        let journal = Journal::of(self.work, old, [missing, self.gone.clone()], made);
        let file = self.open_journal()?;
        match self.fill(&journal, &file, undone.as_ref(), cancel, observer) {
            Ok(spent) => Ok(Written { prepared: self, journal, file, spent }),
            Err(error) => {
                self.discard();
                Err(error)
            }
        }
    }

    /// Makes the journal's file and takes its lock: from here on the run counts as alive.
    fn open_journal(&self) -> Result<F::File, RunError> {
        let (fs, dir, names) = (self.area.fs, &self.area.dir, Names(&self.work.run_id));
        let path = shown(&names.intent());
        let run_id = &self.work.run_id;
        if self.area.is_marked(run_id, Mark::Commit)? || self.area.ended(run_id)?.is_some() {
            return Err(RunError::Exists { run_id: self.work.run_id.clone() });
        }
        let _desk = Desk::open(&self.area)?;
        let file = match fs.create(dir, &names.intent()) {
            Ok(file) => file,
            Err(Errno::EXIST) => return Err(RunError::Exists { run_id: self.work.run_id.clone() }),
            Err(errno) => return Err(IoError { call: "create", path, errno }.into()),
        };
        match fs.lock(&file).map_err(IoError::of("lock", &path))? {
            true => Ok(file),
            false => Err(IoError { call: "lock", path, errno: Errno::AGAIN }.into()),
        }
    }

    fn fill(
        &mut self,
        journal: &Journal,
        file: &F::File,
        undone: Option<&Journal>,
        cancel: &AtomicBool,
        observer: &mut dyn FnMut(Event),
    ) -> Result<Vec<Duration>, RunError> {
        let fs = self.area.fs;
        let path = shown(&Names(&self.work.run_id).intent());
        let stat = fs.stat(file).map_err(IoError::of("look at", &path))?;
        let plain = fs.attributes(file, &stat).map_err(IoError::of("look at", &path))?;
        let mut spent = Vec::with_capacity(self.work.changes.len());
        for (step, change) in self.work.changes.iter().enumerate() {
            if cancel.load(Ordering::Relaxed) {
                return Err(RunError::Cancelled);
            }
            let start = Instant::now();
            let new = match &change.after {
                // It is there already.
                _ if self.work.adopts => None,
                Some(after) => Some(self.write_new(step, change, after, undone, &plain)?),
                None => {
                    self.try_giving_back(step, change, &plain)?;
                    None
                }
            };
            self.new.push(new);
            spent.push(start.elapsed());
            observer(Event::StepStaged { path: change.path.clone() });
        }
        journal.write(fs, file, self.work).map_err(IoError::of("write", &path))?;
        if !journal.is_in(fs, file, self.work).map_err(IoError::of("read back", &path))? {
            return Err(IoError { call: "read back what was written to", path, errno: Errno::IO }.into());
        }
        Ok(spent)
    }

    /// The new file of one step, with everything the old one has besides its bytes.
    fn write_new(
        &mut self,
        step: usize,
        change: &Change,
        after: &FileContent,
        undone: Option<&Journal>,
        plain: &Attributes,
    ) -> Result<Held<F>, RunError> {
        let fs = self.area.fs;
        let io = |call| IoError::of(call, change.path.as_str());
        let attributes = match self.old.get(step) {
            Some(Some(old)) => Some(old.attributes.clone()),
            _ if self.work.undoes.is_some() => lost(change, undone)?.cloned(),
            _ => None,
        };
        let name = Names(&self.work.run_id).file(step);
        let file = match &attributes {
            // What every file of ours has is all it needs; its folder need not hand anything down.
            Some(attributes) if attributes == plain => fs.create(&self.area.dir, &name).map_err(io("stage"))?,
            _ => self.create_for(change, &name)?,
        };
        // Some flags cannot be given to a file that has bytes.
        if let Some(attributes) = &attributes {
            fs.give(&file, attributes).map_err(|reason| refused(&change.path, reason))?;
        }
        write_all(fs, &file, 0, after.bytes()).map_err(io("write"))?;
        fs.set_mode(&file, after.mode()).map_err(io("set the mode of"))?;
        let stat = fs.stat(&file).map_err(io("look at"))?;
        if stat.mode != after.mode() {
            return Err(refused(&change.path, "its file system cannot hold the mode that was approved"));
        }
        if !is(fs, &file, &stat, after).map_err(io("read back"))? {
            return Err(io("read back what was written for")(Errno::IO).into());
        }
        let attributes = fs.attributes(&file, &stat).map_err(io("read the attributes of"))?;
        Ok(Held { file, attributes })
    }

    /// Makes sure that a file which is to be deleted could be made again, with everything it has besides its bytes, by an undo or
    /// after a crash. One that has nothing but what every file of ours has needs no trial.
    fn try_giving_back(&mut self, step: usize, change: &Change, plain: &Attributes) -> Result<(), RunError> {
        let Some(Some(Held { attributes, .. })) = self.old.get(step) else { return Ok(()) };
        if attributes == plain {
            return Ok(());
        }
        let attributes = attributes.clone();
        let name = Names(&self.work.run_id).again(step);
        let file = self.create_for(change, &name)?;
        let given = self.area.fs.give(&file, &attributes);
        self.area.remove(&name)?;
        given.map_err(|reason| refused(&change.path, format!("once deleted it could not be given back: {reason}")))
    }

    /// A new file in `.exacta`, with what the folder of a target hands down.
    fn create_for(&mut self, change: &Change, name: &str) -> Result<F::File, RunError> {
        let home = self.nearest(change)?;
        self.area.fs.create_for(&home, &self.area.dir, name).map_err(|errno| match errno {
            Errno::XDEV => refused(&change.path, "its folder is on another file system than `.exacta`"),
            Errno::OPNOTSUPP => refused(&change.path, "its folder hands down access rules that cannot be kept here"),
            errno => IoError { call: "stage", path: change.path.to_string(), errno }.into(),
        })
    }

    /// The folder of a target, or the nearest above it that exists.
    fn nearest(&mut self, change: &Change) -> Result<F::Dir, IoError> {
        let mut path = change.path.parent();
        loop {
            if let Some(dir) = self.find(path.clone())? {
                return Ok(dir);
            }
            let Some(folder) = path else {
                return Err(IoError { call: "open folder", path: change.path.to_string(), errno: Errno::NOENT });
            };
            path = folder.parent();
        }
    }

    /// Drops everything that was staged. What cannot be removed now is removed by the next recovery.
    pub(super) fn discard(&self) {
        let names = Names(&self.work.run_id);
        for step in 0..self.work.changes.len() {
            drop(self.area.remove(&names.file(step)));
            drop(self.area.remove(&names.again(step)));
        }
        drop(self.area.remove(&names.intent()));
    }
}

impl<'a, F: Fs> Staged<'a, F> {
    /// Waits until what is staged is on the disk: the caller has entered the run into the record meanwhile. Neither is an effect.
    ///
    /// INVARIANT: no run comes to its commit that is not in the record, and none whose files and journal are not on the disk.
    pub(crate) fn entered(self) -> Result<Entered<'a, F>, RunError> {
        let Self { written, syncing } = self;
        match written.await_sync(syncing) {
            Ok(()) => Ok(Entered { written }),
            Err(error) => {
                written.prepared.discard();
                Err(error.into())
            }
        }
    }

    /// Drops what is staged, for a run that could not be entered: it ends as if it had never been.
    pub(crate) fn discard(self) {
        let Self { written, syncing } = self;
        // Whether it came to the disk does not matter any more, but nobody is at these files when they go.
        let _unneeded = written.await_sync(syncing);
        written.prepared.discard();
    }
}

impl<F: Fs> Written<'_, F> {
    /// The files that the run leaves, with the changes they belong to.
    fn fresh(&self) -> impl Iterator<Item = (&Change, &Held<F>)> {
        let Prepared { work, new, old, .. } = &self.prepared;
        let left = if work.adopts { old } else { new };
        work.changes.iter().zip(left).filter_map(|(change, left)| Some((change, left.as_ref()?)))
    }

    /// Begins to bring the new files and the journal to the disk; of an adoption the files that are there.
    fn start_sync(&self) -> F::Syncing {
        let files: Vec<&F::File> = self.fresh().map(|(_, new)| &new.file).chain([&self.file]).collect();
        self.prepared.area.fs.start_sync(&files)
    }

    fn await_sync(&self, syncing: F::Syncing) -> Result<(), IoError> {
        self.prepared.area.fs.await_sync(syncing).map_err(|(index, errno)| {
            let journal = || shown(&Names(&self.journal.run_id).intent());
            let path = self.fresh().nth(index).map_or_else(journal, |(change, _)| change.path.to_string());
            IoError { call: "sync", path, errno }
        })
    }
}

/// What a file that comes back had besides bytes and mode when the run deleted it that is undone. Nobody guesses: a file that had
/// access rules of its own could be given to more people than it was.
///
/// A run that adopted what was gone never saw the file: git keeps none of that either.
fn lost<'j>(change: &Change, undone: Option<&'j Journal>) -> Result<Option<&'j Attributes>, RunError> {
    if undone.is_some_and(|undone| undone.adopts) {
        return Ok(None);
    }
    let step = undone.and_then(|undone| undone.steps.iter().find(|step| step.path == change.path));
    let reason = "its owner, group and access rules are not kept: the journal of the run that deleted it is gone";
    step.and_then(|step| step.attributes.as_ref()).map(Some).ok_or_else(|| refused(&change.path, reason))
}
