//! Gates: each gives a verdict, all are recorded, the strictest wins.

mod group;
mod matter;
mod refusal;
mod security;
mod table;
mod withheld;

pub use refusal::refuse;
pub use table::{GOOD_QUALITY, MEDIUM_RISK, SUFFICIENT_QUALITY};

use crate::assess::{Assessment, BasisPoints};
use crate::binding::ProviderClass;
use crate::check::ValidPlan;
use crate::path::RelPath;
use crate::policy::Policy;
use crate::policy::rule::{Operation, level_name};
use crate::prelude::*;
use crate::proposal::Domain;
use group::Grouped;
use matter::Matter;
use serde::{Deserialize, Serialize};

/// An answer. Ordered, so that combining gates is `max` and a new gate can only tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Runs without a person.
    Allow,
    /// A person must approve.
    Confirm,
    /// Never runs.
    Deny,
}

/// One gate's answer and its reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct GateVerdict {
    /// `security`, `policy`, `risk`, `quality` or `user`.
    pub gate: &'static str,
    /// Its answer.
    pub verdict: Verdict,
    /// The rule that spoke, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
}

/// The combined answer of all gates. Made here alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// The strictest verdict.
    pub verdict: Verdict,
    /// Every gate's verdicts, in the order security, policy, risk, quality, user.
    pub gates: Vec<GateVerdict>,
    /// Whether a run that needs no person is announced all the same.
    pub notice: bool,
}

/// A gate. Ordered as they are asked and recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gate {
    Security,
    Policy,
    Risk,
    Quality,
    User,
}

impl Gate {
    const ALL: [Self; 5] = [Self::Security, Self::Policy, Self::Risk, Self::Quality, Self::User];

    const fn name(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::Policy => "policy",
            Self::Risk => "risk",
            Self::Quality => "quality",
            Self::User => "user",
        }
    }
}

/// Asks every gate about a valid plan.
#[must_use]
pub fn decide(plan: &ValidPlan, assessment: &Assessment, policy: &Policy) -> Decision {
    evaluate(&Matter::of(plan, assessment, policy), policy)
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

/// What the gates would say. Not a [`Decision`]: it is about no plan, so nothing can be permitted by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The strictest verdict.
    pub verdict: Verdict,
    /// Every gate's verdicts.
    pub gates: Vec<GateVerdict>,
    /// Whether it would be announced.
    pub notice: bool,
}

/// Asks every gate about something that might be proposed.
#[must_use]
pub fn explain(question: &Question, policy: &Policy) -> Explanation {
    let Decision { verdict, gates, notice } = evaluate(&Matter::supposed(question, policy.profile()), policy);
    Explanation { verdict, gates, notice }
}

/// What the Safety Policy has to say about where a plan comes from; `None` if nothing. A provider that nobody named counts
/// as untrusted.
#[must_use]
pub fn provider(class: Option<ProviderClass>, policy: &Policy) -> Option<GateVerdict> {
    let class = class.unwrap_or(ProviderClass::UntrustedCloud);
    (!policy.allows_provider(class)).then(|| {
        let reason = format!("the Safety Policy allows no plans from {} providers", class_name(class));
        let verdict = GateVerdict::new(Gate::Policy, Verdict::Deny, &reason);
        GateVerdict { rule: Some("provider-classes".to_owned()), ..verdict }
    })
}

impl GateVerdict {
    fn new(gate: Gate, verdict: Verdict, reason: &str) -> Self {
        Self { gate: gate.name(), verdict, rule: None, reason: reason.to_owned() }
    }
}

impl Decision {
    /// Why a run that needed no person is announced all the same; `None` where it is not.
    #[must_use]
    pub fn notice_reason(&self) -> Option<String> {
        let scores = [Gate::Risk, Gate::Quality].map(Gate::name);
        let reasons = self.gates.iter().filter(|gate| scores.contains(&gate.gate)).map(|gate| gate.reason.as_str());
        self.notice.then(|| format!("no person was asked: {}", reasons.collect::<Vec<_>>().join(", ")))
    }

    /// The same with one more verdict, in its place. It can only tighten; the user gate follows.
    #[must_use]
    pub fn tightened(mut self, verdict: GateVerdict) -> Self {
        let order = |name: &str| Gate::ALL.iter().position(|gate| gate.name() == name);
        let at = self.gates.iter().take_while(|other| order(other.gate) <= order(verdict.gate)).count();
        self.verdict = self.verdict.max(verdict.verdict);
        self.notice &= self.verdict == Verdict::Allow;
        self.gates.insert(at, verdict);
        let user = self.gates.iter_mut().filter(|gate| gate.gate == Gate::User.name());
        for gate in user.filter(|gate| gate.verdict < self.verdict) {
            *gate = GateVerdict::new(Gate::User, self.verdict, asked(self.verdict));
        }
        self
    }
}

