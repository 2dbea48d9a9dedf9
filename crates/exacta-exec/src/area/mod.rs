//! `.exacta/exec`: where runs prepare and leave their journals. The names in it are the state of every run:
//!
//! | name | meaning |
//! |---|---|
//! | `RUN.intent` | the journal, being written |
//! | `RUN.SEAL.commit` | the journal, valid: the run must be finished or put back |
//! | `RUN.SEAL.back` | decided: it is put back |
//! | `over/RUN.SEAL.done` | the journal; over: everything is as approved |
//! | `over/RUN.SEAL.kept` | the journal; over: everything is as before but for what someone else saved |
//! | `RUN.SEAL.left` | over: everything is as it was found, since nobody can tell how it got there |
//! | `RUN.0`, `RUN.1` … | of each step, the new file before the commit, the old one after it |
//! | `RUN.0.again` | an old file that is being made again from its before-image |
//! | `RUN.0.kept` | bytes that someone wrote into the old file while it was being replaced |
//!
//! A run holds the lock on its journal as long as it lives. Whoever can write here can make any name, but not the seal in a mark.
//!
//! Runs that are over have a folder of their own, so that what every command looks through does not grow with them. A journal gets
//! its name there first, durably, and loses the old one then; whoever finds both takes the old one away.

mod marks;

pub(crate) use marks::shown_over;

use crate::error::IoError;
use crate::fs::Fs;
use crate::mark::Mark;
use exacta_kernel::id::RunId;
use rustix::io::Errno;
use std::collections::BTreeMap;

/// Where it is, beneath the project root.
pub(crate) const EXEC: &str = ".exacta/exec";

/// Where the journals of runs that are over lie.
pub(crate) const OVER: &str = ".exacta/exec/over";

/// The opened folder.
pub(crate) struct Area<'fs, F: Fs> {
    pub(crate) fs: &'fs F,
    pub(crate) dir: F::Dir,
    /// The folder of runs that are over; none where nobody has made it yet.
    pub(crate) over: Option<F::Dir>,
}

/// Which of a run's names there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Traces {
    pub(crate) intent: bool,
    /// The name of the journal, once it is committed.
    pub(crate) commit: Option<String>,
    pub(crate) back: bool,
    /// Its journal and the targets contradict each other.
    pub(crate) contradicted: bool,
    /// How it ended, if it did: [`Mark::Done`] or [`Mark::EditKept`].
    pub(crate) ended: Option<Mark>,
    /// Files of steps, and half-made ones.
    pub(crate) files: Vec<String>,
}

impl Traces {
    /// Whether nothing remains to be decided.
    pub(crate) fn is_over(&self) -> bool {
        self.contradicted || self.ended == Some(Mark::EditKept) || (self.ended == Some(Mark::Done) && !self.back)
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

impl<F: Fs> Clone for Area<'_, F> {
    /// Another holder of the same handles.
    fn clone(&self) -> Self {
        Self { fs: self.fs, dir: self.dir.clone(), over: self.over.clone() }
    }
}

impl<'fs, F: Fs> Area<'fs, F> {
    /// Opens it, or answers `None` if no run was ever made here.
    pub(crate) fn open(fs: &'fs F) -> Result<Option<Self>, IoError> {
        let open = |at: &F::Dir, name, path: &str| match fs.open_dir(at, name) {
            Ok(dir) => Ok(Some(dir)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(IoError { call: "open", path: path.to_owned(), errno }),
        };
        let Some(dir) = open(&fs.root(), EXEC, EXEC)? else { return Ok(None) };
        let over = open(&dir, "over", OVER)?;
        Ok(Some(Self { fs, dir, over }))
    }

    /// Opens it, making it durably the first time.
    pub(crate) fn open_or_make(fs: &'fs F) -> Result<Self, IoError> {
        if let Some(area) = Self::open(fs)?
            && area.over.is_some()
        {
            return Ok(area);
        }
        let make = |at: &F::Dir, part, mode| {
            match fs.make_dir(at, part, mode) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(IoError { call: "make folder", path: EXEC.to_owned(), errno }),
            }
            fs.sync_dir(at).map_err(IoError::of("sync", EXEC))?;
            fs.open_dir(at, part).map_err(IoError::of("open", EXEC))
        };
        let dir = make(&make(&fs.root(), ".exacta", 0o755)?, "exec", 0o700)?;
        let over = Some(make(&dir, "over", 0o700)?);
        Ok(Self { fs, dir, over })
    }

    /// The folder of runs that are over, which must be there.
    pub(crate) fn over(&self) -> Result<&F::Dir, IoError> {
        self.over.as_ref().ok_or_else(|| IoError { call: "open", path: OVER.to_owned(), errno: Errno::NOENT })
    }

    /// Whether it is still where the next recovery will look for it, and where the next undo will.
    pub(crate) fn is_in_place(&self) -> Result<bool, IoError> {
        for (path, held) in [(EXEC, &self.dir), (OVER, self.over()?)] {
            let io = |errno| IoError { call: "look at", path: path.to_owned(), errno };
            let same = match self.fs.open_dir(&self.fs.root(), path) {
                Ok(now) => self.fs.stat_dir(&now).map_err(io)?.id == self.fs.stat_dir(held).map_err(io)?.id,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => false,
                Err(errno) => return Err(io(errno)),
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What there is of every run that has a name among the open ones. Those that are over and tidy have none.
    pub(crate) fn runs(&self) -> Result<BTreeMap<RunId, Traces>, IoError> {
        let mut runs: BTreeMap<RunId, Traces> = BTreeMap::new();
        for name in self.fs.list(&self.dir).map_err(IoError::of("list", EXEC))? {
            let Some((run, rest)) = name.split_once('.') else { continue };
            let Ok(run) = RunId::parse(run) else { continue };
            let mark = Mark::named(rest);
            // What was put aside, or somebody else's: a mark without its seal says nothing.
            if mark.is_some_and(|mark| name != mark.name(self.fs.key(), &run)) {
                continue;
            }
            let traces = runs.entry(run).or_default();
            match mark {
                None if rest == "intent" => traces.intent = true,
                None => traces.files.push(name),
                Some(Mark::Commit) => traces.commit = Some(name),
                Some(Mark::Contradicted) => traces.contradicted = true,
                Some(Mark::Back) => traces.back = true,
                // They name journals of runs that are over, and have no place here.
                Some(Mark::Done | Mark::EditKept) => {}
            }
        }
        for (run, traces) in &mut runs {
            traces.ended = self.ended(run)?;
        }
        Ok(runs)
    }

    /// The runs that are over, with the names of their journals, oldest first: ids are ordered by time.
    pub(crate) fn over_runs(&self) -> Result<Vec<(RunId, String)>, IoError> {
        let Some(over) = &self.over else { return Ok(Vec::new()) };
        let mut runs = Vec::new();
        for name in self.fs.list(over).map_err(IoError::of("list", OVER))? {
            let Some((Ok(run), rest)) = name.split_once('.').map(|(run, rest)| (RunId::parse(run), rest)) else {
                continue;
            };
            if Mark::named(rest)
                .is_some_and(|mark| Mark::OVER.contains(&mark) && name == mark.name(self.fs.key(), &run))
            {
                runs.push((run, name));
            }
        }
        runs.sort();
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

    /// What was put aside for a run of this many steps, as paths from the project root.
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
