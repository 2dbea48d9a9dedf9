//! How the log stands: its length, its Merkle tree, and the checkpoint that our key signed for it.

use crate::error::{RecordError, index_changed};
use crate::log::Pending;
use crate::row::{EntryRow, LogRow};
use exacta_kernel::audit::merkle::leaf_hash;
use exacta_kernel::audit::{Entry, EntryDraft, Frontier};
use exacta_kernel::hash::Digest;
use exacta_kernel::time::Timestamp;
use serde_json::Value;

/// How the log stands.
#[derive(Debug, Clone)]
pub struct LogState {
    pub origin: String,
    pub bytes: u64,
    pub frontier: Frontier,
    /// The frontier before the last change: without the entries that are in the outbox.
    pub before: Frontier,
    /// The checkpoint that our key signed with the last change. In the folder it is only once the entries are on disk.
    pub note: String,
}

impl LogState {
    /// The state that these values are; refused where they do not fit together.
    pub fn from_row(row: LogRow) -> Result<Self, RecordError> {
        let frontiers = (frontier(row.size, &row.roots), frontier(row.old_size, &row.old_roots));
        let (Some(frontier), Some(before)) = frontiers else {
            return Err(index_changed("its hashes do not fit its size"));
        };
        Ok(Self { origin: row.origin, bytes: row.bytes, frontier, before, note: row.note })
    }

    /// The plain values to store.
    pub fn row(&self) -> LogRow {
        LogRow {
            origin: self.origin.clone(),
            bytes: self.bytes,
            note: self.note.clone(),
            size: self.frontier.size(),
            roots: roots(&self.frontier),
            old_size: self.before.size(),
            old_roots: roots(&self.before),
        }
    }

    /// How many entries there are.
    pub const fn size(&self) -> u64 {
        self.frontier.size()
    }

    /// Size and root now.
    pub fn end(&self) -> (u64, Digest) {
        (self.size(), self.frontier.root())
    }

    /// Adds an entry.
    pub fn append(&mut self, at: Timestamp, draft: EntryDraft) -> Result<EntryRow, RecordError> {
        let entry = Entry::new(self.size(), at, draft);
        let mut bytes = entry.line()?;
        let leaf = leaf_hash(&bytes);
        bytes.push(b'\n');
        let line = Pending { seq: entry.seq, start: self.bytes, bytes };
        self.bytes += line.bytes.len() as u64;
        self.frontier.push(leaf);
        Ok(EntryRow { line, leaf, correlation_id: entry.correlation_id })
    }
}

/// A frontier from what is stored of it; `None` if its parts do not fit together.
fn frontier(size: u64, roots: &[u8]) -> Option<Frontier> {
    let roots = roots.chunks(32).map(|chunk| <[u8; 32]>::try_from(chunk).map(Digest::from_bytes));
    Frontier::from_parts(size, roots.collect::<Result<_, _>>().ok()?)
}

fn roots(frontier: &Frontier) -> Vec<u8> {
    frontier.roots().iter().flat_map(|root| *root.as_bytes()).collect()
}

/// Notes in a draft which records changed with it, by hash, and the root of the tree of all records, so that a change from
/// outside can be told from ours.
pub fn note_records(draft: &mut EntryDraft, hashes: Vec<(String, Digest)>, root: Digest) {
    draft.data.insert("state_sha256".to_owned(), Value::String(root.to_string()));
    if !hashes.is_empty() {
        let hashes = hashes.into_iter().map(|(id, hash)| (id, Value::String(hash.to_string()))).collect();
        draft.data.insert("record_sha256".to_owned(), Value::Object(hashes));
    }
}
