//! Acts where there are no transactions: drafts, mail, sites. Takes a [`Permit`](exacta_kernel::permit::Permit), nothing else.
//!
//! An [`Effector`] knows one kind of act. The engine drives it: what is there is looked at, the intent is journalled and synced,
//! the act is performed, what is there is looked at again, the outcome is journalled and synced. Whatever an answer says, the
//! world decides. An act is never repeated on a guess: where nobody can tell whether it happened, the run ends as
//! [`Outcome::Unknown`] and waits for a person. `docs/execution.md` has the protocol.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their folders by path"))]

mod drafts;
mod effector;
mod error;
mod folder;
mod journal;
mod outcome;
mod recover;
mod resolve;
mod run;
mod state;
#[cfg(test)]
mod tests;
mod work;

pub use drafts::Drafts;
pub use effector::{Answer, Direction, Effector, Fault, IdempotencyKey, Reversal, Seen, Trace};
pub use error::{EffectError, IoError};
pub use folder::Folder;
pub use journal::JournalKey;
pub use outcome::{Outcome, Receipt, Receipts};
pub use recover::Recovered;
pub use resolve::Stand;
pub use run::{Effects, Entered, Event, Options, Permitted, Staged};
