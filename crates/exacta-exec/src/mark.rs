//! Marks: what is said of a run by a name in `.exacta/exec`, sealed, since agents can write there.

use crate::area::{Area, OVER, shown};
use crate::error::IoError;
use crate::fs::{Fs, Stat};
use crate::key::JournalKey;
use exacta_kernel::id::RunId;
use rustix::io::Errno;

/// What is said of a run by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It must be finished or put back: the name of its journal from the commit on.
    Commit,
    /// It is put back.
    Back,
    /// It is over: everything is as it was found, since nobody can tell how it got there.
    Contradicted,
    /// It is over: everything is as approved. The name of its journal among those of runs that are over.
    Done,
    /// It is over: everything is as before but for what someone else saved. The same.
    EditKept,
}

impl Mark {
    /// Those among the open runs.
    pub(crate) const OPEN: [Self; 3] = [Self::Commit, Self::Back, Self::Contradicted];

    /// Those that name the journal of a run that is over.
    pub(crate) const OVER: [Self; 2] = [Self::Done, Self::EditKept];

    /// The mark that a name would be, by its last word; it need not have the seal.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let word = name.rsplit_once('.').map_or(name, |(_, word)| word);
        Self::OPEN.into_iter().chain(Self::OVER).find(|mark| mark.word() == word)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Back => "back",
            Self::Done => "done",
            Self::EditKept => "kept",
            Self::Contradicted => "left",
        }
    }

    /// The name, which nobody can guess who does not have the key.
    pub(crate) fn name(self, key: &JournalKey, run: &RunId) -> String {
        let word = self.word();
        let seal = key.seal(format!("exacta.mark/1\0{word}\0{run}").as_bytes()).to_string();
        format!("{run}.{}.{word}", seal.get(..32).unwrap_or(&seal))
    }
}

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
