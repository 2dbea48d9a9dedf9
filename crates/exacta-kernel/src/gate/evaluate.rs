//! What each gate says about the evidence, and all of them together.

use super::evidence::{self, Evidence};
use super::grouped::Grouped;
use super::{Gate, GateVerdict, Verdict, Verdicts, security, table};
use crate::policy::Policy;
use crate::policy::rule::level_name;
use crate::prelude::*;

/// How the reason begins that a boundary was crossed.
pub(super) const SYSTEM_LEVEL: &str = "SYSTEM-LEVEL";

/// The name under which a forbidden capability is denied.
pub const FORBID: &str = "forbid";

/// Every gate is asked, whatever the ones before it said.
pub(super) fn evaluate(evidence: &Evidence<'_>, policy: &Policy) -> Verdicts {
    let mut gates = security::security(evidence);
    gates.extend(rules(evidence, policy));
    gates.extend(risk(evidence));
    gates.push(quality(evidence, policy));
    let strictest = gates.iter().map(|gate| gate.verdict).max().unwrap_or(Verdict::Deny);
    let user = user(strictest, policy);
    let verdict = strictest.max(user.verdict);
    gates.push(user);
    Verdicts { verdict, gates, notice: table::notice(verdict, evidence.risk, evidence.quality) }
}

/// The policy gate: every rule that matches, every capability that is forbidden, what is larger than may run unasked, and every
/// constraint that only a person can judge.
fn rules(evidence: &Evidence<'_>, policy: &Policy) -> Vec<GateVerdict> {
    let mut found = Grouped::default();
    for rule in policy.rules() {
        for act in evidence.acts.iter().filter(|act| rule.when.covers(&act.subject)) {
            let what = format!("{} ({} rule)", rule.reason, rule.set.name());
            found.add(rule.action.verdict(), Some(&rule.id), &what, &act.label);
        }
    }
    for requested in evidence.capabilities.iter().filter(|requested| policy.forbids(requested.capability)) {
        let what = format!("the Safety Policy forbids `{}`", requested.capability.name());
        let place = format!("{} ({})", evidence::plain(&requested.reason), evidence::requested_place(requested));
        found.add(Verdict::Deny, Some(FORBID), &what, &place);
    }
    for (rule, reason) in &evidence.large {
        found.add(Verdict::Confirm, Some(rule), reason, "");
    }
    for id in &evidence.unchecked {
        found.add(Verdict::Confirm, None, "a constraint cannot be checked", &evidence::quoted(id));
    }
    found.verdicts(Gate::Policy, "no rule applies")
}

fn risk(evidence: &Evidence<'_>) -> Vec<GateVerdict> {
    let mut found = Grouped::default();
    for (message, place) in &evidence.boundaries {
        let what = format!("{SYSTEM_LEVEL} ({})", evidence::plain(message));
        found.add(table::of_risk(evidence.risk, true), None, &what, place);
    }
    let level = level_name(table::level(evidence.risk));
    let score = match &evidence.lifted_by {
        Some(action) => format!("risk {}, but {action} is always {level}", evidence.score),
        None => format!("risk {} is {level}", evidence.score),
    };
    let verdict = table::of_risk(evidence.risk, false);
    if verdict > Verdict::Allow {
        found.add(verdict, None, &score, "");
    }
    found.verdicts(Gate::Risk, &score)
}

fn quality(evidence: &Evidence<'_>, policy: &Policy) -> GateVerdict {
    let verdict = table::of_quality(policy.profile(), evidence.quality);
    let reason = format!("quality {} is {}", evidence.quality, table::grade(evidence.quality));
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
pub(super) const fn asked(strictest: Verdict) -> &'static str {
    match strictest {
        Verdict::Deny => "a person cannot approve what another gate denies",
        Verdict::Confirm => "a person must approve",
        Verdict::Allow => "nobody is asked",
    }
}
