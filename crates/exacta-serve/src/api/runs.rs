//! Runs: started, looked at, cancelled, undone.

use super::plans::{key, whole};
use super::wire::{Start, Undo};
use super::{body, json};
use crate::answer::Answer;
use crate::problem::refuse;
use crate::request::Request;
use crate::runs;
use exacta_app::{Error, Execution};
use exacta_kernel::audit::Entry;
use exacta_kernel::id::{PlanId, RunId};
use exacta_view::RunView;
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
            let run = request.server.look(&request.caller)?.show(&id)?.run;
            Ok(Answer::json(StatusCode::ACCEPTED, "application/json", &json!({ "plan_id": id, "run": run })))
        }
    }
}

/// Starts a run; the run if it ended at once, nothing if it goes on.
pub(super) fn started(request: &Request, id: &PlanId) -> Result<Option<RunView>, Error> {
    // Whoever cannot see the plan is told so here, by the one who asks.
    request.server.look(&request.caller)?.answer(id, false)?;
    match runs::start(&request.server, &request.caller, id).recv_timeout(AT_ONCE) {
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
    let app = request.server.look(&request.caller)?;
    let mut entries: Vec<Entry> = app.entries(None, Some(1000))?;
    entries.retain(|entry| entry.run_id.as_ref().is_some_and(|id| id.as_str() == run.run_id));
    Ok(json(&json!({ "schema": "exacta.audit-list/1", "entries": entries })))
}

/// Cancels a run that this server started: it is put back between two steps.
pub fn cancel(request: &Request) -> Result<Answer, Error> {
    let run = seen(request)?;
    let app = request.server.act(&request.caller)?;
    app.may_cancel(&whole(&run.plan_id)?)?;
    if !request.server.runs.cancel(&whole(&run.plan_id)?) {
        return Err(refuse(
            "run_unknown",
            "this server has no such run that goes on",
            "`exacta cancel` cancels a run of another process",
        ));
    }
    Ok(Answer::json(StatusCode::ACCEPTED, "application/json", &run))
}

/// Shows what undoing a run would do, or undoes it, if it is what was shown.
pub fn undo(request: &Request) -> Result<Answer, Error> {
    let given: Undo = body(request)?;
    let run = seen(request)?;
    let mut app = request.server.act(&request.caller)?;
    let view = app.undo_preview(Some(&run.run_id))?;
    let Some(hash) = given.undo_hash else { return Ok(json(&view)) };
    if hash != view.undo_hash {
        return Err(refuse(
            "hash_mismatch",
            "this is not the undo that was shown",
            "ask again without `undo_hash`, and look at it",
        ));
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
    let app = request.server.look(&request.caller)?;
    let run = app.run(&id)?.ok_or_else(unknown)?;
    app.answer(&whole(&run.plan_id)?, false).map_err(|_| unknown())?;
    Ok(run)
}
