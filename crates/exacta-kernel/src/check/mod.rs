//! Validation: every finding, not the first.
//!
//! One file for each group of rules. Each looks at the plan by itself and adds what it finds, so that one mistake does not
//! hide another; what follows only from another finding is left out again in [`report`].

mod autopilot;
mod budget;
mod conflict;
mod constraints;
mod graph;
mod parameters;
mod paths;
mod report;
mod site;

use crate::action::primitive::PrimitiveId;
use crate::constraint::{self, ConstraintResult, SourcedConstraint};
use crate::effect::is_plain_address;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::plan::Plan;
use crate::policy::caps::Caps;
use crate::prelude::*;
use crate::proposal::Domain;
use serde::{Deserialize, Serialize};

/// What a plan is held against.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// What its targets are now.
    pub facts: &'a Facts,
    /// The limits in force.
    pub caps: &'a Caps,
    /// Constraints from the request, the project and the Safety Policy.
    pub constraints: &'a [SourcedConstraint],
    /// What the user allowed by name.
    pub allowed: &'a Allowed,
    /// Whether a model of ours made it for a request: then the caps of generated plans hold, whatever its intent.
    pub generated: bool,
}

/// Hosts, recipients and tools that occur in the user's own words or stored lists. The default allows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Host names, lower case.
    pub hosts: BTreeSet<String>,
    /// Mail addresses, lower case.
    pub recipients: BTreeSet<String>,
    /// What the user asked an autopilot to do; none where no autopilot stands behind the plan, and then nothing is sent.
    pub standing: Option<Standing>,
    /// The skills that are installed.
    pub skills: BTreeMap<String, AllowedSkill>,
    /// The user's sites, each with the tools that it offers to that user.
    pub sites: BTreeMap<String, BTreeSet<String>>,
}

/// What a skill allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedSkill {
    /// Its tools.
    pub tools: BTreeSet<String>,
    /// Its caps.
    pub caps: SkillCaps,
    /// Whether it may change what the public sees.
    pub publishes: bool,
}

/// The most that a plan of a skill may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillCaps {
    /// Pages.
    pub pages: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Steps.
    pub steps: u64,
    /// Hundredths of a US cent.
    pub cost: u64,
}

impl SkillCaps {
    /// No cap at all: the policy's own hold.
    pub const NONE: Self = Self { pages: u64::MAX, tool_calls: u64::MAX, steps: u64::MAX, cost: u64::MAX };

    /// What holds whatever policy and skill say.
    pub const ENVIRONMENT: Self = Self { pages: 200, tool_calls: 40, steps: 12, cost: 50_000 };

    /// Those of a policy.
    #[must_use]
    pub const fn of(caps: &Caps) -> Self {
        Self { pages: caps.pages, tool_calls: caps.tool_calls, steps: caps.site_steps, cost: caps.cost }
    }

    /// The stricter of each.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            pages: self.pages.min(other.pages),
            tool_calls: self.tool_calls.min(other.tool_calls),
            steps: self.steps.min(other.steps),
            cost: self.cost.min(other.cost),
        }
    }
}

impl From<BTreeSet<String>> for AllowedSkill {
    /// A skill with these tools, and no caps of its own.
    fn from(tools: BTreeSet<String>) -> Self {
        Self { tools, caps: SkillCaps::NONE, publishes: true }
    }
}

/// What an autopilot's request and switches say of a plan made for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// What its words ask for. No other primitive is performed for it.
    pub primitives: BTreeSet<PrimitiveId>,
    /// Whether an approver switched sending on.
    pub sending: bool,
    /// Its mail account and the address it writes from.
    pub mail: Option<(String, String)>,
    /// Who wrote the messages that were read: a draft may answer them. Lower case.
    pub correspondents: BTreeSet<String>,
    /// Domains whose every address may be written to, as `@domain`. Lower case.
    pub domains: BTreeSet<String>,
}

impl Allowed {
    /// Whether the user's words or lists name an address, or everybody at its domain.
    #[must_use]
    pub fn has_recipient(&self, address: &str) -> bool {
        let address = address.to_lowercase();
        let domain = address.rfind('@').and_then(|at| address.get(at..)).filter(|_| is_plain_address(&address));
        let listed = |domain: &str| self.standing.as_ref().is_some_and(|standing| standing.domains.contains(domain));
        self.recipients.contains(&address) || domain.is_some_and(listed)
    }
}

/// A plan that broke no rule. Only [`check`] makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidPlan {
    pub(crate) plan: Plan,
    pub(crate) constraints: Vec<ConstraintResult>,
    pub(crate) lookalikes: Vec<Lookalike>,
}

/// A plan that broke rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// The plan.
    pub plan: Plan,
    /// Everything that is wrong with it; never empty. Sorted by the step's order, the code and the place.
    pub findings: Vec<Finding>,
    /// How each constraint stands.
    pub constraints: Vec<ConstraintResult>,
}

/// A target with a name beside it, on disk or in the plan, that differs only by case or normalisation. The file system
/// tells them apart; a person may not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Lookalike {
    /// The target.
    pub path: String,
    /// The other name.
    pub name: String,
}

impl ValidPlan {
    /// The plan.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How each constraint stands; none is violated.
    #[must_use]
    pub fn constraints(&self) -> &[ConstraintResult] {
        &self.constraints
    }

    /// Targets whose names a person may confuse with others, sorted.
    #[must_use]
    pub fn lookalikes(&self) -> &[Lookalike] {
        &self.lookalikes
    }
}

/// Holds a plan against every rule.
///
/// # Errors
/// [`Invalid`] with all findings.
pub fn check(plan: Plan, context: &Context<'_>) -> Result<ValidPlan, Box<Invalid>> {
    let results = constraint::evaluate(&plan, context.facts.source(), context.constraints);
    let mut findings = plan.failures.clone();
    let mut lookalikes = BTreeSet::new();
    graph::check(&plan, context.caps, &mut findings);
    budget::check(&plan, context, &mut findings);
    paths::check(&plan, context.facts, &mut findings, &mut lookalikes);
    conflict::check(&plan, &mut findings);
    constraints::check(&plan, context.constraints, &results, &mut findings);
    if context.allowed.standing.is_some() && plan.domain() != Domain::Autopilot {
        findings.push(autopilot::of_another_domain(plan.domain()));
    }
    match plan.domain() {
        Domain::Files => {}
        Domain::Autopilot => autopilot::check(&plan, context.allowed, &mut findings),
        Domain::Site => site::check(&plan, context, &mut findings),
    }
    let findings = report::sorted(&plan, findings);
    if findings.is_empty() {
        return Ok(ValidPlan { plan, constraints: results, lookalikes: lookalikes.into_iter().collect() });
    }
    Err(Box::new(Invalid { plan, findings, constraints: results }))
}
