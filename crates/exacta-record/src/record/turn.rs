//! A process's turn to write. What the caller has to look at last is looked at while it has its turn, by the caller's own code: the
//! record calls nobody from inside a write transaction.

use super::Record;
use super::change::{Attempt, Touched};
use super::verified::Verified;
use crate::error::RecordError;
use crate::folder::Lock;
use crate::row::rival;
use crate::run::{RunRequest, Start};
use crate::sqlite::runs;
use exacta_kernel::audit::EntryDraft;
use exacta_kernel::time::Timestamp;

/// The right to make the next change. Others wait until it is used or dropped; no transaction is open meanwhile.
#[must_use = "others wait for it"]
pub struct Turn<'a> {
    record: &'a mut Record,
    lock: Lock,
}

impl Record {
    /// Waits until no other process writes, and keeps all others from writing.
    ///
    /// # Errors
    /// [`RecordError`]; [`RecordError::Busy`] where others take too long.
    pub fn turn(&mut self) -> Result<Turn<'_>, RecordError> {
        let lock = self.folder.lock()?;
        self.check_place()?;
        Ok(Turn { record: self, lock })
    }

    /// Starts a run if nothing is in its way; see [`Turn::start_run`].
    ///
    /// # Errors
    /// [`RecordError`]; also for an unknown plan.
    pub fn start_run(
        &mut self,
        request: &RunRequest<'_>,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Start, RecordError> {
        self.turn()?.start_run(request, entries, at)
    }

    /// Records what changes no plan and no run: refusals, changes of policy, profile and approvers.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn record(&mut self, entries: &[EntryDraft], at: Timestamp) -> Result<(), RecordError> {
        self.turn()?.record(entries, at)
    }
}

impl<'a> Turn<'a> {
    /// That an entry can be made: the record is ours, and its files are there to be written. What fails after this is a full or
    /// failing disk.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn check_writable(&self) -> Result<(), RecordError> {
        let record = &*self.record;
        let held = record.signer.hold()?;
        let head = record.head(&record.db(), record.signer.pinned()?)?;
        record.heal(&record.db(), &head)?;
        drop(held);
        record.outputs(&head.pending, head.log.size()).map(drop)
    }

    /// What is in the way of a run that is to begin at a time; `None` if nothing is. It stays so as long as this turn lasts.
    ///
    /// # Errors
    /// [`RecordError`]; also for an unknown plan.
    pub fn obstacle(&self, request: &RunRequest<'_>, at: Timestamp) -> Result<Option<Start>, RecordError> {
        self.record.read_verified(|verified| obstacle(verified, request, at.max(verified.last_at)))
    }

    /// Starts a run: the plan must have one of the statuses of the request, have had no run (or the undone run no other undo), and
    /// fewer than `max_running` runs may be going on. Its entry never gets an earlier time than the one before it.
    ///
    /// # Errors
    /// [`RecordError`]; also for an unknown plan.
    pub fn start_run(
        self,
        request: &RunRequest<'_>,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Start, RecordError> {
        let run = request.run;
        self.change(entries, at, |verified, at| {
            if let Some(obstacle) = obstacle(verified, request, at)? {
                return Ok(Attempt::Nothing(obstacle));
            }
            let mut plan = verified.existing(&run.plan_id)?;
            plan.start_run(&verified.db, run, at)?;
            // Every run gets an end, from whoever finds it.
            let touched = Touched { runs: vec![run.id.clone()], goes_on: true, ..Touched::of(plan) };
            Ok(Attempt::Change(Start::Started, touched))
        })
    }

    /// Records what changes no plan and no run.
    ///
    /// # Errors
    /// [`RecordError`]. Unless it is [`RecordError::Unfinished`], no entry was made.
    pub fn record(self, entries: &[EntryDraft], at: Timestamp) -> Result<(), RecordError> {
        self.change(entries, at, |_, _| Ok(Attempt::Change((), Touched::default())))
    }

    /// The record, to be changed under the lock.
    pub(super) fn into_parts(self) -> (&'a mut Record, Lock) {
        (self.record, self.lock)
    }
}

fn obstacle(verified: &Verified<'_>, request: &RunRequest<'_>, at: Timestamp) -> Result<Option<Start>, RecordError> {
    let (path, run) = (verified.db.path, request.run);
    let plan = verified.existing(&run.plan_id)?;
    let status = plan.row.status(path)?;
    if let Some(other) = rival(path, &plan.runs, run)? {
        return Ok(Some(Start::AlreadyRun(other)));
    }
    if !request.from.contains(&status) {
        return Ok(Some(Start::Lost { status }));
    }
    let running = runs::count_running(&verified.db)?;
    if running >= request.max_running {
        return Ok(Some(Start::TooMany { running }));
    }
    match &run.undoes {
        Some(undone) if !plan.runs.iter().any(|run| run.id == undone.as_str()) => {
            Err(RecordError::UnknownRun(undone.clone()))
        }
        _ => Ok(request.before.filter(|end| *end <= at).map(|_| Start::TooLate { at })),
    }
}
