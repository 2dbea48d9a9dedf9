//! The one interface to everything that is remembered.

use crate::error::StoreError;
use crate::record::{
    Change, ChangesRequested, EntryFilter, Filter, NewPlan, Outcome, PlanRecord, PlanSummary, RunFilter, RunRecord,
    RunState, Start,
};
use exacta_kernel::approval::SignedStatement;
use exacta_kernel::audit::{Entry, EntryDraft, LogReceipt, SignedCheckpoint};
use exacta_kernel::id::{PlanId, RunId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use serde_json::Value;

/// Plans, approvals, runs and the audit log of one project.
///
/// Every change of a record comes with at least one audit entry, and both happen or neither does. When a call returns, its
/// entries are in the log file and on disk. Each change is atomic: of any number that race, exactly one wins.
///
/// A store that was opened to write changes a plan or a run, and hands a single one out, only if it is what the log was
/// written with. Lists are for people, and are as they are found.
pub trait Store: Send {
    /// Remembers a new plan.
    ///
    /// # Errors
    /// [`StoreError`]; also for an id that is taken.
    fn insert_plan(&mut self, plan: &NewPlan, entries: &[EntryDraft], at: Timestamp) -> Result<(), StoreError>;

    /// The plan of this id.
    ///
    /// # Errors
    /// [`StoreError`].
    fn plan(&self, id: &PlanId) -> Result<Option<PlanRecord>, StoreError>;

    /// The plans that the log knows whose short form begins with `prefix`, or if there is none whose id does; at most 20 of them, so
    /// that a person can type the beginning of one.
    ///
    /// # Errors
    /// [`StoreError`].
    fn find(&self, prefix: &str) -> Result<Vec<PlanId>, StoreError>;

    /// The short id of each plan: the fewest characters, at least four, that tell it from all other plans that the log knows.
    ///
    /// # Errors
    /// [`StoreError`].
    fn short_ids(&self, ids: &[PlanId]) -> Result<Vec<String>, StoreError>;

    /// Plans, newest first.
    ///
    /// # Errors
    /// [`StoreError`].
    fn list(&self, filter: &Filter) -> Result<Vec<PlanSummary>, StoreError>;

    /// Changes a plan's status if it still stands where the change says.
    ///
    /// # Errors
    /// [`StoreError`]; also for an unknown plan and for a change the lifecycle does not have.
    fn transition(
        &mut self,
        id: &PlanId,
        change: &Change,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Outcome, StoreError>;

    /// Adds a signed decision to a plan that is approved and has not run; its status stays.
    ///
    /// # Errors
    /// [`StoreError`]; also for an unknown plan.
    fn add_approval(
        &mut self,
        id: &PlanId,
        approval: &SignedStatement,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Outcome, StoreError>;

    /// Adds a request for changes to a plan that is not final; its status stays.
    ///
    /// # Errors
    /// [`StoreError`]; also for an unknown plan.
    fn add_feedback(
        &mut self,
        id: &PlanId,
        asked: &ChangesRequested,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Outcome, StoreError>;

    /// Starts a run: the plan must stand at one of `from`, have had no run (or the undone run no other undo), and fewer
    /// than `max_running` runs may be going on. `may` has the last word, when nothing has to be waited for any more: it is told
    /// the time that the run's entry gets, which is never before the last one's.
    ///
    /// # Errors
    /// [`StoreError`]; also for an unknown plan.
    fn start_run(
        &mut self,
        run: &RunRecord,
        from: &[Status],
        max_running: u32,
        may: &mut dyn FnMut(Timestamp) -> bool,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Start, StoreError>;

    /// Ends a run that is going on or needs attention; the run as it is then. When an undo completes, the run it takes back
    /// becomes `undone`; if that one was itself an undo, what it had taken back is `completed` again, and so on.
    ///
    /// # Errors
    /// [`StoreError`]; also for an unknown run and for one that has ended.
    fn finish_run(
        &mut self,
        id: &RunId,
        state: RunState,
        receipts: &Value,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<RunRecord, StoreError>;

    /// Runs, newest first.
    ///
    /// # Errors
    /// [`StoreError`].
    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, StoreError>;

    /// The run of this id.
    ///
    /// # Errors
    /// [`StoreError`].
    fn run(&self, id: &RunId) -> Result<Option<RunRecord>, StoreError>;

    /// The runs without an end: going on, crashed and not yet recovered, or in need of a person. Exactly those, also where
    /// somebody hid one.
    ///
    /// # Errors
    /// [`StoreError`].
    fn open_runs(&self) -> Result<Vec<RunRecord>, StoreError>;

    /// The runs that are going on, or crashed and not yet recovered.
    ///
    /// # Errors
    /// [`StoreError`].
    fn running(&self) -> Result<Vec<RunRecord>, StoreError> {
        Ok(self.open_runs()?.into_iter().filter(|run| run.state == RunState::Running).collect())
    }

    /// Records what changes no plan and no run: refusals, changes of policy, profile and approvers.
    ///
    /// # Errors
    /// [`StoreError`].
    fn record(&mut self, entries: &[EntryDraft], at: Timestamp) -> Result<(), StoreError> {
        self.record_with(entries, at, &mut ())
    }

    /// Records something that is done outside the records, in the moment it is done: after everything else that can fail, and not at
    /// all if `deed` says that it was not done.
    ///
    /// # Errors
    /// [`StoreError`]. Unless it is [`StoreError::Unfinished`], the deed was not done, or was put back.
    fn record_with(&mut self, entries: &[EntryDraft], at: Timestamp, deed: &mut dyn Deed) -> Result<(), StoreError>;

    /// Expires every usable plan whose time is over, and all usable plans of a session that has ended.
    ///
    /// # Errors
    /// [`StoreError`].
    fn expire_due(&mut self, now: Timestamp, ended: Option<&SessionId>) -> Result<Vec<PlanId>, StoreError>;

    /// Audit entries, in the order of the log.
    ///
    /// # Errors
    /// [`StoreError`].
    fn entries(&self, filter: &EntryFilter) -> Result<Vec<Entry>, StoreError>;

    /// The newest signed checkpoint; `None` while the log is empty.
    ///
    /// # Errors
    /// [`StoreError`].
    fn checkpoint(&self) -> Result<Option<SignedCheckpoint>, StoreError>;

    /// Proof that an entry is in the log, to be checked offline; `None` if there is no such entry.
    ///
    /// # Errors
    /// [`StoreError`].
    fn receipt(&self, seq: u64) -> Result<Option<LogReceipt>, StoreError>;
}

/// Something done outside the records that they have an entry of, such as a change of a setting in the user's folder.
pub trait Deed {
    /// Does it, completely or not at all. Whether it was done.
    fn act(&mut self) -> bool;

    /// Puts back what was done: its entry could not be made after all.
    fn put_back(&mut self);
}

/// Nothing is done outside.
impl Deed for () {
    fn act(&mut self) -> bool {
        true
    }

    fn put_back(&mut self) {}
}
