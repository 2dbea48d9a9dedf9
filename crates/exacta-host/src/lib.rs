//! Offers: the tools, resources and prompts that an agent has of one project, whichever way it speaks the Model Context Protocol.
//!
//! There is no tool that approves, rejects, or changes a setting. Each call opens the project again, so that no decision rests on a policy that is no
//! longer in force, and what one call did is seen by the next, whoever made it. What differs between a pipe and a server (who the agent is, whose
//! session its plans are in, how a run is stopped) is a [`Place`].

mod act;
mod argument;
mod desk;
mod hint;
mod place;
mod prompt;
mod resource;
mod result;
mod told;
mod tool;
mod waiting;

pub use desk::Desk;
pub use place::{Place, Stop};
pub use told::{check, step};
pub use tool::{NAMES, only_reads, tools};