/// Every gate is asked, whatever the ones before it said.
fn evaluate(matter: &Matter<'_>, policy: &Policy) -> Decision {
    let mut gates = security::security(matter);
    gates.extend(rules(matter, policy));
    gates.extend(risk(matter));
    gates.push(quality(matter, policy));
    let strictest = gates.iter().map(|gate| gate.verdict).max().unwrap_or(Verdict::Deny);
    let user = user(strictest, policy);
    let verdict = strictest.max(user.verdict);
    gates.push(user);
    Decision { verdict, gates, notice: table::notice(verdict, matter.risk, matter.quality) }
}

/// The name under which a forbidden capability is denied.
pub const FORBID: &str = "forbid";

/// The policy gate: every rule that matches, every capability that is forbidden, what is larger than may run unasked, and every
/// constraint that only a person can judge.
fn rules(matter: &Matter<'_>, policy: &Policy) -> Vec<GateVerdict> {
    let mut found = Grouped::default();
    for rule in policy.rules() {
        for deed in matter.deeds.iter().filter(|deed| rule.when.covers(&deed.subject)) {
            let what = format!("{} ({} rule)", rule.reason, rule.set.name());
            found.add(rule.action.verdict(), Some(&rule.id), &what, &deed.label);
        }
    }
    for requested in matter.capabilities.iter().filter(|requested| policy.forbids(requested.capability)) {
        let what = format!("the Safety Policy forbids `{}`", requested.capability.name());
        let place = format!("{} ({})", matter::plain(&requested.reason), matter::requested_place(requested));
        found.add(Verdict::Deny, Some(FORBID), &what, &place);
    }
    for (rule, reason) in &matter.large {
        found.add(Verdict::Confirm, Some(rule), reason, "");
    }
    for id in &matter.unchecked {
        found.add(Verdict::Confirm, None, "a constraint cannot be checked", &matter::quoted(id));
    }
    found.verdicts(Gate::Policy, "no rule applies")
}

fn risk(matter: &Matter<'_>) -> Vec<GateVerdict> {
    let mut found = Grouped::default();
    for (message, place) in &matter.boundaries {
        let what = format!("SYSTEM-LEVEL ({})", matter::plain(message));
        found.add(table::of_risk(matter.risk, true), None, &what, place);
    }
    let level = level_name(table::level(matter.risk));
    let score = match &matter.lifted_by {
        Some(action) => format!("risk {}, but {action} is always {level}", matter.score),
        None => format!("risk {} is {level}", matter.score),
    };
    let verdict = table::of_risk(matter.risk, false);
    if verdict > Verdict::Allow {
        found.add(verdict, None, &score, "");
    }
    found.verdicts(Gate::Risk, &score)
}

fn quality(matter: &Matter<'_>, policy: &Policy) -> GateVerdict {
    let verdict = table::of_quality(policy.profile(), matter.quality);
    let reason = format!("quality {} is {}", matter.quality, table::grade(matter.quality));
    GateVerdict::new(Gate::Quality, verdict, &reason)
}

/// Whether a person is asked: because another gate wants it, or because the profile does.
fn user(strictest: Verdict, policy: &Policy) -> GateVerdict {
    let (profile, chosen) = (policy.profile(), policy.chosen_profile());
    let held =
        if profile < chosen { format!(", held down from {} by the ceiling", chosen.name()) } else { String::new() };
    let verdict = strictest.max(table::of_profile(profile));
    let reason = match verdict {
        Verdict::Confirm if strictest == Verdict::Allow => "a person approves every change",
        verdict => asked(verdict),
    };
    GateVerdict::new(Gate::User, verdict, &format!("{reason} (profile {}{held})", profile.name()))
}

/// What the other gates' answer means for a person.
const fn asked(strictest: Verdict) -> &'static str {
    match strictest {
        Verdict::Deny => "a person cannot approve what another gate denies",
        Verdict::Confirm => "a person must approve",
        Verdict::Allow => "nobody is asked",
    }
}

const fn class_name(class: ProviderClass) -> &'static str {
    match class {
        ProviderClass::LocalOnly => "LOCAL_ONLY",
        ProviderClass::TrustedCloud => "TRUSTED_CLOUD",
        ProviderClass::UntrustedCloud => "UNTRUSTED_CLOUD",
    }
}
