//! Copies: an agent works on a scratch copy of a project, in a sandbox, and what it changed there is read by our own walk.
//!
//! [`copy`] makes the copy by held handles, with a `.git` of its own. [`walk`] reads it, [`difference`] compares it with what it was, and
//! [`update`] brings it to the project's present state. [`run`] confines the agent: it sees the copy in the project's place, and of the
//! machine what a build needs. Nothing here changes a project: what an agent did becomes a plan like any other.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their folders by path"))]

mod beneath;
pub mod client;
pub mod copy;
pub mod difference;
mod error;
#[expect(clippy::disallowed_methods, reason = "the user's own folder, where nobody else can write")]
pub mod place;
pub mod run;
pub mod tree;
pub mod update;
pub mod walk;

pub use beneath::{hold, whole as read};
pub use error::AgentError;
