//! Text to decision: the kernel's stages, one after the other, with the facts each needs.

use crate::error::Error;
use exacta_exec::ProjectRoot;
use exacta_kernel::assess::{self, Assessment};
use exacta_kernel::binding::ModelIdentity;
use exacta_kernel::check::{self, Allowed, Context, Invalid, ValidPlan};
use exacta_kernel::constraint::{Source, SourcedConstraint};
use exacta_kernel::facts::Facts;
use exacta_kernel::finding::Finding;
use exacta_kernel::gate::{self, Decision, GateVerdict, Verdict};
use exacta_kernel::parse::{self, Refusal, Size};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Plan;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::command::Command;
use exacta_kernel::proposal::{Action, Constraint, Proposal};
use exacta_kernel::scan::{self, Secret, secret};
use exacta_kernel::seal;

/// What became of a text.
#[derive(Debug)]
pub enum Evaluation {
    /// It is not a proposal.
    Refused(Refusal, Decision),
    /// It breaks a rule.
    Invalid(Box<Invalid>, Decision),
    /// It is a plan, with its numbers and what the gates say.
    Valid(Box<Valid>),
}

/// A plan that broke no rule, with its numbers and what the gates say.
#[derive(Debug)]
pub struct Valid {
    /// The plan.
    pub plan: ValidPlan,
    /// Its numbers.
    pub assessment: Assessment,
    /// What the gates say.
    pub decision: Decision,
    /// Folders that its `build` step writes to.
    pub builds: Vec<RelPath>,
}

/// Where a text comes from, and so which forms it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An AI, an agent, a person.
    Outside,
    /// The record, or made from what it holds.
    Record,
}

/// What a text is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Court<'a> {
    /// The project.
    pub root: &'a ProjectRoot,
    /// The policy in force.
    pub policy: &'a Policy,
    /// Constraints that came with the request.
    pub request: &'a [Constraint],
    /// Whether it is a selection of another plan's steps.
    pub selection: bool,
    /// What a `build` step runs here, if the operator configured it.
    pub build: Option<&'a Command>,
    /// Whether the project's own configuration switches the operator's checks off.
    pub checks_off: bool,
}

/// Parses, looks at the targets, seals, reads the code, checks, assesses and decides.
///
/// # Errors
/// Only where canonical JSON cannot be written, which the strict reader rules out.
pub fn evaluate(text: &[u8], origin: Origin, court: Court<'_>) -> Result<(Evaluation, Facts), Error> {
    let size = Size::of(court.policy.caps());
    let read = match origin {
        Origin::Outside => parse::parse_within(text, size),
        Origin::Record => parse::parse_kept(text),
    };
    let proposal = match read {
        Ok(proposal) => proposal,
        Err(refusal) => return Ok((Evaluation::refused(refusal, text), Facts::new())),
    };
    let oversize = parse::oversize(&proposal, text, size);
    let mut facts = look(court.root, &proposal, court.policy.caps().target_bytes);
    let plan = seal::seal(proposal, &facts)?;
    facts.set_source(exacta_source::read(&plan));
    Ok((judge(plan, &facts, court).but_for(&oversize), facts))
}

/// What the proposal's targets are now.
fn look(root: &ProjectRoot, proposal: &Proposal, cap: u64) -> Facts {
    let files = proposal.steps.iter().filter(|step| step.action.is_file());
    let paths: Vec<RelPath> = files.filter_map(|step| RelPath::parse(&step.target).ok()).collect();
    root.facts(&paths, cap)
}

fn judge(plan: Plan, facts: &Facts, court: Court<'_>) -> Evaluation {
    let mut constraints = court.policy.constraints();
    let sourced =
        |constraint: &Constraint| SourcedConstraint { source: Source::Request, constraint: constraint.clone() };
    constraints.extend(court.request.iter().map(sourced));
    let allowed = Allowed::default();
    let context = Context { facts, caps: court.policy.caps(), constraints: &constraints, allowed: &allowed };
    match check::check(plan, &context) {
        Err(mut invalid) => {
            let secrets = certain(scan::added_secrets(&invalid.plan));
            if !secrets.is_empty() {
                invalid.findings = invalid.findings.into_iter().map(Finding::withheld).collect();
            }
            let decision = gate::refuse(&invalid.findings).withheld(&secrets);
            Evaluation::Invalid(invalid, decision)
        }
        Ok(plan) => {
            let assess = if court.selection { assess::assess_selection } else { assess::assess };
            let assessment = assess(&plan, facts);
            let decision = decide(&plan, &assessment, court);
            let has_build = plan.plan().proposal().steps.iter().any(|step| step.action == Action::Build);
            let builds = court.build.filter(|_| has_build).map(|build| build.writes.clone()).unwrap_or_default();
            Evaluation::Valid(Box::new(Valid { plan, assessment, decision, builds }))
        }
    }
}

