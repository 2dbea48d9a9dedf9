//! A run as it goes on: a line per step for people, a JSON line per event for programs.

use crate::output::Output;
use exacta_app::{CheckEnd, CheckEvent, Progress};
use exacta_kernel::text::{visible, visible_line};
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

/// The same about the operator's checks.
pub fn check_observer(events: bool, output: Output) -> impl FnMut(CheckEvent<'_>) {
    move |event| {
        if events {
            output.json(&check_line(&event));
        } else if !output.is_json() {
            output.aside_text(&check_text(&event));
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

fn text(event: &Progress) -> String {
    match event {
        Progress::StepStaged { path } => format!("  ready    {}\n", visible_line(path.as_str())),
        Progress::Committing => "  everything is verified; committing\n".to_owned(),
        Progress::StepDone { path } => format!("  done     {}\n", visible_line(path.as_str())),
        Progress::RollingBack { cause } => format!("  putting everything back: {}\n", visible_line(cause)),
    }
}

fn check_line(event: &CheckEvent<'_>) -> Value {
    match event {
        CheckEvent::Started(command) => named("check_started", json!({ "check": command.name })),
        CheckEvent::Output(bytes) => named("check_output", json!({ "text": String::from_utf8_lossy(bytes) })),
        CheckEvent::Ended(report) => {
            named("check_ended", json!({ "check": report.name, "ended": ended(&report.ended) }))
        }
    }
}

fn check_text(event: &CheckEvent<'_>) -> String {
    match event {
        CheckEvent::Started(command) => format!("  check    {}\n", visible_line(&command.name)),
        CheckEvent::Output(bytes) => visible(&String::from_utf8_lossy(bytes)).into_owned(),
        CheckEvent::Ended(report) => format!("  check    {}: {}\n", visible_line(&report.name), ended(&report.ended)),
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
