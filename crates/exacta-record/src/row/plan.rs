//! A plan's rows as plain values: its row, its body, what people stated about it, and its runs. Neither SQL nor proofs.

use super::{RunRow, unsigned};
use crate::error::RecordError;
use crate::plan::{ChangesRequested, PlanRecord, PlanSummary, Scores};
use crate::plan_file::PlanFile;
use crate::run::RunRecord;
use exacta_kernel::approval::SignedStatement;
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A plan with everything that belongs to it.
#[derive(Debug)]
pub struct StoredPlan {
    pub row: PlanRow,
    /// `None` if it was taken away.
    pub body: Option<Arc<PlanBody>>,
    pub statements: Statements,
    /// Oldest first.
    pub runs: Vec<RunRow>,
}

/// A plan's row, as it is stored; without its body.
#[derive(Debug, Clone)]
pub struct PlanRow {
    pub id: String,
    pub correlation_id: String,
    pub version: i64,
    pub status: String,
    pub status_at: i64,
    pub created_at: i64,
    pub expires_at: i64,
    pub session: String,
    pub plan_hash: String,
    pub content_hash: String,
    pub derived_from: Option<String>,
    pub revises: Option<String>,
    pub summary: String,
    pub risk_score: Option<i64>,
    pub quality_score: Option<i64>,
    pub decided_by: Option<String>,
    pub usable: bool,
    pub seq: i64,
}

/// The large part of a plan, which never changes.
#[derive(Debug)]
pub struct PlanBody {
    pub identity: Arc<str>,
    pub view: Arc<str>,
    pub proposal: Option<Arc<[u8]>>,
    /// The hashes of the three, once somebody asked.
    pub hashes: OnceLock<[Option<Digest>; 3]>,
}

/// What people stated about a plan.
#[derive(Debug, Default)]
pub struct Statements {
    /// Signed decisions, each as JSON text.
    pub approvals: Vec<String>,
    /// Requests for changes, each as JSON text.
    pub feedback: Vec<String>,
}

impl StoredPlan {
    /// The content of the plan's file, in parts.
    pub fn file(&self, path: &Path) -> Result<[Cow<'_, str>; 3], RecordError> {
        let body = self.body.as_deref().ok_or_else(|| self.row.impossible(path, "body"))?;
        self.row.file(body, &self.statements, &self.runs)
    }

    /// The plan, to be handed out.
    pub fn record(self, path: &Path) -> Result<PlanRecord, RecordError> {
        let runs = self.runs.iter().map(|run| run.record(path)).collect::<Result<Vec<_>, _>>()?;
        let run = runs.into_iter().find(|run| run.undoes.is_none());
        let body = self.body.ok_or_else(|| self.row.impossible(path, "body"))?;
        self.row.record(path, &body, self.statements, run)
    }
}

impl PlanRow {
    /// Its status, if it is one.
    pub fn status(&self, path: &Path) -> Result<Status, RecordError> {
        Status::parse(&self.status).ok_or_else(|| self.impossible(path, "status"))
    }

