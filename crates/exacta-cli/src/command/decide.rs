//! A person decides about a plan, in one line.

use super::key::{Decider, declined};
use super::question::{self, Yes};
use super::{Context, plan as plans};
use crate::args::{Approve, Reject, Revise};
use crate::review::Choice;
use exacta_app::{App, Error, Exit};
use exacta_kernel::approval::Shown;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_view::PlanView;
use exacta_view::rows::plan;
use std::collections::BTreeSet;

/// `exacta approve`
pub fn approve(args: &Approve, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let decider = Decider::new(&args.signer, &context.options)?;
    let id = meant(&app, &args.id, &decider)?;
    let view = seen(&mut app, &id, args.hash.as_deref())?;
    if !decider.is_person() && args.hash.is_none() && args.steps.is_empty() {
        return Err(unseen(&id, &named(&view)?.1));
    }
    if args.steps.is_empty() {
        return approve_shown(&mut app, &view, decider, args, context);
    }
    let steps: BTreeSet<String> = args.steps.iter().filter(|step| !step.is_empty()).cloned().collect();
    if steps.is_empty() {
        return refuse(&mut app, &id, &view, Some("nothing was selected"), decider, context);
    }
    let derived = app.select(&id, &steps)?;
    if derived.status == Some(Status::Pending) && decider.is_person() {
        return approve_shown(&mut app, &derived, decider, args, context);
    }
    plans::print(&derived, &context.output);
    plans::next(&derived, &app, &context.output);
    Ok(plans::exit(&derived).code())
}

/// Shows the plan to the person, and approves exactly that if they agree; then runs it if that was asked for.
fn approve_shown(
    app: &mut App,
    view: &PlanView,
    decider: Decider,
    args: &Approve,
    context: &Context,
) -> Result<u8, Error> {
    let yes = if args.run { Yes::Applies } else { Yes::Approves };
    let (approved, run) = match decide_shown(app, view, decider, yes, context)? {
        Decided::Approved { plan, run } => (plan, run),
        Decided::Ended(code) => return Ok(code),
    };
    if run {
        return super::run::execute_now(app, &named(&approved)?.0, context);
    }
    if context.output.is_json() {
        context.output.plan(&approved);
    } else if let Some(id) = &approved.plan_id {
        context.output.line(&format!("approved plan {id}"));
        plans::execute_next(&approved, &context.output);
    }
    Ok(Exit::Done.code())
}

/// What came of a question.
pub enum Decided {
    /// This plan is approved.
    Approved {
        /// The plan.
        plan: Box<PlanView>,
        /// Whether it is to run at once.
        run: bool,
    },
    /// Another one took its place, and the command is over with this exit code.
    Ended(u8),
}

/// Shows the plan to a person and does what they choose; whoever gives a key has chosen.
///
/// # Errors
/// Exit 30 if the person says no, 10 if they reject the plan, 35 if they ask for changes; and as approving fails.
pub fn decide_shown(
    app: &mut App,
    view: &PlanView,
    decider: Decider,
    yes: Yes,
    context: &Context,
) -> Result<Decided, Error> {
    let (id, shown) = named(view)?;
    let choice = match decider.person() {
        Some(person) => question::ask(person, view, yes, context)?,
        None => Choice::Approve,
    };
    match choice {
        Choice::Pause => Err(declined()),
        choice @ (Choice::Approve | Choice::ApproveAndRun) => {
            let run = yes == Yes::Applies || choice == Choice::ApproveAndRun;
            let plan = Box::new(app.approve(&id, &shown, &decider.key(&context.options)?)?);
            Ok(Decided::Approved { plan, run })
        }
        Choice::Reject(why) => {
            let why = Some(why.as_str()).filter(|why| !why.is_empty());
            app.reject(&id, why, &decider.key(&context.options)?)?;
            Err(Error::new(Exit::Denied, "rejected", format!("you rejected plan `{id}`: it never runs"))
                .hint(format!("`exacta wait {id}` tells the proposer so, with the reason")))
        }
        Choice::RequestChanges(words) => {
            app.revise(&id, &words, &decider.key(&context.options)?)?;
            if let Some(revision) = app.revision(&id, &words, &[])? {
                return super::ask::again(revision, app, context).map(Decided::Ended);
            }
            let message = format!("you asked for changes to plan `{id}`: nothing was approved");
            Err(Error::new(Exit::ChangesRequested, "changes_requested", message)
                .hint(format!("the answer comes with `exacta submit FILE --revises {id}`")))
        }
        Choice::ApproveSteps(steps) => {
            let derived = app.select(&id, &steps.into_iter().collect())?;
            if derived.status == Some(Status::Pending) {
                return decide_shown(app, &derived, decider, yes, context);
            }
            plans::print(&derived, &context.output);
            plans::next(&derived, app, &context.output);
            Ok(Decided::Ended(plans::exit(&derived).code()))
        }
    }
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
    let words = args.at.iter().fold(args.request.clone(), |words, place| format!("{words} (at {place})"));
    app.revise(&id, &words, &decider.key(&context.options)?)?;
    if let Some(revision) = app.revision(&id, &args.request, &args.at)? {
        return super::ask::again(revision, &mut app, context);
    }
    context.output.note(&format!("the answer comes with `exacta submit FILE --revises {id}`"));
    done(&app, &id, &format!("asked for changes to plan {id}\n"), context)
}

/// The plan that is decided: a person may name it in short, since they are shown it; whoever gives a key may not.
fn meant(app: &App, id: &str, decider: &Decider) -> Result<PlanId, Error> {
    if decider.is_person() { app.resolve(id) } else { app.resolve_whole(id) }
}

/// An approval with a key says what was looked at.
fn unseen(id: &PlanId, hash: &Shown) -> Error {
    let message = format!("an approval of plan `{id}` with a key needs the hash of what was looked at");
    Error::new(Exit::Usage, "hash_required", message).hint(format!(
        "look at it with `exacta show {id}`; if this is what you approve, pass `--hash {}`",
        hash.digits()
    ))
}

/// Prints how the plan stands after a decision.
fn done(app: &App, id: &PlanId, text: &str, context: &Context) -> Result<u8, Error> {
    if context.output.is_json() {
        context.output.detail(&app.show(id)?);
    } else {
        context.output.text(text);
    }
    Ok(Exit::Done.code())
}

/// The plan as it is now, if it can be decided and is the one whose hash was given.
fn seen(app: &mut App, id: &PlanId, hash: Option<&str>) -> Result<PlanView, Error> {
    let shown = hash.map(Shown::parse).transpose().map_err(|_| {
        let message = format!("`--hash` needs at least {} digits", Shown::FEWEST_DIGITS);
        Error::new(Exit::Usage, "hash_short", message).hint(format!("`exacta show {id}` shows the hash of the plan"))
    })?;
    app.to_decide(id, shown.as_ref())
}

/// The plan that a person is shown, and the hash that approving it names.
///
/// # Errors
/// Exit 40 where there is none, since the text did not become a plan.
pub fn named(view: &PlanView) -> Result<(PlanId, Shown), Error> {
    let id = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok());
    let id = id.ok_or_else(|| Error::fault("internal", "a stored plan has no id"))?;
    let shown = view.plan_hash.as_deref().map(Shown::parse).and_then(Result::ok);
    match (shown, view.status) {
        (Some(shown), _) => Ok((id, shown)),
        (None, Some(status)) => Err(exacta_app::wrong_status(&id, status)),
        (None, None) => Err(Error::fault("internal", "a stored plan has no status")),
    }
}
