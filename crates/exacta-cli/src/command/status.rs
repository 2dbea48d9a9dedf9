//! How the project stands, recovery, and sessions.

use super::{Context, Face};
use crate::args::{SessionCommand, StatusArgs};
use crate::fail;
use crate::interrupt::Orderly;
use crate::render::status as text;
use exacta_app::{App, Error, Exit};
use exacta_view::words::counted;
use exacta_view::{Outcome, Recovery, RunView, StatusView};
use serde::Serialize;
use std::time::Duration;

/// How often `--watch` looks.
const TICK: Duration = Duration::from_millis(300);

#[derive(Debug, Serialize)]
struct Recoveries<'r> {
    recovered: &'r [Recovery],
}

#[derive(Debug, Serialize)]
struct Session {
    session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expired_plans: Option<usize>,
}

/// `exacta status`
pub fn status(args: &StatusArgs, context: &Context) -> Result<u8, Error> {
    let app = context.look()?;
    let mut status = app.status()?;
    if args.watch {
        status = watch(&app, status, context)?;
    }
    if context.output.is_json() {
        let code = exit(&status).code();
        context.output.json(&Face { schema: "exacta.status/1", body: status });
        return Ok(code);
    }
    let code = exit(&status).code();
    context.output.rows(text::status(&status));
    Ok(code)
}

/// Waits until nothing runs any more, telling about each change.
fn watch(app: &App, mut status: StatusView, context: &Context) -> Result<StatusView, Error> {
    let signals = Orderly::begin().map_err(|error| fail::io(Exit::Fault, "watch for signals", &error))?;
    let told_of = |run: &RunView| format!("run {} is {}", run.run_id, run.word());
    // What was over before is no change.
    let mut told: Vec<String> = status.runs.iter().filter(|run| run.outcome != Outcome::Running).map(told_of).collect();
    loop {
        for run in &status.runs {
            let line = told_of(run);
            if !told.contains(&line) {
                context.output.note(&line);
                told.push(line);
            }
        }
        let going_on = status.runs.iter().any(|run| run.outcome == Outcome::Running) && status.unfinished.is_empty();
        if !going_on || signals.interrupted() {
            return Ok(status);
        }
        std::thread::sleep(TICK);
        status = app.status()?;
    }
}

/// A crash that nobody cleaned up needs attention, and so does a record that was changed. A broken policy denies everything.
fn exit(status: &StatusView) -> Exit {
    let attention = !status.damage.is_empty() || status.attention || !status.unfinished.is_empty();
    match (attention, &status.policy_error) {
        (true, _) => Exit::Fault,
        (false, Some(_)) => Exit::Denied,
        (false, None) => Exit::Done,
    }
}

/// `exacta recover`
pub fn recover(context: &Context) -> Result<u8, Error> {
    let app = App::resume(&context.options)?;
    let recovered = app.recovered();
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.recovery/1", body: Recoveries { recovered } });
    } else {
        context.output.rows(text::recoveries(recovered));
    }
    let attention = recovered.iter().any(|recovery| recovery.outcome.waits_for_a_person());
    Ok(if attention { Exit::Fault } else { Exit::Done }.code())
}

/// `exacta session …`
pub fn session(command: &SessionCommand, context: &Context) -> Result<u8, Error> {
    let output = &context.output;
    match command {
        SessionCommand::Show => {
            let session_id = context.look()?.session()?.to_string();
            if output.is_json() {
                output.json(&Face { schema: "exacta.session/1", body: Session { session_id, expired_plans: None } });
            } else {
                output.line(&format!("session {session_id}"));
            }
        }
        SessionCommand::End => {
            let mut app = context.resume()?;
            let session_id = app.session()?.to_string();
            let expired = app.end_session()?;
            if output.is_json() {
                let body = Session { session_id, expired_plans: Some(expired) };
                output.json(&Face { schema: "exacta.session/1", body });
            } else {
                output.line(&format!("ended session {session_id}; {} expired with it", counted(expired, "plan")));
            }
        }
    }
    Ok(0)
}
