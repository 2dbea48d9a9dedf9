//! The database's index of the audit log, and the outbox through which every entry reaches the file.

use super::db::{Db, signed, unsigned};
use crate::error::{Place, StoreError, Tampered};
use crate::log::{LogFile, Pending, tampered};
use exacta_kernel::audit::merkle::leaf_hash;
use exacta_kernel::audit::{Entry, EntryDraft, Frontier};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::CorrelationId;
use exacta_kernel::time::Timestamp;
use rusqlite::{Row, params};
use serde_json::Value;

/// How the log stands.
#[derive(Debug, Clone)]
pub struct Ledger {
    pub origin: String,
    pub bytes: u64,
    pub frontier: Frontier,
    /// The same before the last change: before the entries that are in the outbox.
    pub before: Frontier,
    /// The checkpoint that our key signed with the last change. In the folder it is only once the entries are on disk.
    pub note: String,
}

impl Ledger {
    /// How the log stands; `None` if somebody emptied the database.
    pub fn load(db: &Db<'_>) -> Result<Option<Self>, StoreError> {
        let sql = "SELECT origin, bytes, note, size, roots, old_size, old_roots FROM log WHERE id = 1";
        let row = db.one(sql, [], |row| {
            let frontiers = (frontier(row.get(3)?, row.get(4)?), frontier(row.get(5)?, row.get(6)?));
            Ok((row.get(0)?, unsigned(row.get(1)?), row.get(2)?, frontiers))
        })?;
        let Some((origin, bytes, note, frontiers)) = row else { return Ok(None) };
        let (Some(frontier), Some(before)) = frontiers else {
            return Err(index_changed("its hashes do not fit its size"));
        };
        Ok(Some(Self { origin, bytes, frontier, before, note }))
    }

    /// The beginning of a log.
    pub fn begin(db: &Db<'_>, origin: &str) -> Result<(), StoreError> {
        let sql = "INSERT OR IGNORE INTO log(id, origin, size, bytes, roots, old_size, old_roots, note) \
                   VALUES (1, ?1, 0, 0, x'', 0, x'', '')";
        db.run(sql, [origin]).map(drop)
    }

    /// How many entries there are.
    pub const fn size(&self) -> u64 {
        self.frontier.size()
    }

    /// Puts an entry into the index and the outbox.
    pub fn append(&mut self, db: &Db<'_>, at: Timestamp, draft: EntryDraft) -> Result<Pending, StoreError> {
        let entry = Entry::new(self.size(), at, draft);
        let mut bytes = entry.line()?;
        let leaf = leaf_hash(&bytes);
        bytes.push(b'\n');
        let pending = Pending { seq: entry.seq, start: self.bytes, bytes };
        let (seq, start) = (signed(pending.seq), signed(pending.start));
        self.bytes += pending.bytes.len() as u64;
        self.frontier.push(leaf);
        let correlation = entry.correlation_id.as_ref().map(CorrelationId::as_str);
        let sql = "INSERT INTO entry(seq, start, end, leaf, correlation_id) VALUES (?1, ?2, ?3, ?4, ?5)";
        db.change(sql, params![seq, start, signed(self.bytes), leaf.as_bytes(), correlation])?;
        db.change("INSERT INTO outbox(seq, start, line) VALUES (?1, ?2, ?3)", params![seq, start, pending.bytes])?;
        Ok(pending)
    }

    /// Writes how the log stands.
    pub fn save(&self, db: &Db<'_>) -> Result<(), StoreError> {
        let sql = "UPDATE log SET bytes = ?1, note = ?2, size = ?3, roots = ?4, old_size = ?5, \
                   old_roots = ?6 WHERE id = 1";
        let (now, before) = (&self.frontier, &self.before);
        let values = params![
            signed(self.bytes),
            self.note,
            signed(now.size()),
            roots(now),
            signed(before.size()),
            roots(before)
        ];
        db.change(sql, values)
    }
}

/// A frontier as it is stored; `None` if its parts do not fit together.
fn frontier(size: i64, roots: Vec<u8>) -> Option<Frontier> {
    let roots = roots.chunks(32).map(|chunk| <[u8; 32]>::try_from(chunk).map(Digest::from_bytes));
    Frontier::from_parts(unsigned(size), roots.collect::<Result<_, _>>().ok()?)
}

fn roots(frontier: &Frontier) -> Vec<u8> {
    frontier.roots().iter().flat_map(|root| *root.as_bytes()).collect()
}

/// What may not be in the file yet, or not yet on the disk: the entries of the last change.
pub fn outbox(db: &Db<'_>) -> Result<Vec<Pending>, StoreError> {
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
) -> Result<Vec<Vec<u8>>, StoreError> {
    read(&spans(db, correlation, last)?, log, pending)
}

/// The same, each compared with the index.
pub fn lines_as_recorded(
    db: &Db<'_>,
    log: Option<&LogFile<'_>>,
    pending: &[Pending],
    correlation: Option<&str>,
    last: Option<u32>,
) -> Result<Vec<Vec<u8>>, StoreError> {
    let spans = spans(db, correlation, last)?;
    let lines = read(&spans, log, pending)?;
    match spans.iter().zip(&lines).find(|(span, line)| leaf_hash(line) != span.leaf) {
        Some((span, _)) => Err(tampered(span.seq + 1, "the line was changed").into()),
        None => Ok(lines),
    }
}

fn read(spans: &[Span], log: Option<&LogFile<'_>>, pending: &[Pending]) -> Result<Vec<Vec<u8>>, StoreError> {
    let mut lines = Vec::new();
    for Span { start, end, .. } in spans {
        let pending = pending.binary_search_by_key(start, |line| line.start).ok().and_then(|index| pending.get(index));
        let mut line = match (pending, log) {
            (Some(pending), _) => pending.bytes.clone(),
            (None, Some(log)) => log.bytes(*start, *end)?,
            (None, None) => return Err(tampered(1, "the log file is missing").into()),
        };
        line.pop();
        lines.push(line);
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
fn spans(db: &Db<'_>, correlation: Option<&str>, last: Option<u32>) -> Result<Vec<Span>, StoreError> {
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
pub fn leaves(db: &Db<'_>, count: u64) -> Result<Vec<Digest>, StoreError> {
    let leaves = db.all("SELECT leaf FROM entry WHERE seq < ?1 ORDER BY seq", [signed(count)], |row| {
        row.get::<_, [u8; 32]>(0).map(Digest::from_bytes)
    })?;
    if leaves.len() as u64 == count { Ok(leaves) } else { Err(index_changed("entries are missing from it")) }
}

/// Notes in a draft which records changed with it, by hash, and what vouches for all of them, so that a change from outside
/// can be told from ours.
pub fn note_records(draft: &mut EntryDraft, hashes: Vec<(String, Digest)>, state: Digest) {
    draft.data.insert("state_sha256".to_owned(), Value::String(state.to_string()));
    if !hashes.is_empty() {
        let hashes = hashes.into_iter().map(|(id, hash)| (id, Value::String(hash.to_string()))).collect();
        draft.data.insert("record_sha256".to_owned(), Value::Object(hashes));
    }
}

pub fn index_changed(what: &str) -> StoreError {
    Tampered { place: Place::Index, what: what.to_owned() }.into()
}
