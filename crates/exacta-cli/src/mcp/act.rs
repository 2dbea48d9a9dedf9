//! What each tool does: arguments to a use case, its outcome to a report.

use super::argument::Arguments;
use super::desk::Desk;
use super::waiting::{LONGEST, Until, Waiting};
use crate::interrupt::Orderly;
use crate::progress;
use exacta_app::{App, CheckEvent, Error, ErrorCode, Execution, Exit, Trial};
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::proposal::Domain;
use exacta_mcp::{Call, Called, Failure, Job as _, ToolResult};
use exacta_view::{Found, Report, Standing};
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// What a change is given as.
const CHANGE: [&str; 6] = ["patch", "proposal", "intent", "text", "base", "model"];

/// How many plans are listed.
const LISTED: u32 = 20;

/// As much of a line that a check prints is told.
const PRINTED: usize = 500;

/// Told on the way.
type Tell<'t> = &'t mut dyn FnMut(&str);

/// Calls a tool.
///
/// # Errors
/// If there is no such tool for this agent. What a tool could not do is a result, for the model to read.
pub fn call(desk: &Desk, call: &Call<'_>, tell: Tell<'_>) -> Result<Called, Failure> {
    let done = match call.name {
        "submit" => submit(desk, call, tell),
        "check" => check(desk, call),
        "try" => try_out(desk, call, tell),
        "status" => status(desk, call),
        "wait" => return Ok(wait(desk, call).unwrap_or_else(|error| Called::Done(failed(&error)))),
        "findings" => findings(desk, call),
        "read_schema" => read_schema(call),
        "withdraw" => withdraw(desk, call),
        "undo" => undo(desk, call),
        "execute" if desk.rights().execute => execute(desk, call, tell),
        other => {
            let name = exacta_kernel::text::excerpt(other, 60);
            return Err(Failure::Params(format!("there is no tool `{name}` here; `tools/list` shows them")));
        }
    };
    Ok(Called::Done(done.unwrap_or_else(|error| failed(&error))))
}

fn submit(desk: &Desk, call: &Call<'_>, tell: Tell<'_>) -> Result<ToolResult, Error> {
    let mut arguments = Arguments::of(call, &[&CHANGE[..], &["revises", "run"]].concat());
    let (revises, run) = (arguments.plan("revises"), arguments.flag("run"));
    let change = arguments.change(call, revises)?;
    let mut app = App::resume(&desk.options())?;
    let view = app.submit(&change.text, &change.request)?;
    let is_allowed = view.status == Some(Status::AutoApproved);
    match view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok()) {
        Some(id) if run && is_allowed && desk.rights().run_allowed => apply(desk, &mut app, &id, tell),
        _ => Ok(done(&Report::submitted(&view, desk.rights()))),
    }
}

fn check(desk: &Desk, call: &Call<'_>) -> Result<ToolResult, Error> {
    let change = Arguments::of(call, &CHANGE).change(call, None)?;
    Ok(done(&Report::checked(&exacta_app::check(&desk.options(), &change.text, &change.request)?)))
}

/// What the checks do is told on the way.
fn try_out(desk: &Desk, call: &Call<'_>, tell: Tell<'_>) -> Result<ToolResult, Error> {
    let change = Arguments::of(call, &CHANGE).change(call, None)?;
    let app = App::look(&desk.options())?;
    let signals = Orderly::begin().map_err(|error| crate::fail::io(Exit::Fault, "watch for signals", &error))?;
    let mut observer = |event: CheckEvent<'_>| match &event {
        CheckEvent::Output(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines.for_each(|line| tell(&exacta_kernel::text::excerpt(line, PRINTED)));
        }
        _ => progress::check_text(&event).iter().for_each(|text| tell(text.trim())),
    };
    let trial = Trial { cancel: signals.flag(), observer: &mut observer };
    Ok(done(&Report::tried(&app.try_checks(&change.text, &change.request, trial)?)))
}

fn undo(desk: &Desk, call: &Call<'_>) -> Result<ToolResult, Error> {
    let plan = Arguments::of(call, &["plan_id"]).needed_plan()?;
    let mut app = App::resume(&desk.options())?;
    Ok(done(&Report::submitted(&app.propose_undo(plan.as_str())?, desk.rights())))
}

fn status(desk: &Desk, call: &Call<'_>) -> Result<ToolResult, Error> {
    let mut arguments = Arguments::of(call, &["plan_id"]);
    let plan = arguments.plan("plan_id");
    arguments.end()?;
    let app = App::look(&desk.options())?;
    let report = plan.map(|id| Ok::<Report, Error>(Report::standing(&app.show(&id)?, desk.rights()))).transpose()?;
    let plans = if report.is_some() { Vec::new() } else { app.list(None, Some(LISTED))? };
    let profile = app.profile_view()?;
    Ok(done(&Standing { profile: profile.in_force.name(), ceiling: profile.ceiling.name(), plan: report, plans }))
}

