//! A person decides about a plan, full-screen.

use super::key::open_own;
use super::{Context, plan as plans};
use crate::args;
use crate::interrupt::Orderly;
use crate::prompt::Person;
use crate::review::{Choice, Review, terminal};
use exacta_app::{App, Error, Exit};
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_view::PlanView;

/// `exacta review`
pub fn review(args: &args::Review, context: &Context) -> Result<u8, Error> {
    Person::present()?;
    if is_too_plain() {
        return Err(Error::new(
            Exit::Usage,
            "terminal_too_plain",
            "a full screen is beyond this terminal, as `TERM` says",
        )
        .hint("`exacta show ID` shows the same, and `exacta approve ID` or `exacta reject ID` decide"));
    }
    let mut app = context.resume()?;
    let id = app.to_review(args.id.as_deref().unwrap_or("@"))?;
    match one(&mut app, id, context)? {
        Ended::Left => Ok(Exit::Confirm.code()),
        Ended::With(code) => Ok(code),
    }
}

/// How the review of a plan ended.
pub enum Ended {
    /// The person left it undecided.
    Left,
    /// It was decided; this is the exit code.
    With(u8),
}

/// Shows a plan full-screen and does what the person chooses.
///
/// # Errors
/// As deciding and running fail.
pub fn one(app: &mut App, mut id: PlanId, context: &Context) -> Result<Ended, Error> {
    let mut message = None;
    loop {
        let (choice, view) = look_at(app.consider(&id)?.plan, message.take(), context)?;
        match choice {
            Choice::ApproveSteps(steps) => {
                message = Some(derived_words(&view, &steps));
                let derived = app.select(&id, &steps.into_iter().collect())?;
                if derived.status != Some(Status::Pending) {
                    plans::print(&derived, &context.output);
                    return Ok(Ended::With(plans::exit(&derived).code()));
                }
                id = parsed(&derived)?;
            }
            choice => return carry_out(app, &id, view, choice, context),
        }
    }
}

/// Whether a full screen is beyond the terminal.
pub fn is_too_plain() -> bool {
    std::env::var_os("TERM").is_none_or(|kind| kind.is_empty() || kind == "dumb")
}

/// Shows a plan full-screen until the person has chosen; gives it back, since it can be large.
///
/// # Errors
/// If the terminal fails.
pub fn look(view: PlanView, context: &Context) -> Result<(Choice, PlanView), Error> {
    look_at(view, None, context)
}

/// What became of a selection.
fn derived_words(view: &PlanView, parts: &[String]) -> String {
    let all = view.detail.as_ref().map_or(0, |detail| detail.steps.len());
    let steps: std::collections::BTreeSet<&str> = parts.iter().filter_map(|part| part.split(':').next()).collect();
    let in_part = if parts.iter().any(|part| part.contains(':')) { ", some in part" } else { "" };
    format!("this is a new plan of {} of {all} steps{in_part}, not yet approved", steps.len())
}

fn look_at(view: PlanView, message: Option<String>, context: &Context) -> Result<(Choice, PlanView), Error> {
    let signals = Orderly::begin().map_err(|error| broken(&error))?;
    let mut review = Review::new(view, context.output.paint_aside().0).saying(message);
    let choice = terminal::run(&mut review, &signals, &context.options).map_err(|error| broken(&error))?;
    Ok((choice, review.into_view()))
}

fn carry_out(app: &mut App, id: &PlanId, view: PlanView, choice: Choice, context: &Context) -> Result<Ended, Error> {
    let key = || open_own(&context.options);
    let word = match choice {
        Choice::Pause | Choice::ApproveSteps(_) => {
            context.output.note("nothing was decided: the plan stays as it is");
            if context.output.is_json() {
                context.output.plan(&view);
            }
            return Ok(Ended::Left);
        }
        Choice::Approve => {
            app.approve(id, &super::decide::named(&view)?.1, &key()?)?;
            "approved"
        }
        Choice::ApproveAndRun => {
            app.approve(id, &super::decide::named(&view)?.1, &key()?)?;
            return super::run::execute_now(app, id, context).map(Ended::With);
        }
        Choice::Reject(why) => {
            app.reject(id, Some(why.as_str()).filter(|why| !why.is_empty()), &key()?)?;
            "rejected"
        }
        Choice::RequestChanges(text) => {
            app.revise(id, &text, &key()?)?;
            "asked for changes to"
        }
    };
    if context.output.is_json() {
        context.output.detail(&app.show(id)?);
    } else {
        context.output.line(&format!("{word} plan {id}"));
    }
    Ok(Ended::With(Exit::Done.code()))
}

fn parsed(view: &PlanView) -> Result<PlanId, Error> {
    PlanId::parse(view.plan_id.as_deref().unwrap_or_default())
        .map_err(|error| Error::fault("internal", error.to_string()))
}

fn broken(error: &std::io::Error) -> Error {
    Error::fault("terminal", format!("the terminal cannot be used: {error}"))
        .hint("`exacta show` and `exacta approve` work without a screen")
}
