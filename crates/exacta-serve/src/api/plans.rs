//! Plans: submitted, looked at, decided.

use super::wire::{self, Approve, Because, Derive, Revise};
use super::{body, json};
use crate::answer::{Answer, Standing};
use crate::page::{DELIBERATE, is_grave};
use crate::problem::refuse;
use crate::request::Request;
use exacta_app::settings::SigningKey;
use exacta_app::{App, Error, Request as Submission, Scope};
use exacta_kernel::approval::Shown;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_view::{PlanDetail, PlanView, Rights, With, face};
use hyper::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;

/// The most plans of one answer, and how far back they go.
const MOST: (usize, u32) = (200, 5000);

/// Judges a proposal, and stores nothing.
pub fn check(request: &Request) -> Result<Answer, Error> {
    let view =
        exacta_app::check(&request.place()?.options_for(&request.caller), &request.body, &Submission::default())?;
    Ok(json(&face::checked(&view, with(request))))
}

/// Stores what becomes of a proposal: a plan, or a refusal. With `run=true` what policy alone allows runs at once.
pub fn submit(request: &Request) -> Result<Answer, Error> {
    let mut app = request.act()?;
    let revises = request.asked("revises").map(whole).transpose()?;
    let view = app.submit(&request.body, &Submission { revises, ..Submission::default() })?;
    let id = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok());
    if let Some(id) =
        id.as_ref().filter(|_| request.asked("run") == Some("true") && view.status == Some(Status::AutoApproved))
    {
        super::runs::started(request, id)?;
    }
    let Some(id) = id else {
        return Ok(Answer::json(StatusCode::UNPROCESSABLE_ENTITY, "application/json", &told(&view, request)));
    };
    let status =
        if view.status == Some(Status::Rejected) { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::CREATED };
    let shown = shown_as(&app, &id, request).unwrap_or_else(|_| told(&view, request));
    let answer = Answer::json(status, "application/json", &shown);
    Ok(answer.with(hyper::header::LOCATION, format!("/api/v2/plans/{id}")))
}

/// Plans, newest first: `status`, `by`, `limit`, and `after` for the next page.
pub fn list(request: &Request) -> Result<Answer, Error> {
    let limit = request.asked("limit").and_then(|limit| limit.parse().ok()).unwrap_or(50).clamp(1, MOST.0);
    let (by, after) = (request.asked("by"), request.asked("after"));
    let mut plans = Vec::new();
    for place in request.places() {
        let lines = place.look(&request.caller)?.list(request.asked("status"), Some(MOST.1))?;
        plans.extend(lines.into_iter().map(|line| wire::Listed { project_id: place.id.to_string(), line }));
    }
    plans.retain(|plan| by.is_none() || plan.line.summary.by.as_deref() == by);
    plans.sort_by(|a, b| (&b.line.created_at, &b.line.plan_id).cmp(&(&a.line.created_at, &a.line.plan_id)));
    if let Some(after) = after {
        let at = plans.iter().position(|plan| plan.line.plan_id == after).map_or(plans.len(), |at| at + 1);
        plans.drain(..at);
    }
    let more = plans.len() > limit;
    plans.truncate(limit);
    let next = plans.last().filter(|_| more).map(|plan| plan.line.plan_id.clone());
    Ok(json(&json!({ "schema": "exacta.plan-list/2", "plans": plans, "after": next })))
}

/// A plan with everything that happened to it.
pub fn show(request: &Request) -> Result<Answer, Error> {
    let (place, id) = (request.place()?, request.plan()?);
    // What the caller may see and do is in it whole: its scopes, too.
    let name = format!("{id}\0{}\0{:?}", request.asked("with").unwrap_or_default(), request.caller);
    place.kept.answer(
        name,
        || place.look(&request.server.person()),
        || place.look(&request.caller)?.show_witnessed(&id),
        |detail| json(&of_project(standing(detail, request), place.id.as_str())),
    )
}

/// What a plan changes, as one patch for people.
pub fn diff(request: &Request) -> Result<Answer, Error> {
    let detail = request.look()?.show(&request.plan()?)?;
    let steps = detail.plan.detail.iter().flat_map(|detail| &detail.steps);
    let diffs: String = steps.filter_map(|step| step.diff.as_deref()).collect();
    Ok(Answer::text("text/x-diff; charset=utf-8", &diffs))
}

/// What was answered to a plan so far.
pub fn wait(request: &Request) -> Result<Standing, Error> {
    let answer = request.look()?.answer(&request.plan()?, true)?;
    Ok(Standing { is_over: exacta_app::is_over(&answer, false), answer: json(&answer) })
}