/// The decision, with what only the surroundings can tell: where the plan comes from, whether it can be built here, and
/// whether nothing will check it. What lies in the project grants nothing, so what it leaves out a person has to know.
fn decide(plan: &ValidPlan, assessment: &Assessment, court: Court<'_>) -> Decision {
    let mut decision = gate::decide(plan, assessment, court.policy);
    let proposal = plan.plan().proposal();
    let class = proposal.model.as_ref().map(|claim| ModelIdentity::claimed(claim).class);
    if let Some(verdict) = gate::provider(class, court.policy) {
        decision = decision.tightened(verdict);
    }
    if court.build.is_none() && proposal.steps.iter().any(|step| step.action == Action::Build) {
        decision = decision.tightened(GateVerdict {
            gate: "policy",
            verdict: Verdict::Deny,
            rule: Some("build-command".to_owned()),
            reason: "the safety policy has no build command for this project".to_owned(),
        });
    }
    if court.checks_off {
        decision = decision.tightened(GateVerdict {
            gate: "policy",
            verdict: Verdict::Confirm,
            rule: Some("checks-off".to_owned()),
            reason: "the project's configuration switches the operator's checks off".to_owned(),
        });
    }
    decision.withheld(&certain(assessment.signals.secrets.clone()))
}

fn certain(mut secrets: Vec<Secret>) -> Vec<Secret> {
    secrets.retain(|secret| secret.certain);
    secrets
}

impl Evaluation {
    /// Of a text that is not a proposal.
    pub(crate) fn refused(mut refusal: Refusal, text: &[u8]) -> Self {
        if secret::is_certain(text) {
            refusal.findings = refusal.findings.into_iter().map(Finding::withheld).collect();
        }
        let decision = gate::refuse(&refusal.findings);
        Self::Refused(refusal, decision)
    }

    /// The same, denied if something of it is too large by now.
    fn but_for(mut self, oversize: &[Finding]) -> Self {
        if let (Self::Valid(valid), Some(finding)) = (&mut self, oversize.first()) {
            let (verdict, rule) = (Verdict::Deny, Some(finding.code.to_string()));
            let gate = GateVerdict { gate: "policy", verdict, rule, reason: finding.message.clone() };
            valid.decision = valid.decision.clone().tightened(gate);
        }
        self
    }

    /// What the gates say.
    #[must_use]
    pub const fn decision(&self) -> &Decision {
        match self {
            Self::Refused(_, decision) | Self::Invalid(_, decision) => decision,
            Self::Valid(valid) => &valid.decision,
        }
    }

    /// What the gates would say of the same plan under another policy.
    #[must_use]
    pub fn decision_under(&self, court: Court<'_>) -> Decision {
        match self {
            Self::Refused(_, decision) | Self::Invalid(_, decision) => decision.clone(),
            Self::Valid(valid) => decide(&valid.plan, &valid.assessment, court),
        }
    }

    /// Whether it adds a certain secret, so that nothing of its text is shown or kept.
    #[must_use]
    pub fn is_withheld(&self) -> bool {
        let secrets = match self {
            Self::Refused(..) => return false,
            Self::Invalid(invalid, _) => scan::added_secrets(&invalid.plan),
            Self::Valid(valid) => valid.assessment.signals.secrets.clone(),
        };
        secrets.iter().any(|secret| secret.certain)
    }

    /// Everything that is wrong with it.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Refused(refusal, _) => &refusal.findings,
            Self::Invalid(invalid, _) => &invalid.findings,
            Self::Valid(_) => &[],
        }
    }

    /// The numbers; none for what is not valid.
    #[must_use]
    pub fn assessment(&self) -> Option<&Assessment> {
        match self {
            Self::Valid(valid) => Some(&valid.assessment),
            _ => None,
        }
    }

    /// The plan, valid or not; none for text that is not a proposal.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Refused(..) => None,
            Self::Invalid(invalid, _) => Some(&invalid.plan),
            Self::Valid(valid) => Some(valid.plan.plan()),
        }
    }
}
