//! A run that goes on elsewhere is cancelled.

use super::Context;
use super::run_end::End;
use crate::args::Cancel;
use exacta_app::Error;
use exacta_kernel::id::{PlanId, RunId};

/// `exacta cancel`
pub fn cancel(args: &Cancel, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let run = app.run_named(&args.id)?;
    let id = RunId::parse(&run.run_id).map_err(|error| Error::fault("internal", error.to_string()))?;
    let plan = PlanId::parse(&run.plan_id).map_err(|error| Error::fault("internal", error.to_string()))?;
    let cancelled = app.cancel(&id);
    End::cancelled(&app, &plan, &id, cancelled, context).report(context)
}
