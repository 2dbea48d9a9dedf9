//! Remembers: plans, approvals, runs, autopilots and the audit log of a project, in its `.exacta/` folder.
//!
//! [`Record`] is what the rest of Exacta sees; it keeps everything in one SQLite database. The audit log is one
//! append-only file beside it, and that file is what counts: the database only indexes it. Every change of a record and the
//! entries about it are one transaction; the entries are in the file, on disk, before the call returns. [`verify()`] finds out
//! whether anything was changed from outside.
//!
//! Nothing in the folder grants anything: whoever can write there can write anything. What counts is signed, and the keys
//! live elsewhere, in the user's own folder: [`CheckpointSigner`] is what the record needs from there.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their folders by path"))]

mod document;
mod error;
mod folder;
mod log;
mod moved;
mod operation_file;
mod plan;
mod plan_file;
mod proof;
mod record;
mod row;
mod run;
mod signer;
mod sqlite;
mod verify;

pub use document::{DocumentChange, DocumentKind, DocumentRecord};
pub use error::{Place, RecordError, Tampered};
pub use exacta_kernel::audit::EntryDraft;
pub use folder::RECORDS;
pub use moved::{Configuration, MovedRecord, Presence, move_away, presence};
pub use plan::{Change, ChangesRequested, EntryFilter, Filter, NewPlan, Outcome, PlanRecord, PlanSummary, Scores};
pub use record::{Record, Turn, Version};
pub use run::{RunFilter, RunRecord, RunRequest, RunState, Start};
pub use signer::{CheckpointSigner, Hold, Pin, SignerError, Staged};
pub use verify::{Report, Trusted, VerifyError, verify};