    /// The content of the plan's file.
    pub fn file<'a>(
        &self,
        body: &'a PlanBody,
        statements: &Statements,
        runs: &[RunRow],
    ) -> Result<[Cow<'a, str>; 3], RecordError> {
        let (undos, own): (Vec<&RunRow>, Vec<&RunRow>) = runs.iter().partition(|run| run.undoes.is_some());
        let run = own.first().map(|run| run.json()).transpose()?;
        let undos = undos.into_iter().map(RunRow::json).collect::<Result<Vec<String>, _>>()?;
        let Scores { risk, quality } = self.scores();
        Ok(PlanFile {
            as_of: self.place(),
            timestamp: Timestamp::from_millis(self.created_at).to_string(),
            status: &self.status,
            status_at: Timestamp::from_millis(self.status_at).to_string(),
            risk_score: risk,
            quality_score: serde_json::to_value(quality)?,
            decided_by: self.decided_by.as_deref(),
            approvals: &statements.approvals,
            feedback: &statements.feedback,
            run: run.as_deref(),
            undos: &undos,
        }
        .around(&body.view))
    }

    /// The newest entry about it.
    pub fn place(&self) -> u64 {
        unsigned(self.seq)
    }

    /// Whether it was made in this session.
    pub fn is_of(&self, session: &SessionId) -> bool {
        self.session == session.as_str()
    }

    /// Its own id and its operation's.
    pub fn ids(&self, path: &Path) -> Result<(PlanId, CorrelationId), RecordError> {
        let correlation =
            CorrelationId::parse(&self.correlation_id).map_err(|_| self.impossible(path, "correlation"))?;
        Ok((PlanId::parse(&self.id).map_err(|_| self.impossible(path, "id"))?, correlation))
    }

    /// The error for a part that none of our versions writes.
    pub fn impossible(&self, path: &Path, what: &str) -> RecordError {
        RecordError::corrupt(path, format!("plan `{}` has an impossible {what}", self.id))
    }

    /// The plan with all that belongs to it, to be handed out.
    pub fn record(
        self,
        path: &Path,
        body: &PlanBody,
        statements: Statements,
        run: Option<RunRecord>,
    ) -> Result<PlanRecord, RecordError> {
        let signed: Result<Vec<SignedStatement>, _> =
            statements.approvals.iter().map(|text| serde_json::from_str(text)).collect();
        let feedback: Result<Vec<ChangesRequested>, _> =
            statements.feedback.iter().map(|text| serde_json::from_str(text)).collect();
        let head = self.summary(path)?;
        Ok(PlanRecord {
            id: head.id,
            correlation_id: head.correlation_id,
            version: head.version,
            status: head.status,
            status_at: head.status_at,
            created_at: head.created_at,
            expires_at: head.expires_at,
            session: head.session,
            plan_hash: head.plan_hash,
            content_hash: Digest::parse(&self.content_hash).map_err(|_| self.impossible(path, "content hash"))?,
            identity: Arc::clone(&body.identity),
            view: Arc::clone(&body.view),
            proposal: body.proposal.clone(),
            summary: head.summary,
            scores: self.scores(),
            derived_from: self.plan_id(path, self.derived_from.as_deref())?,
            revises: self.plan_id(path, self.revises.as_deref())?,
            approvals: signed.map_err(|_| self.impossible(path, "approval"))?,
            feedback: feedback.map_err(|_| self.impossible(path, "request for changes"))?,
            run,
        })
    }

    /// Risk and quality, as they were entered last.
    pub fn scores(&self) -> Scores {
        let number = |score: Option<i64>| score.and_then(|score| u32::try_from(score).ok());
        Scores { risk: number(self.risk_score), quality: number(self.quality_score).map(BasisPoints) }
    }

    /// What a list shows of it, but for its run.
    pub fn summary(&self, path: &Path) -> Result<PlanSummary, RecordError> {
        Ok(PlanSummary {
            id: PlanId::parse(&self.id).map_err(|_| self.impossible(path, "id"))?,
            correlation_id: CorrelationId::parse(&self.correlation_id)
                .map_err(|_| self.impossible(path, "correlation"))?,
            version: unsigned(self.version),
            status: self.status(path)?,
            status_at: Timestamp::from_millis(self.status_at),
            created_at: Timestamp::from_millis(self.created_at),
            expires_at: Timestamp::from_millis(self.expires_at),
            session: SessionId::parse(&self.session).map_err(|_| self.impossible(path, "session"))?,
            plan_hash: Digest::parse(&self.plan_hash).map_err(|_| self.impossible(path, "hash"))?,
            summary: serde_json::from_str(&self.summary).map_err(|_| self.impossible(path, "summary"))?,
            run: None,
        })
    }

    fn plan_id(&self, path: &Path, id: Option<&str>) -> Result<Option<PlanId>, RecordError> {
        id.map(|id| PlanId::parse(id).map_err(|_| self.impossible(path, "ancestor"))).transpose()
    }
}

impl PlanBody {
    pub const fn new(identity: Arc<str>, view: Arc<str>, proposal: Option<Arc<[u8]>>) -> Self {
        Self { identity, view, proposal, hashes: OnceLock::new() }
    }
}
