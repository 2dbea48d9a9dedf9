//! Errors of the command line itself, and the face that every error has as JSON.

use clap::error::ErrorKind;
use exacta_app::{Error, ErrorCode, Exit};
use exacta_view::command::at_a_terminal;
use serde::Serialize;
use std::ffi::OsString;

/// Where everything that can be typed is listed.
const HELP: &str = "`exacta --help` lists the commands";

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
    code: ErrorCode,
    message: String,
    hint: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<String>,
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
    Body {
        code: error.code,
        message: error.message.clone(),
        hint: error.hint.as_ref().map(at_a_terminal),
        places: error.places.clone(),
        exit: error.exit.code(),
    }
}

/// Something was typed that does not fit.
#[must_use]
pub fn usage(line: &[OsString], error: &clap::Error) -> Error {
    let missing = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if error.kind() == missing {
        return Error::new(Exit::Usage, "usage", "a command is missing").hint(HELP);
    }
    let text = error.render().to_string();
    // The first paragraph says what is wrong; a tip may follow, then how the command is used.
    let mut paragraphs = text.split("\n\n");
    let message = one_line(paragraphs.next().unwrap_or_default());
    let message = message.strip_prefix("error: ").unwrap_or(&message).replace('\'', "`");
    let tip = paragraphs.map(one_line).find_map(|text| Some(text.strip_prefix("tip: ")?.replace('\'', "`")));
    // To pass an unknown option as a value is hardly ever meant.
    let tip = tip.filter(|tip| !tip.starts_with("to pass"));
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: ")).map(|usage| format!("use it as `{usage}`"));
    let help = named(line).map_or_else(|| HELP.to_owned(), |command| format!("`{command} --help` says more"));
    let hint = tip.or(usage).map_or_else(|| help.clone(), |hint| format!("{hint}; {help}"));
    Error::new(Exit::Usage, "usage", message).hint(hint)
}

/// The command that a line names, as far as there is one.
fn named(line: &[OsString]) -> Option<String> {
    let (mut command, mut path) = (crate::args::command(), None);
    for word in line.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(found) = command.find_subcommand(word).cloned() {
            path = Some(format!("{} {word}", path.unwrap_or_else(|| "exacta".to_owned())));
            command = found;
        }
    }
    path
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `--json` was asked of a command whose result is not data.
#[must_use]
pub fn not_json(command: &str) -> Error {
    Error::new(Exit::Usage, "usage", format!("`exacta {command}` has no result as JSON"))
        .hint("give the command without `--json`")
}

/// Something could not be read or written.
#[must_use]
pub fn io(exit: Exit, doing: &str, error: &std::io::Error) -> Error {
    Error::new(exit, "io", format!("cannot {doing}: {error}")).hint("check that the place exists and is yours")
}
