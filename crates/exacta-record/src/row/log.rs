//! The log's index as plain values.

use crate::log::Pending;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::CorrelationId;

/// The state of the log in plain values, as it is stored.
#[derive(Debug)]
pub struct LogRow {
    pub origin: String,
    pub bytes: u64,
    pub note: String,
    pub size: u64,
    pub roots: Vec<u8>,
    pub old_size: u64,
    pub old_roots: Vec<u8>,
}

/// An entry at the end of the log, with what the index needs of it.
#[derive(Debug)]
pub struct EntryRow {
    pub line: Pending,
    pub leaf: Digest,
    pub correlation_id: Option<CorrelationId>,
}

/// A line of the log, and what the index says of it.
#[derive(Debug)]
pub struct IndexedLine {
    /// Its place among all, from 0.
    pub seq: u64,
    pub leaf: Digest,
    /// Without its newline.
    pub bytes: Vec<u8>,
}
