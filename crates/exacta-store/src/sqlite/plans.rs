//! Plans in the database.

use super::db::{Db, signed, unsigned};
use super::runs::{self, RunRow};
use super::sheet::Sheet;
use super::whole::Whole;
use crate::error::StoreError;
use crate::files::PlanFile;
use crate::record::{ChangesRequested, Filter, PlanRecord, PlanSummary, RunRecord, RunState, Scores};
use exacta_kernel::approval::SignedStatement;
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, RunId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use rusqlite::types::{ToSql, ValueRef};
use rusqlite::{Row, params};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

const COLUMNS: &str = "id, correlation_id, version, status, status_at, created_at, expires_at, session, plan_hash, \
    content_hash, derived_from, revises, summary, risk_score, quality_score, decided_by, usable, seq";

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
pub struct Body {
    pub identity: Arc<str>,
    pub view: Arc<str>,
    pub proposal: Option<Arc<[u8]>>,
    /// The hashes of the three, once somebody asked.
    pub hashes: OnceLock<[Option<Digest>; 3]>,
}

impl PlanRow {
    pub fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            correlation_id: row.get(1)?,
            version: row.get(2)?,
            status: row.get(3)?,
            status_at: row.get(4)?,
            created_at: row.get(5)?,
            expires_at: row.get(6)?,
            session: row.get(7)?,
            plan_hash: row.get(8)?,
            content_hash: row.get(9)?,
            derived_from: row.get(10)?,
            revises: row.get(11)?,
            summary: row.get(12)?,
            risk_score: row.get(13)?,
            quality_score: row.get(14)?,
            decided_by: row.get(15)?,
            usable: row.get(16)?,
            seq: row.get(17)?,
        })
    }

    pub fn load(db: &Db<'_>, id: &str) -> Result<Option<Self>, StoreError> {
        db.one(&format!("SELECT {COLUMNS} FROM plan WHERE id = ?1"), [id], Self::read)
    }

    /// Every plan in turn, with all that belongs to it.
    pub fn each(db: &Db<'_>, mut visit: impl FnMut(Whole) -> Result<(), StoreError>) -> Result<(), StoreError> {
        // Most plans have nothing but a body; asking here is cheaper than a query for each.
        let sql = format!(
            "SELECT {COLUMNS}, identity, view, proposal, \
             EXISTS (SELECT 1 FROM approval WHERE plan_id = id) OR EXISTS (SELECT 1 FROM feedback WHERE plan_id = id), \
             EXISTS (SELECT 1 FROM run WHERE plan_id = plan.id) \
             FROM plan LEFT JOIN body ON body.plan_id = plan.id ORDER BY plan.id"
        );
        db.each(&sql, [], |row| {
            let read = |row: &Row<'_>| -> rusqlite::Result<_> {
                let body = match row.get_ref(18)? {
                    ValueRef::Null => None,
                    _ => Some(Body::read(row, 18)?),
                };
                Ok((Self::read(row)?, body, row.get::<_, bool>(21)?, row.get::<_, bool>(22)?))
            };
            let (plan, body, has_said, has_runs) = read(row).map_err(StoreError::database(db.path))?;
            let said = if has_said { Said::load(db, &plan.id)? } else { Said::default() };
            let runs = if has_runs { runs::of_plan(db, &plan.id)? } else { Vec::new() };
            visit(Whole { row: plan, body: body.map(Arc::new), said, runs })
        })
    }

    pub fn status(&self, db: &Db<'_>) -> Result<Status, StoreError> {
        Status::parse(&self.status).ok_or_else(|| self.odd(db, "status"))
    }

    /// The hash of all that never changes, from what is stored now.
    fn body_hash(&self, body: &Body) -> Digest {
        let [identity, view, proposal] = body.hashes();
        Sheet::default()
            .text("id", &self.id)
            .text("correlation_id", &self.correlation_id)
            .number("version", Some(self.version))
            .number("created_at", Some(self.created_at))
            .number("expires_at", Some(self.expires_at))
            .text("session", &self.session)
            .text("plan_hash", &self.plan_hash)
            .text("content_hash", &self.content_hash)
            .optional("derived_from", self.derived_from.as_deref())
            .optional("revises", self.revises.as_deref())
            .large("summary", Some(self.summary.as_bytes()))
            .hashes("identity", identity.as_slice())
            .hashes("view", view.as_slice())
            .hashes("proposal", proposal.as_slice())
            .hash()
    }

    /// The hash of the plan as it stands.
    pub fn hash(&self, body: &Body, said: &Said) -> Digest {
        let hashes = |texts: &[String]| -> Vec<Digest> { texts.iter().map(|t| Digest::of(t.as_bytes())).collect() };
        Sheet::default()
            .hashes("body", &[self.body_hash(body)])
            .text("status", &self.status)
            .number("status_at", Some(self.status_at))
            .number("risk_score", self.risk_score)
            .number("quality_score", self.quality_score)
            .optional("decided_by", self.decided_by.as_deref())
            .number("usable", Some(i64::from(self.usable)))
            .number("seq", Some(self.seq))
            .hashes("approvals", &hashes(&said.approvals))
            .hashes("feedback", &hashes(&said.feedback))
            .hash()
    }

    /// The content of the plan's file.
    pub fn file<'a>(&self, body: &'a Body, said: &Said, runs: &[RunRow]) -> Result<[Cow<'a, str>; 3], StoreError> {
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
            approvals: &said.approvals,
            feedback: &said.feedback,
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
    pub fn ids(&self, db: &Db<'_>) -> Result<(PlanId, CorrelationId), StoreError> {
        let correlation = CorrelationId::parse(&self.correlation_id).map_err(|_| self.odd(db, "correlation"))?;
        Ok((PlanId::parse(&self.id).map_err(|_| self.odd(db, "id"))?, correlation))
    }

    /// The error for a part that none of our versions writes.
    pub fn odd(&self, db: &Db<'_>, what: &str) -> StoreError {
        db.corrupt(format!("plan `{}` has an impossible {what}", self.id))
    }
}

