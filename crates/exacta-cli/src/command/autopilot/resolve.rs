//! `exacta autopilot resolve`

use super::{holder, print};
use crate::args::{Resolve, Word};
use crate::command::resolve::Said;
use crate::command::{Context, resolve};
use exacta_app::{App, Error};

pub(super) fn resolve(args: &Resolve, context: &Context) -> Result<u8, Error> {
    let mut app = App::resume(&holder(&args.run, context)?)?;
    context.tell_recovered(&app);
    let of_occasion = app.occasion(&args.run).ok();
    let run = match of_occasion.as_ref().and_then(|occasion| occasion.execution.as_ref()) {
        Some(execution) => execution.run_id.clone(),
        None => args.run.clone(),
    };
    let said = Said { step: &args.step, done: args.word == Word::Done, signer: &args.signer };
    let ended = resolve::word(&mut app, &run, &said, context)?;
    if of_occasion.is_none() {
        return resolve::report(ended, &app, context);
    }
    print(&app.settled_occasion(&args.run)?, context);
    Ok(resolve::exit(&ended))
}
