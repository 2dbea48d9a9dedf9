//! Acts: the only crate that changes the world, and only with a permit.
//!
//! Everything is reached by handle beneath a [`ProjectRoot`], never by a path string, so a symbolic link swapped in at any
//! moment leads nowhere. [`ProjectRoot::facts`] is how the kernel learns what the targets are; [`ProjectRoot::permitted`] takes a
//! permit, and the stages that follow do what it says, all of it or nothing; [`ProjectRoot::recover`] finishes or puts back runs whose
//! process died; [`ProjectRoot::outcome`] says how a run ended.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their folders by path"))]

mod area;
mod bytes;
mod error;
mod find;
mod folders;
mod fs;
mod handle;
mod held;
mod image;
mod journal;
mod key;
mod lock;
pub mod look;
mod mark;
mod outcome;
mod receipt;
mod recorded;
mod recover;
mod root;
mod run;
#[expect(clippy::disallowed_methods, reason = "programs, /proc, and the user's own scratch folder")]
pub mod sandbox;
mod settle;
mod tally;
#[cfg(test)]
mod tests;
mod work;

pub use error::{Drifted, Holder, IoError, RunError};
pub use image::{Collected, Retention};
pub use key::JournalKey;
pub use outcome::{Outcome, Recovered};
pub use receipt::{Event, Objection, Receipt, Receipts, RunOptions};
pub use recover::Unfinished;
pub use root::ProjectRoot;
pub use run::{Committed, Entered, Permitted, Staged};
