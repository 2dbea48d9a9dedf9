//! `exacta mcp`: agents submit plans through the Model Context Protocol, and learn what became of them.
//!
//! There is no tool that approves, rejects, or changes a setting. Each call opens the project anew, so that no decision rests on a policy that is no
//! longer in force, and what one call did is seen by the next, whoever made it.

mod act;
mod argument;
mod desk;
mod hint;
mod prompt;
mod resource;
mod tool;
mod waiting;

pub use desk::Desk;
pub use tool::{NAMES, tools};

use exacta_app::{Error, Exit};
use std::io::{BufReader, stdin, stdout};

/// Serves whoever started this process, until they close its standard input.
///
/// # Errors
/// If a stream cannot be used.
pub fn serve(desk: Desk) -> Result<(), Error> {
    let served = exacta_mcp::serve(desk, BufReader::new(stdin()), stdout().lock());
    served.map_err(|error| crate::fail::io(Exit::Fault, "read or write a standard stream", &error))
}
