//! The database's index of the audit log, and the outbox through which every entry reaches the file.

use super::db::Db;
use crate::error::{RecordError, index_changed};
use crate::log::{LogFile, Pending, tampered};
use crate::row::{EntryRow, IndexedLine, LogRow, signed, unsigned};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::CorrelationId;
use rusqlite::{Row, params};

/// How the log stands, as it is stored; an error if somebody emptied the database.
pub fn load(db: &Db<'_>) -> Result<LogRow, RecordError> {
    let sql = "SELECT origin, bytes, note, size, roots, old_size, old_roots FROM log WHERE id = 1";
    let row = db.one(sql, [], |row| {
        Ok(LogRow {
            origin: row.get(0)?,
            bytes: unsigned(row.get(1)?),
            note: row.get(2)?,
            size: unsigned(row.get(3)?),
            roots: row.get(4)?,
            old_size: unsigned(row.get(5)?),
            old_roots: row.get(6)?,
        })
    })?;
    row.ok_or_else(|| db.corrupt("it holds no log"))
}

/// The beginning of a log.
pub fn begin(db: &Db<'_>, origin: &str) -> Result<(), RecordError> {
    let sql = "INSERT OR IGNORE INTO log(id, origin, size, bytes, roots, old_size, old_roots, note) \
               VALUES (1, ?1, 0, 0, x'', 0, x'', '')";
    db.run(sql, [origin]).map(drop)
}

/// Writes how the log stands.
pub fn save(db: &Db<'_>, log: &LogRow) -> Result<(), RecordError> {
    let sql = "UPDATE log SET bytes = ?1, note = ?2, size = ?3, roots = ?4, old_size = ?5, old_roots = ?6 WHERE id = 1";
    let (bytes, size, old_size) = (signed(log.bytes), signed(log.size), signed(log.old_size));
    db.change(sql, params![bytes, log.note, size, log.roots, old_size, log.old_roots])
}

/// Puts an entry into the index and the outbox.
pub fn append(db: &Db<'_>, entry: &EntryRow) -> Result<(), RecordError> {
    let EntryRow { line, leaf, correlation_id } = entry;
    let (seq, start, end) = (signed(line.seq), signed(line.start), signed(line.end()));
    let correlation = correlation_id.as_ref().map(CorrelationId::as_str);
    let sql = "INSERT INTO entry(seq, start, end, leaf, correlation_id) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.change(sql, params![seq, start, end, leaf.as_bytes(), correlation])?;
    db.change("INSERT INTO outbox(seq, start, line) VALUES (?1, ?2, ?3)", params![seq, start, line.bytes])
}

/// Empties the outbox, which must hold this many entries.
pub fn clear_outbox(db: &Db<'_>, count: usize) -> Result<(), RecordError> {
    if db.run("DELETE FROM outbox", [])? == count {
        return Ok(());
    }
    Err(db.tampered("it does not give up what is deleted from it"))
}

/// What may not be in the file yet, or not yet on the disk: the entries of the last change.
pub fn outbox(db: &Db<'_>) -> Result<Vec<Pending>, RecordError> {
    db.all("SELECT seq, start, line FROM outbox ORDER BY seq", [], |row| {
        Ok(Pending { seq: unsigned(row.get(0)?), start: unsigned(row.get(1)?), bytes: row.get(2)? })
    })
}

/// Lines of the log, without newlines; from `pending`, the outbox, where they may not be in the file yet.
pub fn lines(
    db: &Db<'_>,
    log: Option<&LogFile<'_>>,
    pending: &[Pending],
    correlation: Option<&str>,
    last: Option<u32>,
) -> Result<Vec<IndexedLine>, RecordError> {
    read(&spans(db, correlation, last)?, log, pending)
}

fn read(spans: &[Span], log: Option<&LogFile<'_>>, pending: &[Pending]) -> Result<Vec<IndexedLine>, RecordError> {
    let mut lines = Vec::new();
    for Span { seq, start, end, leaf } in spans {
        let pending = pending.binary_search_by_key(start, |line| line.start).ok().and_then(|index| pending.get(index));
        let mut bytes = match (pending, log) {
            (Some(pending), _) => pending.bytes.clone(),
            (None, Some(log)) => log.bytes(*start, *end)?,
            (None, None) => return Err(tampered(1, "the log file is missing").into()),
        };
        bytes.pop();
        lines.push(IndexedLine { seq: *seq, leaf: *leaf, bytes });
    }
    Ok(lines)
}

/// Where an entry is.
struct Span {
    /// Among all, from 0.
    seq: u64,
    /// In the file, newline included.
    start: u64,
    end: u64,
    leaf: Digest,
}

/// Where entries are in the file.
fn spans(db: &Db<'_>, correlation: Option<&str>, last: Option<u32>) -> Result<Vec<Span>, RecordError> {
    let read = |row: &Row<'_>| {
        Ok(Span {
            seq: unsigned(row.get(0)?),
            start: unsigned(row.get(1)?),
            end: unsigned(row.get(2)?),
            leaf: Digest::from_bytes(row.get(3)?),
        })
    };
    let limit = last.map_or(-1, i64::from);
    let mut spans = match correlation {
        Some(id) => {
            let sql = "SELECT seq, start, end, leaf FROM entry WHERE correlation_id = ?1 ORDER BY seq DESC LIMIT ?2";
            db.all(sql, params![id, limit], read)?
        }
        None => db.all("SELECT seq, start, end, leaf FROM entry ORDER BY seq DESC LIMIT ?1", [limit], read)?,
    };
    spans.reverse();
    Ok(spans)
}

/// The first `count` leaves.
pub fn leaves(db: &Db<'_>, count: u64) -> Result<Vec<Digest>, RecordError> {
    let leaves = db.all("SELECT leaf FROM entry WHERE seq < ?1 ORDER BY seq", [signed(count)], |row| {
        row.get::<_, [u8; 32]>(0).map(Digest::from_bytes)
    })?;
    if leaves.len() as u64 == count { Ok(leaves) } else { Err(index_changed("entries are missing from it")) }
}
