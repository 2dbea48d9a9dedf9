//! Text to decision: the kernel's stages, one after the other, with the facts each needs.

use crate::committed::Base;
use crate::error::Error;
use exacta_exec::ProjectRoot;
use exacta_kernel::assess::{self, Assessment};
use exacta_kernel::check::{self, Allowed, Context, Invalid};
use exacta_kernel::constraint::{Source, SourcedConstraint};
use exacta_kernel::facts::Facts;
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::gate::{self, Circumstances, Decision, Made, Verdicts};
use exacta_kernel::parse::{self, Refusal, Size};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Plan;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::command::Command;
use exacta_kernel::proposal::{Action, Constraint, Proposal};
use exacta_kernel::scan;
use exacta_kernel::seal;
use exacta_kernel::secret;

/// What became of a text.
#[derive(Debug)]
pub enum Evaluation {
    /// It is not a proposal.
    Refused(Refusal, Verdicts),
    /// It breaks a rule.
    Invalid(Box<Invalid>, Verdicts),
    /// It is a plan, with its numbers and what the gates say.
    Valid(Box<Valid>),
}

/// A plan that broke no rule, with its numbers and what the gates say.
#[derive(Debug)]
pub struct Valid {
    /// What the gates say, with the plan it is about.
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

/// What a text is evaluated on.
#[derive(Debug, Clone, Copy)]
pub struct Basis<'a> {
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
    /// How it was asked for, where a model of ours made it.
    pub made: Option<Made<'a>>,
    /// Whether a connected agent proposed it.
    pub connected: bool,
    /// What the words and lists of the autopilot allow that it was made for; nothing where there is none.
    pub allowed: Option<&'a Allowed>,
    /// What is committed of its targets, where it adopts what lies in the work tree.
    pub base: Option<&'a Base>,
}

impl Basis<'_> {
    /// How large a text may be: no policy raises it for what was made here.
    pub fn size(&self) -> Size {
        if self.made.is_some() { Size::DEFAULT } else { Size::of(self.policy.caps()) }
    }
}

/// Parses, looks at the targets, seals, reads the code, checks, assesses and decides.
///
/// # Errors
/// Only where canonical JSON cannot be written, which the strict reader rules out.
pub fn evaluate(text: &[u8], origin: Origin, basis: Basis<'_>) -> Result<(Evaluation, Facts), Error> {
    let size = basis.size();
    let read = match origin {
        Origin::Outside => parse::parse_within(text, size),
        Origin::Record => parse::parse_kept(text),
    };
    let proposal = match read {
        Ok(proposal) => proposal,
        Err(mut refusal) => {
            if refusal.findings.iter().all(|finding| finding.code == Code::SchemaInvalid) {
                refusal.findings.extend(elsewhere(text, basis));
            }
            return Ok((Evaluation::refused(refusal, text), Facts::new()));
        }
    };
    let oversize = parse::oversize(&proposal, text, size);
    let mut facts = look(basis.root, &proposal, basis.policy.caps().target_bytes);
    if let Some(base) = basis.base {
        facts.set_base(base.clone());
    }
    let plan = seal::seal(proposal, &facts)?;
    facts.set_source(exacta_source::read(&plan));
    let evaluation = judge(plan, &facts, basis, oversize.into_iter().next());
    Ok((evaluation, facts))
}

/// What is wrong with the targets of steps that can be read, in a text that is refused for something else.
fn elsewhere(text: &[u8], basis: Basis<'_>) -> Vec<Finding> {
    let steps = parse::readable(text);
    let files = steps.iter().filter(|(_, step)| step.action.is_file());
    let paths: Vec<RelPath> = files.filter_map(|(_, step)| RelPath::parse(&step.target).ok()).collect();
    seal::failures(&steps, &basis.root.facts(&paths, basis.policy.caps().target_bytes))
}

