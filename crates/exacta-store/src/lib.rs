//! Remembers: plans, approvals, runs and the audit log of a project, in its `.exacta/` folder.
//!
//! [`Store`] is what the rest of Exacta sees; [`SqliteStore`] keeps it in one SQLite database. The audit log is one
//! append-only file beside it, and that file is what counts: the database only indexes it. Every change of a record and the
//! entries about it are one transaction; the entries are in the file, on disk, before the call returns. [`verify()`] finds out
//! whether anything was changed from outside.
//!
//! Nothing in the folder grants anything: whoever can write there can write anything. What counts is signed, and the keys
//! live elsewhere, in the user's own folder ([`home`]).
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their folders by path"))]

mod aside;
mod error;
mod files;
mod folder;
#[expect(clippy::disallowed_methods, reason = "the user's own folder, where nobody else can write")]
pub mod home;
mod log;
mod record;
mod signer;
mod sqlite;
mod store;
mod verify;

pub use aside::{Aside, Configuration, Presence, presence, put_aside};
pub use error::{Place, StoreError, Tampered};
pub use exacta_kernel::audit::EntryDraft;
pub use folder::RECORDS;
pub use record::{
    Change, ChangesRequested, EntryFilter, Filter, NewPlan, Outcome, PlanRecord, PlanSummary, RunFilter, RunRecord,
    RunState, Scores, Start,
};
pub use signer::{CheckpointSigner, Hold, Pin, SignerError, Staged};
pub use sqlite::SqliteStore;
pub use store::{Deed, Store};
pub use verify::{Report, Trusted, VerifyError, verify};
