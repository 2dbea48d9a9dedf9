//! A person's word about an act that nobody else could tell of.

use super::Context;
use super::key::Decider;
use super::run_end::End;
use crate::args::Signer;
use exacta_app::{App, Error, Exit};
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::text::{excerpt, visible_line};
use exacta_view::RunView;

/// What a person says.
pub struct Said<'s> {
    /// The step.
    pub step: &'s str,
    /// Whether it was done.
    pub done: bool,
    /// Who says it.
    pub signer: &'s Signer,
}

/// Asks the person, or takes the word of the key's owner, and brings the run to its end.
///
/// # Errors
/// As [`App::resolve_effect`]; also if the person says no.
pub fn word(app: &mut App, run: &str, said: &Said<'_>, context: &Context) -> Result<RunView, Error> {
    if said.signer.approver_key.is_some() && RunId::parse(run).is_err() {
        return Err(Error::new(Exit::Usage, "run_id_not_whole", "with a key, the run is named by its whole id")
            .hint("`exacta status --json` has the ids"));
    }
    let question = app.unresolved(run)?;
    let decider = Decider::new(said.signer, &context.options)?;
    let (how, step) = (if said.done { "was done" } else { "was not done" }, &question.step);
    if decider.is_person() {
        let evidence = excerpt(&visible_line(&question.evidence), 400);
        context.output.aside_text(&format!("step {step} of run {}: {evidence}\n", question.run_id));
    }
    decider.agrees(&format!("Did you look, and can you say that step `{step}` {how}?"))?;
    let key = decider.key(&context.options)?;
    app.resolve_effect(&question.run_id, said.step, said.done, &key)
}

/// Tells how the run ended; 60 where a person still has to look.
///
/// # Errors
/// If the run's plan cannot be read.
pub fn report(run: RunView, app: &App, context: &Context) -> Result<u8, Error> {
    let id = PlanId::parse(&run.plan_id).map_err(|error| Error::fault("internal", error.to_string()))?;
    let exit = exit(&run);
    End::going_on(&id, app.status_of(&id).ok(), Some(run)).report(context)?;
    Ok(exit)
}

/// How the command ends whose word brought a run to its end.
pub fn exit(run: &RunView) -> u8 {
    if run.outcome.name() == "needs_attention" { Exit::Fault.code() } else { 0 }
}
