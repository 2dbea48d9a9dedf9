//! Marks: what is said of a run by a name in `.exacta/exec`, sealed, since agents can write there.

use crate::key::JournalKey;
use exacta_kernel::id::RunId;

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
