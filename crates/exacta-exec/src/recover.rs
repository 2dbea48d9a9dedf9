//! Recovery: runs whose process died are finished or put back, before anything else is done.

use crate::area::{Area, Names, OVER, Traces, shown};
use crate::error::{IoError, RunError};
use crate::find::{journal_name, open, open_over};
use crate::fs::Fs;
use crate::journal::Journal;
use crate::lock::{Desk, Locks, Patience, is_held};
use crate::mark::Mark;
use crate::outcome::{Outcome, Recovered};
use crate::receipt::{Receipts, receipts};
use crate::recorded::RecordedState;
use crate::root::ProjectRoot;
use crate::settle::{Committed, Halt};
use exacta_kernel::id::{PlanId, RunId};
use rustix::io::Errno;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long recovery waits for a target that a living run holds.
const WAIT: Duration = Duration::from_secs(10);

/// A run without an end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unfinished {
    /// The run.
    pub run_id: RunId,
    /// Its plan; `None` if its journal is not written yet or cannot be read.
    pub plan_id: Option<PlanId>,
    /// Whether its process is still at it.
    pub alive: bool,
    /// Whether it has come to its commit: then it is to be settled, and not just dropped.
    pub committed: bool,
    /// Why its journal cannot be used, if it cannot.
    pub broken: Option<String>,
}

impl ProjectRoot {
    /// Finishes or puts back every run whose process died. May be repeated and interrupted at will.
    ///
    /// # Errors
    /// [`RunError`] at the first run that cannot be settled; it is left as it is.
    pub fn recover(&self) -> Result<Vec<Recovered>, RunError> {
        let disk = self.disk()?;
        match Area::open(&disk)? {
            // Somebody may have taken the folder of runs that are over away.
            Some(area) if area.over.is_none() => settle_all(&Area::open_or_make(&disk)?),
            Some(area) => settle_all(&area),
            None => Ok(Vec::new()),
        }
    }

    /// Whether a living process is at a run, in whatever namespace it lives: it holds the run's targets.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn is_at_work(&self, run: &RunId) -> Result<bool, RunError> {
        let disk = self.disk()?;
        match Area::open(&disk)? {
            Some(area) => Ok(is_held(&area, run)?),
            None => Ok(false),
        }
    }

    /// The runs without an end. Reads only.
    ///
    /// # Errors
    /// If they cannot be looked at.
    pub fn unfinished(&self) -> Result<Vec<Unfinished>, RunError> {
        let disk = self.disk()?;
        let Some(area) = Area::open(&disk)? else { return Ok(Vec::new()) };
        let mut unfinished = Vec::new();
        for (run_id, traces) in area.runs()? {
            if traces.is_over() || !(traces.commit.is_some() || traces.intent) {
                continue;
            }
            let Some(name) = journal_name(&area, &run_id)? else { continue };
            let Some(alive) = is_alive(&area, &name)? else { continue };
            let Some(file) = open(&area, &name)? else { continue };
            let committed = name != Names(&run_id).intent();
            let (plan_id, broken) = match Journal::read(&disk, &file, &run_id) {
                Ok(journal) => (Some(journal.plan_id), None),
                Err(error) => (None, Some(error.to_string())),
            };
            unfinished.push(Unfinished { run_id, plan_id, alive, committed, broken });
        }
        Ok(unfinished)
    }
}

/// Finishes or puts back every dead run.
pub(crate) fn settle_all<F: Fs>(area: &Area<'_, F>) -> Result<Vec<Recovered>, RunError> {
    let mut recovered = Vec::new();
    for (run_id, traces) in area.runs()? {
        if traces.is_over() {
            if !traces.contradicted {
                tidy(area, &run_id)?;
            }
            continue;
        }
        recovered.extend(settle(area, &run_id, &traces)?);
    }
    Ok(recovered)
}

