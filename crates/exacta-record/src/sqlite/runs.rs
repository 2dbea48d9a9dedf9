//! Runs in the database.

use super::db::Db;
use crate::error::RecordError;
use crate::row::{RunRow, sort};
use crate::run::{RunFilter, RunRecord, RunState};
use rusqlite::{Row, params};

const COLUMNS: &str = "id, plan_id, undoes, state, started_at, ended_at, pid, boot, changes, receipts";

// Every change asks these; with a list of states, or in an order, SQLite would build a table for the answer each time.
const OPEN: &str = "SELECT id, state FROM run WHERE state = 'running' \
    UNION ALL SELECT id, state FROM run WHERE state = 'rolling_back' \
    UNION ALL SELECT id, state FROM run WHERE state = 'needs_attention' \
    UNION ALL SELECT id, state FROM run WHERE state = 'unknown'";
const OF_PLAN: &str = "FROM run WHERE plan_id = ?1";

/// The run of this id, as it is found.
pub fn row(db: &Db<'_>, id: &str) -> Result<Option<RunRow>, RecordError> {
    db.one(&format!("SELECT {COLUMNS} FROM run WHERE id = ?1"), [id], read)
}

/// Every run in turn.
pub fn each(db: &Db<'_>, mut visit: impl FnMut(RunRow) -> Result<(), RecordError>) -> Result<(), RecordError> {
    let sql = format!("SELECT {COLUMNS} FROM run ORDER BY id");
    db.each(&sql, [], |row| visit(read(row).map_err(RecordError::database(db.path))?))
}

