//! Plan Contract v1: what a planner answers for a site, read strictly, and the calls that it stands for.
//!
//! A contract's step names tools and says how much it thinks it needs. What is written comes from the caller's `inputs.pages`, never from
//! the planner: one that changes them is refused. Pages and calls are counted here; a planner's numbers can only raise them.

mod calls;
mod estimate;
mod read;

pub use calls::{ContractCall, PageOp};
pub use estimate::{Band, ContractEstimate, ContractRisk};
pub use read::{read, read_own};

use crate::action::Tier;
use crate::action::tool::Tool;
use crate::check::{AllowedSkill, SkillCaps};
use crate::finding::{Code, Finding};
use crate::prelude::*;
use crate::text::excerpt;
use serde_json::{Map, Value};

/// The most pages that one bulk call makes.
pub const MAX_BULK: usize = 50;

/// What a planner answered, for the skill and the inputs it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// The skill.
    pub skill_id: String,
    /// What it is to achieve.
    pub goal: String,
    /// What the planner took for granted.
    pub assumptions: Vec<String>,
    /// The caller's.
    pub inputs: Map<String, Value>,
    /// In order.
    pub steps: Vec<ContractStep>,
}

/// One step of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractStep {
    /// Its name, unique in the contract.
    pub step_id: String,
    /// In a few words.
    pub title: String,
    /// What it is to achieve.
    pub objective: String,
    /// What it leaves.
    pub expected_output: String,
    /// The tools it calls.
    pub tools: Vec<String>,
    /// How many pages the planner thinks it touches.
    pub page_count_estimate: u64,
    /// How many calls the planner thinks it makes.
    pub tool_call_estimate: Option<u64>,
}

/// What a contract is held against: the skill, what the site offers, and the caps of the policy.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'t> {
    /// The skill's tools and caps.
    pub skill: &'t AllowedSkill,
    /// The tools that the site offers to this user.
    pub offered: &'t BTreeSet<String>,
    /// The policy's caps.
    pub caps: SkillCaps,
}

impl Contract {
    /// Everything that is wrong with it; empty where it can become a plan.
    #[must_use]
    pub fn check(&self, terms: &Terms<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            for (number, name) in step.tools.iter().enumerate() {
                let place = format!("/steps/{index}/tools/{number}");
                findings.extend(tool_problem(name, terms).map(|finding| finding.in_step(&step.step_id).at(place)));
            }
        }
        findings.extend(self.calls().err().unwrap_or_default());
        findings.extend(self.over_caps(terms));
        findings
    }

    /// The tier of its tools, and HIGH where more than one page is written, or one that the public sees.
    #[must_use]
    pub fn tier(&self, public: bool) -> Tier {
        let tools = || self.steps.iter().flat_map(|step| &step.tools).filter_map(|name| Tool::find(name));
        let high = public || (tools().any(Tool::writes) && self.pages() > 1);
        tools().map(|tool| tool.tier).chain(high.then_some(Tier::High)).max().unwrap_or(Tier::Low)
    }

    fn over_caps(&self, terms: &Terms<'_>) -> Vec<Finding> {
        let caps = terms.caps.min(terms.skill.caps);
        let estimate = self.estimate();
        let over = |code, count: u64, cap: u64, what: &str| {
            let message = format!("{count} {what}; at most {cap} are allowed here");
            (count > cap).then(|| Finding::new(code, message, "split the work over several plans").at("/steps"))
        };
        let steps = over(Code::StepCapExceeded, self.steps.len() as u64, caps.steps, "steps");
        let calls = over(Code::StepCapExceeded, estimate.calls, caps.tool_calls, "tool calls");
        let pages = over(Code::PageCapExceeded, estimate.pages, caps.pages, "pages");
        let cost = over(Code::CostCapExceeded, estimate.cost, caps.cost, "hundredths of a cent of cost by estimate");
        [steps, calls, pages, cost].into_iter().flatten().collect()
    }
}

/// Registry, then skill, then site.
fn tool_problem(name: &str, terms: &Terms<'_>) -> Option<Finding> {
    let shown = excerpt(name, 60);
    if Tool::find(name).is_none() {
        let hint = format!("use one of {}", Tool::names().join(", "));
        return Some(Finding::new(Code::InvalidTool, format!("there is no tool `{shown}`"), hint));
    }
    if !terms.skill.tools.contains(name) {
        let message = format!("the skill does not allow the tool `{shown}`");
        return Some(Finding::new(Code::ToolNotAllowed, message, "use a tool of the skill's list"));
    }
    if !terms.offered.contains(name) {
        let message = format!("the site does not offer the tool `{shown}` to this user");
        return Some(Finding::new(Code::InvalidTool, message, "use what the site offers"));
    }
    None
}
