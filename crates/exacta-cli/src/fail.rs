//! Errors of the command line itself, and the face that every error has as JSON.

use exacta_app::{Error, Exit};
use serde::Serialize;

/// The version of the face of an error.
const SCHEMA: &str = "exacta.error/1";

/// An error as JSON.
#[derive(Debug, Serialize)]
pub struct Face {
    schema: &'static str,
    error: Body,
}

/// What went wrong.
#[derive(Debug, Serialize)]
pub struct Body {
    code: &'static str,
    message: String,
    hint: Option<String>,
    exit: u8,
}

/// The error as it is printed with `--json`.
#[must_use]
pub fn face(error: &Error) -> Face {
    Face { schema: SCHEMA, error: body(error) }
}

/// The error within another object.
#[must_use]
pub fn body(error: &Error) -> Body {
    Body { code: error.code, message: error.message.clone(), hint: error.hint.clone(), exit: error.exit.code() }
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
