//! Before-images: kept in the journals of runs that are over, found by their content, verified before use, dropped by age
//! and size.

use crate::area::{Area, OVER, shown_over};
use crate::error::{IoError, RunError};
use crate::find::open_over;
use crate::fs::Fs;
use crate::journal::Journal;
use crate::mark::Mark;
use crate::receipt::{Receipts, receipts};
use crate::root::ProjectRoot;
use crate::tally::{Tally, clock};
use exacta_kernel::facts::{FileContent, FileState};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::RunId;
#[cfg(test)]
use exacta_kernel::path::RelPath;
use rustix::io::Errno;
use std::time::Duration;

/// What may go and what must stay.
pub struct Retention<'a> {
    /// Runs that began longer ago than this go, counted to the last run but one.
    pub older_than: Duration,
    /// Beyond this many bytes the oldest go, and an eighth of it more, but never the newest of all.
    pub size_cap: u64,
    /// Runs that stay whatever their age.
    pub keep: &'a dyn Fn(&RunId) -> bool,
}

/// What went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// Runs that can no longer be undone.
    pub runs: Vec<RunId>,
    /// Bytes freed.
    pub bytes: u64,
}

impl ProjectRoot {
    /// What a completed run did; `None` if there is no such run, or its journal is gone.
    ///
    /// # Errors
    /// If its journal cannot be used.
    pub fn receipts(&self, run_id: &RunId) -> Result<Option<Receipts>, RunError> {
        let disk = self.disk()?;
        let Some(area) = Area::open(&disk)? else { return Ok(None) };
        if area.ended(run_id)? != Some(Mark::Done) {
            return Ok(None);
        }
        let Some((journal, _)) = open(&area, run_id)? else { return Ok(None) };
        let kept = area.aside(run_id, journal.steps.len())?;
        Ok(Some(Receipts { kept, ..receipts(&journal) }))
    }

    /// The bytes a target had before a run, verified; `None` where there was no file.
    #[cfg(test)]
    pub(crate) fn before_image_of(&self, run_id: &RunId, path: &RelPath) -> Result<Option<FileContent>, RunError> {
        let disk = self.disk()?;
        let missing = || RunError::NotKept { what: format!("journal of run `{run_id}`") };
        let area = Area::open(&disk)?.ok_or_else(missing)?;
        let (journal, file) = open(&area, run_id)?.ok_or_else(missing)?;
        journal.before_image(&disk, &file, path).map_err(|error| error.of(run_id))
    }

    /// The before-image with this content, verified: of `run`, or of whatever other run keeps it.
    ///
    /// # Errors
    /// If no run keeps it, or none that keeps it verifies.
    pub fn before_image(&self, run: &RunId, sha256: Digest, mode: u32) -> Result<FileContent, RunError> {
        let disk = self.disk()?;
        let mut trouble = RunError::NotKept { what: format!("before-image `{sha256}`") };
        let Some(area) = Area::open(&disk)? else { return Err(trouble) };
        let mut find = |run_id: &RunId| match image_in(&area, run_id, sha256) {
            Ok(found) => found.map(|image| FileContent::new(image.bytes().to_vec(), mode)),
            // What is asked for may be in it.
            Err(error) => {
                trouble = error;
                None
            }
        };
        if let Some(found) = find(run) {
            return Ok(found);
        }
        // Only now: there may be thousands.
        let others = area.over_runs()?;
        let found = others.iter().rev().find_map(|(run_id, _)| find(run_id));
        found.ok_or(trouble)
    }

