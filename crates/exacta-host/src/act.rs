//! What each tool does: arguments to a use case, its outcome to a report.

use crate::argument::Arguments;
use crate::place::Place;
use crate::resource;
use crate::result::{done, failed};
use crate::told;
use crate::waiting::{LONGEST, Until, Waiting};
use exacta_app::{App, CheckEvent, Error, Trial};
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::proposal::Domain;
use exacta_mcp::{Call, Called, Failure, Job as _, ToolResult};
use exacta_view::{Found, Report, Rights, Standing};
use serde_json::json;

/// What a change is given as.
const CHANGE: [&str; 6] = ["patch", "proposal", "intent", "text", "base", "model"];

/// How many plans are listed.
const LISTED: u32 = 20;

/// Told on the way.
type Tell<'t> = &'t mut dyn FnMut(&str);

/// Calls a tool.
///
/// # Errors
/// If there is no such tool for this agent. What a tool could not do is a result, for the model to read.
pub fn call(place: &impl Place, call: &Call<'_>, tell: Tell<'_>) -> Result<Called, Failure> {
    let done = match call.name {
        "submit" => submit(place, call, tell),
        "check" => check(place, call),
        "try" => try_out(place, call, tell),
        "status" => status(place, call),
        "wait" => return Ok(wait(place, call).unwrap_or_else(|error| Called::Done(failed(&error)))),
        "findings" => findings(place, call),
        "read_schema" => read_schema(call),
        "withdraw" => withdraw(place, call),
        "undo" => undo(place, call),
        "execute" if rights(place).execute => execute(place, call, tell),
        other => {
            let name = exacta_kernel::text::excerpt(other, 60);
            return Err(Failure::Params(format!("there is no tool `{name}` here; `tools/list` shows them")));
        }
    };
    Ok(Called::Done(done.unwrap_or_else(|error| failed(&error))))
}

fn submit(place: &impl Place, call: &Call<'_>, tell: Tell<'_>) -> Result<ToolResult, Error> {
    let mut arguments = Arguments::of(call, &[&CHANGE[..], &["revises", "run"]].concat());
    let (revises, run) = (arguments.plan("revises"), arguments.flag("run"));
    let change = arguments.change(call, revises)?;
    let mut app = place.open()?;
    let view = app.submit(&change.text, &change.request)?;
    let is_allowed = view.status == Some(Status::AutoApproved);
    match view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok()) {
        Some(id) if run && is_allowed && rights(place).run_allowed => apply(place, app, &id, tell),
        _ => Ok(done(&Report::submitted(&view, rights(place)))),
    }
}

fn check(place: &impl Place, call: &Call<'_>) -> Result<ToolResult, Error> {
    let change = Arguments::of(call, &CHANGE).change(call, None)?;
    Ok(done(&Report::checked(&exacta_app::check(&place.options(), &change.text, &change.request)?)))
}

/// What the checks do is told on the way.
fn try_out(place: &impl Place, call: &Call<'_>, tell: Tell<'_>) -> Result<ToolResult, Error> {
    let change = Arguments::of(call, &CHANGE).change(call, None)?;
    let app = App::look(&place.options())?;
    let stop = place.stop()?;
    let mut observer = |event: CheckEvent<'_>| told::check(&event, tell);
    let trial = Trial { cancel: stop.flag(), observer: &mut observer };
    Ok(done(&Report::tried(&app.try_checks(&change.text, &change.request, trial)?)))
}

fn undo(place: &impl Place, call: &Call<'_>) -> Result<ToolResult, Error> {
    let plan = Arguments::of(call, &["plan_id"]).needed_plan()?;
    let mut app = place.open()?;
    Ok(done(&Report::submitted(&app.propose_undo(plan.as_str())?, rights(place))))
}

fn status(place: &impl Place, call: &Call<'_>) -> Result<ToolResult, Error> {
    let mut arguments = Arguments::of(call, &["plan_id"]);
    let plan = arguments.plan("plan_id");
    arguments.end()?;
    let app = App::look(&place.options())?;
    let report = plan.map(|id| Ok::<Report, Error>(Report::standing(&app.show(&id)?, rights(place)))).transpose()?;
    let plans = if report.is_some() { Vec::new() } else { app.list(None, Some(LISTED))? };
    let profile = app.profile_view()?;
    Ok(done(&Standing { profile: profile.in_force.name(), ceiling: profile.ceiling.name(), plan: report, plans }))
}

fn wait(place: &impl Place, call: &Call<'_>) -> Result<Called, Error> {
    let mut arguments = Arguments::of(call, &["plan_id", "seconds", "until"]);
    let seconds = arguments.number("seconds", LONGEST).unwrap_or(LONGEST);
    let until = match arguments.word("until", &["decided", "applied"]) {
        Some("applied") => Until::Applied,
        _ => Until::Decided,
    };
    let plan = arguments.needed_plan()?;
    let seconds = if call.may_wait { seconds } else { 0 };
    let mut waiting = Waiting::new(place, plan, until, seconds);
    Ok(waiting.look().map_or_else(|| Called::Later(Box::new(waiting)), Called::Done))
}

fn findings(place: &impl Place, call: &Call<'_>) -> Result<ToolResult, Error> {
    let plan = Arguments::of(call, &["plan_id"]).needed_plan()?;
    Ok(done(&Found::of(App::look(&place.options())?.show(&plan)?.plan)))
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

fn withdraw(place: &impl Place, call: &Call<'_>) -> Result<ToolResult, Error> {
    let mut arguments = Arguments::of(call, &["plan_id", "reason"]);
    let reason = arguments.text("reason");
    let plan = arguments.needed_plan()?;
    let mut app = place.open()?;
    app.withdraw(&plan, reason, None)?;
    Ok(done(&Report::standing(&app.show(&plan)?, rights(place))))
}

fn execute(place: &impl Place, call: &Call<'_>, tell: Tell<'_>) -> Result<ToolResult, Error> {
    let plan = Arguments::of(call, &["plan_id"]).needed_plan()?;
    apply(place, place.open()?, &plan, tell)
}

/// Starts a plan, and says how it stands then.
fn apply(place: &impl Place, app: App, id: &PlanId, tell: Tell<'_>) -> Result<ToolResult, Error> {
    place.run(app, id, tell)?;
    Ok(done(&Report::standing(&App::look(&place.options())?.show(id)?, rights(place))))
}

/// What the agent may do beside proposing.
fn rights(place: &impl Place) -> Rights {
    resource::rights(&place.options())
}
