//! The review page, rendered here from what `exacta-view` shows: readable without a script, nothing from outside, nothing inline.

mod actions;
mod ask;
mod bytes;
mod diff;
mod inbox;
mod message;
mod plan;
mod reference;
mod score;
mod shell;
mod syntax;
mod time;
mod tree;
mod undo;
mod versions;

pub use actions::{DELIBERATE, Forms, is_grave};
pub use ask::{AskPage, ask};
pub use bytes::Bytes;
pub use inbox::{Inbox, history, inbox};
pub use message::{message, opening};
pub use plan::{PlanPage, plan};
pub use reference::reference;
pub use shell::{Around, Project, asset};
pub use undo::undo;
