//! A run as it goes on: a line per step for people, a JSON line per event for programs.

mod printed;

use crate::output::Output;
use exacta_app::{CheckEnd, CheckEvent, Progress};
use exacta_kernel::text::visible_line;
use printed::{Lines, marked};
use serde_json::{Value, json};

/// Tells about each step: as JSON lines on standard output, or as text on standard error unless a JSON result was asked for.
pub fn observer(events: bool, output: Output) -> impl FnMut(Progress) {
    move |event| {
        if events {
            output.json(&line(&event));
        } else if !output.is_json() {
            output.aside_text(&text(&event));
        }
    }
}

/// The same about the operator's checks. What a check prints is told line by line, each marked as the check's.
pub fn check_observer(events: bool, output: Output) -> impl FnMut(CheckEvent<'_>) {
    let (mut check, mut lines) = (String::new(), Lines::default());
    move |event| {
        let printed = match &event {
            CheckEvent::Started(command) => {
                check.clone_from(&command.name);
                Vec::new()
            }
            CheckEvent::Output(bytes) => lines.feed(bytes),
            CheckEvent::Ended(_) => lines.end().into_iter().collect(),
        };
        if events {
            printed
                .iter()
                .for_each(|text| output.json(&named("check_output", json!({ "check": check, "text": text }))));
            check_line(&event).iter().for_each(|line| output.json(line));
        } else if !output.is_json() {
            printed.iter().for_each(|line| output.aside_text(&marked(line, output.columns())));
            check_text(&event).iter().for_each(|text| output.aside_text(text));
        }
    }
}

fn line(event: &Progress) -> Value {
    match event {
        Progress::StepStaged { path } => named("step_staged", json!({ "path": path })),
        Progress::Committing => named("committing", json!({})),
        Progress::StepDone { path } => named("step_done", json!({ "path": path })),
        Progress::RollingBack { cause } => named("rolling_back", json!({ "cause": cause })),
    }
}

/// A line about an event.
pub fn named(event: &str, fields: Value) -> Value {
    let mut line = json!({ "schema": "exacta.event/1", "event": event });
    if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
        line.extend(fields);
    }
    line
}

/// A step, for people.
pub fn text(event: &Progress) -> String {
    match event {
        Progress::StepStaged { path } => format!("  ready    {}\n", visible_line(path.as_str())),
        Progress::Committing => "  everything is verified; committing\n".to_owned(),
        Progress::StepDone { path } => format!("  done     {}\n", visible_line(path.as_str())),
        Progress::RollingBack { cause } => format!("  putting everything back: {}\n", visible_line(cause)),
    }
}

fn check_line(event: &CheckEvent<'_>) -> Option<Value> {
    match event {
        CheckEvent::Started(command) => Some(named("check_started", json!({ "check": command.name }))),
        CheckEvent::Output(_) => None,
        CheckEvent::Ended(report) => {
            Some(named("check_ended", json!({ "check": report.name, "ended": ended(&report.ended) })))
        }
    }
}

/// A check, for people: not what it prints.
pub fn check_text(event: &CheckEvent<'_>) -> Option<String> {
    match event {
        CheckEvent::Started(command) => Some(format!("  check    {}\n", visible_line(&command.name))),
        CheckEvent::Output(_) => None,
        CheckEvent::Ended(report) => {
            Some(format!("  check    {}: {}\n", visible_line(&report.name), ended(&report.ended)))
        }
    }
}

fn ended(ended: &CheckEnd) -> String {
    match ended {
        CheckEnd::Passed => "passed".to_owned(),
        CheckEnd::Failed(code) => format!("failed with exit code {code}"),
        CheckEnd::Killed(signal) => format!("ended by signal {signal}"),
        CheckEnd::TimedOut => "took too long".to_owned(),
        CheckEnd::Cancelled => "stopped".to_owned(),
    }
}
