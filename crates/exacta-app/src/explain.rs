//! What would have to change for a plan to be allowed without asking: found out by trying, never guessed.

mod obstacle;
mod trial;

use crate::app::App;
use crate::caller::Act;
use crate::error::Error;
use crate::in_force::Folder;
use crate::options::Options;
use crate::pipeline::{Basis, Evaluation};
use crate::submit::Request;
use crate::submit::evaluate;
use crate::view::{self, Registered};
use exacta_kernel::binding::Proposer;
use exacta_kernel::gate::Verdict;
use exacta_kernel::id::PlanId;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::profile::Profile;
use exacta_view::{Explained, ProfileAnswer, Ways};
use trial::Trial;

/// What would be decided about a text, and what would have to change for it to be allowed. Reads only.
///
/// # Errors
/// If the folder or the policy cannot be used. A text that is not a plan is not an error: the view says so.
pub fn explain(options: &Options, text: &[u8], request: &Request) -> Result<Explained, Error> {
    options.authorize(Act::Read)?;
    let folder = Folder::open(options)?;
    let basis = folder.basis(&request.constraints);
    let evaluation = evaluate(text, request, basis)?;
    Ok(Explained { plan: view::of(&evaluation, None)?, ways: ways(&evaluation, basis)? })
}

impl App {
    /// Whether the text of a plan was kept, so that more can be said about it than its record tells.
    #[must_use]
    pub fn keeps_text(&self, id: &PlanId) -> bool {
        self.authorize_for(Act::Read, id).is_ok() && self.record(id).is_ok_and(|record| record.proposal.is_some())
    }

    /// The same of a stored plan, as things stand now.
    ///
    /// # Errors
    /// If there is no such plan, or its text was not kept.
    pub fn explain_plan(&self, id: &PlanId) -> Result<Explained, Error> {
        self.authorize_for(Act::Read, id)?;
        let current = self.current(id)?;
        let mut basis = current.stored.in_force().basis(
            &self.root,
            Some(&self.project.id),
            &current.stored.identity.binding.constraints,
        );
        basis.selection = current.stored.identity.derived_from.is_some();
        basis.connected = Proposer::is_connected(&current.stored.identity.binding.proposer.credential);
        let registered = Registered {
            identity: &current.stored.identity,
            plan_hash: current.stored.record.plan_hash,
            status: current.stored.record.status,
        };
        let mut plan = view::of(&current.evaluation, Some(registered))?;
        // Nothing is approved here, so there is nothing to sign.
        plan.plan_hash = None;
        Ok(Explained { plan, ways: ways(&current.evaluation, basis)? })
    }
}

fn ways(evaluation: &Evaluation, basis: Basis<'_>) -> Result<Ways, Error> {
    let profiles = profiles(evaluation, basis);
    let goal = goal(basis.policy);
    if evaluation.is_withheld() {
        let obstacles = obstacle::of_secrets(evaluation.verdicts());
        return Ok(Ways { profiles, profile: goal, obstacles, without: Vec::new() });
    }
    let policy = basis.policy.under(goal);
    let mut trial = Trial::new(evaluation, Basis { policy: &policy, ..basis });
    let decision = evaluation.verdicts_under(trial.basis());
    let mut obstacles = obstacle::obstacles(evaluation, &decision, &mut trial)?;
    obstacles.extend(obstacle::of_profile(evaluation, basis.policy));
    let without =
        if decision.verdict() > Verdict::Allow && goal > Profile::Safe { trial.fewest()? } else { Vec::new() };
    Ok(Ways { profiles, profile: goal, obstacles, without })
}

/// What the gates say under each profile that the ceiling leaves.
fn profiles(evaluation: &Evaluation, basis: Basis<'_>) -> Vec<ProfileAnswer> {
    let within = Profile::ALL.into_iter().filter(|profile| *profile <= basis.policy.ceiling());
    let answer = |profile: Profile| {
        let policy = basis.policy.under(profile);
        let decision = evaluation.verdicts_under(Basis { policy: &policy, ..basis });
        let in_force = profile == basis.policy.profile();
        ProfileAnswer { profile, in_force, decision: decision.verdict(), notice: decision.notice() }
    };
    within.map(answer).collect()
}

/// The profile in force; in place of SAFE, which asks about everything, the next one that the ceiling leaves.
fn goal(policy: &Policy) -> Profile {
    policy.profile().max(Profile::Dev.min(policy.ceiling()))
}
