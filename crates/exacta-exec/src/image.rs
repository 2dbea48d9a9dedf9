//! Before-images: kept in the journals of runs that are over, found by their content, verified before use, dropped by age
//! and size.

use crate::area::{Area, shown};
use crate::error::{IoError, RunError};
use crate::fs::Fs;
use crate::journal::Journal;
use crate::mark::Mark;
use crate::root::ProjectRoot;
use crate::run::{Receipts, receipts};
use exacta_kernel::facts::{FileContent, FileState};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::RunId;
#[cfg(test)]
use exacta_kernel::path::RelPath;
use rustix::io::Errno;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What may go and what must stay.
pub struct Retention<'a> {
    /// Runs that began longer ago than this go, counted to the last run but one.
    pub older_than: Duration,
    /// Beyond this many bytes the oldest go, but never the newest of all.
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
        if !area.is_marked(run_id, Mark::Done)? {
            return Ok(None);
        }
        let Some((journal, _)) = open(&area, run_id)? else { return Ok(None) };
        let kept = area.aside(run_id, journal.steps.len())?;
        Ok(Some(Receipts { kept, ..receipts(run_id, &journal.steps) }))
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

    /// The before-image with this content, of whatever run, verified.
    ///
    /// # Errors
    /// If no run keeps it, or none that keeps it verifies.
    pub fn before_image(&self, sha256: Digest, mode: u32) -> Result<FileContent, RunError> {
        let disk = self.disk()?;
        let mut trouble = RunError::NotKept { what: format!("before-image `{sha256}`") };
        let Some(area) = Area::open(&disk)? else { return Err(trouble) };
        for run_id in area.runs()?.into_keys().rev() {
            let (journal, file) = match open(&area, &run_id) {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                // What is asked for may be in it.
                Err(error) => {
                    trouble = error;
                    continue;
                }
            };
            let same = |state: &FileState| matches!(state, FileState::File { sha256: found, .. } if *found == sha256);
            let Some(step) = journal.steps.iter().find(|step| same(&step.before)) else { continue };
            match journal.before_image(&disk, &file, &step.path) {
                Ok(Some(image)) if image.mode() == mode => return Ok(image),
                Ok(Some(image)) => return Ok(FileContent::new(image.bytes().to_vec(), mode)),
                Ok(None) => {}
                Err(error) => trouble = error.of(&run_id),
            }
        }
        Err(trouble)
    }

    /// Drops the journals of runs that are over, by age and size. Unfinished runs are never touched, and the newest stays: it can be
    /// undone however large it was.
    ///
    /// # Errors
    /// If they cannot be looked at or removed.
    pub fn collect_garbage(&self, retention: &Retention<'_>) -> Result<Collected, RunError> {
        let disk = self.disk()?;
        let Some(area) = Area::open(&disk)? else { return Ok(Collected::default()) };
        let mut over = Vec::new();
        // Newest first: ids are ordered by time.
        for (run_id, traces) in area.runs()?.into_iter().rev().filter(|(_, traces)| traces.is_over()) {
            // One that was left as it was found stays, for a person.
            let Some(name) = traces.commit else { continue };
            let stat = disk.stat_in(&area.dir, &name).map_err(IoError::of("look at", &shown(&name)))?;
            over.push((run_id, name, stat));
        }
        let now = present(over.iter().map(|(_, _, stat)| stat.modified));
        let mut total = 0_u64;
        let mut gone = Collected::default();
        for (run_id, name, stat) in over {
            let newest = total == 0;
            total = total.saturating_add(stat.size);
            let too_much = total > retention.size_cap && !newest;
            let age = Duration::from_secs(now.abs_diff(stat.modified.min(now)));
            if (too_much || age > retention.older_than) && !(retention.keep)(&run_id) {
                area.remove(&name)?;
                gone.bytes = gone.bytes.saturating_add(stat.size);
                gone.runs.push(run_id);
            }
        }
        if gone.runs.is_empty() {
            return Ok(gone);
        }
        // Without its done record a journal would count as unfinished: so that goes last, and later.
        area.sync()?;
        for run_id in &gone.runs {
            area.unmark(run_id, Mark::Done)?;
            area.unmark(run_id, Mark::Kept)?;
        }
        Ok(gone)
    }
}

/// The journal of a run that was committed.
fn open<F: Fs>(area: &Area<'_, F>, run_id: &RunId) -> Result<Option<(Journal, F::File)>, RunError> {
    let Some(name) = area.committed(run_id)? else { return Ok(None) };
    let file = match area.fs.open(&area.dir, &name) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(IoError { call: "open", path: shown(&name), errno }.into()),
    };
    let journal = Journal::read(area.fs, &file, run_id).map_err(|error| error.of(run_id))?;
    Ok(Some((journal, file)))
}

/// The time that ages are counted to, in seconds: no later than that of the last journal but one, so that a clock which is
/// wrong for once makes nothing old.
fn present(journals: impl Iterator<Item = i64>) -> i64 {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let clock = i64::try_from(clock).unwrap_or(i64::MAX);
    let mut times: Vec<i64> = journals.collect();
    times.sort_unstable_by(|a, b| b.cmp(a));
    times.get(1).map_or(i64::MIN, |time| clock.min(*time))
}
