//! Locks on targets: each run leaves a note in `.exacta/exec/locks` that names its targets, and holds the lock on that note
//! for as long as it lives. Whoever wants targets reads the notes of the living first; those of the dead are removed. Notes
//! are read and made under the lock on their folder, so all targets are had or none.

use crate::area::{Area, EXEC};
use crate::bytes::{read_exact, write_all};
use crate::error::{Holder, IoError, RunError};
use crate::fs::Fs;
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const LOCKS: &str = "locks";

/// How often, a millisecond apart, the folder's lock is tried; it is held for a few calls only.
const ATTEMPTS: u32 = 10_000;

/// How long a waiting run sleeps between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// The longest note that is read.
const NOTE_CAP: u64 = 1 << 20;

/// The targets that one run holds. Dropping it gives them up.
pub(crate) struct Locks<'fs, F: Fs> {
    fs: &'fs F,
    dir: F::Dir,
    /// The note and the lock on it.
    name: String,
    _held: F::File,
}

/// The right to read and make notes, and to lock journals: a run that has made its journal and not yet locked it looks like a
/// dead one, and a dead one whose lock somebody tries looks alive.
pub(crate) struct Desk<'fs, F: Fs> {
    fs: &'fs F,
    dir: F::Dir,
    _held: F::File,
}

/// How long to wait for targets that others hold, and when to give up.
pub(crate) struct Patience<'a> {
    pub(crate) wait: Duration,
    pub(crate) cancel: &'a AtomicBool,
}

/// What a run says about itself.
#[derive(Serialize, Deserialize)]
struct Note {
    holder: Holder,
    /// By folded path.
    targets: BTreeSet<String>,
}

/// A target that another run holds, and which run, as far as it can be told.
struct Rival {
    path: RelPath,
    holder: Option<Holder>,
}

