//! Gates: each gives a verdict, all are recorded, the strictest wins.
//!
//! Every verdict is made in this module. A [`Decision`] owns the plan it is about and comes from [`decide`] alone, so that
//! the decision about one plan cannot permit another. What is about no valid plan gets [`Verdicts`], which permit nothing.

mod circumstances;
mod evaluate;
mod evidence;
mod grouped;
mod made_here;
mod refusal;
mod security;
mod table;
mod withheld;

pub use crate::assess::SUFFICIENT_QUALITY;
pub use crate::verdict::Verdict;
pub use circumstances::Circumstances;
pub use evaluate::FORBID;
pub use made_here::{BEYOND, INCOMPLETE, Made};
pub use refusal::{refuse, refuse_plan};
pub use table::{GOOD_QUALITY, MEDIUM_RISK};

use crate::assess::{Assessment, BasisPoints};
use crate::check::ValidPlan;
use crate::path::RelPath;
use crate::policy::Policy;
use crate::policy::rule::Operation;
use crate::prelude::*;
use crate::proposal::Domain;
use evidence::Evidence;
use serde::{Deserialize, Serialize};

/// A gate. Ordered as they are asked and recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// Secrets, hidden characters, dangerous operations, deceptive names.
    Security,
    /// Rules, forbidden capabilities, what the operator configured.
    Policy,
    /// The risk score, tiers and boundaries.
    Risk,
    /// The quality score.
    Quality,
    /// Whether a person is asked.
    User,
}

impl Gate {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Security, Self::Policy, Self::Risk, Self::Quality, Self::User];

    /// The name that is recorded.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::Policy => "policy",
            Self::Risk => "risk",
            Self::Quality => "quality",
            Self::User => "user",
        }
    }
}

impl core::fmt::Display for Gate {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// One gate's answer and its reason. Made by the gates alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct GateVerdict {
    /// The gate.
    pub gate: Gate,
    /// Its answer.
    pub verdict: Verdict,
    /// The rule that spoke, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
}

impl GateVerdict {
    /// Whether it says that a boundary is crossed: a person is asked in every profile.
    #[must_use]
    pub fn is_system_level(&self) -> bool {
        self.gate == Gate::Risk && self.reason.starts_with(evaluate::SYSTEM_LEVEL)
    }
}

/// What all gates say together. It permits nothing: only a [`Decision`] does, and that is about a valid plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    verdict: Verdict,
    gates: Vec<GateVerdict>,
    notice: bool,
}

/// What the gates say about one plan, together with that plan. Made by [`decide`] alone, and consumed by the permit.
#[derive(Debug, PartialEq)]
pub struct Decision {
    assessment: Assessment,
    verdicts: Verdicts,
}

/// Asks every gate about a plan that was assessed.
#[must_use]
pub fn decide(assessment: Assessment, policy: &Policy, circumstances: &Circumstances<'_>) -> Decision {
    let verdicts = verdicts(&assessment, policy, circumstances);
    Decision { assessment, verdicts }
}

/// What somebody wants to know of a policy: what would become of something like this?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What would be done.
    pub operation: Option<Operation>,
    /// To which file.
    pub path: Option<RelPath>,
    /// In which domain.
    pub domain: Option<Domain>,
    /// For which intent.
    pub intent: Option<String>,
    /// At which risk score.
    pub risk: u32,
    /// With which quality.
    pub quality: BasisPoints,
    /// Whether it would touch what runs by itself or steers tools.
    pub system_level: bool,
    /// Whether it would carry a constraint that cannot be checked.
    pub unchecked: bool,
}

/// Asks every gate about something that might be proposed.
#[must_use]
pub fn explain(question: &Question, policy: &Policy) -> Verdicts {
    evaluate::evaluate(&Evidence::supposed(question, policy.profile()), policy)
}

impl Decision {
    /// The plan it is about.
    #[must_use]
    pub const fn plan(&self) -> &ValidPlan {
        self.assessment.valid_plan()
    }

    /// The numbers it rests on.
    #[must_use]
    pub const fn assessment(&self) -> &Assessment {
        &self.assessment
    }

    /// What the gates say.
    #[must_use]
    pub const fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// The strictest verdict.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdicts.verdict
    }

    /// What the gates would say about the same plan under another policy.
    #[must_use]
    pub fn under(&self, policy: &Policy, circumstances: &Circumstances<'_>) -> Verdicts {
        verdicts(&self.assessment, policy, circumstances)
    }
}

impl Verdicts {
    /// The strictest verdict.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Every gate's verdicts, in the order security, policy, risk, quality, user.
    #[must_use]
    pub fn gates(&self) -> &[GateVerdict] {
        &self.gates
    }

    /// Whether a run that needs no person is announced all the same.
    #[must_use]
    pub const fn notice(&self) -> bool {
        self.notice
    }

    /// Why a run that needed no person is announced all the same; `None` where it is not.
    #[must_use]
    pub fn notice_reason(&self) -> Option<String> {
        let scores = self.gates.iter().filter(|gate| matches!(gate.gate, Gate::Risk | Gate::Quality));
        let reasons: Vec<&str> = scores.map(|gate| gate.reason.as_str()).collect();
        self.notice.then(|| format!("no person was asked: {}", reasons.join(", ")))
    }

    /// The verdicts with one more, in its place. It can only tighten; the user gate follows.
    fn tightened(mut self, verdict: GateVerdict) -> Self {
        let at = self.gates.iter().take_while(|other| other.gate <= verdict.gate).count();
        self.verdict = self.verdict.max(verdict.verdict);
        self.notice &= self.verdict == Verdict::Allow;
        self.gates.insert(at, verdict);
        let user = self.gates.iter_mut().filter(|gate| gate.gate == Gate::User);
        for gate in user.filter(|gate| gate.verdict < self.verdict) {
            *gate = GateVerdict::new(Gate::User, self.verdict, evaluate::asked(self.verdict));
        }
        self
    }
}

impl GateVerdict {
    fn new(gate: Gate, verdict: Verdict, reason: &str) -> Self {
        Self { gate, verdict, rule: None, reason: reason.to_owned() }
    }

    /// A verdict of the policy gate, by the rule of this name.
    fn by_rule(verdict: Verdict, rule: &str, reason: &str) -> Self {
        Self { rule: Some(rule.to_owned()), ..Self::new(Gate::Policy, verdict, reason) }
    }
}

/// All verdicts about a plan. Where it adds a certain secret, they quote nothing of it.
fn verdicts(assessment: &Assessment, policy: &Policy, circumstances: &Circumstances<'_>) -> Verdicts {
    let mut verdicts = evaluate::evaluate(&Evidence::of(assessment, policy), policy);
    for verdict in circumstances.verdicts(assessment, policy) {
        verdicts = verdicts.tightened(verdict);
    }
    let secrets = assessment.signals.secrets.iter().filter(|secret| secret.certain);
    let verdicts = verdicts.withheld(&secrets.cloned().collect::<Vec<_>>());
    circumstances.too_large().into_iter().fold(verdicts, Verdicts::tightened)
}

#[cfg(test)]
mod tests;
