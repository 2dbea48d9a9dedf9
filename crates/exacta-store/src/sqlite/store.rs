//! [`Store`] for [`SqliteStore`].

use super::book::Book;
use super::change::{Act, Touched};
use super::db::Db;
use super::plans;
use super::runs::{self, RunRow};
use super::whole::Whole;
use super::{SqliteStore, ledger};
use crate::error::StoreError;
use crate::log::LogFile;
use crate::record::{
    Change, ChangesRequested, EntryFilter, Filter, NewPlan, Outcome, PlanRecord, PlanSummary, RunFilter, RunRecord,
    RunState, Scores, Start,
};
use crate::store::{Deed, Store};
use exacta_kernel::approval::SignedStatement;
use exacta_kernel::audit::{Actor, Entry, EntryDraft, Event, LogReceipt, SignedCheckpoint, merkle};
use exacta_kernel::id::{CorrelationId, PlanId, RunId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use serde_json::Value;

impl Store for SqliteStore {
    fn insert_plan(&mut self, plan: &NewPlan, entries: &[EntryDraft], at: Timestamp) -> Result<(), StoreError> {
        self.insert(std::slice::from_ref(plan), entries, at)
    }

    fn plan(&self, id: &PlanId) -> Result<Option<PlanRecord>, StoreError> {
        self.look(|db, book| {
            let plan = match book {
                Some(book) => book.plan(id.as_str())?,
                None => Whole::load(db, id.as_str(), &self.seen)?,
            };
            plan.map(|plan| plan.record(db)).transpose()
        })
    }

    fn find(&self, prefix: &str) -> Result<Vec<PlanId>, StoreError> {
        self.named(prefix)
    }

    fn short_ids(&self, ids: &[PlanId]) -> Result<Vec<String>, StoreError> {
        self.short_names(ids)
    }

    fn list(&self, filter: &Filter) -> Result<Vec<PlanSummary>, StoreError> {
        plans::list(&self.db(), filter)
    }

    fn transition(
        &mut self,
        id: &PlanId,
        change: &Change,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Outcome, StoreError> {
        let (from, to) = (change.from, change.to);
        if !from.may_become(to) {
            return Err(StoreError::NotATransition { from, to });
        }
        self.change(entries, at, |book, at| {
            let (db, mut plan) = (&book.db, book.existing(id)?);
            let status = plan.row.status(db)?;
            // An approved plan that has run stays approved: what happened after is the run's state.
            let over = from.is_approved() && !plan.row.usable;
            if over || status != from {
                return Ok(Act::Nothing(Outcome::Lost { status }));
            }
            plan.set_status(to, at);
            if let Some(approval) = &change.approval {
                plan.add_approval(db, approval)?;
            }
            let mut touched = Touched::of(plan);
            if let Some(other) = &change.also_expire {
                let other = book.existing(other)?;
                expire(db, other, "a plan made from some of its steps was approved", at, &mut touched)?;
            }
            Ok(Act::Change(Outcome::Done, touched))
        })
    }

    fn add_approval(
        &mut self,
        id: &PlanId,
        approval: &SignedStatement,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Outcome, StoreError> {
        self.change(entries, at, |book, _| {
            let (db, mut plan) = (&book.db, book.existing(id)?);
            let status = plan.row.status(db)?;
            if !status.is_approved() || !plan.row.usable {
                return Ok(Act::Nothing(Outcome::Lost { status }));
            }
            plan.add_approval(db, approval)?;
            Ok(Act::Change(Outcome::Done, Touched::of(plan)))
        })
    }

    fn add_feedback(
        &mut self,
        id: &PlanId,
        asked: &ChangesRequested,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Outcome, StoreError> {
        self.change(entries, at, |book, _| {
            let (db, mut plan) = (&book.db, book.existing(id)?);
            let status = plan.row.status(db)?;
            if status.is_final() {
                return Ok(Act::Nothing(Outcome::Lost { status }));
            }
            plan.add_feedback(db, asked)?;
            Ok(Act::Change(Outcome::Done, Touched::of(plan)))
        })
    }

    fn start_run(
        &mut self,
        run: &RunRecord,
        from: &[Status],
        max_running: u32,
        may: &mut dyn FnMut(Timestamp) -> bool,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Start, StoreError> {
        self.change(entries, at, |book, at| {
            let (db, mut plan) = (&book.db, book.existing(&run.plan_id)?);
            let status = plan.row.status(db)?;
            if let Some(other) = runs::rival(db, &plan.runs, run)? {
                return Ok(Act::Nothing(Start::AlreadyRun(other)));
            }
            if !from.contains(&status) {
                return Ok(Act::Nothing(Start::Lost { status }));
            }
            let running = runs::count_running(db)?;
            if running >= max_running {
                return Ok(Act::Nothing(Start::TooMany { running }));
            }
            if let Some(undone) = &run.undoes
                && !plan.runs.iter().any(|run| run.id == undone.as_str())
            {
                return Err(StoreError::UnknownRun(undone.clone()));
            }
            if !may(at) {
                return Ok(Act::Nothing(Start::Withdrawn));
            }
            plan.start_run(db, run, at)?;
            // Every run gets an end, from whoever finds it.
            let touched = Touched { runs: vec![run.id.clone()], goes_on: true, ..Touched::of(plan) };
            Ok(Act::Change(Start::Started, touched))
        })
    }

    fn finish_run(
        &mut self,
        id: &RunId,
        state: RunState,
        receipts: &Value,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<RunRecord, StoreError> {
        self.change(entries, at, |book, at| {
            let (db, run) = (&book.db, known(book, id)?);
            if !matches!(run.state, RunState::Running | RunState::NeedsAttention) {
                return Err(StoreError::RunEnded { id: id.clone(), state: run.state });
            }
            let others = if state == RunState::Completed { taken_back(book, &run)? } else { Vec::new() };
            let (mut plan, mut runs) = (book.existing(&run.plan_id)?, vec![id.clone()]);
            plan.finish_run(db, id, state, receipts, at)?;
            for (other, state) in others {
                plan.set_run_state(db, &other, state)?;
                runs.push(other);
            }
            let touched = Touched { runs, happened: true, ..Touched::of(plan) };
            let ended = RunRecord { state, ended_at: Some(at), receipts: receipts.clone(), ..run };
            Ok(Act::Change(ended, touched))
        })
    }

    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, StoreError> {
        runs::list(&self.db(), filter)
    }

    fn run(&self, id: &RunId) -> Result<Option<RunRecord>, StoreError> {
        self.look(|db, book| {
            let run = match book {
                Some(book) => book.run(id.as_str())?,
                None => RunRow::load(db, id.as_str())?,
            };
            run.map(|run| run.record(db)).transpose()
        })
    }

    fn open_runs(&self) -> Result<Vec<RunRecord>, StoreError> {
        self.look(|db, book| match book {
            Some(book) => book.open_runs()?.iter().map(|run| run.record(db)).collect(),
            None => {
                let state = vec![RunState::Running, RunState::NeedsAttention];
                runs::list(db, &RunFilter { state, ..RunFilter::default() })
            }
        })
    }

    fn record_with(&mut self, entries: &[EntryDraft], at: Timestamp, deed: &mut dyn Deed) -> Result<(), StoreError> {
        self.change_with(entries, at, deed, |_, _| Ok(Act::Change((), Touched::default())))
    }

    fn expire_due(&mut self, now: Timestamp, ended: Option<&SessionId>) -> Result<Vec<PlanId>, StoreError> {
        // Mostly there is nothing to do, and then nobody has to wait.
        if plans::due(&self.db(), now, ended)?.is_empty() {
            return Ok(Vec::new());
        }
        self.change(&[], now, |book, at| {
            let (db, mut touched) = (&book.db, Touched::default());
            for id in plans::due(db, now, ended)? {
                let plan = book.existing(&id)?;
                let of_session = ended.is_some_and(|session| plan.row.is_of(session));
                let reason = if of_session { "its session ended" } else { "its time was over" };
                expire(db, plan, reason, at, &mut touched)?;
            }
            let expired = touched.plans.iter().map(|plan| Ok(plan.row.ids(db)?.0));
            let expired = expired.collect::<Result<Vec<PlanId>, StoreError>>()?;
            if expired.is_empty() { Ok(Act::Nothing(expired)) } else { Ok(Act::Change(expired, touched)) }
        })
    }

    fn entries(&self, filter: &EntryFilter) -> Result<Vec<Entry>, StoreError> {
        let correlation = filter.correlation_id.as_ref().map(CorrelationId::as_str);
        // One state of the database, and the file after it: what is not pending then is in the file.
        let tx = self.connection.unchecked_transaction().map_err(StoreError::database(&self.path))?;
        let db = Db { connection: &tx, path: &self.path };
        let pending = ledger::outbox(&db)?;
        let log = LogFile::read(&self.folder)?;
        let lines = ledger::lines_as_recorded(&db, log.as_ref(), &pending, correlation, filter.last)?;
        lines.iter().map(|line| Ok(Entry::parse(line)?)).collect()
    }

    fn checkpoint(&self) -> Result<Option<SignedCheckpoint>, StoreError> {
        self.read_checkpoint()
    }

    fn receipt(&self, seq: u64) -> Result<Option<LogReceipt>, StoreError> {
        let Some(signed) = self.read_checkpoint()? else { return Ok(None) };
        let leaves = ledger::leaves(&self.db(), signed.size())?;
        let Some(hashes) = merkle::inclusion_proof(&leaves, seq) else { return Ok(None) };
        Ok(Some(LogReceipt { index: seq, hashes, checkpoint: signed.note().to_owned() }))
    }
}

impl SqliteStore {
    /// Remembers many new plans in one change. Which entry is about which plan, the entries say.
    ///
    /// # Errors
    /// As [`Store::insert_plan`]; then none is remembered.
    pub fn insert(&mut self, new: &[NewPlan], entries: &[EntryDraft], at: Timestamp) -> Result<(), StoreError> {
        self.change(entries, at, |book, at| {
            let mut touched = Touched::default();
            for plan in new {
                if book.plan(plan.id.as_str())?.is_some() {
                    return Err(StoreError::DuplicatePlan(plan.id.clone()));
                }
                for ancestor in plan.derived_from.iter().chain(&plan.revises) {
                    book.existing(ancestor)?;
                }
                touched.plans.push(Whole::insert(&book.db, plan, at)?);
                if let Some(old) = &plan.revises {
                    replace_version(book, old, plan.version, at, &mut touched)?;
                }
            }
            Ok(Act::Change((), touched))
        })
    }

    /// Reads at one moment; unless the store was opened only to look, through the book that compares with the log.
    fn look<T>(&self, read: impl FnOnce(&Db<'_>, Option<&Book<'_>>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if self.trusting {
            return read(&self.db(), None);
        }
        let pin = self.signer.pinned()?;
        let tx = self.connection.unchecked_transaction().map_err(StoreError::database(&self.path))?;
        let db = Db { connection: &tx, path: &self.path };
        let head = self.head(&db, pin)?;
        read(&db, Some(&Book::new(db, head.state, &self.seen)))
    }
}

fn known(book: &Book<'_>, id: &RunId) -> Result<RunRecord, StoreError> {
    let run = book.run(id.as_str())?.ok_or_else(|| StoreError::UnknownRun(id.clone()))?;
    run.record(&book.db)
}

/// Expires a plan if it still can, with an entry of its own.
fn expire(db: &Db<'_>, mut plan: Whole, reason: &str, at: Timestamp, touched: &mut Touched) -> Result<(), StoreError> {
    let (id, correlation) = plan.row.ids(db)?;
    if plan.row.usable && plan.row.status(db)?.may_become(Status::Expired) {
        plan.set_status(Status::Expired, at);
        let mut draft = EntryDraft::new(Event::PlanExpired, Actor::System, reason).about(&correlation, &id);
        draft.decision = Some(Status::Expired.name().to_owned());
        let Scores { risk, quality } = plan.row.scores();
        (draft.risk_score, draft.quality_score) = (risk, quality);
        touched.entries.push(draft);
        touched.plans.push(plan);
    }
    Ok(())
}

/// A new version ends the one before it, which must still wait: of two that want its place, one gets it.
fn replace_version(
    book: &Book<'_>,
    old: &PlanId,
    version: u64,
    at: Timestamp,
    touched: &mut Touched,
) -> Result<(), StoreError> {
    let plan = book.existing(old)?;
    match plan.row.status(&book.db)? {
        Status::Pending => expire(&book.db, plan, &format!("version {version} took its place"), at, touched),
        from => Err(StoreError::NotATransition { from, to: Status::Expired }),
    }
}

/// What becomes of the runs before a completed undo: the one it takes back is undone; if that was itself an undo, what it had
/// taken back holds again; if that was one too, what it had taken back is undone; and so on.
fn taken_back(book: &Book<'_>, undo: &RunRecord) -> Result<Vec<(RunId, RunState)>, StoreError> {
    let mut became = Vec::new();
    let (mut next, mut state) = (undo.undoes.clone(), RunState::Undone);
    while let Some(id) = next {
        if state == RunState::Completed && !holds_again(book, undo, &id)? {
            break;
        }
        next = known(book, &id)?.undoes;
        became.push((id, state));
        state = if state == RunState::Undone { RunState::Completed } else { RunState::Undone };
    }
    Ok(became)
}

/// Whether a run can hold again that was taken back. Where it was an undo, another undo of the same run may have its place by now:
/// a dead one, or one that a person is to look at. Then it stays as it is, and what the files say decides the next time.
fn holds_again(book: &Book<'_>, undo: &RunRecord, run: &RunId) -> Result<bool, StoreError> {
    let run = known(book, run)?;
    let runs = book.existing(&undo.plan_id)?.runs;
    Ok(run.undoes.is_none() || runs::rival(&book.db, &runs, &run)?.is_none())
}