impl Body {
    pub const fn new(identity: Arc<str>, view: Arc<str>, proposal: Option<Arc<[u8]>>) -> Self {
        Self { identity, view, proposal, hashes: OnceLock::new() }
    }

    pub fn load(db: &Db<'_>, id: &str) -> Result<Option<Self>, StoreError> {
        db.one("SELECT identity, view, proposal FROM body WHERE plan_id = ?1", [id], |row| Self::read(row, 0))
    }

    /// The body whose parts begin at a column.
    fn read(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        let proposal = row.get_ref(first + 2)?.as_blob_or_null()?.map(Arc::from);
        Ok(Self { identity: row.get(first)?, view: row.get(first + 1)?, proposal, hashes: OnceLock::new() })
    }

    fn hashes(&self) -> &[Option<Digest>; 3] {
        self.hashes.get_or_init(|| {
            let parts = [Some(self.identity.as_bytes()), Some(self.view.as_bytes()), self.proposal.as_deref()];
            parts.map(|part| part.map(Digest::of))
        })
    }
}

/// What people said about a plan.
#[derive(Debug, Default)]
pub struct Said {
    /// Signed decisions, each as JSON text.
    pub approvals: Vec<String>,
    /// Requests for changes, each as JSON text.
    pub feedback: Vec<String>,
}

