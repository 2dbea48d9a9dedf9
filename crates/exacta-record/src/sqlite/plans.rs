//! Plans in the database.

use super::db::Db;
use super::runs;
use crate::error::RecordError;
use crate::plan::{Filter, PlanSummary};
use crate::row::{PlanBody, PlanRow, Statements, StoredPlan, signed};
use crate::run::RunState;
use exacta_kernel::id::{CorrelationId, PlanId, RunId, SessionId};
use exacta_kernel::time::Timestamp;
use rusqlite::types::{ToSql, ValueRef};
use rusqlite::{Row, params};
use std::sync::{Arc, OnceLock};

const COLUMNS: &str = "id, correlation_id, version, status, status_at, created_at, expires_at, session, plan_hash, \
    content_hash, derived_from, revises, summary, risk_score, quality_score, decided_by, usable, seq";

/// The row of the plan of this id.
pub fn row(db: &Db<'_>, id: &str) -> Result<Option<PlanRow>, RecordError> {
    db.one(&format!("SELECT {COLUMNS} FROM plan WHERE id = ?1"), [id], read)
}

/// The body of a plan; `None` if it was taken away.
pub fn body(db: &Db<'_>, id: &str) -> Result<Option<PlanBody>, RecordError> {
    db.one("SELECT identity, view, proposal FROM body WHERE plan_id = ?1", [id], |row| read_body(row, 0))
}

/// What people stated about a plan.
pub fn statements(db: &Db<'_>, id: &str) -> Result<Statements, RecordError> {
    // One question instead of two, and no order asked of SQLite: this is read with every look at a plan.
    let sql = "SELECT 0, n, signed FROM approval WHERE plan_id = ?1 \
               UNION ALL SELECT 1, n, text FROM feedback WHERE plan_id = ?1";
    let mut said: Vec<(bool, i64, String)> = db.all(sql, [id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    said.sort_unstable();
    let (feedback, approvals): (Vec<_>, Vec<_>) = said.into_iter().partition(|(is_feedback, ..)| *is_feedback);
    let texts = |said: Vec<(bool, i64, String)>| said.into_iter().map(|(.., text)| text).collect();
    Ok(Statements { approvals: texts(approvals), feedback: texts(feedback) })
}

/// Every plan in turn, with all that belongs to it.
pub fn each(db: &Db<'_>, mut visit: impl FnMut(StoredPlan) -> Result<(), RecordError>) -> Result<(), RecordError> {
    // Most plans have nothing but a body; asking here is cheaper than a query for each.
    let sql = format!(
        "SELECT {COLUMNS}, identity, view, proposal, \
         EXISTS (SELECT 1 FROM approval WHERE plan_id = id) OR EXISTS (SELECT 1 FROM feedback WHERE plan_id = id), \
         EXISTS (SELECT 1 FROM run WHERE plan_id = plan.id) \
         FROM plan LEFT JOIN body ON body.plan_id = plan.id ORDER BY plan.id"
    );
    db.each(&sql, [], |row| {
        let columns = |row: &Row<'_>| -> rusqlite::Result<_> {
            let body = match row.get_ref(18)? {
                ValueRef::Null => None,
                _ => Some(read_body(row, 18)?),
            };
            Ok((read(row)?, body, row.get::<_, bool>(21)?, row.get::<_, bool>(22)?))
        };
        let (plan, body, has_statements, has_runs) = columns(row).map_err(RecordError::database(db.path))?;
        let statements = if has_statements { statements(db, &plan.id)? } else { Statements::default() };
        let runs = if has_runs { runs::of_plan(db, &plan.id)? } else { Vec::new() };
        visit(StoredPlan { row: plan, body: body.map(Arc::new), statements, runs })
    })
}

/// Puts a new plan in.
pub fn insert(db: &Db<'_>, row: &PlanRow, body: &PlanBody) -> Result<(), RecordError> {
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
pub fn update(db: &Db<'_>, row: &PlanRow) -> Result<(), RecordError> {
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
pub fn add_approval(db: &Db<'_>, id: &str, n: usize, approval: &str) -> Result<(), RecordError> {
    db.change("INSERT INTO approval(plan_id, n, signed) VALUES (?1, ?2, ?3)", params![id, signed(n as u64), approval])
}

/// Adds a request for changes, the one of this number.
pub fn add_feedback(db: &Db<'_>, id: &str, n: usize, asked: &str) -> Result<(), RecordError> {
    db.change("INSERT INTO feedback(plan_id, n, text) VALUES (?1, ?2, ?3)", params![id, signed(n as u64), asked])
}

/// Plans, newest first.
pub fn list(db: &Db<'_>, filter: &Filter) -> Result<Vec<PlanSummary>, RecordError> {
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
        Ok((read(row)?, row.get::<_, Option<String>>(18)?, row.get::<_, Option<String>>(19)?))
    })?;
    rows.iter()
        .map(|(row, run, state)| {
            let mut summary = row.summary(db.path)?;
            summary.run = run_state(db, row, run.as_deref().zip(state.as_deref()))?;
            Ok(summary)
        })
        .collect()
}

fn run_state(
    db: &Db<'_>,
    row: &PlanRow,
    found: Option<(&str, &str)>,
) -> Result<Option<(RunId, RunState)>, RecordError> {
    let Some((id, state)) = found else { return Ok(None) };
    match (RunId::parse(id), RunState::parse(state)) {
        (Ok(id), Some(state)) => Ok(Some((id, state))),
        _ => Err(row.impossible(db.path, "run")),
    }
}

/// The usable plans whose time is over, and those of a session that has ended; in a fixed order.
pub fn due(db: &Db<'_>, now: Timestamp, ended: Option<&SessionId>) -> Result<Vec<PlanId>, RecordError> {
    let sql = "SELECT id FROM plan WHERE usable = 1 AND expires_at <= ?1 ORDER BY id";
    let mut due = db.all(sql, [now.as_millis()], |row| row.get::<_, String>(0))?;
    if let Some(session) = ended {
        let sql = "SELECT id FROM plan WHERE usable = 1 AND session = ?1 AND expires_at > ?2 ORDER BY id";
        due.extend(db.all(sql, params![session.as_str(), now.as_millis()], |row| row.get::<_, String>(0))?);
    }
    due.iter().map(|id| PlanId::parse(id).map_err(|_| not_an_id(db, id))).collect()
}

fn not_an_id(db: &Db<'_>, id: &str) -> RecordError {
    db.corrupt(format!("`{id}` is not a plan's id"))
}

/// A row with these columns.
fn read(row: &Row<'_>) -> rusqlite::Result<PlanRow> {
    Ok(PlanRow {
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

/// The body whose parts begin at a column.
fn read_body(row: &Row<'_>, first: usize) -> rusqlite::Result<PlanBody> {
    let proposal = row.get_ref(first + 2)?.as_blob_or_null()?.map(Arc::from);
    Ok(PlanBody { identity: row.get(first)?, view: row.get(first + 1)?, proposal, hashes: OnceLock::new() })
}