/// Approves exactly the plan of that hash: signed by the session's key, or signed elsewhere.
pub fn approve(request: &Request) -> Result<Answer, Error> {
    let (given, id): (Approve, PlanId) = (body(request)?, request.plan()?);
    let hash = Digest::parse(&given.plan_hash).map_err(|_| {
        refuse(
            "hash_required",
            "an approval needs the whole hash of what was looked at",
            "`plan_hash` of the plan, all 64 digits",
        )
    })?;
    let mut app = request.act()?;
    match (given.statement, given.signature) {
        (Some(statement), Some(signature)) => app.approve_signed(&id, hash, statement.with_signature(signature))?,
        (None, None) => {
            // Whoever may not decide is told so before anything is asked of them.
            if is_grave(&decidable(&mut app, &id)?) && given.word.as_deref() != Some(DELIBERATE) {
                return Err(refuse(
                    "deliberate",
                    "this plan is of high risk, and the word was not given",
                    "`word`: `approve`",
                ));
            }
            app.approve(&id, &Shown::from(hash), &*key(request, given.passphrase.as_deref())?)?;
        }
        _ => return Err(wire::half_signed()),
    };
    if given.run && request.credential.session().is_some() {
        super::runs::started(request, &id)?;
    }
    shown(&app, &id, request)
}

/// Rejects a plan for good.
pub fn reject(request: &Request) -> Result<Answer, Error> {
    decided(request, |app, id, given: &Because| {
        let why = said(given.reason.as_deref());
        match given.signed()? {
            Some(signed) => app.reject(id, why, &signed),
            None => app.reject(id, why, &*key(request, given.passphrase.as_deref())?),
        }
    })
}

/// Asks for changes.
pub fn revise(request: &Request) -> Result<Answer, Error> {
    decided(request, |app, id, given: &Revise| {
        let words =
            given.at.as_ref().map_or_else(|| given.text.clone(), |place| format!("{} (at {place})", given.text));
        app.revise(id, &words, &*key(request, given.passphrase.as_deref())?)
    })
}

/// Withdraws a plan that has not run: an agent its own while it waits, an approver any.
pub fn withdraw(request: &Request) -> Result<Answer, Error> {
    let (given, id): (Because, PlanId) = (body(request)?, request.plan()?);
    let mut app = request.act()?;
    let (why, signed) = (said(given.reason.as_deref()), given.signed()?);
    let here = request.credential.session().filter(|_| signed.is_none());
    let key = here.map(|_| key(request, given.passphrase.as_deref())).transpose()?;
    app.withdraw(&id, why, signed.as_ref().map(Into::into).or_else(|| key.as_deref().map(Into::into)))?;
    shown(&app, &id, request)
}

/// Makes a plan of some parts of another, for its own approval.
pub fn derive(request: &Request) -> Result<Answer, Error> {
    let (given, id): (Derive, PlanId) = (body(request)?, request.plan()?);
    let mut app = request.act()?;
    let view = app.select(&id, &given.parts.into_iter().collect())?;
    Ok(Answer::json(StatusCode::CREATED, "application/json", &told(&view, request)))
}

/// A decision that the session's key signs. Whoever may not decide is told so before anything is asked of them.
fn decided<T: serde::de::DeserializeOwned>(
    request: &Request,
    act: impl FnOnce(&mut App, &PlanId, &T) -> Result<(), Error>,
) -> Result<Answer, Error> {
    let (given, id): (T, PlanId) = (body(request)?, request.plan()?);
    let mut app = request.act()?;
    decidable(&mut app, &id)?;
    act(&mut app, &id, &given)?;
    shown(&app, &id, request)
}

fn decidable(app: &mut App, id: &PlanId) -> Result<PlanDetail, Error> {
    app.to_decide(id, None)?;
    app.consider(id)
}

/// The key of the session, unlocked.
pub(crate) fn key(request: &Request, passphrase: Option<&str>) -> Result<Arc<SigningKey>, Error> {
    request.session()?.key(&request.server.key_file()?, passphrase)
}

fn shown(app: &App, id: &PlanId, request: &Request) -> Result<Answer, Error> {
    Ok(json(&shown_as(app, id, request)?))
}

fn shown_as(app: &App, id: &PlanId, request: &Request) -> Result<Value, Error> {
    Ok(of_project(standing(&app.show(id)?, request), app.project_id().as_str()))
}

fn of_project(mut told: Value, project: &str) -> Value {
    if let Value::Object(told) = &mut told {
        told.insert("project_id".to_owned(), json!(project));
    }
    told
}

fn told(view: &PlanView, request: &Request) -> Value {
    face::plan(view, rights(request), with(request))
}

fn standing(detail: &PlanDetail, request: &Request) -> Value {
    face::detail(detail, rights(request), with(request))
}

/// What the caller may do beside proposing.
fn rights(request: &Request) -> Rights {
    let has = |scope| request.caller.has(scope);
    Rights { run_allowed: has(Scope::RunAllowed), execute: has(Scope::Execute) }
}

fn with(request: &Request) -> With {
    With::of(request.asked("with").unwrap_or_default().split(','))
}

fn said(words: Option<&str>) -> Option<&str> {
    words.map(str::trim).filter(|words| !words.is_empty())
}

/// A plan named by its whole id: nothing shorter counts here.
pub(super) fn whole(id: &str) -> Result<PlanId, Error> {
    PlanId::parse(id).map_err(|_| refuse("plan_unknown", "there is no such plan", "only a whole plan id counts here"))
}
