//! What is stored, as plain values. `sqlite/` reads and writes them, `proof/` says what their hashes are, and `record/` joins the two.

mod document;
mod log;
mod plan;
mod run;

pub use document::{DocumentRow, key as document_key};
pub use log::{EntryRow, IndexedLine, LogRow};
pub use plan::{PlanBody, PlanRow, Statements, StoredPlan};
pub use run::{RunRow, rival, sort};

/// SQLite's integers are signed; ours here never reach that far.
pub fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The other way round; a negative number was put there by somebody else and fits nothing.
pub fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}
