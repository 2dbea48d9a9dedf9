//! A document as plain values.

use crate::document::{DocumentChange, DocumentKind, DocumentRecord};
use crate::error::RecordError;
use exacta_kernel::hash::Digest;
use exacta_kernel::time::Timestamp;
use std::path::Path;

/// A document's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRow {
    pub kind: String,
    pub id: String,
    pub owner: String,
    pub state: String,
    pub created_at: i64,
    pub body: String,
}

impl DocumentRow {
    /// As it is to be after a change.
    pub fn of(change: &DocumentChange, created_at: i64) -> Self {
        Self {
            kind: change.kind.name().to_owned(),
            id: change.id.clone(),
            owner: change.owner.clone(),
            state: change.state.clone(),
            created_at,
            body: change.body.to_string(),
        }
    }

    /// Its name in the tree of records and in the log.
    pub fn key(&self) -> String {
        key(&self.kind, &self.id)
    }

    /// For the caller; `hash` is the row's own.
    pub fn record(&self, path: &Path, hash: Digest) -> Result<DocumentRecord, RecordError> {
        let odd = |what: &str| RecordError::corrupt(path, format!("`{}` has an impossible {what}", self.key()));
        Ok(DocumentRecord {
            kind: DocumentKind::parse(&self.kind).ok_or_else(|| odd("kind"))?,
            id: self.id.clone(),
            owner: self.owner.clone(),
            state: self.state.clone(),
            created_at: Timestamp::from_millis(self.created_at),
            body: serde_json::from_str(&self.body).map_err(|_| odd("body"))?,
            hash,
        })
    }
}

/// The name of a document in the tree of records and in the log.
pub fn key(kind: &str, id: &str) -> String {
    format!("{kind}:{id}")
}
