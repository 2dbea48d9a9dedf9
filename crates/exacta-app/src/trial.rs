//! The operator's checks on a text that nobody approved: tried out alone, or together with its submission.

use crate::app::App;
use crate::caller::Act;
use crate::checked::Trial;
use crate::error::Error;
use crate::pipeline::Evaluation;
use crate::submit::{Request, evaluate};
use crate::view;
use exacta_kernel::binding::Proposer;
use exacta_kernel::id::PlanId;
use exacta_view::PlanView;

impl App {
    /// What would be decided about a text, and what the operator's checks say of its result. They see it as it would be, in the sandbox
    /// that a run has; whatever they write is thrown away, and nothing is stored.
    ///
    /// # Errors
    /// If the policy cannot be used, or the trial is stopped. A text that is not a plan is not an error: the view says so.
    pub fn try_checks(&self, text: &[u8], request: &Request, trial: Trial<'_>) -> Result<PlanView, Error> {
        self.authorize(Act::Propose)?;
        Ok(self.try_out(text, request, trial)?.0)
    }

    /// As [`App::submit`], with the checks run first. What they said is shown to whoever decides; it changes nothing that is decided.
    ///
    /// # Errors
    /// As [`App::submit`], and if the trial is stopped: then nothing is stored.
    pub fn submit_checked(&mut self, text: &[u8], request: &Request, trial: Trial<'_>) -> Result<PlanView, Error> {
        self.authorize(Act::Propose)?;
        let (tried, evaluation) = self.try_out(text, request, trial)?;
        let mut view = self.submit(text, request)?;
        // The project may have changed while they ran: then they looked at something else.
        if let (Some(checks), true) = (tried.checks, view.content_hash == tried.content_hash)
            && let Some(id) = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok())
            && view.checks.is_some()
        {
            self.keep_checks(&self.record(&id)?, &self.in_force()?.policy, evaluation.has_build(), &checks)?;
            view.checks = Some(checks);
        }
        Ok(view)
    }

    fn try_out(&self, text: &[u8], request: &Request, trial: Trial<'_>) -> Result<(PlanView, Evaluation), Error> {
        let in_force = self.in_force()?;
        let mut basis = in_force.basis(&self.root, Some(&self.project.id), &request.constraints);
        basis.connected = Proposer::is_connected(&self.credential());
        let evaluation = evaluate(text, request, basis)?;
        let mut view = view::of(&evaluation, None)?;
        if !view.withheld {
            view.checks = self.run_checks(&evaluation, &in_force.policy, trial)?;
        }
        Ok((view, evaluation))
    }
}
