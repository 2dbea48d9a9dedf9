//! How a run ends: with progress on the way, printed as text or JSON.

use super::Context;
use crate::args::Pace;
use crate::fail;
use crate::interrupt::Orderly;
use crate::output::Output;
use crate::progress;
use crate::render::run as text;
use exacta_app::{App, Error, ErrorCode, Execution, Exit};
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_view::{ChangesRequested, Outcome, PlanView, ReceiptView, RunView};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// How long `--queue` waits for other runs.
const QUEUE: Duration = Duration::from_secs(600);

/// The version of the face of a run.
const RUN: &str = "exacta.run/1";

/// An attempt to execute or undo, and what became of it.
#[derive(Debug)]
pub struct End {
    plan_id: String,
    /// The plan's status, where it is told.
    status: Option<Status>,
    /// The run; none if the attempt was refused before there was one.
    run: Option<RunView>,
    failed: Option<Error>,
    /// What a person asked to be changed, where that is why it was refused.
    changes_requested: Option<ChangesRequested>,
    /// Whether a signal came meanwhile.
    interrupted: bool,
}

/// The same as JSON.
#[derive(Debug, Serialize)]
struct Face<'e> {
    schema: &'static str,
    plan_id: Option<&'e str>,
    status: Option<Status>,
    run_id: Option<&'e str>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_requested: Option<&'e ChangesRequested>,
    steps: &'e [ReceiptView],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    kept: &'e [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<fail::Body>,
}

/// Executes or undoes, with progress on the way. Signals cancel it between steps.
///
/// # Errors
/// Only if signals cannot be watched for; a failed run is an [`End`].
pub fn act(
    app: &mut App,
    id: &PlanId,
    pace: &Pace,
    context: &Context,
    act: impl FnOnce(&mut App, Execution<'_>) -> Result<RunView, Error>,
) -> Result<End, Error> {
    let signals = Orderly::begin().map_err(|error| fail::io(Exit::Fault, "watch for signals", &error))?;
    let mut observer = progress::observer(pace.events, context.output);
    let mut check_observer = progress::check_observer(pace.events, context.output);
    let execution = Execution {
        sync: !pace.no_sync,
        wait: if pace.queue { QUEUE } else { Duration::ZERO },
        cancel: signals.flag(),
        observer: &mut observer,
        check_observer: &mut check_observer,
    };
    let (run, failed) = match act(app, execution) {
        Ok(run) => (Some(run), None),
        Err(error) => (error.run_id.as_ref().and_then(|run| app.run(run).ok().flatten()), Some(error)),
    };
    let status = status(app, id, context);
    let asked = failed.as_ref().is_some_and(|error| error.code == ErrorCode::CHANGES_REQUESTED);
    let changes_requested = if asked { app.changes_requested(id)? } else { None };
    let interrupted = signals.interrupted();
    Ok(End { plan_id: id.to_string(), status, run, failed, changes_requested, interrupted })
}

/// How the plan stands. Only machines ask.
fn status(app: &App, id: &PlanId, context: &Context) -> Option<Status> {
    if context.output.is_json() { app.status_of(id).ok() } else { None }
}

impl End {
    /// A run that goes on elsewhere; none where it still waits for others.
    pub fn going_on(id: &PlanId, status: Option<Status>, run: Option<RunView>) -> Self {
        Self { plan_id: id.to_string(), status, run, failed: None, changes_requested: None, interrupted: false }
    }

    /// A run that was to be cancelled, by what the record says of it now.
    pub fn cancelled(app: &App, id: &PlanId, run: &RunId, ended: Result<RunView, Error>, context: &Context) -> Self {
        let status = status(app, id, context);
        let (run, failed) = match ended {
            Ok(run) => (Some(run), None),
            Err(error) => (app.run(run).ok().flatten(), Some(error)),
        };
        Self { plan_id: id.to_string(), status, run, failed, changes_requested: None, interrupted: false }
    }

    /// An attempt that ended before there was a run.
    pub fn refused(app: &App, id: &PlanId, error: Error, context: &Context) -> Self {
        let status = status(app, id, context);
        let (run, changes_requested) = (None, None);
        Self { plan_id: id.to_string(), status, run, failed: Some(error), changes_requested, interrupted: false }
    }

    /// The run, if it completed.
    pub fn completed(&self) -> Option<&str> {
        self.run.as_ref().filter(|run| run.outcome == Outcome::Completed).map(|run| run.run_id.as_str())
    }

    /// Whether there was a run.
    pub const fn is_run(&self) -> bool {
        self.run.is_some()
    }

    /// Prints it, and gives the exit code.
    ///
    /// # Errors
    /// The failure, where it is told as text.
    pub fn report(self, context: &Context) -> Result<u8, Error> {
        let output = &context.output;
        if output.is_json() {
            output.json(&self.face());
            return Ok(self.failed.as_ref().map_or(Exit::Done, |error| error.exit).code());
        }
        if let Some(error) = self.failed {
            if self.interrupted && error.exit.is_rolled_back() {
                output.note("cancelled: every file is as it was");
            }
            return Err(error);
        }
        if let Some(run) = &self.run {
            output.rows(text::ended(run));
        }
        Ok(Exit::Done.code())
    }

    fn outcome(&self) -> &'static str {
        match self.run.as_ref().map(|run| run.outcome) {
            None if self.failed.is_none() => "running",
            None if self.interrupted => "cancelled",
            None if self.failed.as_ref().is_some_and(|error| error.run_id.is_some()) => "rolled_back",
            None => "refused",
            Some(outcome) => outcome.name(),
        }
    }

    fn face(&self) -> Face<'_> {
        let run = self.run.as_ref();
        Face {
            schema: RUN,
            plan_id: Some(&self.plan_id),
            status: self.status,
            run_id: run
                .map(|run| run.run_id.as_str())
                .or_else(|| self.failed.as_ref()?.run_id.as_ref().map(RunId::as_str)),
            outcome: self.outcome(),
            notice: run.and_then(|run| run.notice.as_deref()),
            changes_requested: self.changes_requested.as_ref(),
            steps: run.map(|run| run.steps.as_slice()).unwrap_or_default(),
            kept: run.map(|run| run.kept.as_slice()).unwrap_or_default(),
            undoes: run.and_then(|run| run.undoes.as_deref()),
            started_at: run.map(|run| run.started_at.as_str()),
            ended_at: run.and_then(|run| run.ended_at.as_deref()),
            error: self.failed.as_ref().map(fail::body),
        }
    }
}

/// A `run` that ended before there was a run, because the gates or nobody decided: told as the plan, and as the run that it
/// did not become.
///
/// # Errors
/// If a value cannot be written as JSON, which the types rule out.
pub fn refused(view: &PlanView, error: &Error, output: &Output) -> Result<Value, Error> {
    let face = Face {
        schema: RUN,
        plan_id: view.plan_id.as_deref(),
        status: view.status,
        run_id: None,
        outcome: "refused",
        notice: None,
        changes_requested: None,
        steps: &[],
        kept: &[],
        undoes: None,
        started_at: None,
        ended_at: None,
        error: Some(fail::body(error)),
    };
    let mut told = output.face(view, view);
    if let (Value::Object(told), Value::Object(face)) = (&mut told, serde_json::to_value(face)?) {
        told.extend(face);
    }
    Ok(told)
}