impl Said {
    pub fn load(db: &Db<'_>, id: &str) -> Result<Self, StoreError> {
        // One question instead of two, and no order asked of SQLite: this is read with every look at a plan.
        let sql = "SELECT 0, n, signed FROM approval WHERE plan_id = ?1 \
                   UNION ALL SELECT 1, n, text FROM feedback WHERE plan_id = ?1";
        let mut said: Vec<(bool, i64, String)> =
            db.all(sql, [id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        said.sort_unstable();
        let (feedback, approvals): (Vec<_>, Vec<_>) = said.into_iter().partition(|(is_feedback, ..)| *is_feedback);
        let texts = |said: Vec<(bool, i64, String)>| said.into_iter().map(|(.., text)| text).collect();
        Ok(Self { approvals: texts(approvals), feedback: texts(feedback) })
    }
}

/// Puts a new plan in.
pub fn insert(db: &Db<'_>, row: &PlanRow, body: &Body) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO plan({COLUMNS}) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)"
    );
    let values = params![
        row.id,
        row.correlation_id,
        row.version,
        row.status,
        row.status_at,
        row.created_at,
        row.expires_at,
        row.session,
        row.plan_hash,
        row.content_hash,
        row.derived_from,
        row.revises,
        row.summary,
        row.risk_score,
        row.quality_score,
        row.decided_by,
        row.usable,
        row.seq
    ];
    db.change(&sql, values)?;
    let sql = "INSERT INTO body(plan_id, identity, view, proposal) VALUES (?1, ?2, ?3, ?4)";
    db.change(sql, params![row.id, &*body.identity, &*body.view, body.proposal.as_deref()])
}

/// Writes all of a plan's row that ever changes.
pub fn update(db: &Db<'_>, row: &PlanRow) -> Result<(), StoreError> {
    db.change(
        "UPDATE plan SET status = ?2, status_at = ?3, usable = ?4, risk_score = ?5, quality_score = ?6, \
         decided_by = ?7, seq = ?8 WHERE id = ?1",
        params![
            row.id,
            row.status,
            row.status_at,
            row.usable,
            row.risk_score,
            row.quality_score,
            row.decided_by,
            row.seq
        ],
    )
}

/// Adds a signed decision, the one of this number.
pub fn add_approval(db: &Db<'_>, id: &str, n: usize, approval: &str) -> Result<(), StoreError> {
    db.change("INSERT INTO approval(plan_id, n, signed) VALUES (?1, ?2, ?3)", params![id, signed(n as u64), approval])
}

/// Adds a request for changes, the one of this number.
pub fn add_feedback(db: &Db<'_>, id: &str, n: usize, asked: &str) -> Result<(), StoreError> {
    db.change("INSERT INTO feedback(plan_id, n, text) VALUES (?1, ?2, ?3)", params![id, signed(n as u64), asked])
}

impl PlanRow {
    /// The plan with all that belongs to it, to be handed out.
    pub fn record(
        self,
        db: &Db<'_>,
        body: &Body,
        said: Said,
        run: Option<RunRecord>,
    ) -> Result<PlanRecord, StoreError> {
        let signed: Result<Vec<SignedStatement>, _> =
            said.approvals.iter().map(|text| serde_json::from_str(text)).collect();
        let feedback: Result<Vec<ChangesRequested>, _> =
            said.feedback.iter().map(|text| serde_json::from_str(text)).collect();
        let head = self.summary(db)?;
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
            content_hash: Digest::parse(&self.content_hash).map_err(|_| self.odd(db, "content hash"))?,
            identity: Arc::clone(&body.identity),
            view: Arc::clone(&body.view),
            proposal: body.proposal.clone(),
            summary: head.summary,
            scores: self.scores(),
            derived_from: self.plan_id(db, self.derived_from.as_deref())?,
            revises: self.plan_id(db, self.revises.as_deref())?,
            approvals: signed.map_err(|_| self.odd(db, "approval"))?,
            feedback: feedback.map_err(|_| self.odd(db, "request for changes"))?,
            run,
        })
    }

    /// Risk and quality, as they were entered last.
    pub fn scores(&self) -> Scores {
        let number = |score: Option<i64>| score.and_then(|score| u32::try_from(score).ok());
        Scores { risk: number(self.risk_score), quality: number(self.quality_score).map(BasisPoints) }
    }

    fn summary(&self, db: &Db<'_>) -> Result<PlanSummary, StoreError> {
        Ok(PlanSummary {
            id: PlanId::parse(&self.id).map_err(|_| self.odd(db, "id"))?,
            correlation_id: CorrelationId::parse(&self.correlation_id).map_err(|_| self.odd(db, "correlation"))?,
            version: unsigned(self.version),
            status: self.status(db)?,
            status_at: Timestamp::from_millis(self.status_at),
            created_at: Timestamp::from_millis(self.created_at),
            expires_at: Timestamp::from_millis(self.expires_at),
            session: SessionId::parse(&self.session).map_err(|_| self.odd(db, "session"))?,
            plan_hash: Digest::parse(&self.plan_hash).map_err(|_| self.odd(db, "hash"))?,
            summary: serde_json::from_str(&self.summary).map_err(|_| self.odd(db, "summary"))?,
            run: None,
        })
    }

    fn plan_id(&self, db: &Db<'_>, id: Option<&str>) -> Result<Option<PlanId>, StoreError> {
        id.map(|id| PlanId::parse(id).map_err(|_| self.odd(db, "ancestor"))).transpose()
    }
}

