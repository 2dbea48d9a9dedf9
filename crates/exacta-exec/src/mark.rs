//! Marks: what is said of a run by a name in `.exacta/exec` alone, sealed, since agents can write there.

use crate::area::{Area, shown};
use crate::error::IoError;
use crate::fs::Fs;
use crate::key::JournalKey;
use exacta_kernel::id::RunId;
use rustix::io::Errno;

/// What is said of a run by a name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It is put back.
    Back,
    /// It is over: everything is as approved.
    Done,
    /// It is over: everything is as before but for what someone else saved.
    Kept,
}

impl Mark {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Back, Self::Done, Self::Kept];

    /// The mark that a name would be, by its last word; it need not count.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let word = name.rsplit_once('.').map_or(name, |(_, word)| word);
        Self::ALL.into_iter().find(|mark| mark.word() == word)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Back => "back",
            Self::Done => "done",
            Self::Kept => "kept",
        }
    }

    /// The name, which nobody can guess who does not have the key.
    pub(crate) fn name(self, key: &JournalKey, run: &RunId) -> String {
        let word = self.word();
        let seal = key.seal(format!("exacta.mark/1\0{word}\0{run}").as_bytes()).to_string();
        format!("{run}.{}.{word}", seal.get(..32).unwrap_or(&seal))
    }

    /// The same as earlier versions made it, without a seal.
    fn plain_name(self, run: &RunId) -> String {
        format!("{run}.{}", self.word())
    }
}

impl<F: Fs> Area<'_, F> {
    /// Makes a mark. It counts once the folder is synced.
    pub(crate) fn mark(&self, run: &RunId, mark: Mark) -> Result<(), IoError> {
        let name = mark.name(self.fs.key(), run);
        match self.fs.create(&self.dir, &name) {
            Ok(_) | Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(IoError { call: "create", path: shown(&name), errno }),
        }
    }

    /// Takes a mark away.
    pub(crate) fn unmark(&self, run: &RunId, mark: Mark) -> Result<(), IoError> {
        self.remove(&mark.name(self.fs.key(), run))?;
        self.remove(&mark.plain_name(run))
    }

    /// Whether a run has a mark.
    pub(crate) fn is_marked(&self, run: &RunId, mark: Mark) -> Result<bool, IoError> {
        for name in [mark.name(self.fs.key(), run), mark.plain_name(run)] {
            if self.counts(run, mark, &name) && self.has(&name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a name counts as a mark: if it has the seal, or was made by an earlier version for a run whose end is recorded.
    pub(crate) fn counts(&self, run: &RunId, mark: Mark, name: &str) -> bool {
        name == mark.name(self.fs.key(), run) || (name == mark.plain_name(run) && self.fs.is_open(run) != Some(true))
    }
}
