//! A proposer waits for the answer to a plan, or withdraws it.

use super::Context;
use super::key::Decider;
use super::run_end::End;
use crate::args::{AwaitAnswer, Wait, Withdraw};
use crate::prompt::Person;
use exacta_app::{App, Error, ErrorCode, Exit, Patience};
use exacta_kernel::id::PlanId;
use exacta_view::rows::answer;
use exacta_view::{Answer, AnswerView};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// `exacta wait`
pub fn wait(args: &Wait, context: &Context) -> Result<u8, Error> {
    let app = context.look()?;
    let ids = args.ids.iter().map(|id| app.resolve(id)).collect::<Result<Vec<PlanId>, Error>>()?;
    // Nothing is under way that would have to end in order: a signal ends the program.
    let stop = AtomicBool::new(false);
    let limit = args.timeout.map(Duration::from_secs);
    let answer = app.wait(&ids, &Patience { limit, run: args.run, stop: &stop })?;
    if context.output.is_json() {
        context.output.json(&answer);
    } else {
        context.output.rows(answer::answer(&answer));
    }
    Ok(exacta_app::exit_of(&answer).code())
}

/// Waits for the answer to a plan that was just stored.
///
/// # Errors
/// If the record cannot be read.
pub fn awaited(app: &App, id: &PlanId, patience: AwaitAnswer, context: &Context) -> Result<AnswerView, Error> {
    let name = app.short_id(id);
    context.output.note(&format!("waiting for a person's answer: `exacta review {name}`"));
    let (stop, limit) = (AtomicBool::new(false), patience.timeout.map(Duration::from_secs));
    app.wait(std::slice::from_ref(id), &Patience { limit, run: false, stop: &stop })
}

/// Tells an answer that was waited for: programs get the plan as it is now, with what to do next.
///
/// # Errors
/// If the record cannot be read.
pub fn told(app: &App, id: &PlanId, answer: &AnswerView, context: &Context) -> Result<u8, Error> {
    if context.output.is_json() {
        context.output.detail(&app.show(id)?);
    } else {
        context.output.rows(answer::answer(answer));
    }
    Ok(exacta_app::exit_of(answer).code())
}

/// Waits for the end of a run that somebody else started, and tells it.
///
/// # Errors
/// If the record cannot be read.
pub fn followed(app: &App, id: &PlanId, context: &Context) -> Result<u8, Error> {
    let stop = AtomicBool::new(false);
    let answer = app.wait(std::slice::from_ref(id), &Patience { limit: None, run: true, stop: &stop })?;
    End::going_on(id, Some(answer.status), answer.run.clone()).report(context)?;
    Ok(exacta_app::exit_of(&answer).code())
}

/// An answer other than approval, for a command that was to run the plan.
pub fn refusal(id: &PlanId, answer: &AnswerView) -> Error {
    let by = answer.by.as_deref().unwrap_or("a person");
    let why = answer.reason.as_deref().filter(|why| !why.is_empty()).map_or_else(String::new, |why| format!(": {why}"));
    match answer.answer {
        Answer::Rejected => Error::new(Exit::Denied, "rejected", format!("{by} rejected plan `{id}`{why}"))
            .hint("ask the person what they want instead"),
        Answer::ChangesRequested => {
            let words = answer.changes_requested.as_ref().map(|asked| asked.text.as_str()).unwrap_or_default();
            Error::new(Exit::ChangesRequested, "changes_requested", format!("{by} asked for changes: {words}"))
                .hint(format!("submit the answer with `exacta submit FILE --revises {id}`"))
        }
        Answer::Expired => Error::new(Exit::Drifted, "plan_expired", format!("plan `{id}` expired{why}"))
            .hint(format!("`exacta resubmit {id}` makes a new plan from the same proposal")),
        Answer::Approved | Answer::Waiting => exacta_app::waits(id),
    }
}

/// `exacta withdraw`
pub fn withdraw(args: &Withdraw, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let why = Some(args.reason.trim()).filter(|why| !why.is_empty());
    let by_key = args.signer.approver_key.is_some();
    let id = if by_key { app.resolve_whole(&args.id)? } else { app.resolve(&args.id)? };
    match if by_key { signed(&mut app, &id, why, args, context) } else { app.withdraw(&id, why, None) } {
        Err(error) if error.code == ErrorCode::PERSON_NEEDED && Person::is_present() => {
            signed(&mut app, &id, why, args, context)?;
        }
        withdrawn => withdrawn?,
    }
    if context.output.is_json() {
        context.output.json(&app.answer(&id, false)?);
    } else {
        context.output.line(&format!("withdrew plan {id}"));
    }
    Ok(Exit::Done.code())
}

fn signed(app: &mut App, id: &PlanId, why: Option<&str>, args: &Withdraw, context: &Context) -> Result<(), Error> {
    let decider = Decider::new(&args.signer, &context.options)?;
    decider.agrees(&format!("withdraw plan {id}, so that it cannot run?"))?;
    app.withdraw(id, why, Some((&decider.key(&context.options)?).into()))
}
