//! Errors of the command line itself, and the face that every error has as JSON.

use exacta_app::{Error, Exit};
use serde::Serialize;

/// The version of the face of an error.
const SCHEMA: &str = "exacta.error/1";

/// An error as JSON.
#[derive(Debug, Serialize)]
pub struct Face<'e> {
    schema: &'static str,
    error: Body<'e>,
}

#[derive(Debug, Serialize)]
struct Body<'e> {
    code: &'static str,
    message: &'e str,
    hint: Option<&'e str>,
    exit: u8,
}

/// The error as it is printed with `--json`.
#[must_use]
pub fn face(error: &Error) -> Face<'_> {
    let hint = error.hint.as_deref();
    Face { schema: SCHEMA, error: Body { code: error.code, message: &error.message, hint, exit: error.exit.code() } }
}

/// Something was typed that does not fit.
#[must_use]
pub fn usage(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    let message = text.lines().next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    Error::new(Exit::Usage, "usage", message).hint("`exacta --help` lists the commands")
}

/// Something could not be read or written.
#[must_use]
pub fn io(exit: Exit, doing: &str, error: &std::io::Error) -> Error {
    Error::new(exit, "io", format!("cannot {doing}: {error}")).hint("check that the place exists and is yours")
}
