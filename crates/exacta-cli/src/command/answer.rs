//! A proposer waits for the answer to a plan, or withdraws it.

use super::Context;
use super::key::Decider;
use crate::args::{Wait, Withdraw};
use crate::prompt::Person;
use exacta_app::{App, Error, Exit, Patience};
use exacta_kernel::id::PlanId;
use exacta_view::rows::answer;
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

/// `exacta withdraw`
pub fn withdraw(args: &Withdraw, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let why = Some(args.reason.trim()).filter(|why| !why.is_empty());
    let by_key = args.signer.approver_key.is_some();
    let id = if by_key { app.resolve_whole(&args.id)? } else { app.resolve(&args.id)? };
    match if by_key { signed(&mut app, &id, why, args, context) } else { app.withdraw(&id, why, None) } {
        Err(error) if error.code == "person_needed" && Person::is_present() => {
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
    app.withdraw(id, why, Some(&decider.key(&context.options)?))
}
