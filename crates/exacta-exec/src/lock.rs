//! Locks on targets: files in `.exacta/exec/locks`, named by the hash of the target's folded path. They die with their
//! holder, and are taken in one order, so that no two runs wait for each other.

use crate::area::{Area, EXEC};
use crate::bytes::write_all;
use crate::error::{Holder, IoError, RunError};
use crate::fs::Fs;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const LOCKS: &str = "locks";

/// The lock under which journals get theirs.
const BEGINNING: &str = "beginning";

/// How often, a millisecond apart, that one is tried; it is held for a few calls only.
const ATTEMPTS: u32 = 10_000;

/// How long a waiting run sleeps between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// The locks one run holds. Dropping it gives them up.
pub(crate) struct Locks<'fs, F: Fs> {
    fs: &'fs F,
    dir: F::Dir,
    held: Vec<(String, F::File)>,
}

/// How long to wait for locks that others hold, and when to give up.
pub(crate) struct Patience<'a> {
    pub(crate) wait: Duration,
    pub(crate) cancel: &'a AtomicBool,
}

impl<'fs, F: Fs> Locks<'fs, F> {
    /// Takes the lock of every target, or none.
    pub(crate) fn take<'p>(
        area: &Area<'fs, F>,
        run: &RunId,
        targets: impl Iterator<Item = &'p RelPath>,
        patience: &Patience<'_>,
    ) -> Result<Self, RunError> {
        let dir = open_dir(area)?;
        let wanted: BTreeMap<String, &RelPath> = targets.map(|path| (name(path), path)).collect();
        let mut locks = Self { fs: area.fs, dir, held: Vec::with_capacity(wanted.len()) };
        let until = Instant::now().checked_add(patience.wait);
        for (name, path) in wanted {
            let file = locks.take_one(&name, path, until, patience.cancel)?;
            let holder = Holder { pid: std::process::id(), run_id: run.clone() };
            let line = format!("{}\n", serde_json::to_string(&holder).unwrap_or_default());
            write_all(area.fs, &file, 0, line.as_bytes()).map_err(IoError::of("write", EXEC))?;
            locks.held.push((name, file));
        }
        Ok(locks)
    }

    /// Held while a journal is made and locked, and while it is tried whether one is locked: a run that has made its journal and
    /// not yet locked it looks like a dead one.
    pub(crate) fn beginning(area: &Area<'fs, F>) -> Result<Self, IoError> {
        let mut locks = Self { fs: area.fs, dir: open_dir(area)?, held: Vec::new() };
        let path = format!("{EXEC}/{LOCKS}/{BEGINNING}");
        for _ in 0..ATTEMPTS {
            let file = area.fs.open_lock(&locks.dir, BEGINNING).map_err(IoError::of("open", &path))?;
            let ours = area.fs.lock(&file).map_err(IoError::of("lock", &path))?;
            if ours && locks.is_current(BEGINNING, &file).map_err(IoError::of("look at", &path))? {
                locks.held.push((BEGINNING.to_owned(), file));
                return Ok(locks);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(IoError { call: "lock", path, errno: Errno::AGAIN })
    }

    fn take_one(
        &self,
        name: &str,
        path: &RelPath,
        until: Option<Instant>,
        cancel: &AtomicBool,
    ) -> Result<F::File, RunError> {
        loop {
            let file = self.fs.open_lock(&self.dir, name).map_err(IoError::of("open lock of", path.as_str()))?;
            if self.fs.lock(&file).map_err(IoError::of("lock", path.as_str()))? {
                // Its last holder may have removed it in between: then it locks nothing.
                if self.is_current(name, &file).map_err(IoError::of("look at lock of", path.as_str()))? {
                    return Ok(file);
                }
                continue;
            }
            if cancel.load(Ordering::Relaxed) {
                return Err(RunError::Cancelled);
            }
            if until.is_none_or(|until| Instant::now() >= until) {
                return Err(RunError::Locked { path: path.clone(), holder: holder(self.fs, &file) });
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn is_current(&self, name: &str, file: &F::File) -> Result<bool, Errno> {
        match self.fs.stat_in(&self.dir, name) {
            Ok(stat) => Ok(stat.id == self.fs.stat(file)?.id),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(errno),
        }
    }
}

impl<F: Fs> Drop for Locks<'_, F> {
    /// Removes the files while their locks are still held, so that they do not pile up. One that stays does no harm.
    fn drop(&mut self) {
        for (name, _held) in &self.held {
            let _ = self.fs.remove(&self.dir, name);
        }
    }
}

fn open_dir<F: Fs>(area: &Area<'_, F>) -> Result<F::Dir, IoError> {
    match area.fs.make_dir(&area.dir, LOCKS, 0o700) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(IoError { call: "make folder", path: format!("{EXEC}/{LOCKS}"), errno }),
    }
    area.fs.open_dir(&area.dir, LOCKS).map_err(IoError::of("open", EXEC))
}

fn name(path: &RelPath) -> String {
    Digest::of(path.fold_key().as_bytes()).to_string()
}

/// Who holds a lock, as far as it can be told.
fn holder<F: Fs>(fs: &F, file: &F::File) -> Option<Holder> {
    let mut line = [0_u8; 256];
    let count = fs.read(file, 0, &mut line).ok()?;
    let line = line.get(..count)?.split(|byte| *byte == b'\n').next()?;
    serde_json::from_slice(line).ok()
}
