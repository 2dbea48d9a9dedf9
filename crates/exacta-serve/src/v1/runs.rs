//! Runs: started, looked at, followed, rolled back.

use super::envelope::data;
use super::plans::named as named_plan;
use super::wire::{Rollback, Start};
use super::{body, found, person};
use crate::answer::{Answer, Standing};
use crate::api::session_key;
use crate::place::Place;
use crate::problem::refuse;
use crate::request::Request;
use crate::session::lock;
use exacta_app::site::SiteRunView;
use exacta_app::{App, Error, ErrorCode, Execution, Exit};
use exacta_kernel::id::{PlanId, RunId};
use hyper::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long is waited for a run to begin, which it does when everything was looked at once more.
const TO_BEGIN: Duration = Duration::from_secs(20);

/// The most runs of one answer.
const MOST: usize = 100;

/// Starts the run of an approved plan, once.
pub fn start(request: &Request) -> Result<Answer, Error> {
    let given: Start = body(request)?;
    let (place, id, plan) = named_plan(request, &given.plan_id)?;
    let _starting = Starting::claim(&id)?;
    if let Some(run) = place.look(&request.caller)?.site_run_of(&id)? {
        return Err(had_its_run(&run));
    }
    if plan.status != "approved" {
        let message = format!("plan `{id}` is {}", plan.status);
        return Err(Error::new(Exit::Drifted, "RUN_PLAN_NOT_APPROVED", message).hint("a person approves it first"));
    }
    let ended = crate::runs::start(&request.server, &place, &request.caller, &id);
    let until = Instant::now() + TO_BEGIN;
    loop {
        let error = match ended.recv_timeout(Duration::from_millis(100)) {
            Ok(Err(error)) => Some(error),
            Ok(Ok(_)) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        };
        let app = place.look(&request.caller)?;
        let run = app.site_run_of(&id)?;
        match (run, error) {
            // Whatever became of it, it began: how it ended is in it. A run of somebody who was faster is not this one's.
            (Some(run), error)
                if error
                    .as_ref()
                    .is_none_or(|error| error.run_id.as_ref().is_some_and(|id| id.as_str() == run.run_id)) =>
            {
                return Ok(data(request, StatusCode::ACCEPTED, &told(&app, &run)?));
            }
            (Some(run), Some(_)) => return Err(had_its_run(&run)),
            (_, Some(error)) => return Err(not_begun(&app, &id, error)),
            _ if Instant::now() >= until => {
                return Ok(data(request, StatusCode::ACCEPTED, &json!({ "plan_id": id, "state": "queued" })));
            }
            _ => {}
        }
    }
}

/// The plans whose run somebody is starting here: of any number who ask at the same time, one starts it.
static STARTED: Mutex<BTreeSet<PlanId>> = Mutex::new(BTreeSet::new());

/// The right to start the run of a plan, until it is dropped.
struct Starting(PlanId);

impl Starting {
    fn claim(id: &PlanId) -> Result<Self, Error> {
        if lock(&STARTED).insert(id.clone()) {
            return Ok(Self(id.clone()));
        }
        let message = format!("the run of plan `{id}` is being started");
        Err(Error::new(Exit::Drifted, "RUN_ACTIVE_CONFLICT", message).hint("a plan runs once; look at its run"))
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        lock(&STARTED).remove(&self.0);
    }
}

/// Runs, newest first: `site`, `limit`.
pub fn list(request: &Request) -> Result<Answer, Error> {
    let limit = request.asked("limit").map_or(Ok(20), str::parse).ok().filter(|limit| (1..=MOST).contains(limit));
    let limit = limit.ok_or_else(|| refuse("VALIDATION_ERROR", "`limit` is 1 to 100", "leave it out for 20"))?;
    let mut runs = Vec::new();
    for place in request.places() {
        runs.extend(place.look(&request.caller)?.site_runs(request.asked("site"), limit)?);
    }
    runs.truncate(limit);
    Ok(data(request, StatusCode::OK, &json!({ "runs": runs })))
}

/// A run with its steps, what happened, and what can be rolled back.
pub fn show(request: &Request) -> Result<Answer, Error> {
    let (place, run) = named(request)?;
    Ok(data(request, StatusCode::OK, &told(&place.look(&request.caller)?, &run)?))
}

/// What happened in a run, as a stream that ends with it.
pub fn events(request: &Request) -> Result<Standing, Error> {
    let (place, run) = named(request)?;
    let mut text = String::new();
    for (number, event) in place.look(&request.caller)?.site_run_events(&run)?.iter().enumerate() {
        let line = exacta_kernel::text::visible_json(&serde_json::to_string(event).unwrap_or_default()).into_owned();
        text.push_str(&format!("id: {number}\nevent: {}\ndata: {line}\n\n", event.event));
    }
    let is_over = !matches!(run.state, "queued" | "running" | "rolling_back");
    if is_over {
        text.push_str("event: end\ndata: {}\n\n");
    }
    Ok(Standing { answer: Answer::text("text/event-stream", &text), is_over })
}

