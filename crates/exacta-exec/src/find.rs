//! Where the journal of a run is: among the open runs or among those that are over.

use crate::area::{Area, Names, shown, shown_over};
use crate::error::IoError;
use crate::fs::Fs;
use crate::journal::{Journal, JournalError};
use crate::mark::Mark;
use exacta_kernel::id::RunId;
use rustix::io::Errno;

/// The name the journal of an open run has at this moment. A living run renames it once, from intent to commit: so the first is
/// looked for first.
pub(crate) fn journal_name<F: Fs>(area: &Area<'_, F>, run_id: &RunId) -> Result<Option<String>, IoError> {
    let (intent, commit) = (Names(run_id).intent(), Mark::Commit.name(area.fs.key(), run_id));
    let is_staged = area.has(&intent)?;
    Ok(if area.has(&commit)? { Some(commit) } else { is_staged.then_some(intent) })
}

/// A journal among those of open runs, by its name; none if it is gone.
pub(crate) fn open<F: Fs>(area: &Area<'_, F>, name: &str) -> Result<Option<F::File>, IoError> {
    match area.fs.open(&area.dir, name) {
        Ok(file) => Ok(Some(file)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(IoError { call: "open", path: shown(name), errno }),
    }
}

/// The journal of a run that is over; none if it is gone or cannot be used.
pub(crate) fn journal_of<F: Fs>(area: &Area<'_, F>, run_id: &RunId) -> Result<Option<Journal>, IoError> {
    let Some(file) = open_over(area, run_id)? else { return Ok(None) };
    match Journal::read(area.fs, &file, run_id) {
        Ok(journal) => Ok(Some(journal)),
        Err(JournalError::Io(errno)) => {
            Err(IoError { call: "read", path: format!("the journal of run {run_id}"), errno })
        }
        Err(JournalError::Broken(_) | JournalError::Format(_)) => Ok(None),
    }
}

/// The journal of a run that is over, opened; none if it is gone.
pub(crate) fn open_over<F: Fs>(area: &Area<'_, F>, run_id: &RunId) -> Result<Option<F::File>, IoError> {
    let Some(mark) = area.ended(run_id)? else { return Ok(None) };
    let name = mark.name(area.fs.key(), run_id);
    match area.fs.open(area.over()?, &name) {
        Ok(file) => Ok(Some(file)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(IoError { call: "open", path: shown_over(&name), errno }),
    }
}
