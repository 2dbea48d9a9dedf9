//! Runs: started, looked at, cancelled, undone.

use super::plans::{key, whole};
use super::wire::{Start, Undo};
use super::{body, json};
use crate::answer::Answer;
use crate::problem::refuse;
use crate::request::Request;
use crate::runs;
use exacta_app::{Caller, Error, Execution};
use exacta_kernel::audit::Entry;
use exacta_kernel::id::{PlanId, RunId};
use exacta_view::{Outcome, RunView};
use hyper::StatusCode;
use serde_json::json;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long the end of a run is waited for; one that takes longer is looked at later.
const AT_ONCE: Duration = Duration::from_millis(1500);

/// Starts the run of an approved plan.
pub fn start(request: &Request) -> Result<Answer, Error> {
    let given: Start = body(request)?;
    let id = whole(&given.plan_id)?;
    match started(request, &id)? {
        Some(run) => Ok(Answer::json(StatusCode::CREATED, "application/json", &run)),
        None => {
            let place = request.server.places.of_plan(&id, &request.caller)?;
            let run = place.look(&request.caller)?.show(&id)?.run;
            Ok(Answer::json(StatusCode::ACCEPTED, "application/json", &json!({ "plan_id": id, "run": run })))
        }
    }
}

/// Starts a run; the run if it ended at once, nothing if it goes on.
pub(super) fn started(request: &Request, id: &PlanId) -> Result<Option<RunView>, Error> {
    let place = request.server.places.of_plan(id, &request.caller)?;
    // Whoever cannot see the plan is told so here, by the one who asks.
    place.look(&request.caller)?.answer(id, false)?;
    match runs::start(&request.server, &place, &request.caller, id).recv_timeout(AT_ONCE) {
        Ok(run) => run.map(Some),
        Err(_) => Ok(None),
    }
}

/// A run as it stands.
pub fn run(request: &Request) -> Result<Answer, Error> {
    Ok(json(&seen(request)?))
}

/// The entries of the log about a run.
pub fn events(request: &Request) -> Result<Answer, Error> {
    let run = seen(request)?;
    let app = request.look()?;
    let mut entries: Vec<Entry> = app.entries(None, Some(1000))?;
    entries.retain(|entry| entry.run_id.as_ref().is_some_and(|id| id.as_str() == run.run_id));
    Ok(json(&json!({ "schema": "exacta.audit-list/1", "entries": entries })))
}

/// Cancels a run, of this server or of another process: it is put back between two steps.
pub fn cancel(request: &Request) -> Result<Answer, Error> {
    let run = seen(request)?;
    let mut app = request.act()?;
    let plan = whole(&run.plan_id)?;
    app.may_cancel(&plan)?;
    if run.outcome == Outcome::Running && request.server.runs.cancel(&plan) {
        return Ok(Answer::json(StatusCode::ACCEPTED, "application/json", &run));
    }
    let id = RunId::parse(&run.run_id).map_err(|error| Error::fault("internal", error.to_string()))?;
    Ok(Answer::json(StatusCode::ACCEPTED, "application/json", &app.cancel(&id)?))
}

/// Shows what undoing a run would do, or undoes it, if it is what was shown. What an agent asks for becomes a plan that waits for a person.
pub fn undo(request: &Request) -> Result<Answer, Error> {
    let given: Undo = body(request)?;
    let run = seen(request)?;
    let mut app = request.act()?;
    let view = app.undo_preview(Some(&run.run_id))?;
    let Some(hash) = given.undo_hash else { return Ok(json(&view)) };
    if hash != view.undo_hash {
        return Err(refuse(
            "hash_mismatch",
            "this is not the undo that was shown",
            "ask again without `undo_hash`, and look at it",
        ));
    }
    if matches!(request.caller, Caller::Agent { .. }) {
        return Ok(Answer::json(StatusCode::CREATED, "application/json", &app.propose_undo(&view.run_id)?));
    }
    let (key, cancel) = (key(request, given.passphrase.as_deref())?, AtomicBool::new(false));
    let execution = Execution {
        sync: true,
        wait: Duration::from_secs(10),
        cancel: &cancel,
        observer: &mut |_| {},
        check_observer: &mut |_| {},
    };
    Ok(Answer::json(StatusCode::CREATED, "application/json", &app.undo(&view.run_id, &key, execution)?))
}

/// The run that the path names, if whoever asks sees its plan.
fn seen(request: &Request) -> Result<RunView, Error> {
    let unknown = || refuse("run_unknown", "there is no such run", "`run` of a plan has its id");
    let id = RunId::parse(request.part(0)).map_err(|_| unknown())?;
    let app = request.look()?;
    let run = app.run(&id)?.ok_or_else(unknown)?;
    app.answer(&whole(&run.plan_id)?, false).map_err(|_| unknown())?;
    Ok(run)
}
