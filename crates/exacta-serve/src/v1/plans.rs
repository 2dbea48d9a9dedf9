//! Plans: drafted, looked at, approved.

use super::envelope::{data, findings};
use super::wire::{Approve, Draft};
use super::{body, found, person};
use crate::answer::Answer;
use crate::api::session_key;
use crate::problem::refuse;
use crate::request::Request;
use exacta_app::site::{self, ContractFilter, Drafted, NewDraft, PlanContract, Planner};
use exacta_app::{Error, Exit};
use exacta_kernel::approval::Shown;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::PlanId;
use hyper::StatusCode;
use serde_json::json;
use std::sync::Arc;

/// The most plans of one answer.
const MOST: usize = 100;

/// Drafts a plan out of an agent's planning, or of the user's provider.
pub fn draft(request: &Request) -> Result<Answer, Error> {
    let given: Draft = body(request)?;
    let named = given.site.as_deref().or(given.installation_id.as_deref());
    let named = named
        .ok_or_else(|| refuse("VALIDATION_ERROR", "no site is named", "`site`: the name of a site that was added"))?;
    let name = site::name(named).map_err(|_| no_site(named))?;
    let (place, ()) = found(
        request,
        |place| if place.look(&request.caller)?.has_site(&name)? { Ok(()) } else { Err(no_site(named)) },
        no_site(named),
    )?;
    let planner = given.planner_output.as_deref().map_or(Planner::Provider(None), Planner::Answered);
    let new = NewDraft {
        site: &name,
        skill_id: &given.skill_id,
        goal: &given.goal,
        inputs: &given.inputs,
        planner,
        policy_preset: given.policy_preset.as_deref(),
        model_preference: given.model_preference.as_deref(),
        request_id: Some(&request.request_id),
    };
    Ok(match place.act(&request.caller)?.draft_for_site(&new)? {
        Drafted::Plan(plan) => data(request, StatusCode::OK, &plan),
        Drafted::NoContract(found) => findings(request, &found),
    })
}

/// A plan, with what happened to it.
pub fn show(request: &Request) -> Result<Answer, Error> {
    let (_, _, plan) = named(request, request.part(0))?;
    Ok(data(request, StatusCode::OK, &plan))
}

/// Plans, newest first: `site`, `status`, `limit`, and `cursor` for the next page.
pub fn list(request: &Request) -> Result<Answer, Error> {
    let limit = request.asked("limit").map_or(Ok(20), str::parse).ok().filter(|limit| (1..=MOST).contains(limit));
    let limit = limit.ok_or_else(|| refuse("VALIDATION_ERROR", "`limit` is 1 to 100", "leave it out for 20"))?;
    let asked = |name: &str| request.asked(name).map(ToOwned::to_owned);
    let filter = ContractFilter { site: asked("site"), status: asked("status"), limit, cursor: asked("cursor") };
    let (mut plans, mut next) = (Vec::new(), None);
    for place in request.places() {
        let (more, cursor) = place.look(&request.caller)?.site_plans(&filter)?;
        plans.extend(more);
        next = next.or(cursor);
    }
    plans.truncate(limit);
    Ok(data(request, StatusCode::OK, &json!({ "plans": plans, "cursor": next })))
}

/// Approves exactly the plan of that hash. A status change: nothing runs.
pub fn approve(request: &Request) -> Result<Answer, Error> {
    let given: Approve = body(request)?;
    let (place, id, plan) = named(request, request.part(0))?;
    person(request)?;
    let hash = given.plan_hash.as_deref().and_then(|hash| Digest::parse(hash).ok()).ok_or_else(|| {
        refuse(
            "PLAN_HASH_REQUIRED",
            "an approval needs the whole hash of what was looked at",
            "`plan_hash` of the plan, all 64 digits",
        )
    })?;
    if plan.status != "validated" {
        return Err(not_approvable(&format!("plan `{id}` is {}", plan.status)));
    }
    let mut app = place.act(&request.caller)?;
    let key = session_key(request, given.passphrase.as_deref())?;
    app.approve(&id, &Shown::from(hash), &key)
        .map_err(|error| if error.exit.is_of_the_plan() { not_approvable(&error.message) } else { error })?;
    Ok(data(request, StatusCode::OK, &app.site_plan(&id)?))
}

/// A plan for a site that whoever asks may see.
pub(super) fn named(request: &Request, text: &str) -> Result<(Arc<crate::place::Place>, PlanId, PlanContract), Error> {
    let none = || {
        Error::new(Exit::Usage, "PLAN_NOT_FOUND", "there is no such plan for a site")
            .hint("only a whole plan id counts here")
    };
    let id = PlanId::parse(text).map_err(|_| none())?;
    let (place, plan) = found(request, |place| place.look(&request.caller)?.site_plan(&id), none())?;
    Ok((place, id, plan))
}

fn not_approvable(why: &str) -> Error {
    Error::new(Exit::Drifted, "PLAN_NOT_APPROVABLE", why).hint("draft it again")
}

fn no_site(name: &str) -> Error {
    let message = format!("no site `{}`", exacta_kernel::text::excerpt(name, 40));
    Error::new(Exit::Usage, "SITE_NOT_FOUND", message).hint("`exacta site list` in a terminal")
}