impl<'fs, F: Fs> Locks<'fs, F> {
    /// Takes the lock of every target, or none.
    pub(crate) fn take<'p>(
        area: &Area<'fs, F>,
        run: &RunId,
        targets: impl Iterator<Item = &'p RelPath>,
        patience: &Patience<'_>,
    ) -> Result<Self, RunError> {
        let wanted: BTreeMap<String, &RelPath> = targets.map(|path| (path.fold_key(), path)).collect();
        let until = Instant::now().checked_add(patience.wait);
        loop {
            let desk = Desk::open(area)?;
            let Some(Rival { path, holder }) = desk.rival(&wanted)? else {
                return Ok(desk.note(run, wanted.into_keys().collect())?);
            };
            drop(desk);
            if patience.cancel.load(Ordering::Relaxed) {
                return Err(RunError::Cancelled);
            }
            if until.is_none_or(|until| Instant::now() >= until) {
                return Err(RunError::Locked { path, holder });
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl<F: Fs> Drop for Locks<'_, F> {
    /// Removes the note while its lock is still held. One that stays does no harm.
    fn drop(&mut self) {
        let _ = self.fs.remove(&self.dir, &self.name);
    }
}

impl<'fs, F: Fs> Desk<'fs, F> {
    /// Waits for the lock on the folder of notes, which is made if need be.
    pub(crate) fn open(area: &Area<'fs, F>) -> Result<Self, IoError> {
        Self::at(area, open_or_make_dir(area)?)
    }

    /// The same where nothing is to be made; `None` if there is no such folder.
    pub(crate) fn open_to_read(area: &Area<'fs, F>) -> Result<Option<Self>, IoError> {
        open_dir(area)?.map(|dir| Self::at(area, dir)).transpose()
    }

    fn at(area: &Area<'fs, F>, dir: F::Dir) -> Result<Self, IoError> {
        let fs = area.fs;
        let held = fs.open(&dir, ".").map_err(io("open"))?;
        for _ in 0..ATTEMPTS {
            if fs.lock(&held).map_err(io("lock"))? {
                return Ok(Self { fs, dir, _held: held });
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(io("lock")(Errno::AGAIN))
    }

    /// The first of some targets that a living run holds.
    fn rival(&self, wanted: &BTreeMap<String, &RelPath>) -> Result<Option<Rival>, IoError> {
        for name in self.fs.list(&self.dir).map_err(io("list"))? {
            if RunId::parse(&name).is_err() {
                continue;
            }
            let file = match self.fs.open(&self.dir, &name) {
                Ok(file) => file,
                Err(Errno::NOENT) => continue,
                Err(errno) => return Err(io("open a note in")(errno)),
            };
            if self.fs.lock(&file).map_err(io("lock a note in"))? {
                // Its run is dead.
                self.remove(&name)?;
                continue;
            }
            let rival = match self.read(&file).map_err(io("read a note in"))? {
                Some(Note { holder, targets }) => {
                    let both = wanted.iter().find(|(key, _)| targets.contains(*key));
                    both.map(|(_, path)| Rival { path: (*path).clone(), holder: Some(holder) })
                }
                // Nobody knows what it holds, so it may be anything.
                None => wanted.values().next().map(|path| Rival { path: (*path).clone(), holder: None }),
            };
            if rival.is_some() {
                return Ok(rival);
            }
        }
        Ok(None)
    }

    /// Leaves a note, locked.
    fn note(self, run: &RunId, targets: BTreeSet<String>) -> Result<Locks<'fs, F>, IoError> {
        let Self { fs, dir, _held } = self;
        let name = run.to_string();
        let file = fs.open_lock(&dir, &name).map_err(io("make a note in"))?;
        if !fs.lock(&file).map_err(io("lock a note in"))? {
            return Err(io("lock a note in")(Errno::AGAIN));
        }
        let note = Note { holder: Holder { pid: std::process::id(), run_id: run.clone() }, targets };
        let text = serde_json::to_vec(&note).map_err(|_| io("make a note in")(Errno::INVAL))?;
        let locks = Locks { fs, dir, name, _held: file };
        write_all(fs, &locks._held, 0, &text).map_err(io("make a note in"))?;
        Ok(locks)
    }

    fn read(&self, file: &F::File) -> Result<Option<Note>, Errno> {
        let size = self.fs.stat(file)?.size.min(NOTE_CAP);
        let text = read_exact(self.fs, file, 0, size)?;
        Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
    }

    fn remove(&self, name: &str) -> Result<(), IoError> {
        match self.fs.remove(&self.dir, name) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(io("remove a note from")(errno)),
        }
    }
}

/// Whether a living process holds the targets of a run.
pub(crate) fn is_held<F: Fs>(area: &Area<'_, F>, run: &RunId) -> Result<bool, IoError> {
    let Some(desk) = Desk::open_to_read(area)? else { return Ok(false) };
    match area.fs.open(&desk.dir, run.as_str()) {
        Ok(file) => Ok(!area.fs.lock(&file).map_err(io("lock a note in"))?),
        Err(Errno::NOENT) => Ok(false),
        Err(errno) => Err(io("open a note in")(errno)),
    }
}

fn open_or_make_dir<F: Fs>(area: &Area<'_, F>) -> Result<F::Dir, IoError> {
    if let Some(dir) = open_dir(area)? {
        return Ok(dir);
    }
    match area.fs.make_dir(&area.dir, LOCKS, 0o700) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(io("make folder")(errno)),
    }
    area.fs.open_dir(&area.dir, LOCKS).map_err(io("open"))
}

fn open_dir<F: Fs>(area: &Area<'_, F>) -> Result<Option<F::Dir>, IoError> {
    match area.fs.open_dir(&area.dir, LOCKS) {
        Ok(dir) => Ok(Some(dir)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(io("open")(errno)),
    }
}

fn io(call: &'static str) -> impl FnOnce(Errno) -> IoError {
    move |errno| IoError { call, path: format!("{EXEC}/{LOCKS}"), errno }
}