/// A run without an end that is about one of these targets. To whoever holds the locks of the targets it is dead:
/// a living run holds them itself. That someone is about to recover it makes no difference.
pub(crate) fn in_the_way<F: Fs>(area: &Area<'_, F>, targets: &BTreeSet<String>) -> Result<Option<RunId>, RunError> {
    for (run_id, traces) in area.runs()?.into_iter().filter(|(_, traces)| !traces.is_over()) {
        let Some(name) = journal_name(area, &run_id)? else { continue };
        let Some(file) = open(area, &name)? else { continue };
        let journal = match Journal::read(area.fs, &file, &run_id) {
            Ok(journal) => journal,
            // It may be half written, and then nothing came of it.
            Err(_) if traces.commit.is_none() => continue,
            Err(error) => return Err(error.of(&run_id)),
        };
        if journal.steps.iter().any(|step| targets.contains(&step.path.fold_key())) {
            return Ok(Some(run_id));
        }
    }
    Ok(None)
}

/// Settles one run, of which these traces were found; `None` if it is alive or settled by someone else meanwhile.
pub(crate) fn settle<F: Fs>(
    area: &Area<'_, F>,
    run_id: &RunId,
    traces: &Traces,
) -> Result<Option<Recovered>, RunError> {
    let names = Names(run_id);
    let Some(name) = journal_name(area, run_id)? else {
        // Neither intent nor commit: what is left are files that no one needs. Unless it has just come to its end; or somebody took
        // the journal away: then an old file may be among them.
        if area.ended(run_id)?.is_none()
            && matches!(area.fs.recorded_state(run_id), RecordedState::Unknown | RecordedState::Over)
        {
            discard(area, run_id, traces)?;
        }
        return Ok(None);
    };
    let Some(file) = hold(area, run_id, &name)? else { return Ok(None) };
    if name == names.intent() {
        let journal = Journal::read(area.fs, &file, run_id).ok();
        let plan_id = journal.as_ref().map(|journal| journal.plan_id.clone());
        if let Some(journal) = journal.filter(|_| area.fs.recorded_state(run_id) != RecordedState::Over) {
            let mut committed = Committed::found(area, journal, file);
            if committed.shows()? {
                return leave_as_found(committed).map(Some);
            }
        }
        discard(area, run_id, traces)?;
        return Ok(Some(Recovered { run_id: run_id.clone(), plan_id, outcome: Outcome::NothingDone }));
    }
    let journal = Journal::read(area.fs, &file, run_id).map_err(|error| error.of(run_id))?;
    // Where a person has to look nothing is finished any more.
    let only_back = match area.fs.recorded_state(run_id) {
        RecordedState::Unknown | RecordedState::Running => false,
        RecordedState::Attention => true,
        RecordedState::Over => return Err(RunError::UnknownRun { run_id: run_id.clone() }),
    };
    let never = AtomicBool::new(false);
    let patience = Patience { wait: WAIT, cancel: &never };
    let targets: Vec<_> = journal.steps.iter().map(|step| step.path.clone()).collect();
    let _locks = Locks::take(area, run_id, targets.iter(), &patience)?;
    // Before the locks were ours it may have come to its end, or it may have been decided that it is put back.
    match area.runs()?.remove(run_id) {
        Some(now) if !now.is_over() => conclude(Committed::found(area, journal, file), now.back || only_back).map(Some),
        _ => Ok(None),
    }
}