    /// After a run, drops the journals of runs that are over, by age and size. Unfinished runs are never touched, and the newest
    /// stays: it can be undone however large it was. This is done where it is due: once a day, when the limits are others, or when
    /// there is too much. To look at every journal after every run would cost more with each.
    ///
    /// # Errors
    /// If they cannot be looked at or removed.
    pub fn collect_when_due(&self, retention: &Retention<'_>, run: &RunId) -> Result<Collected, RunError> {
        let disk = self.disk()?;
        let Some(area) = Area::open(&disk)? else { return Ok(Collected::default()) };
        let Some(file) = open_over(&area, run)? else { return Ok(Collected::default()) };
        let size = disk.stat(&file).map_err(IoError::of("look at", OVER))?.size;
        let terms = Tally::terms(retention.older_than, retention.size_cap);
        if let Some(bytes) = Tally::read(&area, &terms)?
            && let total = bytes.saturating_add(size)
            && total <= retention.size_cap
        {
            Tally::write(&area, &terms, total)?;
            return Ok(Collected::default());
        }
        let (collected, left) = collect(&area, retention)?;
        Tally::write(&area, &terms, left)?;
        Ok(collected)
    }

    /// The same, at once.
    #[cfg(test)]
    pub(crate) fn collect_garbage(&self, retention: &Retention<'_>) -> Result<Collected, RunError> {
        let disk = self.disk()?;
        match Area::open(&disk)? {
            Some(area) => Ok(collect(&area, retention)?.0),
            None => Ok(Collected::default()),
        }
    }
}

/// What goes, and how many bytes stay.
fn collect<F: Fs>(area: &Area<'_, F>, retention: &Retention<'_>) -> Result<(Collected, u64), RunError> {
    let mut over = Vec::new();
    for (run_id, name) in area.over_runs()? {
        match area.fs.stat_in(area.over()?, &name) {
            Ok(stat) => over.push((run_id, name, stat)),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(IoError { call: "look at", path: shown_over(&name), errno }.into()),
        }
    }
    let now = present(over.iter().map(|(_, _, stat)| stat.modified));
    let all = over.iter().fold(0_u64, |all, (_, _, stat)| all.saturating_add(stat.size));
    // Where there is too much, an eighth more goes: otherwise every run from then on would have to look through all of them.
    let room = if all > retention.size_cap { retention.size_cap / 8 * 7 } else { retention.size_cap };
    let (mut total, mut left, mut gone) = (0_u64, 0_u64, Collected::default());
    for (index, (run_id, name, stat)) in over.into_iter().rev().enumerate() {
        total = total.saturating_add(stat.size);
        let too_much = total > room && index > 0;
        let age = Duration::from_secs(now.abs_diff(stat.modified.min(now)));
        if (too_much || age > retention.older_than) && !(retention.keep)(&run_id) {
            match area.fs.remove(area.over()?, &name) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(errno) => return Err(IoError { call: "remove", path: shown_over(&name), errno }.into()),
            }
            gone.bytes = gone.bytes.saturating_add(stat.size);
            gone.runs.push(run_id);
        } else {
            left = left.saturating_add(stat.size);
        }
    }
    Ok((gone, left))
}

/// The before-image with this content in the journal of one run.
fn image_in<F: Fs>(area: &Area<'_, F>, run_id: &RunId, sha256: Digest) -> Result<Option<FileContent>, RunError> {
    let Some((journal, file)) = open(area, run_id)? else { return Ok(None) };
    let same = |state: &FileState| matches!(state, FileState::File { sha256: found, .. } if *found == sha256);
    let Some(step) = journal.steps.iter().find(|step| same(&step.before)) else { return Ok(None) };
    journal.before_image(area.fs, &file, &step.path).map_err(|error| error.of(run_id))
}

/// The journal of a run that is over.
fn open<F: Fs>(area: &Area<'_, F>, run_id: &RunId) -> Result<Option<(Journal, F::File)>, RunError> {
    let Some(file) = open_over(area, run_id)? else { return Ok(None) };
    let journal = Journal::read(area.fs, &file, run_id).map_err(|error| error.of(run_id))?;
    Ok(Some((journal, file)))
}

/// The time that ages are counted to, in seconds: no later than that of the last journal but one, so that a clock which is
/// wrong for once makes nothing old.
fn present(journals: impl Iterator<Item = i64>) -> i64 {
    let clock = i64::try_from(clock()).unwrap_or(i64::MAX);
    let mut times: Vec<i64> = journals.collect();
    times.sort_unstable_by(|a, b| b.cmp(a));
    times.get(1).map_or(i64::MIN, |time| clock.min(*time))
}
