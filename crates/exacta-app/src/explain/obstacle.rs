//! What stands between a plan and "allow": every verdict and finding, each with what would change it.

use super::trial::Trial;
use crate::error::Error;
use crate::pipeline::Evaluation;
use exacta_kernel::assess::{Assessment, BasisPoints, Grade};
use exacta_kernel::finding::Finding;
use exacta_kernel::gate::{
    FORBID, GOOD_QUALITY, Gate, GateVerdict, MEDIUM_RISK, SUFFICIENT_QUALITY, Verdict, Verdicts,
};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::rule::RuleSet;
use exacta_view::command::at_a_terminal;
use exacta_view::words::line;
use exacta_view::{IssueView, Loss, Obstacle, ReasonView};

/// Everything that does not say "allow". Where a plan is not valid, the findings alone: no gate could look at it.
pub(super) fn obstacles(
    evaluation: &Evaluation,
    decision: &Verdicts,
    trial: &mut Trial<'_>,
) -> Result<Vec<Obstacle>, Error> {
    let Some(assessment) = evaluation.assessment() else {
        return evaluation.findings().iter().map(|finding| of_finding(finding, trial)).collect();
    };
    let against = decision.gates().iter().filter(|gate| gate.verdict > Verdict::Allow && !follows(gate, assessment));
    against.map(|gate| of_gate(gate, assessment, trial)).collect()
}

/// The profile in force, where it is SAFE: it asks about everything.
pub(super) fn of_profile(evaluation: &Evaluation, policy: &Policy) -> Option<Obstacle> {
    let gates = evaluation.verdicts().gates().iter();
    let gate = gates.rev().find(|gate| gate.gate == Gate::User).filter(|_| policy.profile() == Profile::Safe)?;
    evaluation.assessment()?;
    let way = match policy.ceiling() {
        Profile::Safe => "the ceiling is SAFE: every change is approved by a person".to_owned(),
        _ => at_a_terminal(&hint!["another profile within the ceiling: ", Remedy::ProfileSet]),
    };
    Some(Obstacle { ways: vec![way], ..obstacle(gate.gate.name(), gate.verdict, &gate.reason) })
}

/// The secrets of a plan of which nothing else is told.
pub(super) fn of_secrets(decision: &Verdicts) -> Vec<Obstacle> {
    let denied = decision.gates().iter().filter(|gate| gate.gate == Gate::Security && gate.verdict == Verdict::Deny);
    denied.map(|gate| security(obstacle(gate.gate.name(), gate.verdict, &gate.reason))).collect()
}

fn of_finding(finding: &Finding, trial: &mut Trial<'_>) -> Result<Obstacle, Error> {
    let cleared = |left: &Evaluation| !left.findings().iter().any(|other| other.code == finding.code);
    Ok(Obstacle {
        steps: trial.singles(cleared)?,
        rule: Some(finding.code.to_string()),
        ways: vec![line(&finding.hint)],
        ..obstacle("validation", Verdict::Deny, &finding.message)
    })
}

fn of_gate(gate: &GateVerdict, assessment: &Assessment, trial: &mut Trial<'_>) -> Result<Obstacle, Error> {
    let policy = trial.basis().policy;
    let same = |other: &GateVerdict| kind(other) == kind(gate) && other.verdict >= gate.verdict;
    let cleared = |left: &Evaluation| left.assessment().is_some() && !left.verdicts().gates().iter().any(same);
    let known = Obstacle {
        steps: trial.singles(cleared)?,
        rule: gate.rule.clone(),
        ..obstacle(gate.gate.name(), gate.verdict, &gate.reason)
    };
    Ok(match gate.gate {
        Gate::Security => security(known),
        Gate::Policy => rule(known, policy),
        Gate::Risk => risk(known, gate.is_system_level(), assessment),
        Gate::Quality | Gate::User => quality(known, assessment, policy.profile()),
    })
}

/// Whether a verdict only follows from others: the user gate always, the risk where a boundary lifted it.
fn follows(gate: &GateVerdict, assessment: &Assessment) -> bool {
    let lifted = !assessment.risk().boundaries().is_empty() && counted(assessment) <= MEDIUM_RISK;
    gate.gate == Gate::User || (gate.gate == Gate::Risk && lifted && !gate.is_system_level())
}

/// What a verdict is about, wherever it is and however many points it has.
fn kind(gate: &GateVerdict) -> (Gate, Option<&str>, &str) {
    let placed = gate.gate == Gate::Security || gate.is_system_level();
    let what = gate.reason.split(": `").next().filter(|_| placed).unwrap_or_default();
    (gate.gate, gate.rule.as_deref(), what)
}

fn obstacle(gate: &str, verdict: Verdict, reason: &str) -> Obstacle {
    Obstacle {
        gate: gate.to_owned(),
        verdict,
        rule: None,
        reason: line(reason),
        ways: Vec::new(),
        steps: Vec::new(),
        over: None,
        reasons: Vec::new(),
        short: None,
        issues: Vec::new(),
    }
}

