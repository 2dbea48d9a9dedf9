//! What a plan is decided in besides the policy: what is configured for its project, and what it has outgrown.

use super::made_here::{Made, made_here};
use super::{GateVerdict, Verdict};
use crate::assess::Assessment;
use crate::binding::{ModelIdentity, ProviderClass};
use crate::finding::Finding;
use crate::policy::Policy;
use crate::prelude::*;
use crate::proposal::Action;

/// What the gates cannot tell from a plan and the policy, and are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circumstances<'a> {
    /// Whether the operator configured a command for `build` steps in this project.
    pub has_build_command: bool,
    /// Whether the project's own configuration switches the operator's checks off. The project folder grants nothing, so a
    /// person has to know.
    pub checks_off: bool,
    /// How it was asked for, where a model of ours made it.
    pub made: Option<Made<'a>>,
    /// Whether a connected agent proposed it, which is to say what model it is.
    pub connected: bool,
    /// The first thing about the text that is larger than is accepted now.
    pub oversize: Option<Finding>,
}

impl Circumstances<'_> {
    /// What the policy gate adds for where a plan comes from, whether its model was declared, what it changes that nobody asked for, whether it can be built here,
    /// and whether nothing checks it.
    pub(super) fn verdicts(&self, assessment: &Assessment, policy: &Policy) -> Vec<GateVerdict> {
        let proposal = assessment.valid_plan().plan().proposal();
        let claimed = || proposal.model.as_ref().map(|claim| ModelIdentity::claimed(claim).class);
        let class = self.made.map_or_else(claimed, |made| made.class);
        let builds = proposal.steps.iter().any(|step| step.action == Action::Build);
        let no_command = (builds && !self.has_build_command).then(|| {
            let reason = "the safety policy has no build command for this project";
            GateVerdict::by_rule(Verdict::Deny, "build-command", reason)
        });
        let unchecked = self.checks_off.then(|| {
            let reason = "the project's configuration switches the operator's checks off";
            GateVerdict::by_rule(Verdict::Confirm, "checks-off", reason)
        });
        let is_silent = self.connected && self.made.is_none() && proposal.model.is_none();
        let undeclared = (is_silent && policy.safety().require_model).then(|| {
            let reason = "the agent that proposed it did not declare its model";
            GateVerdict::by_rule(Verdict::Confirm, "model-undeclared", reason)
        });
        let asked = self.made.map(|made| made_here(assessment, made.asked)).unwrap_or_default();
        provider(class, policy).into_iter().chain(undeclared).chain(asked).chain(no_command).chain(unchecked).collect()
    }

    /// A plan that was accepted once, and is larger than is accepted now.
    pub(super) fn too_large(&self) -> Option<GateVerdict> {
        let finding = self.oversize.as_ref()?;
        Some(GateVerdict::by_rule(Verdict::Deny, finding.code.as_str(), &finding.message))
    }
}

/// What the Safety Policy has to say about where a plan comes from; `None` if nothing. A provider that nobody named counts
/// as untrusted.
pub(super) fn provider(class: Option<ProviderClass>, policy: &Policy) -> Option<GateVerdict> {
    let class = class.unwrap_or(ProviderClass::UntrustedCloud);
    (!policy.allows_provider(class)).then(|| {
        let reason = format!("the Safety Policy allows no plans from {} providers", class.name());
        GateVerdict::by_rule(Verdict::Deny, "provider-classes", &reason)
    })
}