/// Puts a run in.
pub fn insert(db: &Db<'_>, run: &RunRow) -> Result<(), RecordError> {
    let sql = format!("INSERT INTO run({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
    let values = params![
        run.id,
        run.plan_id,
        run.undoes,
        run.state,
        run.started_at,
        run.ended_at,
        run.pid,
        run.boot,
        run.changes,
        run.receipts
    ];
    db.change(&sql, values)
}

/// Writes how a run stands.
pub fn update(db: &Db<'_>, run: &RunRow) -> Result<(), RecordError> {
    let sql = "UPDATE run SET state = ?2, ended_at = ?3, receipts = ?4 WHERE id = ?1";
    db.change(sql, params![run.id, run.state, run.ended_at, run.receipts])
}

/// The runs without an end, in a fixed order.
pub fn open(db: &Db<'_>) -> Result<Vec<String>, RecordError> {
    let mut open: Vec<String> = db.all(OPEN, [], |row| row.get(0))?;
    open.sort_unstable();
    Ok(open)
}

/// How many runs are going on.
pub fn count_running(db: &Db<'_>) -> Result<u32, RecordError> {
    // Asked as the open ones are, for which SQLite has the question ready.
    let states: Vec<String> = db.all(OPEN, [], |row| row.get(1))?;
    let running = states.iter().filter(|state| RunState::parse(state).is_some_and(RunState::is_under_way)).count();
    Ok(u32::try_from(running).unwrap_or(u32::MAX))
}

/// The plan that a run belongs to.
pub fn plan_of(db: &Db<'_>, id: &str) -> Result<Option<String>, RecordError> {
    db.one("SELECT plan_id FROM run WHERE id = ?1", [id], |row| row.get(0))
}

/// A plan's runs, oldest first: its own, then the undos.
pub fn of_plan(db: &Db<'_>, plan_id: &str) -> Result<Vec<RunRow>, RecordError> {
    let mut runs = db.all(&format!("SELECT {COLUMNS} {OF_PLAN}"), [plan_id], read)?;
    sort(&mut runs);
    Ok(runs)
}

/// Runs, newest first.
pub fn list(db: &Db<'_>, filter: &RunFilter) -> Result<Vec<RunRecord>, RecordError> {
    let mut wanted = Vec::new();
    if !filter.state.is_empty() {
        let names: Vec<String> = filter.state.iter().map(|state| format!("'{}'", state.name())).collect();
        wanted.push(format!("state IN ({})", names.join(", ")));
    }
    if let Some(plan) = &filter.plan_id {
        // An id is made of hexadecimal digits and hyphens.
        wanted.push(format!("plan_id = '{plan}'"));
    }
    if filter.own {
        wanted.push("undoes IS NULL".to_owned());
    }
    if let Some(since) = filter.since {
        wanted.push(format!("started_at >= {}", since.as_millis()));
    }
    if let Some(prefix) = &filter.prefix {
        // The beginning of an id is made of these too; any other text begins none.
        let digits: String = prefix.chars().filter(|c| c.is_ascii_hexdigit() || *c == '-').collect();
        let prefix = if digits == *prefix { digits } else { "g".to_owned() };
        wanted.push(format!("id >= '{prefix}' AND id < '{prefix}g'"));
    }
    let wanted = if wanted.is_empty() { "1".to_owned() } else { wanted.join(" AND ") };
    let limit = filter.limit.map_or(-1, i64::from);
    let sql = format!("SELECT {COLUMNS} FROM run WHERE {wanted} ORDER BY started_at DESC, id DESC LIMIT {limit}");
    db.all(&sql, [], read)?.into_iter().map(|row| row.record(db.path)).collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: row.get(0)?,
        plan_id: row.get(1)?,
        undoes: row.get(2)?,
        state: row.get(3)?,
        started_at: row.get(4)?,
        ended_at: row.get(5)?,
        pid: row.get(6)?,
        boot: row.get(7)?,
        changes: row.get(8)?,
        receipts: row.get(9)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::schema;
    use exacta_kernel::audit::Origin;
    use exacta_kernel::id::ProjectId;
    use rusqlite::Connection;
    use serde_json::json;
    use std::path::Path;

    /// Byte for byte, so that files written before compare equal.
    #[test]
    fn the_json_of_a_row_is_that_of_its_record() {
        let connection = Connection::open_in_memory().unwrap();
        let db = Db { connection: &connection, path: Path::new("memory") };
        for (ended_at, undoes) in [(None, None), (Some(77), Some("019a2f3e-7c1d-7e2a-9b4f-0123456789ab"))] {
            let run = RunRow {
                id: "019a2f3e-7c1d-7e2a-9b4f-0123456789ac".to_owned(),
                plan_id: "019a2f3e-7c1d-7e2a-9b4f-0123456789ad".to_owned(),
                undoes: undoes.map(str::to_owned),
                state: "rolled_back".to_owned(),
                started_at: 1_700_000_000_123,
                ended_at,
                pid: 7,
                boot: "\"é\u{202e}\\\n".to_owned(),
                changes: json!({ "b": [1, -2, "é\"\u{7f}"], "a": {} }).to_string(),
                receipts: json!([null, true]).to_string(),
            };
            let record = serde_json::to_value(run.record(db.path).unwrap()).unwrap();
            assert_eq!(run.json().unwrap(), record.to_string());
        }
    }

    /// Without a table of its own for the answer, in the order that hashes are made from.
    #[test]
    fn runs_are_in_order_though_sqlite_is_not_asked_for_one() {
        let mut connection = Connection::open_in_memory().unwrap();
        let project = ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").unwrap();
        schema::migrate(&mut connection, Path::new("memory"), &Origin::of(&project)).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        for (id, state, at) in
            [("c", "running", 1), ("b", "running", 1), ("a", "needs_attention", 2), ("d", "rolled_back", 0)]
        {
            let sql = format!("INSERT INTO run({COLUMNS}) VALUES (?1, 'p', ?1, ?2, ?3, NULL, 0, '', '', '')");
            connection.execute(&sql, params![id, state, at]).unwrap();
        }
        let db = Db { connection: &connection, path: Path::new("memory") };
        assert_eq!(open(&db).unwrap(), ["a", "b", "c"]);
        let ids: Vec<String> = of_plan(&db, "p").unwrap().into_iter().map(|run| run.id).collect();
        assert_eq!(ids, ["d", "b", "c", "a"]);
        for sql in [OPEN, &format!("SELECT {COLUMNS} {OF_PLAN}")] {
            let mut steps = connection.prepare(&format!("EXPLAIN {sql}")).unwrap();
            let mut rows = steps.raw_query();
            while let Some(row) = rows.next().unwrap() {
                let step: String = row.get("opcode").unwrap();
                assert!(!step.starts_with("Sorter") && step != "OpenEphemeral", "{sql}: {step}");
            }
        }
    }
}