/// Rolls a completed run back, as an undo does.
pub fn rollback(request: &Request) -> Result<Answer, Error> {
    let given: Rollback = body(request)?;
    let (place, run) = named(request)?;
    person(request)?;
    if !run.rollback_available {
        let message = format!("run `{}` is {}: nothing can be rolled back", run.run_id, run.state);
        return Err(Error::new(Exit::Drifted, "RUN_ROLLBACK_NOT_AVAILABLE", message));
    }
    let (key, cancel) = (session_key(request, given.passphrase.as_deref())?, AtomicBool::new(false));
    let execution = Execution {
        sync: true,
        wait: Duration::from_secs(10),
        cancel: &cancel,
        observer: &mut |_| {},
        check_observer: &mut |_| {},
    };
    let mut app = place.act(&request.caller)?;
    app.undo(&run.run_id, &key, execution).map_err(|error| match error.exit {
        Exit::Usage | Exit::Denied => error,
        _ => Error { code: ErrorCode::RUN_ROLLBACK_FAILED, ..error },
    })?;
    let id = RunId::parse(&run.run_id).map_err(|_| no_run())?;
    Ok(data(request, StatusCode::ACCEPTED, &told(&app, &app.site_run(&id)?)?))
}

fn named(request: &Request) -> Result<(Arc<Place>, SiteRunView), Error> {
    let id = RunId::parse(request.part(0)).map_err(|_| no_run())?;
    found(request, |place| place.look(&request.caller)?.site_run(&id), no_run())
}

/// A run as the contract answers it.
fn told(app: &App, run: &SiteRunView) -> Result<Value, Error> {
    let mut told = serde_json::to_value(run)?;
    let rollbacks: Vec<Value> = run
        .steps
        .iter()
        .filter(|step| step.rollback != "none")
        .map(|step| json!({ "step_id": step.step_id, "page_id": step.page_id, "status": step.rollback }))
        .collect();
    if let Value::Object(told) = &mut told {
        told.insert("events".to_owned(), json!(app.site_run_events(run)?));
        told.insert("rollbacks".to_owned(), json!(rollbacks));
    }
    Ok(told)
}

fn had_its_run(run: &SiteRunView) -> Error {
    let message = format!("plan `{}` has its run, `{}`, which is {}", run.plan_id, run.run_id, run.state);
    let active = matches!(run.state, "running" | "rolling_back");
    let code = if active { "RUN_ACTIVE_CONFLICT" } else { "RUN_PLAN_NOT_APPROVED" };
    let error = Error::new(Exit::Drifted, code, message).hint("a plan runs once; draft another one");
    Error { run_id: RunId::parse(&run.run_id).ok(), ..error }
}

/// Why a run did not begin, in the contract's codes.
fn not_begun(app: &App, id: &PlanId, error: Error) -> Error {
    let code = match error.code {
        ErrorCode::PLAN_EXPIRED => ErrorCode::SITE_PLAN_EXPIRED,
        ErrorCode::APPROVAL_NEEDED
        | ErrorCode::APPROVAL_OUTDATED
        | ErrorCode::WRONG_STATUS
        | ErrorCode::ALREADY_RUN
        | ErrorCode::PLAN_DRIFTED
        | ErrorCode::TARGET_CHANGED => ErrorCode::RUN_PLAN_NOT_APPROVED,
        ErrorCode::PLAN_DENIED => {
            let findings = app.show(id).map(|shown| shown.plan.findings).unwrap_or_default();
            let capped = findings.iter().find_map(|finding| match finding.code.as_str() {
                "PLAN_STEP_CAP_EXCEEDED" if finding.message.contains("tool calls") => {
                    Some(ErrorCode::RUN_TOOL_CALL_CAP_EXCEEDED)
                }
                "PLAN_STEP_CAP_EXCEEDED" => Some(ErrorCode::RUN_STEP_CAP_EXCEEDED),
                "PLAN_PAGE_CAP_EXCEEDED" => Some(ErrorCode::RUN_PAGE_CAP_EXCEEDED),
                _ => None,
            });
            capped.unwrap_or(ErrorCode::RUN_INVALID_INPUT)
        }
        code => code,
    };
    Error { code, ..error }
}

fn no_run() -> Error {
    Error::new(Exit::Usage, "RUN_NOT_FOUND", "there is no such run on a site").hint("`run_id` of a run")
}
