//! Changes of plans and runs. Each is one transaction with its entries, and of any number that race exactly one wins.

use super::Record;
use super::change::{Attempt, Touched};
use super::verified::Verified;
use crate::error::RecordError;
use crate::plan::{Change, ChangesRequested, NewPlan, Outcome, Scores};
use crate::row::{StoredPlan, rival};
use crate::run::{RunRecord, RunState};
use crate::sqlite::db::Db;
use crate::sqlite::plans;
use exacta_kernel::approval::SignedStatement;
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::id::{PlanId, RunId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use serde_json::Value;

impl Record {
    /// Remembers a new plan.
    ///
    /// # Errors
    /// [`RecordError`]; also for an id that is taken.
    pub fn insert_plan(&mut self, plan: &NewPlan, entries: &[EntryDraft], at: Timestamp) -> Result<(), RecordError> {
        self.insert(std::slice::from_ref(plan), entries, at)
    }

    /// Changes a plan's status if it still stands where the change says.
    ///
    /// # Errors
    /// [`RecordError`]; also for an unknown plan and for a change the lifecycle does not have.
    pub fn transition(
        &mut self,
        id: &PlanId,
        change: &Change,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Outcome, RecordError> {
        let (from, to) = (change.from, change.to);
        if !from.may_become(to) {
            return Err(RecordError::NotATransition { from, to });
        }
        self.change(entries, at, |verified, at| {
            let (db, mut plan) = (&verified.db, verified.existing(id)?);
            let status = plan.row.status(db.path)?;
            // An approved plan that has run stays approved: what happened after is the run's state.
            let over = from.is_approved() && !plan.row.usable;
            if over || status != from {
                return Ok(Attempt::Nothing(Outcome::Lost { status }));
            }
            plan.set_status(to, at);
            if let Some(approval) = &change.approval {
                plan.add_approval(db, approval)?;
            }
            let mut touched = Touched::of(plan);
            if let Some(other) = &change.also_expire {
                let other = verified.existing(other)?;
                expire(db, other, "a plan made from some of its steps was approved", at, &mut touched)?;
            }
            Ok(Attempt::Change(Outcome::Done, touched))
        })
    }

    /// Adds a signed decision to a plan that is approved and has not run; its status stays.
    ///
    /// # Errors
    /// [`RecordError`]; also for an unknown plan.
    pub fn add_approval(
        &mut self,
        id: &PlanId,
        approval: &SignedStatement,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Outcome, RecordError> {
        self.change(entries, at, |verified, _| {
            let (db, mut plan) = (&verified.db, verified.existing(id)?);
            let status = plan.row.status(db.path)?;
            if !status.is_approved() || !plan.row.usable {
                return Ok(Attempt::Nothing(Outcome::Lost { status }));
            }
            plan.add_approval(db, approval)?;
            Ok(Attempt::Change(Outcome::Done, Touched::of(plan)))
        })
    }

    /// Adds a request for changes to a plan that is not final; its status stays.
    ///
    /// # Errors
    /// [`RecordError`]; also for an unknown plan.
    pub fn add_feedback(
        &mut self,
        id: &PlanId,
        asked: &ChangesRequested,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<Outcome, RecordError> {
        self.change(entries, at, |verified, _| {
            let (db, mut plan) = (&verified.db, verified.existing(id)?);
            let status = plan.row.status(db.path)?;
            if status.is_final() {
                return Ok(Attempt::Nothing(Outcome::Lost { status }));
            }
            plan.add_feedback(db, asked)?;
            Ok(Attempt::Change(Outcome::Done, Touched::of(plan)))
        })
    }

    /// Ends a run that is going on or needs attention; the run as it is then. When an undo completes, the run it undoes
    /// becomes `undone`; if that one was itself an undo, what it had undone is `completed` again, and so on.
    ///
    /// # Errors
    /// [`RecordError`]; also for an unknown run and for one that has ended.
    pub fn finish_run(
        &mut self,
        id: &RunId,
        state: RunState,
        receipts: &Value,
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<RunRecord, RecordError> {
        self.change(entries, at, |verified, at| {
            let (db, run) = (&verified.db, known(verified, id)?);
            if !run.state.is_open() {
                return Err(RecordError::RunEnded { id: id.clone(), state: run.state });
            }
            let others = if state == RunState::Completed { states_after_undo(verified, &run)? } else { Vec::new() };
            let (mut plan, mut runs) = (verified.existing(&run.plan_id)?, vec![id.clone()]);
            plan.finish_run(db, id, state, receipts, at)?;
            for (other, state) in others {
                plan.set_run_state(db, &other, state)?;
                runs.push(other);
            }
            let touched = Touched { runs, happened: true, ..Touched::of(plan) };
            let ended = RunRecord { state, ended_at: Some(at), receipts: receipts.clone(), ..run };
            Ok(Attempt::Change(ended, touched))
        })
    }

    /// Expires every usable plan whose time is over, and all usable plans of a session that has ended.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn expire_due(&mut self, now: Timestamp, ended: Option<&SessionId>) -> Result<Vec<PlanId>, RecordError> {
        // Mostly there is nothing to do, and then nobody has to wait.
        if plans::due(&self.db(), now, ended)?.is_empty() {
            return Ok(Vec::new());
        }
        self.change(&[], now, |verified, at| {
            let (db, mut touched) = (&verified.db, Touched::default());
            for id in plans::due(db, now, ended)? {
                let plan = verified.existing(&id)?;
                let of_session = ended.is_some_and(|session| plan.row.is_of(session));
                let reason = if of_session { "its session ended" } else { "its time was over" };
                expire(db, plan, reason, at, &mut touched)?;
            }
            let expired = touched.plans.iter().map(|plan| Ok(plan.row.ids(db.path)?.0));
            let expired = expired.collect::<Result<Vec<PlanId>, RecordError>>()?;
            if expired.is_empty() { Ok(Attempt::Nothing(expired)) } else { Ok(Attempt::Change(expired, touched)) }
        })
    }
}

impl Record {
    /// Remembers many new plans in one change. Which entry is about which plan, the entries say.
    ///
    /// # Errors
    /// As [`Record::insert_plan`]; then none is remembered.
    pub fn insert(&mut self, new: &[NewPlan], entries: &[EntryDraft], at: Timestamp) -> Result<(), RecordError> {
        self.change(entries, at, |verified, at| {
            let mut touched = Touched::default();
            for plan in new {
                if verified.plan(plan.id.as_str())?.is_some() {
                    return Err(RecordError::DuplicatePlan(plan.id.clone()));
                }
                for ancestor in plan.derived_from.iter().chain(&plan.revises) {
                    verified.existing(ancestor)?;
                }
                touched.plans.push(StoredPlan::insert(&verified.db, plan, at)?);
                if let Some(old) = &plan.revises {
                    replace_version(verified, old, plan.version, at, &mut touched)?;
                }
            }
            Ok(Attempt::Change((), touched))
        })
    }
}

fn known(verified: &Verified<'_>, id: &RunId) -> Result<RunRecord, RecordError> {
    let run = verified.run(id.as_str())?.ok_or_else(|| RecordError::UnknownRun(id.clone()))?;
    run.record(verified.db.path)
}

/// Expires a plan if it still can, with an entry of its own.
fn expire(
    db: &Db<'_>,
    mut plan: StoredPlan,
    reason: &str,
    at: Timestamp,
    touched: &mut Touched,
) -> Result<(), RecordError> {
    let (id, correlation) = plan.row.ids(db.path)?;
    if plan.row.usable && plan.row.status(db.path)?.may_become(Status::Expired) {
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
    verified: &Verified<'_>,
    old: &PlanId,
    version: u64,
    at: Timestamp,
    touched: &mut Touched,
) -> Result<(), RecordError> {
    let plan = verified.existing(old)?;
    match plan.row.status(verified.db.path)? {
        Status::Pending => expire(&verified.db, plan, &format!("version {version} took its place"), at, touched),
        from => Err(RecordError::NotATransition { from, to: Status::Expired }),
    }
}

/// What becomes of the runs before a completed undo: the one that it undoes is undone; if that was itself an undo, what it had
/// undone holds again; if that was one too, what it had undone is undone; and so on.
fn states_after_undo(verified: &Verified<'_>, undo: &RunRecord) -> Result<Vec<(RunId, RunState)>, RecordError> {
    let mut became = Vec::new();
    let (mut next, mut state) = (undo.undoes.clone(), RunState::Undone);
    while let Some(id) = next {
        if state == RunState::Completed && !holds_again(verified, undo, &id)? {
            break;
        }
        next = known(verified, &id)?.undoes;
        became.push((id, state));
        state = if state == RunState::Undone { RunState::Completed } else { RunState::Undone };
    }
    Ok(became)
}

/// Whether a run can hold again that was undone. Where it was an undo, another undo of the same run may have its place by now:
/// a dead one, or one that a person is to look at. Then it stays as it is, and what the files say decides the next time.
fn holds_again(verified: &Verified<'_>, undo: &RunRecord, run: &RunId) -> Result<bool, RecordError> {
    let run = known(verified, run)?;
    let runs = verified.existing(&undo.plan_id)?.runs;
    Ok(run.undoes.is_none() || rival(verified.db.path, &runs, &run)?.is_none())
}
