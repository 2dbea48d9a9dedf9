//! Rows of documents.

use super::db::Db;
use crate::error::RecordError;
use crate::row::DocumentRow;
use rusqlite::{Row, params};

const COLUMNS: &str = "kind, id, owner, state, created_at, body";

/// The row of a document.
pub fn row(db: &Db<'_>, kind: &str, id: &str) -> Result<Option<DocumentRow>, RecordError> {
    db.one(&format!("SELECT {COLUMNS} FROM document WHERE kind = ?1 AND id = ?2"), [kind, id], read)
}

/// Documents of a kind, newest first: of one owner, if given.
pub fn list(db: &Db<'_>, kind: &str, owner: Option<&str>, limit: Option<u32>) -> Result<Vec<DocumentRow>, RecordError> {
    let limit = limit.map_or(-1, i64::from);
    let whose = if owner.is_some() { "AND owner = ?2" } else { "AND ?2 IS NULL" };
    let sql = format!(
        "SELECT {COLUMNS} FROM document WHERE kind = ?1 {whose} ORDER BY created_at DESC, id DESC LIMIT {limit}"
    );
    db.all(&sql, params![kind, owner], read)
}

/// Every document in turn.
pub fn each(db: &Db<'_>, mut visit: impl FnMut(DocumentRow) -> Result<(), RecordError>) -> Result<(), RecordError> {
    db.each(&format!("SELECT {COLUMNS} FROM document ORDER BY kind, id"), [], |found| {
        visit(read(found).map_err(RecordError::database(db.path))?)
    })
}

/// Puts a document in its place.
pub fn put(db: &Db<'_>, row: &DocumentRow) -> Result<(), RecordError> {
    let sql = format!(
        "INSERT INTO document({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
         ON CONFLICT(kind, id) DO UPDATE SET owner = excluded.owner, state = excluded.state, body = excluded.body"
    );
    db.change(&sql, params![row.kind, row.id, row.owner, row.state, row.created_at, row.body])
}

fn read(row: &Row<'_>) -> rusqlite::Result<DocumentRow> {
    Ok(DocumentRow {
        kind: row.get(0)?,
        id: row.get(1)?,
        owner: row.get(2)?,
        state: row.get(3)?,
        created_at: row.get(4)?,
        body: row.get(5)?,
    })
}
