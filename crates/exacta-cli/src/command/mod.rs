//! Each command: arguments to a use case, its outcome to text or JSON and an exit code.

mod reference;

use crate::args::{Cli, Command};
use crate::output::Output;
use exacta_app::Error;

/// Runs the command and gives its exit code.
///
/// # Errors
/// [`Error`] says what happened and what helps.
pub fn dispatch(cli: Cli, output: &Output) -> Result<u8, Error> {
    match cli.command {
        Command::Schema => reference::schema(output),
        Command::Completions { shell } => reference::completions(shell, output),
        Command::Man { dir } => reference::man(&dir),
    }
}
