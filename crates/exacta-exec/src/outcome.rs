//! How a run ended: the one account of it, for the process that recovered the run and for whoever asks later.

use crate::area::Area;
use crate::error::RunError;
use crate::find::{journal_name, open, open_over};
use crate::fs::Disk;
use crate::journal::Journal;
use crate::mark::Mark;
use crate::receipt::Receipts;
use crate::root::ProjectRoot;
use crate::settle::Committed;
use exacta_kernel::id::{PlanId, RunId};
use serde::Serialize;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every target is as approved.
    Completed(Receipts),
    /// The run had come to its commit, and was put back: every target is as before.
    RolledBack,
    /// It never came to its commit, and changed nothing.
    NothingDone,
    /// It had come to its commit, but what it was to adopt is not there any more. It touched nothing.
    NotAdopted,
    /// Nothing is there of the run any more: it had no effect, or all that it did was put back.
    NoTrace,
    /// Every target is as before but for what somebody else saved during the run: these, relative to the project root.
    EditsKept(Vec<String>),
    /// Everything is as it was found. By its journal the run had not come to its commit, but these targets are not as before, and some
    /// of them are as approved.
    Contradicted(Vec<String>),
}

/// A run that was found dead, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// The run.
    pub run_id: RunId,
    /// Its plan; `None` if it died before its journal was written.
    pub plan_id: Option<PlanId>,
    /// How it ended.
    pub outcome: Outcome,
}

impl Outcome {
    /// Whether every target is as approved, or every target is as before.
    #[must_use]
    pub const fn is_all_or_nothing(&self) -> bool {
        matches!(self, Self::Completed(_) | Self::RolledBack | Self::NothingDone | Self::NotAdopted | Self::NoTrace)
    }
}

impl ProjectRoot {
    /// How a run ended, by what it left in `.exacta/exec` and by its targets; `None` while it has no end.
    ///
    /// # Errors
    /// If its journal is gone or cannot be used.
    pub fn outcome(&self, run: &RunId) -> Result<Option<Outcome>, RunError> {
        let disk = self.disk()?;
        let Some(area) = Area::open(&disk)? else { return Ok(Some(Outcome::NoTrace)) };
        if area.is_marked(run, Mark::Contradicted)? {
            return not_as_before(&area, run).map(|changed| Some(Outcome::Contradicted(changed)));
        }
        match area.ended(run)? {
            Some(Mark::EditKept) => not_as_before(&area, run).map(|kept| Some(Outcome::EditsKept(kept))),
            Some(_) => Ok(self.receipts(run)?.map(Outcome::Completed)),
            None if journal_name(&area, run)?.is_some() => Ok(None),
            None => Ok(Some(Outcome::NoTrace)),
        }
    }

    /// Whether a run is over and waits for a person: it met somebody else's changes, or its journal contradicts the targets. Its
    /// journal is not read: it may be gone or broken by now, which must not stop anybody.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn waits_for_a_person(&self, run: &RunId) -> Result<bool, RunError> {
        let disk = self.disk()?;
        let Some(area) = Area::open(&disk)? else { return Ok(false) };
        Ok(area.is_marked(run, Mark::Contradicted)? || area.ended(run)? == Some(Mark::EditKept))
    }
}

/// What is other than before a run that was put back or left as it was found: targets, and bytes put aside, relative to the project root.
fn not_as_before(area: &Area<'_, Disk>, run: &RunId) -> Result<Vec<String>, RunError> {
    let missing = || RunError::NotKept { what: format!("journal of run `{run}`") };
    let file = match open_over(area, run)? {
        Some(file) => file,
        None => open(area, &journal_name(area, run)?.ok_or_else(missing)?)?.ok_or_else(missing)?,
    };
    let journal = Journal::read(area.fs, &file, run).map_err(|error| error.of(run))?;
    let aside = area.aside(run, journal.steps.len())?;
    let mut others = Committed::found(area, journal, file).not_as_before()?;
    others.extend(aside);
    Ok(others)
}
