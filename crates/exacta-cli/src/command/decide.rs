//! A person decides about a plan, in one line.

use super::key::Decider;
use super::{Context, plan as plans};
use crate::args::{Approve, Reject, Revise};
use crate::render::{ask, plan};
use exacta_app::view::PlanView;
use exacta_app::{App, Error, Exit};
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use std::collections::BTreeSet;

/// The fewest digits of a hash that name a plan.
const FEWEST_DIGITS: usize = 8;

/// `exacta approve`
pub fn approve(args: &Approve, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let decider = Decider::new(&args.signer, &context.options)?;
    let id = meant(&app, &args.id, &decider)?;
    let view = seen(&mut app, &id, args.hash.as_deref())?;
    if !decider.is_person() && args.hash.is_none() && args.steps.is_empty() {
        return Err(unseen(&id, signable(&view)?));
    }
    if args.steps.is_empty() {
        return approve_shown(&mut app, &view, decider, context);
    }
    let steps: BTreeSet<String> = args.steps.iter().filter(|step| !step.is_empty()).cloned().collect();
    if steps.is_empty() {
        return refuse(&mut app, &id, &view, Some("nothing was selected"), decider, context);
    }
    let derived = app.select(&id, &steps)?;
    if derived.status == Some(Status::Pending) && decider.is_person() {
        return approve_shown(&mut app, &derived, decider, context);
    }
    plans::print(&derived, &context.output);
    plans::next(&derived, &app, &context.output);
    Ok(plans::exit(&derived).code())
}

/// Shows the plan to the person, and approves exactly that if they agree.
fn approve_shown(app: &mut App, view: &PlanView, decider: Decider, context: &Context) -> Result<u8, Error> {
    let approved = decide_shown(app, view, decider, context)?;
    if context.output.is_json() {
        context.output.json(&approved);
    } else if let Some(id) = &approved.plan_id {
        context.output.line(&format!("approved plan {id}"));
        plans::execute_next(&approved, &context.output);
    }
    Ok(Exit::Done.code())
}

/// The approved plan.
///
/// # Errors
/// Exit 30 if the person says no; and as approving fails.
pub fn decide_shown(app: &mut App, view: &PlanView, decider: Decider, context: &Context) -> Result<PlanView, Error> {
    let (id, hash) = named(view)?;
    if decider.is_person() {
        context.output.aside(plan::facts(view));
        context.output.aside_text(&plan::diffs_text(view, context.output.paint_aside()));
        context.output.aside(ask::summary(view));
        decider.agrees(&format!("approve exactly this plan, hash {}?", plan::short(&hash)))?;
    }
    app.approve(&id, Some(&hash), &decider.key(&context.options)?)
}

/// `exacta reject`
pub fn reject(args: &Reject, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let decider = Decider::new(&args.signer, &context.options)?;
    let id = meant(&app, &args.id, &decider)?;
    let view = seen(&mut app, &id, args.hash.as_deref())?;
    let why = Some(args.reason.trim()).filter(|why| !why.is_empty());
    refuse(&mut app, &id, &view, why, decider, context)
}

fn refuse(
    app: &mut App,
    id: &PlanId,
    view: &PlanView,
    why: Option<&str>,
    decider: Decider,
    context: &Context,
) -> Result<u8, Error> {
    if decider.is_person() {
        context.output.aside(plan::head(view));
    }
    decider.agrees(&format!("reject plan {id} for good?"))?;
    app.reject(id, why, &decider.key(&context.options)?)?;
    done(app, id, &format!("rejected plan {id}\n"), context)
}

/// `exacta revise`
pub fn revise(args: &Revise, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let decider = Decider::new(&args.signer, &context.options)?;
    let id = meant(&app, &args.id, &decider)?;
    decider.agrees(&format!("ask for changes to plan {id}?"))?;
    app.revise(&id, &args.request, &decider.key(&context.options)?)?;
    context.output.note(&format!("the answer comes with `exacta submit FILE --revises {id}`"));
    done(&app, &id, &format!("asked for changes to plan {id}\n"), context)
}

/// The plan that is decided: a person may name it in short, since they are shown it; whoever gives a key may not.
fn meant(app: &App, id: &str, decider: &Decider) -> Result<PlanId, Error> {
    if decider.is_person() { app.resolve(id) } else { app.resolve_whole(id) }
}

/// An approval with a key says what was looked at.
fn unseen(id: &PlanId, hash: &str) -> Error {
    let message = format!("an approval of plan `{id}` with a key needs the hash of what was looked at");
    Error::new(Exit::Usage, "hash_required", message)
        .hint(format!("look at it with `exacta show {id}`; if this is what you approve, pass `--hash {hash}`"))
}

/// Prints how the plan stands after a decision.
fn done(app: &App, id: &PlanId, text: &str, context: &Context) -> Result<u8, Error> {
    if context.output.is_json() {
        context.output.json(&app.show(id)?.plan);
    } else {
        context.output.text(text);
    }
    Ok(Exit::Done.code())
}

/// The plan as it is now, if it can be decided and is the one whose hash was given.
fn seen(app: &mut App, id: &PlanId, hash: Option<&str>) -> Result<PlanView, Error> {
    if hash.is_some_and(|hash| hash.len() < FEWEST_DIGITS) {
        return Err(Error::new(Exit::Usage, "hash_short", format!("`--hash` needs at least {FEWEST_DIGITS} digits"))
            .hint(format!("`exacta show {id}` shows the hash of the plan")));
    }
    let detail = app.consider(id)?;
    let decided = detail.plan.status.is_some_and(Status::is_approved) && detail.drifts.is_empty() && detail.counts();
    if !detail.live || decided {
        let error = over(&detail.plan);
        let why = detail.reason.map_or_else(String::new, |why| format!(": {why}"));
        return Err(Error { message: format!("{}{why}", error.message), ..error });
    }
    let view = detail.plan;
    let is = signable(&view)?;
    match hash {
        Some(hash) if !is.starts_with(hash) => {
            let message = format!("plan `{id}` is not the one that was shown: its hash is {is}");
            Err(Error::new(Exit::Drifted, "hash_mismatch", message).hint(format!("look at it with `exacta show {id}`")))
        }
        _ => Ok(view),
    }
}

/// The hash that a decision signs.
///
/// # Errors
/// Exit 40 where there is none, since the text did not become a plan.
pub fn signable(view: &PlanView) -> Result<&str, Error> {
    view.plan_hash.as_deref().ok_or_else(|| over(view))
}

/// There is nothing left to decide.
fn over(view: &PlanView) -> Error {
    match (view.plan_id.as_deref().map(PlanId::parse), view.status) {
        (Some(Ok(id)), Some(status)) => exacta_app::wrong_status(&id, status),
        _ => Error::fault("internal", "a stored plan has no id or no status"),
    }
}

fn named(view: &PlanView) -> Result<(PlanId, String), Error> {
    let hash = signable(view)?.to_owned();
    let id = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok());
    Ok((id.ok_or_else(|| Error::fault("internal", "a stored plan has no id"))?, hash))
}