/// Plans, newest first.
pub fn list(db: &Db<'_>, filter: &Filter) -> Result<Vec<PlanSummary>, StoreError> {
    let mut wanted: Vec<String> = Vec::new();
    let mut values: Vec<String> = Vec::new();
    if !filter.status.is_empty() {
        let names: Vec<String> = filter.status.iter().map(|status| format!("'{}'", status.name())).collect();
        wanted.push(format!("status IN ({})", names.join(", ")));
    }
    if filter.usable {
        wanted.push("usable = 1".to_owned());
    }
    if let Some(now) = filter.not_over {
        wanted.push(format!("(usable = 0 OR expires_at > {})", now.as_millis()));
    }
    for (column, value) in [
        ("correlation_id", filter.correlation_id.as_ref().map(CorrelationId::as_str)),
        ("session", filter.session.as_ref().map(SessionId::as_str)),
    ] {
        if let Some(value) = value {
            values.push(value.to_owned());
            wanted.push(format!("{column} = ?{}", values.len()));
        }
    }
    let wanted = if wanted.is_empty() { "1".to_owned() } else { wanted.join(" AND ") };
    let limit = filter.limit.map_or(-1, i64::from);
    let run = |column: &str| format!("(SELECT {column} FROM run WHERE plan_id = plan.id AND undoes IS NULL)");
    let sql = format!(
        "SELECT {COLUMNS}, {}, {} FROM plan WHERE {wanted} ORDER BY created_at DESC, id DESC LIMIT {limit}",
        run("id"),
        run("state")
    );
    let values: Vec<&dyn ToSql> = values.iter().map(|value| value as &dyn ToSql).collect();
    let rows = db.all(&sql, &*values, |row| {
        Ok((PlanRow::read(row)?, row.get::<_, Option<String>>(18)?, row.get::<_, Option<String>>(19)?))
    })?;
    rows.iter()
        .map(|(row, run, state)| {
            let mut summary = row.summary(db)?;
            summary.run = run_state(db, row, run.as_deref().zip(state.as_deref()))?;
            Ok(summary)
        })
        .collect()
}

fn run_state(db: &Db<'_>, row: &PlanRow, found: Option<(&str, &str)>) -> Result<Option<(RunId, RunState)>, StoreError> {
    let Some((id, state)) = found else { return Ok(None) };
    match (RunId::parse(id), RunState::parse(state)) {
        (Ok(id), Some(state)) => Ok(Some((id, state))),
        _ => Err(row.odd(db, "run")),
    }
}

/// The usable plans whose time is over, and those of a session that has ended; in a fixed order.
pub fn due(db: &Db<'_>, now: Timestamp, ended: Option<&SessionId>) -> Result<Vec<PlanId>, StoreError> {
    let sql = "SELECT id FROM plan WHERE usable = 1 AND expires_at <= ?1 ORDER BY id";
    let mut due = db.all(sql, [now.as_millis()], |row| row.get::<_, String>(0))?;
    if let Some(session) = ended {
        let sql = "SELECT id FROM plan WHERE usable = 1 AND session = ?1 AND expires_at > ?2 ORDER BY id";
        due.extend(db.all(sql, params![session.as_str(), now.as_millis()], |row| row.get::<_, String>(0))?);
    }
    due.iter().map(|id| PlanId::parse(id).map_err(|_| not_an_id(db, id))).collect()
}

fn not_an_id(db: &Db<'_>, id: &str) -> StoreError {
    db.corrupt(format!("`{id}` is not a plan's id"))
}
