//! What would have to change for a plan to be allowed without asking.

use crate::plan::PlanView;
use crate::published::{ObstacleWord, ProfileWord, Share, VerdictWord};
use crate::score::{IssueView, ReasonView};
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::gate::Verdict;
use exacta_kernel::policy::profile::Profile;
use schemars::JsonSchema;
use serde::Serialize;

/// A plan, and what would have to change for it to be allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explained {
    /// The plan; its own fields first.
    #[serde(flatten)]
    pub plan: PlanView,
    /// What would have to change.
    pub ways: Ways,
}

/// What would have to change for a plan to be allowed without asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ways {
    /// What the gates say under each profile within the ceiling.
    pub profiles: Vec<ProfileAnswer>,
    /// The profile that obstacles and steps were tried under: the one in force, or the lowest in which a plan can be allowed.
    #[schemars(with = "ProfileWord")]
    pub profile: Profile,
    /// Everything that does not say "allow" there.
    pub obstacles: Vec<Obstacle>,
    /// Steps without which the plan would be allowed; the fewest that were found.
    pub without: Vec<Without>,
}

/// What the gates say under one profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProfileAnswer {
    /// The profile.
    #[schemars(with = "ProfileWord")]
    pub profile: Profile,
    /// Whether it is the one in force.
    pub in_force: bool,
    /// What all gates together say.
    #[schemars(with = "VerdictWord")]
    pub decision: Verdict,
    /// Whether a run without a person would be announced.
    pub notice: bool,
}

/// One verdict that is not "allow", and what would change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Obstacle {
    /// The gate; `validation` for a finding.
    #[schemars(with = "ObstacleWord")]
    pub gate: String,
    /// Its answer.
    #[schemars(with = "VerdictWord")]
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
    pub reasons: Vec<ReasonView>,
    /// How much quality is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Share>")]
    pub short: Option<BasisPoints>,
    /// The heaviest issues that carry it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Loss>,
}

/// A quality issue, and what it costs of the whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Loss {
    /// The dimension it takes from.
    pub dimension: String,
    /// At most this much of the quality.
    #[schemars(with = "Share")]
    pub lost: BasisPoints,
    /// The issue, with its place and remedy.
    #[serde(flatten)]
    pub issue: IssueView,
}

/// Steps without which a plan would be allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Without {
    /// The steps to leave out.
    pub steps: Vec<StepName>,
    /// The risk of what is left.
    pub risk: u32,
    /// Its quality.
    #[schemars(with = "Share")]
    pub quality: BasisPoints,
}

/// A step by its id and target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepName {
    /// The id.
    pub id: String,
    /// What it is about.
    pub target: String,
}