fn wait(desk: &Desk, call: &Call<'_>) -> Result<Called, Error> {
    let mut arguments = Arguments::of(call, &["plan_id", "seconds", "until"]);
    let seconds = arguments.number("seconds", LONGEST).unwrap_or(LONGEST);
    let until = match arguments.word("until", &["decided", "applied"]) {
        Some("applied") => Until::Applied,
        _ => Until::Decided,
    };
    let plan = arguments.needed_plan()?;
    let seconds = if call.may_wait { seconds } else { 0 };
    let mut waiting = Waiting::new(desk, plan, until, seconds);
    Ok(waiting.look().map_or_else(|| Called::Later(Box::new(waiting)), Called::Done))
}

fn findings(desk: &Desk, call: &Call<'_>) -> Result<ToolResult, Error> {
    let plan = Arguments::of(call, &["plan_id"]).needed_plan()?;
    Ok(done(&Found::of(App::look(&desk.options())?.show(&plan)?.plan)))
}

fn read_schema(call: &Call<'_>) -> Result<ToolResult, Error> {
    let mut arguments = Arguments::of(call, &["domain"]);
    let domain = arguments.word("domain", &["files", "autopilot", "site"]).unwrap_or("files");
    arguments.end()?;
    let of = match domain {
        "autopilot" => Domain::Autopilot,
        "site" => Domain::Site,
        _ => Domain::Files,
    };
    Ok(done(&json!({ "domain": domain, "schema": exacta_kernel::schema::of_domain(of) })))
}

fn withdraw(desk: &Desk, call: &Call<'_>) -> Result<ToolResult, Error> {
    let mut arguments = Arguments::of(call, &["plan_id", "reason"]);
    let reason = arguments.text("reason");
    let plan = arguments.needed_plan()?;
    let mut app = App::resume(&desk.options())?;
    app.withdraw(&plan, reason, None)?;
    Ok(done(&Report::standing(&app.show(&plan)?, desk.rights())))
}

fn execute(desk: &Desk, call: &Call<'_>, tell: Tell<'_>) -> Result<ToolResult, Error> {
    let plan = Arguments::of(call, &["plan_id"]).needed_plan()?;
    let mut app = App::resume(&desk.options())?;
    apply(desk, &mut app, &plan, tell)
}

/// Starts a plan. A run that failed and was put back is an outcome to report; only where there was none is it an error.
fn apply(desk: &Desk, app: &mut App, id: &PlanId, tell: Tell<'_>) -> Result<ToolResult, Error> {
    let signals = Orderly::begin().map_err(|error| crate::fail::io(Exit::Fault, "watch for signals", &error))?;
    let tell = std::cell::RefCell::new(tell);
    let execution = Execution {
        sync: true,
        wait: Duration::ZERO,
        cancel: signals.flag(),
        observer: &mut |event| (tell.borrow_mut())(progress::text(&event).trim()),
        check_observer: &mut |event| {
            progress::check_text(&event).iter().for_each(|text| (tell.borrow_mut())(text.trim()));
        },
    };
    match app.execute(id, execution) {
        Err(error) if error.run_id.is_none() => Err(error),
        _ => Ok(done(&Report::standing(&app.show(id)?, desk.rights()))),
    }
}

/// What a tool gives.
pub fn done(value: &impl Serialize) -> ToolResult {
    match serde_json::to_value(value) {
        Ok(value) => ToolResult { value, failed: false },
        Err(error) => failed(&error.into()),
    }
}

/// What went wrong, in words that a model can act on. What only a person can do is apart.
pub fn failed(error: &Error) -> ToolResult {
    let hint = match error.code {
        ErrorCode::PLAN_UNKNOWN => Some("call `status` without a plan_id: it lists the plans that are yours"),
        ErrorCode::PROJECT_UNKNOWN => Some("ask the person to run `exacta init` in the project"),
        ErrorCode::ALREADY_RUN => Some("a plan runs once: submit the change again if it is still wanted"),
        _ => None,
    };
    let (own, for_the_person) = error.hint.as_ref().map_or((None, None), super::hint::worded);
    let value: Value = json!({
        "error": {
            "code": error.code,
            "message": error.message,
            "hint": hint.map(str::to_owned).or(own),
            "for_the_person": for_the_person,
        }
    });
    ToolResult { value, failed: true }
}
