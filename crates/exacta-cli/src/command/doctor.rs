//! Whether everything that is needed works here.

use super::{Context, Face};
use crate::prompt::Person;
use exacta_app::doctor::{Check, Health, doctor as look};
use exacta_app::{Error, Exit};
use exacta_view::command::at_a_terminal;
use exacta_view::{Row, Tone};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Checks {
    checks: Vec<Line>,
}

/// One thing that was looked at, as JSON has it.
#[derive(Debug, Serialize)]
struct Line {
    name: &'static str,
    health: Health,
    found: String,
    hint: Option<String>,
}

impl From<Check> for Line {
    fn from(check: Check) -> Self {
        let Check { name, health, found, hint } = check;
        Self { name, health, found, hint: hint.as_ref().map(at_a_terminal) }
    }
}

/// `exacta doctor`: looks only; nothing is changed.
pub fn doctor(context: &Context) -> Result<u8, Error> {
    let mut checks = look(&context.options);
    checks.push(terminal());
    let broken = checks.iter().any(|check| check.health == Health::Broken);
    if context.output.is_json() {
        context.output.json(&Face {
            schema: "exacta.doctor/1",
            body: Checks { checks: checks.into_iter().map(Line::from).collect() },
        });
    } else {
        context.output.rows(checks.iter().flat_map(rows).collect());
    }
    Ok(if broken { Exit::Fault } else { Exit::Done }.code())
}

fn terminal() -> Check {
    if Person::is_present() {
        Check { name: "terminal", health: Health::Good, found: "a person can be asked".to_owned(), hint: None }
    } else {
        let hint = Some("run it in a terminal, or decide with `--approver-key FILE`".into());
        Check { name: "terminal", health: Health::Limited, found: "no person can be asked here".to_owned(), hint }
    }
}

fn rows(check: &Check) -> Vec<Row> {
    let (tone, word) = match check.health {
        Health::Good => (Tone::Good, "good"),
        Health::Limited => (Tone::Warn, "limited"),
        Health::Broken => (Tone::Bad, "broken"),
    };
    let row = Row::new().column(tone, word, 9).column(Tone::Strong, check.name, 11).hanging(20);
    let mut rows = vec![row.plain(&check.found)];
    rows.extend(check.hint.as_ref().map(|hint| Row::indented(20).faint("hint: ").faint(&at_a_terminal(hint))));
    rows
}
