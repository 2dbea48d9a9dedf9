//! What would have to change for a plan to be allowed without asking: found out by trying, never guessed.

mod obstacle;
mod trial;

use crate::app::{App, Options};
use crate::error::Error;
use crate::pipeline::{Court, Evaluation};
use crate::submit::Request;
use crate::submit::evaluate;
use crate::view::{PlanView, Registered};
use crate::world::Folder;
use exacta_kernel::assess::{BasisPoints, Issue, Reason};
use exacta_kernel::gate::Verdict;
use exacta_kernel::id::PlanId;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::profile::Profile;
use serde::Serialize;
use trial::Trial;

/// A plan, and what would have to change for it to be allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The plan; its own fields first.
    #[serde(flatten)]
    pub plan: PlanView,
    /// What would have to change.
    pub ways: Ways,
}

/// What would have to change for a plan to be allowed without asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ways {
    /// What the gates say under each profile within the ceiling.
    pub profiles: Vec<ProfileAnswer>,
    /// The profile that obstacles and steps were tried under: the one in force, or the lowest in which a plan can be allowed.
    pub profile: Profile,
    /// Everything that does not say "allow" there.
    pub obstacles: Vec<Obstacle>,
    /// Steps without which the plan would be allowed; the fewest that were found.
    pub without: Vec<Without>,
}

/// What the gates say under one profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProfileAnswer {
    /// The profile.
    pub profile: Profile,
    /// Whether it is the one in force.
    pub in_force: bool,
    /// What all gates together say.
    pub decision: Verdict,
    /// Whether a run without a person would be announced.
    pub notice: bool,
}

/// One verdict that is not "allow", and what would change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Obstacle {
    /// The gate; `validation` for a finding.
    pub gate: String,
    /// Its answer.
    pub verdict: Verdict,
    /// The rule that spoke, or the code of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
    /// What would change the answer, in words.
    pub ways: Vec<String>,
    /// Each of these steps, left out alone with what depends on it, would clear the gate of it.
    pub steps: Vec<StepName>,
    /// How many points of risk are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<u32>,
    /// The heaviest reasons that carry them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// How much quality is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<BasisPoints>,
    /// The heaviest issues that carry it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Loss>,
}

/// A quality issue, and what it costs of the whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The dimension it takes from.
    pub dimension: &'static str,
    /// At most this much of the quality.
    pub lost: BasisPoints,
    /// The issue, with its place and remedy.
    #[serde(flatten)]
    pub issue: Issue,
}

/// Steps without which a plan would be allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Without {
    /// The steps to leave out.
    pub steps: Vec<StepName>,
    /// The risk of what is left.
    pub risk: u32,
    /// Its quality.
    pub quality: BasisPoints,
}

/// A step by its id and target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepName {
    /// The id.
    pub id: String,
    /// What it is about.
    pub target: String,
}

/// What would be decided about a text, and what would have to change for it to be allowed. Reads only.
///
/// # Errors
/// If the folder or the policy cannot be used. A text that is not a plan is not an error: the view says so.
pub fn explain(options: &Options, text: &[u8], request: &Request) -> Result<Explained, Error> {
    let folder = Folder::open(options)?;
    let court = folder.court(&request.constraints);
    let evaluation = evaluate(text, request, court)?;
    Ok(Explained { plan: PlanView::of(&evaluation, None)?, ways: ways(&evaluation, court)? })
}

impl App {
    /// Whether the text of a plan was kept, so that more can be said about it than its record tells.
    #[must_use]
    pub fn keeps_text(&self, id: &PlanId) -> bool {
        self.record(id).is_ok_and(|record| record.proposal.is_some())
    }

    /// The same of a stored plan, as things stand now.
    ///
    /// # Errors
    /// If there is no such plan, or its text was not kept.
    pub fn explain_plan(&self, id: &PlanId) -> Result<Explained, Error> {
        let current = self.current(id)?;
        let mut court =
            current.world().court(&self.root, Some(&self.project.id), &current.identity.binding.constraints);
        court.selection = current.identity.derived_from.is_some();
        let registered = Registered {
            identity: &current.identity,
            plan_hash: current.record.plan_hash,
            status: current.record.status,
        };
        let mut plan = PlanView::of(&current.evaluation, Some(registered))?;
        // Nothing is approved here, so there is nothing to sign.
        plan.plan_hash = None;
        Ok(Explained { plan, ways: ways(&current.evaluation, court)? })
    }
}

fn ways(evaluation: &Evaluation, court: Court<'_>) -> Result<Ways, Error> {
    let profiles = profiles(evaluation, court);
    let goal = goal(court.policy);
    if evaluation.is_withheld() {
        let obstacles = obstacle::of_secrets(evaluation.decision());
        return Ok(Ways { profiles, profile: goal, obstacles, without: Vec::new() });
    }
    let policy = court.policy.under(goal);
    let mut trial = Trial::new(evaluation, Court { policy: &policy, ..court });
    let decision = evaluation.decision_under(trial.court());
    let mut obstacles = obstacle::obstacles(evaluation, &decision, &mut trial)?;
    obstacles.extend(obstacle::of_profile(evaluation, court.policy));
    let without = if decision.verdict > Verdict::Allow && goal > Profile::Safe { trial.fewest()? } else { Vec::new() };
    Ok(Ways { profiles, profile: goal, obstacles, without })
}

/// What the gates say under each profile that the ceiling leaves.
fn profiles(evaluation: &Evaluation, court: Court<'_>) -> Vec<ProfileAnswer> {
    let within = Profile::ALL.into_iter().filter(|profile| *profile <= court.policy.ceiling());
    let answer = |profile: Profile| {
        let policy = court.policy.under(profile);
        let decision = evaluation.decision_under(Court { policy: &policy, ..court });
        let in_force = profile == court.policy.profile();
        ProfileAnswer { profile, in_force, decision: decision.verdict, notice: decision.notice }
    };
    within.map(answer).collect()
}

/// The profile in force; in place of SAFE, which asks about everything, the next one that the ceiling leaves.
fn goal(policy: &Policy) -> Profile {
    policy.profile().max(Profile::Dev.min(policy.ceiling()))
}
