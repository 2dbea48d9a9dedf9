//! What the buttons of the page do: each one use case, signed by the approver's key where it decides.

use crate::answer::Answer;
use crate::page::{DELIBERATE, is_grave};
use crate::pages::plan_page;
use crate::problem::refuse;
use crate::request::Request;
use crate::runs;
use crate::session::COOKIE;
use exacta_app::settings::SigningKey;
use exacta_app::{App, Error, Execution};
use exacta_kernel::approval::Shown;
use exacta_kernel::id::{PlanId, RunId};
use hyper::header;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long a page waits for the end of a run that it started; one that takes longer is followed live.
const AT_ONCE: Duration = Duration::from_millis(400);

/// Exchanges the one-time link for a session.
pub fn open(request: &Request) -> Result<Answer, Error> {
    still_an_approver(request)?;
    let cookie = request.server.sessions.open(request.field("link"))?;
    let secure = if request.server.scheme == "https" { "; Secure" } else { "" };
    let value = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict{secure}", cookie.reveal());
    Ok(Answer::see("/").with(header::SET_COOKIE, value))
}

/// That the link's owner is still an approver.
fn still_an_approver(request: &Request) -> Result<(), Error> {
    if request.server.approver_counts()? {
        return Ok(());
    }
    let message = format!("`{}` is no longer an approver", request.server.approver);
    Err(refuse("unauthenticated", &message, "start `exacta serve` again for somebody who is"))
}

/// Approves exactly what was shown, and runs it if that was said. High risk takes a second act: a typed word.
pub fn approve(request: &Request) -> Result<Answer, Error> {
    on_plan(request, |app, id| {
        let shown = Shown::parse(request.field("plan_hash"))
            .map_err(|error| refuse("hash_short", &error.to_string(), "reload the page"))?;
        if is_grave(&app.consider(id)?) && request.field("word") != DELIBERATE {
            return Err(refuse(
                "deliberate",
                "this plan is of high risk, and the word was not typed",
                "type `approve` beside the button",
            ));
        }
        app.approve(id, &shown, &*key(request)?)?;
        if request.field("run") == "1" { start(request, id) } else { Ok(()) }
    })
}

/// Rejects a plan for good.
pub fn reject(request: &Request) -> Result<Answer, Error> {
    on_plan(request, |app, id| app.reject(id, said(request, "reason"), &*key(request)?))
}

/// Asks for changes.
pub fn revise(request: &Request) -> Result<Answer, Error> {
    on_plan(request, |app, id| {
        let words = said(request, "text")
            .ok_or_else(|| refuse("text_missing", "nothing was said that should be different", "say what"))?;
        let words = said(request, "at").map_or_else(|| words.to_owned(), |place| format!("{words} (at {place})"));
        app.revise(id, &words, &*key(request)?)
    })
}

/// Withdraws a plan that has not run.
pub fn withdraw(request: &Request) -> Result<Answer, Error> {
    on_plan(request, |app, id| app.withdraw(id, said(request, "reason"), Some((&*key(request)?).into())))
}

/// Runs an approved plan.
pub fn run(request: &Request) -> Result<Answer, Error> {
    on_plan(request, |_, id| start(request, id))
}

/// Cancels a run: one of this server, or of another process.
pub fn cancel(request: &Request) -> Result<Answer, Error> {
    on_plan(request, |app, id| {
        app.may_cancel(id)?;
        if request.server.runs.cancel(id) {
            return Ok(());
        }
        let run = app.run_named(id.as_str())?;
        let run = RunId::parse(&run.run_id).map_err(|error| Error::fault("internal", error.to_string()))?;
        app.cancel(&run).map(drop)
    })
}

/// Makes a plan of what was selected, and shows it for its own approval.
pub fn select(request: &Request) -> Result<Answer, Error> {
    let id = request.plan()?;
    let mut app = request.act()?;
    let parts: BTreeSet<String> =
        request.form.iter().filter(|(name, _)| name == "part").map(|(_, part)| part.clone()).collect();
    if parts.is_empty() {
        let error = refuse(
            "selection_invalid",
            "nothing is selected",
            "mark steps or hunks first; to refuse the whole plan, reject it",
        );
        return plan_page(request, app, &id, Some(&error));
    }
    match app.select(&id, &parts) {
        Ok(derived) => Ok(Answer::see(&format!("/plans/{}", derived.plan_id.unwrap_or_default()))),
        Err(error) => plan_page(request, app, &id, Some(&error)),
    }
}

/// Makes a new plan from the proposal of one that is over.
pub fn resubmit(request: &Request) -> Result<Answer, Error> {
    let id = request.plan()?;
    let mut app = request.act()?;
    match app.resubmit(&id) {
        Ok(again) => Ok(Answer::see(&again.plan_id.map_or_else(|| "/".to_owned(), |id| format!("/plans/{id}")))),
        Err(error) => plan_page(request, app, &id, Some(&error)),
    }
}

/// Undoes a run, if it is still what was shown.
pub fn undo(request: &Request) -> Result<Answer, Error> {
    let mut app = request.act()?;
    let view = app.undo_preview(Some(request.part(0)))?;
    if view.undo_hash != request.field("undo_hash") {
        return Err(refuse("hash_mismatch", "this is not the undo that was shown", "look at it again"));
    }
    let (key, cancel) = (key(request)?, AtomicBool::new(false));
    let execution = Execution {
        sync: true,
        wait: Duration::from_secs(10),
        cancel: &cancel,
        observer: &mut |_| {},
        check_observer: &mut |_| {},
    };
    app.undo(&view.run_id, &key, execution)?;
    request.server.live.plan(&view.plan_id, "undone", None, "", false);
    Ok(Answer::see(&format!("/plans/{}", view.plan_id)))
}

/// Does something with the plan that the path names; what goes wrong is shown on its page.
fn on_plan(request: &Request, act: impl FnOnce(&mut App, &PlanId) -> Result<(), Error>) -> Result<Answer, Error> {
    let id = request.plan()?;
    let mut app = request.act()?;
    match act(&mut app, &id) {
        Ok(()) => Ok(Answer::see(&format!("/plans/{id}"))),
        Err(error) => plan_page(request, app, &id, Some(&error)),
    }
}

/// Starts a run, and tells what went wrong if it ended at once without a run.
fn start(request: &Request, id: &PlanId) -> Result<(), Error> {
    match runs::start(&request.server, request.place()?, &request.caller, id).recv_timeout(AT_ONCE) {
        Ok(Err(error)) if error.run_id.is_none() => Err(error),
        _ => Ok(()),
    }
}

/// The approver's key, unlocked.
fn key(request: &Request) -> Result<Arc<SigningKey>, Error> {
    request.session()?.key(&request.server.key_file()?, Some(request.field("passphrase")))
}

fn said<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    Some(request.field(name).trim()).filter(|words| !words.is_empty())
}
