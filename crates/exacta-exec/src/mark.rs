//! Marks: what is said of a run by a name in `.exacta/exec`, sealed, since agents can write there.

use crate::area::{Area, shown};
use crate::error::IoError;
use crate::fs::Fs;
use crate::key::JournalKey;
use crate::root::Standing;
use exacta_kernel::id::RunId;
use rustix::io::Errno;

/// What is said of a run by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It must be finished or put back: the name of its journal from the commit on.
    Commit,
    /// It is put back.
    Back,
    /// It is over: everything is as approved.
    Done,
    /// It is over: everything is as before but for what someone else saved.
    Kept,
    /// It is over: everything is as it was found, since nobody can tell how it got there.
    Left,
}

impl Mark {
    /// All of them.
    pub(crate) const ALL: [Self; 5] = [Self::Commit, Self::Back, Self::Done, Self::Kept, Self::Left];

    /// The mark that a name would be, by its last word; it need not count.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let word = name.rsplit_once('.').map_or(name, |(_, word)| word);
        Self::ALL.into_iter().find(|mark| mark.word() == word)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Back => "back",
            Self::Done => "done",
            Self::Kept => "kept",
            Self::Left => "left",
        }
    }

    /// The name, which nobody can guess who does not have the key.
    pub(crate) fn name(self, key: &JournalKey, run: &RunId) -> String {
        let word = self.word();
        let seal = key.seal(format!("exacta.mark/1\0{word}\0{run}").as_bytes()).to_string();
        format!("{run}.{}.{word}", seal.get(..32).unwrap_or(&seal))
    }

    /// The same as earlier versions made it, without a seal.
    pub(crate) fn plain_name(self, run: &RunId) -> String {
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

    /// Whether a name counts as a mark: if it has the seal, or was made by an earlier version and says no more than the record does.
    pub(crate) fn counts(&self, run: &RunId, mark: Mark, name: &str) -> bool {
        let recorded = || match self.fs.standing(run) {
            Standing::Unknown | Standing::Over => true,
            Standing::Attention => mark == Mark::Kept,
            Standing::Running => false,
        };
        name == mark.name(self.fs.key(), run) || (name == mark.plain_name(run) && recorded())
    }

    /// The name of the journal of a run that was committed; without a seal where an earlier version made it, or somebody else.
    pub(crate) fn committed(&self, run: &RunId) -> Result<Option<String>, IoError> {
        for name in [Mark::Commit.name(self.fs.key(), run), Mark::Commit.plain_name(run)] {
            if self.has(&name)? {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }
}