fn security(mut known: Obstacle) -> Obstacle {
    let who = if known.verdict == Verdict::Deny { "this is denied" } else { "a person judges this" };
    known.ways.push(format!("{who} in every profile, and no rule changes that: take it out of the change"));
    known
}

/// Whose rule it is, and who may change it.
fn rule(mut known: Obstacle, policy: &Policy) -> Obstacle {
    let Some(id) = &known.rule else {
        known.ways.push(
            "word the constraint so that it can be checked (docs/constraints.md), or leave it out if it is yours"
                .to_owned(),
        );
        return known;
    };
    let sets: Vec<RuleSet> = policy.rules().iter().filter(|rule| rule.id == *id).map(|rule| rule.set).collect();
    known.ways = sets.iter().map(|set| owner(*set, id)).collect();
    known.ways.extend(match id.as_str() {
        "provider-classes" => Some(operators("`provider_classes`")),
        "model-undeclared" => {
            Some("have the agent declare its model; or the operator sets `require_model = false`".to_owned())
        }
        FORBID => Some(operators("`forbid`")),
        "many-steps" => {
            Some("a person confirms a plan of this many steps in every profile: submit the work in parts".to_owned())
        }
        "token-budget" => {
            Some("a person confirms so large a plan in every profile: submit the work in parts".to_owned())
        }
        "build-command" => Some(operators("a `build` command for this project")),
        _ => None,
    });
    known
}

fn owner(set: RuleSet, id: &str) -> String {
    let key = match id {
        "protected-paths" => "`protected_paths`".to_owned(),
        "network-scope" => "`network_scope`".to_owned(),
        _ => format!("rule `{id}`"),
    };
    match set {
        RuleSet::BuiltIn => "nothing switches this rule off: a person always approves it".to_owned(),
        RuleSet::ProfileDefault => {
            format!("the safety policy may switch this rule off by name: `disable_default_rules = [\"{id}\"]`")
        }
        RuleSet::SafetyPolicy => operators(&key),
        RuleSet::Project => format!("{key} stands in `{}` of the project", crate::in_force::CONFIG),
    }
}

fn operators(key: &str) -> String {
    at_a_terminal(&hint![
        format!("only the operator changes {key} in the safety policy: "),
        Remedy::PolicyShow,
        ", ",
        Remedy::PolicySet
    ])
}

/// What lifts the risk: a boundary, the kind of an action, or points.
fn risk(mut known: Obstacle, is_system_level: bool, assessment: &Assessment) -> Obstacle {
    let counted = counted(assessment);
    if is_system_level {
        known.ways.push("a person approves this in every profile; nothing switches it off".to_owned());
    } else if counted > MEDIUM_RISK {
        let over = counted - MEDIUM_RISK;
        let reasons = assessment.risk().factors().iter().flat_map(|factor| &factor.reasons);
        known.over = Some(over);
        known.reasons = heaviest(reasons.map(ReasonView::from).collect(), over);
        known.ways.push(format!("{over} points fewer, to {MEDIUM_RISK} or less"));
    } else {
        known.ways.push("an action of this kind is confirmed in every profile".to_owned());
    }
    known
}

/// The points of the factors, without what lifts them.
fn counted(assessment: &Assessment) -> u32 {
    assessment.risk().factors().iter().map(|factor| factor.score).sum::<u32>().min(100)
}

/// The reasons with the most points, until they add up to that many.
fn heaviest(mut reasons: Vec<ReasonView>, points: u32) -> Vec<ReasonView> {
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.points));
    let mut carried = 0;
    reasons.retain(|reason| {
        let needed = carried < points;
        carried += reason.points;
        needed
    });
    reasons
}

/// How much is missing, and what takes most of it.
fn quality(mut known: Obstacle, assessment: &Assessment, profile: Profile) -> Obstacle {
    let quality = assessment.quality();
    let wanted = if profile == Profile::FullAuto { SUFFICIENT_QUALITY } else { GOOD_QUALITY };
    let missing = |wanted: BasisPoints| BasisPoints(wanted.0.saturating_sub(quality.score().0));
    known.short = Some(missing(wanted));
    if quality.level() == Grade::Insufficient && wanted > SUFFICIENT_QUALITY {
        known.ways.push(format!(
            "{} more, to {SUFFICIENT_QUALITY}, and it is no longer refused",
            missing(SUFFICIENT_QUALITY)
        ));
    }
    known.ways.push(format!("{} more, to {wanted}, and this gate allows", missing(wanted)));
    let mut losses: Vec<Loss> = Vec::new();
    for dimension in quality.dimensions() {
        losses.extend(dimension.issues.iter().map(|issue| Loss {
            dimension: dimension.name.to_owned(),
            lost: BasisPoints(issue.points.min(BasisPoints::ONE.0) * dimension.weight / 100),
            issue: IssueView::from(issue),
        }));
    }
    losses.sort_by_key(|loss| std::cmp::Reverse(loss.lost));
    let mut carried = 0;
    losses.retain(|loss| {
        let needed = carried < missing(wanted).0;
        carried += loss.lost.0;
        needed
    });
    known.issues = losses;
    known
}