/// Finishes a committed run, or puts it back.
fn conclude<F: Fs>(mut committed: Committed<'_, F>, decided_back: bool) -> Result<Recovered, RunError> {
    let run_id = committed.journal.run_id.clone();
    let plan_id = Some(committed.journal.plan_id.clone());
    // After a mere kill the commit record may be in memory only.
    committed.area.sync().map_err(|error| unsettled(&run_id, &error))?;
    let forward = !decided_back && committed.can_go_forward().map_err(|error| unsettled(&run_id, &error))?;
    if forward {
        match committed.go_forward() {
            Ok(()) => {
                let kept = committed.tidy();
                let receipts = Receipts { kept, ..receipts(&committed.journal) };
                return Ok(Recovered { run_id, plan_id, outcome: Outcome::Completed(receipts) });
            }
            Err(Halt::Io(error)) if error.is_sync() => return Err(unsettled(&run_id, &error)),
            Err(_) => {}
        }
    }
    let adopts = committed.journal.adopts;
    let kept =
        committed.decide_back().and_then(|()| committed.put_back()).map_err(|error| unsettled(&run_id, &error))?;
    let outcome = match kept.is_empty() {
        true if adopts => Outcome::NotAdopted,
        true => Outcome::RolledBack,
        false => Outcome::EditsKept(kept),
    };
    Ok(Recovered { run_id, plan_id, outcome })
}

/// Nothing is visible of a run before its commit. If something is, somebody renamed its journal, or wrote what was approved: nobody
/// can tell, so everything stays as it is, before-images too.
fn leave_as_found<F: Fs>(mut committed: Committed<'_, F>) -> Result<Recovered, RunError> {
    let (run_id, plan_id) = (committed.journal.run_id.clone(), Some(committed.journal.plan_id.clone()));
    let changed = committed.not_as_before()?;
    committed.area.mark(&run_id, Mark::Contradicted)?;
    committed.area.sync()?;
    Ok(Recovered { run_id, plan_id, outcome: Outcome::Contradicted(changed) })
}

fn unsettled(run_id: &RunId, error: &IoError) -> RunError {
    RunError::NeedsAttention { run_id: run_id.clone(), what: error.to_string() }
}

/// Whether a living process holds the lock on a journal; `None` if there is none of this name.
fn is_alive<F: Fs>(area: &Area<'_, F>, name: &str) -> Result<Option<bool>, IoError> {
    // A lock that is only tried is given up before anybody else can meet it.
    let _desk = Desk::open_to_read(area)?;
    let Some(file) = open(area, name)? else { return Ok(None) };
    Ok(Some(!area.fs.lock(&file).map_err(IoError::of("lock", &shown(name)))?))
}

/// The journal of a dead run, locked; `None` if it is alive or gone.
fn hold<F: Fs>(area: &Area<'_, F>, run_id: &RunId, name: &str) -> Result<Option<F::File>, RunError> {
    let Some(file) = open(area, name)? else { return Ok(None) };
    let io = |call| IoError::of(call, name);
    let desk = Desk::open(area)?;
    if !area.fs.lock(&file).map_err(io("lock"))? {
        return Ok(None);
    }
    drop(desk);
    let ours = area.fs.stat(&file).map_err(io("look at"))?;
    // Between opening and locking it may have been renamed or removed.
    match journal_name(area, run_id)? {
        Some(now) if now == name => {}
        _ => return Ok(None),
    }
    match area.fs.stat_in(&area.dir, name) {
        Ok(now) if now.id == ours.id => Ok(Some(file)),
        Ok(_) | Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(io("look at")(errno).into()),
    }
}

/// Drops what a run left that never came to its commit, or was put back.
fn discard<F: Fs>(area: &Area<'_, F>, run_id: &RunId, traces: &Traces) -> Result<(), IoError> {
    let names = Names(run_id);
    for name in &traces.files {
        area.remove(name)?;
    }
    for mark in Mark::OPEN {
        area.unmark(run_id, mark)?;
    }
    area.remove(&names.intent())
}

/// Removes what a run that is over left among the open ones.
fn tidy<F: Fs>(area: &Area<'_, F>, run_id: &RunId) -> Result<(), RunError> {
    let Some(file) = open_over(area, run_id)? else { return Ok(()) };
    let desk = Desk::open(area)?;
    // It may be at it itself.
    if !area.fs.lock(&file).map_err(IoError::of("lock", OVER))? {
        return Ok(());
    }
    drop(desk);
    let journal = Journal::read(area.fs, &file, run_id).map_err(|error| error.of(run_id))?;
    Committed::found(area, journal, file).tidy();
    Ok(())
}
