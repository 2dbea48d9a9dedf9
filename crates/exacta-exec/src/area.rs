//! `.exacta/exec`: where runs prepare and leave their journals. The names in it are the state of every run:
//!
//! | name | meaning |
//! |---|---|
//! | `RUN.intent` | the journal, being written |
//! | `RUN.SEAL.commit` | the journal, valid: the run must be finished or put back |
//! | `RUN.SEAL.back` | decided: it is put back |
//! | `RUN.SEAL.done` | over: everything is as approved |
//! | `RUN.SEAL.kept` | over: everything is as before but for what someone else saved |
//! | `RUN.SEAL.left` | over: everything is as it was found, since nobody can tell how it got there |
//! | `RUN.0`, `RUN.1` … | of each step, the new file before the commit, the old one after it |
//! | `RUN.0.again` | an old file that is being made anew from its before-image |
//! | `RUN.0.kept` | bytes that someone wrote into the old file while it was being replaced |
//!
//! A run holds the lock on its journal as long as it lives. Whoever can write here can make any name, but not the seal in a mark.

use crate::error::IoError;
use crate::fs::Fs;
use crate::mark::Mark;
use exacta_kernel::id::RunId;
use rustix::io::Errno;
use std::collections::BTreeMap;

/// Where it is, beneath the project root.
pub(crate) const EXEC: &str = ".exacta/exec";

/// The opened folder.
pub(crate) struct Area<'fs, F: Fs> {
    pub(crate) fs: &'fs F,
    pub(crate) dir: F::Dir,
}

/// Which of a run's names there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Traces {
    pub(crate) intent: bool,
    /// The name of the journal, once it is committed.
    pub(crate) commit: Option<String>,
    pub(crate) back: bool,
    pub(crate) done: bool,
    pub(crate) kept: bool,
    pub(crate) left: bool,
    /// Files of steps, and half-made ones.
    pub(crate) files: Vec<String>,
}

impl Traces {
    /// Whether nothing remains to be decided.
    pub(crate) const fn is_over(&self) -> bool {
        self.left || (self.commit.is_some() && ((self.done && !self.back) || self.kept))
    }
}

/// The names of one run.
pub(crate) struct Names<'a>(pub(crate) &'a RunId);

impl Names<'_> {
    pub(crate) fn intent(&self) -> String {
        format!("{}.intent", self.0)
    }

    /// The file that changes places with the target of a step.
    pub(crate) fn file(&self, step: usize) -> String {
        format!("{}.{step}", self.0)
    }

    /// A file that is being rebuilt from its before-image.
    pub(crate) fn again(&self, step: usize) -> String {
        format!("{}.{step}.again", self.0)
    }

    /// Someone's bytes, put aside.
    pub(crate) fn aside(&self, step: usize) -> String {
        format!("{}.{step}.kept", self.0)
    }
}

impl<'fs, F: Fs> Area<'fs, F> {
    /// Opens it, or answers `None` if no run was ever made here.
    pub(crate) fn open(fs: &'fs F) -> Result<Option<Self>, IoError> {
        match fs.open_dir(&fs.root(), EXEC) {
            Ok(dir) => Ok(Some(Self { fs, dir })),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(IoError { call: "open", path: EXEC.to_owned(), errno }),
        }
    }

    /// Opens it, making it durably the first time.
    pub(crate) fn open_or_make(fs: &'fs F) -> Result<Self, IoError> {
        if let Some(area) = Self::open(fs)? {
            return Ok(area);
        }
        let mut at = fs.root();
        for (part, mode) in [(".exacta", 0o755), ("exec", 0o700)] {
            match fs.make_dir(&at, part, mode) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(IoError { call: "make folder", path: EXEC.to_owned(), errno }),
            }
            fs.sync_dir(&at).map_err(IoError::of("sync", EXEC))?;
            at = fs.open_dir(&at, part).map_err(IoError::of("open", EXEC))?;
        }
        Ok(Self { fs, dir: at })
    }

    /// Whether it is still where the next recovery will look for it.
    pub(crate) fn is_in_place(&self) -> Result<bool, IoError> {
        let io = |errno| IoError { call: "look at", path: EXEC.to_owned(), errno };
        match self.fs.open_dir(&self.fs.root(), EXEC) {
            Ok(now) => Ok(self.fs.stat_dir(&now).map_err(io)?.id == self.fs.stat_dir(&self.dir).map_err(io)?.id),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => Ok(false),
            Err(errno) => Err(io(errno)),
        }
    }

    /// What there is of every run.
    pub(crate) fn runs(&self) -> Result<BTreeMap<RunId, Traces>, IoError> {
        let mut runs: BTreeMap<RunId, Traces> = BTreeMap::new();
        for name in self.fs.list(&self.dir).map_err(IoError::of("list", EXEC))? {
            let Some((run, rest)) = name.split_once('.') else { continue };
            let Ok(run) = RunId::parse(run) else { continue };
            let mark = Mark::named(rest);
            let counts = mark.is_some_and(|mark| self.counts(&run, mark, &name));
            let is_sealed = mark.is_some_and(|mark| name == mark.name(self.fs.key(), &run));
            let traces = runs.entry(run).or_default();
            match (rest, mark) {
                ("intent", _) => traces.intent = true,
                (_, Some(Mark::Commit)) if is_sealed => traces.commit = Some(name),
                ("commit", _) if traces.commit.is_none() => traces.commit = Some(name),
                (_, Some(Mark::Commit)) => {}
                (_, Some(Mark::Left)) => traces.left |= counts,
                (_, Some(Mark::Back)) => traces.back |= counts,
                (_, Some(Mark::Done)) => traces.done |= counts,
                // Or what was put aside.
                (_, Some(Mark::Kept)) => traces.kept |= counts,
                (_, None) => traces.files.push(name),
            }
        }
        Ok(runs)
    }

    /// Whether there is such a name.
    pub(crate) fn has(&self, name: &str) -> Result<bool, IoError> {
        match self.fs.stat_in(&self.dir, name) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(IoError { call: "look at", path: shown(name), errno }),
        }
    }

    /// What was put aside for a run of so many steps, as paths from the project root.
    pub(crate) fn aside(&self, run_id: &RunId, steps: usize) -> Result<Vec<String>, IoError> {
        let mut aside = Vec::new();
        for name in (0..steps).map(|step| Names(run_id).aside(step)) {
            if self.has(&name)? {
                aside.push(shown(&name));
            }
        }
        Ok(aside)
    }

    /// Removes a name of ours; that it is gone already is fine.
    pub(crate) fn remove(&self, name: &str) -> Result<(), IoError> {
        match self.fs.remove(&self.dir, name) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(IoError { call: "remove", path: shown(name), errno }),
        }
    }

    pub(crate) fn sync(&self) -> Result<(), IoError> {
        self.fs.sync_dir(&self.dir).map_err(IoError::of("sync", EXEC))
    }
}

/// A name in this folder as a path from the project root, for messages.
pub(crate) fn shown(name: &str) -> String {
    format!("{EXEC}/{name}")
}
