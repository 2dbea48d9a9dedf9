//! Where things are printed: results on standard output, everything else on standard error.

use crate::args::{Color, Global};
use crate::fail;
use crate::render::ansi::{COLUMNS, Paint};
use crate::render::error as text;
use exacta_app::{Error, Exit};
use exacta_kernel::text::visible_json;
use exacta_view::command::at_a_terminal;
use exacta_view::{Next, PlanDetail, PlanView, Rights, Row, With, face};
use serde::Serialize;
use serde_json::Value;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

/// Lines of a screen that does not say how many it has.
const LINES: usize = 24;

/// Prints for one command.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    json: bool,
    with: With,
    verbose: bool,
    out: Paint,
    err: Paint,
}

impl Output {
    /// As the global options ask; with events on the way the result is JSON too.
    #[must_use]
    pub fn new(global: &Global, events: bool) -> Self {
        Self {
            json: global.json || events,
            with: With::of(global.with.iter().map(String::as_str)),
            verbose: global.verbose,
            out: paint(global.color, &io::stdout()),
            err: paint(global.color, &io::stderr()),
        }
    }

    /// For a command line that could not be read.
    #[must_use]
    pub fn unread(json: bool) -> Self {
        Self { json, with: With::default(), verbose: false, out: Paint(false), err: paint(Color::Auto, &io::stderr()) }
    }

    /// Whether the result is one JSON object.
    #[must_use]
    pub const fn is_json(&self) -> bool {
        self.json
    }

    /// Whether everything about a plan is shown, not only what a decision hangs on.
    #[must_use]
    pub const fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Whether results are coloured.
    #[must_use]
    pub const fn paint(&self) -> Paint {
        self.out
    }

    /// A result as text.
    pub fn text(&self, text: &str) {
        result(text);
    }

    /// A result as it is, for a file or a pipe.
    pub fn bytes(&self, bytes: &[u8]) {
        write_result(bytes);
    }

    /// Whether results go to a terminal.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// A text for systemd: as it is, or in one object.
    pub fn unit(&self, text: &str) {
        if self.json {
            self.json(&serde_json::json!({ "schema": "exacta.unit/1", "unit": text }));
        } else {
            self.text(text);
        }
    }

    /// A result in one line, with nothing hidden in it.
    pub fn line(&self, text: &str) {
        self.text(&format!("{}\n", exacta_kernel::text::visible_line(text)));
    }

    /// A result as rows.
    pub fn rows(&self, rows: Vec<Row>) {
        self.text(&self.out.page(rows));
    }

    /// A result as JSON, on one line.
    pub fn json(&self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => result(&format!("{}\n", visible_json(&text))),
            Err(cause) => write(&mut io::stderr(), &format!("error: cannot write the result as JSON: {cause}\n")),
        }
    }

    /// A plan as JSON, or a text that was only checked.
    pub fn plan(&self, view: &PlanView) {
        self.with_plan(view, view);
    }

    /// A plan with everything that happened to it, as JSON.
    pub fn detail(&self, detail: &PlanDetail) {
        self.json(&face::detail(detail, Rights::COMMAND_LINE, self.with));
    }

    /// A value that has a plan's fields among its own, as JSON.
    pub fn with_plan(&self, value: &impl Serialize, view: &PlanView) {
        self.json(&self.face(value, view));
    }

    /// The same, not yet printed.
    #[must_use]
    pub fn face(&self, value: &impl Serialize, view: &PlanView) -> Value {
        let next =
            if view.status.is_some() { Next::submitted(view, Rights::COMMAND_LINE) } else { Next::checked(view) };
        face::of(value, &next, self.with)
    }

    /// What a person is shown before they are asked: rows on standard error.
    pub fn aside(&self, rows: Vec<Row>) {
        write(&mut io::stderr(), &self.err.page(rows));
    }

    /// Progress and the like, as it is.
    pub fn aside_text(&self, text: &str) {
        write(&mut io::stderr(), text);
    }

    /// Columns of standard error, if it is a terminal: where it begins a new row by itself.
    #[must_use]
    pub fn columns(&self) -> Option<usize> {
        io::stderr().is_terminal().then(width)
    }

    /// Columns and lines of standard error.
    #[must_use]
    pub fn screen(&self) -> (usize, usize) {
        let lines = rustix::termios::tcgetwinsize(io::stderr()).map_or(0, |size| usize::from(size.ws_row));
        (width(), if lines == 0 { LINES } else { lines })
    }

    /// Whether what is shown on standard error is coloured.
    #[must_use]
    pub const fn paint_aside(&self) -> Paint {
        self.err
    }

    /// Something by the way.
    pub fn note(&self, message: &str) {
        write(&mut io::stderr(), &text::note(self.err, width(), message));
    }

    /// Why the command failed; gives its exit code.
    #[must_use]
    pub fn error(&self, error: &Error) -> u8 {
        if self.json {
            self.json(&fail::face(error));
        } else {
            let hint = error.hint.as_ref().map(at_a_terminal);
            self.complain(&error.message, &error.places, hint.as_deref());
        }
        error.exit.code()
    }

    /// An error for people.
    pub fn complain(&self, message: &str, places: &[String], hint: Option<&str>) {
        write(&mut io::stderr(), &text::error(self.err, width(), message, places, hint));
    }
}

/// Why a result did not reach standard output.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Complains where a result was lost: what was asked has been done, but whoever reads the output has only a part of it.
#[must_use]
pub fn exit(code: u8) -> u8 {
    let Some(error) = LOST.get() else { return code };
    write(&mut io::stderr(), &format!("error: the result could not be written: {error}\n"));
    Exit::Fault.code()
}

/// Writes a part of the result. A reader that went away is no reason to fail or to complain; a full disk is.
fn result(text: &str) {
    write_result(text.as_bytes());
}

fn write_result(bytes: &[u8]) {
    let mut out = io::stdout();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => drop(LOST.set(error)),
        _ => {}
    }
}

/// Writes to a person, who may have gone away.
fn write(stream: &mut dyn Write, text: &str) {
    drop(stream.write_all(text.as_bytes()).and_then(|()| stream.flush()));
}

/// Columns of standard error.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok();
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(COLUMNS)
}

fn paint(color: Color, stream: &impl IsTerminal) -> Paint {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    Paint(match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => stream.is_terminal() && !no_color && !dumb,
    })
}