/// What the proposal's targets are now.
fn look(root: &ProjectRoot, proposal: &Proposal, cap: u64) -> Facts {
    let files = proposal.steps.iter().filter(|step| step.action.is_file());
    let paths: Vec<RelPath> = files.filter_map(|step| RelPath::parse(&step.target).ok()).collect();
    root.facts(&paths, cap)
}

fn judge(plan: Plan, facts: &Facts, basis: Basis<'_>, oversize: Option<Finding>) -> Evaluation {
    let mut constraints = basis.policy.constraints();
    let sourced =
        |constraint: &Constraint| SourcedConstraint { source: Source::Request, constraint: constraint.clone() };
    constraints.extend(basis.request.iter().map(sourced));
    let nothing = Allowed::default();
    let context = Context {
        facts,
        caps: basis.policy.caps(),
        constraints: &constraints,
        allowed: basis.allowed.unwrap_or(&nothing),
        generated: basis.made.is_some(),
    };
    match check::check(plan, &context) {
        Err(mut invalid) => {
            let verdicts = gate::refuse_plan(&mut invalid);
            Evaluation::Invalid(invalid, verdicts)
        }
        Ok(plan) => {
            let has_build = plan.plan().proposal().steps.iter().any(|step| step.action == Action::Build);
            let builds = basis.build.filter(|_| has_build).map(|build| build.writes.clone()).unwrap_or_default();
            let assess = if basis.selection { assess::assess_selection } else { assess::assess };
            let circumstances = Circumstances { oversize, ..basis.circumstances() };
            let decision = gate::decide(assess(plan, facts), basis.policy, &circumstances);
            Evaluation::Valid(Box::new(Valid { decision, builds }))
        }
    }
}

impl Basis<'_> {
    /// What the gates are told beside the policy.
    fn circumstances(&self) -> Circumstances<'_> {
        Circumstances {
            has_build_command: self.build.is_some(),
            checks_off: self.checks_off,
            made: self.made,
            connected: self.connected,
            oversize: None,
        }
    }
}

impl Evaluation {
    /// Of a text that is not a proposal.
    pub(crate) fn refused(mut refusal: Refusal, text: &[u8]) -> Self {
        if secret::is_certain(text) {
            refusal.findings = refusal.findings.into_iter().map(Finding::withheld).collect();
        }
        let verdicts = gate::refuse(&refusal.findings);
        Self::Refused(refusal, verdicts)
    }

    /// What the gates say.
    #[must_use]
    pub fn verdicts(&self) -> &Verdicts {
        match self {
            Self::Refused(_, verdicts) | Self::Invalid(_, verdicts) => verdicts,
            Self::Valid(valid) => valid.decision.verdicts(),
        }
    }

    /// What the gates would say of the same plan under another policy.
    #[must_use]
    pub fn verdicts_under(&self, basis: Basis<'_>) -> Verdicts {
        match self {
            Self::Refused(_, verdicts) | Self::Invalid(_, verdicts) => verdicts.clone(),
            Self::Valid(valid) => valid.decision.under(basis.policy, &basis.circumstances()),
        }
    }

    /// Whether it adds a certain secret, so that nothing of its text is shown or kept.
    #[must_use]
    pub fn is_withheld(&self) -> bool {
        let secrets = match self {
            Self::Refused(..) => return false,
            Self::Invalid(invalid, _) => scan::added_secrets(&invalid.plan),
            Self::Valid(valid) => valid.decision.assessment().signals().secrets.clone(),
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
            Self::Valid(valid) => Some(valid.decision.assessment()),
            _ => None,
        }
    }

    /// Whether it has a `build` step.
    #[must_use]
    pub fn has_build(&self) -> bool {
        self.plan().is_some_and(|plan| plan.proposal().steps.iter().any(|step| step.action == Action::Build))
    }

    /// The plan, valid or not; none for text that is not a proposal.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Refused(..) => None,
            Self::Invalid(invalid, _) => Some(&invalid.plan),
            Self::Valid(valid) => Some(valid.decision.plan().plan()),
        }
    }
}
