//! The audit log: what happened, in an order nobody can change unseen.
//!
//! Each [`Entry`] is one line of canonical JSON and one leaf of an RFC 6962 [Merkle tree](merkle). A [`Checkpoint`] is the
//! signed root of the tree at some size; a [`LogReceipt`] proves offline that one entry is under a checkpoint. Keys stay
//! outside: signing takes a closure. Where the lines are kept is the store's business.

mod checkpoint;
mod entry;
pub mod merkle;
mod proof;

pub use checkpoint::{Checkpoint, CheckpointError, Origin, SignedCheckpoint};
pub use entry::{Actor, BadActor, Entry, EntryDraft, EntryError, Event, SCHEMA};
pub use merkle::Frontier;
pub use proof::{LogReceipt, ReceiptError};

#[cfg(test)]
mod tests;
