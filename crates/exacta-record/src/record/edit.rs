//! Changes of one plan, made to the record that the log vouched for. What is then in the database must be the same.

use crate::error::RecordError;
use crate::plan::{ChangesRequested, NewPlan};
use crate::row::{PlanBody, PlanRow, RunRow, Statements, StoredPlan, signed, sort};
use crate::run::{RunRecord, RunState};
use crate::sqlite::db::Db;
use crate::sqlite::{plans, runs};
use exacta_kernel::approval::SignedStatement;
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use serde_json::Value;
use std::sync::Arc;

impl StoredPlan {
    /// A new plan, which is put in.
    pub fn insert(db: &Db<'_>, plan: &NewPlan, at: Timestamp) -> Result<Self, RecordError> {
        let row = PlanRow {
            id: plan.id.to_string(),
            correlation_id: plan.correlation_id.to_string(),
            version: signed(plan.version),
            status: plan.status.name().to_owned(),
            status_at: at.as_millis(),
            created_at: plan.created_at.as_millis(),
            expires_at: plan.expires_at.as_millis(),
            session: plan.session.to_string(),
            plan_hash: plan.plan_hash.to_string(),
            content_hash: plan.content_hash.to_string(),
            derived_from: plan.derived_from.as_ref().map(PlanId::to_string),
            revises: plan.revises.as_ref().map(PlanId::to_string),
            summary: serde_json::to_string(&plan.summary)?,
            risk_score: None,
            quality_score: None,
            decided_by: None,
            usable: !plan.status.is_final(),
            seq: 0,
        };
        let (identity, view) = (serde_json::to_string(&plan.identity)?, serde_json::to_string(&plan.view)?);
        let body = PlanBody::new(identity.into(), view.into(), plan.proposal.as_deref().map(Arc::from));
        plans::insert(db, &row, &body)?;
        Ok(Self { row, body: Some(Arc::new(body)), statements: Statements::default(), runs: Vec::new() })
    }

    /// Gives it another status.
    pub fn set_status(&mut self, to: Status, at: Timestamp) {
        to.name().clone_into(&mut self.row.status);
        self.row.status_at = at.as_millis();
        self.row.usable = !to.is_final();
    }

    /// Adds a signed decision.
    pub fn add_approval(&mut self, db: &Db<'_>, approval: &SignedStatement) -> Result<(), RecordError> {
        let approval = serde_json::to_string(approval)?;
        plans::add_approval(db, &self.row.id, self.statements.approvals.len(), &approval)?;
        self.statements.approvals.push(approval);
        Ok(())
    }

    /// Adds a request for changes.
    pub fn add_feedback(&mut self, db: &Db<'_>, asked: &ChangesRequested) -> Result<(), RecordError> {
        let asked = serde_json::to_string(asked)?;
        plans::add_feedback(db, &self.row.id, self.statements.feedback.len(), &asked)?;
        self.statements.feedback.push(asked);
        Ok(())
    }

    /// Adds a run that begins. The plan has had its run then, and can no longer expire.
    pub fn start_run(&mut self, db: &Db<'_>, run: &RunRecord, at: Timestamp) -> Result<(), RecordError> {
        let run = RunRow::starting(run, at)?;
        runs::insert(db, &run)?;
        self.runs.push(run);
        sort(&mut self.runs);
        self.row.usable = false;
        Ok(())
    }

    /// Ends a run.
    pub fn finish_run(
        &mut self,
        db: &Db<'_>,
        id: &RunId,
        state: RunState,
        receipts: &Value,
        at: Timestamp,
    ) -> Result<(), RecordError> {
        let run = self.own_run(id)?;
        run.ended_at = Some(at.as_millis());
        run.receipts = serde_json::to_string(receipts)?;
        self.set_run_state(db, id, state)
    }

    /// Writes how a run stands now.
    pub fn set_run_state(&mut self, db: &Db<'_>, id: &RunId, state: RunState) -> Result<(), RecordError> {
        let run = self.own_run(id)?;
        state.name().clone_into(&mut run.state);
        runs::update(db, run)
    }

    fn own_run(&mut self, id: &RunId) -> Result<&mut RunRow, RecordError> {
        let run = self.runs.iter_mut().find(|run| run.id == id.as_str());
        run.ok_or_else(|| RecordError::UnknownRun(id.clone()))
    }

    /// Takes over what the entries of a change say about the plan, and the place of the last of them; and writes its row.
    pub fn touch(&mut self, db: &Db<'_>, entries: &[EntryDraft], seq: u64) -> Result<(), RecordError> {
        let id = self.row.id.clone();
        let about = || entries.iter().filter(|entry| entry.plan_id.as_ref().is_some_and(|plan| plan.as_str() == id));
        let decides = |event: Event| matches!(event, Event::PlanApproved | Event::PlanRejected | Event::PlanExpired);
        let risk = about().filter_map(|entry| entry.risk_score).next_back();
        let quality = about().filter_map(|entry| entry.quality_score).next_back();
        let decided_by = about().rfind(|entry| decides(entry.event)).map(|entry| entry.actor.to_string());
        let row = &mut self.row;
        row.risk_score = risk.map(i64::from).or(row.risk_score);
        row.quality_score = quality.map(|score| i64::from(score.0)).or(row.quality_score);
        row.decided_by = decided_by.or_else(|| row.decided_by.take());
        row.seq = signed(seq);
        plans::update(db, row)
    }
}
