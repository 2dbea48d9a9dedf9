//! Plan Contract v1: what is kept of a plan for a site beside the plan itself, and how it is answered, by the names of the contract.
//!
//! The numbers are kept as integers and written as decimals at the edge. Whether a plan is approved is its plan's word, never this one's.

use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use exacta_kernel::check::SkillCaps;
use exacta_kernel::contract::{Contract, ContractStep};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use exacta_record::{DocumentKind, PlanRecord};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, json};
use std::collections::BTreeMap;

/// What is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContractRow {
    pub plan_version: u64,
    pub site: String,
    /// Who asked for it.
    pub credential: String,
    pub plan_hash: String,
    pub skill_id: String,
    pub goal: String,
    pub assumptions: Vec<String>,
    pub inputs: Map<String, Value>,
    pub steps: Vec<Value>,
    pub estimates: Estimates,
    pub risk: Risk,
    pub validation_issues: Vec<Value>,
    pub policy_context: PolicyContext,
    /// Absent in rows that were written before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_context: Option<Llm>,
    pub verdict: Verdict,
    pub events: Vec<ContractEvent>,
}

/// What was said of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    Validated,
    Rejected,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Estimates {
    pages: u64,
    tool_calls: BTreeMap<String, u64>,
    tokens_bucket: String,
    /// Hundredths of a US cent.
    cost: u64,
    cost_band: String,
    runtime_sec: u64,
    confidence_band: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Risk {
    tier: String,
    score: u64,
    number_of_steps: u64,
    /// Thousandths, as the two after it.
    write_intensity: u64,
    tool_novelty: u64,
    cost_ratio_to_cap: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolicyContext {
    pub policy_preset: String,
    pub model: String,
    pub caps: SkillCaps,
}

/// Which model made a plan, and how it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Llm {
    /// The one authority on the model.
    pub selected_model: String,
    /// Always `planning`.
    pub task_class: String,
    /// `cheap`, `balanced` or `quality`.
    pub preference: String,
    /// The request it was drafted by.
    pub request_id: String,
    /// The provider's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_request_id: Option<String>,
}

/// What happened to a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractEvent {
    /// `draft`, `validated`, `rejected` or `approved`.
    pub event: String,
    /// When.
    pub at: String,
    /// Who: `system:planner`, `system:validator`, `user:NAME`.
    pub actor: String,
    /// How many things were wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_count: Option<u64>,
}

/// Plan Contract v1, as it is answered: the fields of the contract, and what happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanContract {
    plan_version: u64,
    /// The plan.
    pub plan_id: String,
    /// What an approver signs.
    pub plan_hash: String,
    skill_id: String,
    goal: String,
    assumptions: Vec<String>,
    inputs: Map<String, Value>,
    steps: Vec<Value>,
    estimates: Value,
    risk: Value,
    validation_issues: Vec<Value>,
    policy_context: Value,
    llm: Llm,
    /// `validated`, `rejected` or `approved`.
    pub status: &'static str,
    events: Vec<ContractEvent>,
    /// The site it is for.
    #[serde(skip)]
    pub site: String,
    /// What a person has to know before approving it.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Llm {
    /// Of a row that does not say it: the model of its policy context.
    fn fallback(context: &PolicyContext) -> Self {
        Self {
            selected_model: context.model.clone(),
            task_class: "planning".to_owned(),
            preference: "quality".to_owned(),
            request_id: String::new(),
            provider_request_id: None,
        }
    }
}

impl Estimates {
    pub fn of(contract: &Contract) -> Self {
        let it = contract.estimate();
        Self {
            pages: it.pages,
            tool_calls: it.calls_by_tool,
            tokens_bucket: it.token_bucket.name().to_owned(),
            cost: it.cost,
            cost_band: it.cost_band.name().to_owned(),
            runtime_sec: it.seconds,
            confidence_band: it.confidence.name().to_owned(),
        }
    }

    fn told(&self) -> Value {
        json!({
            "estimated_pages": self.pages, "estimated_tool_calls": self.tool_calls, "estimated_tokens_bucket": self.tokens_bucket,
            "estimated_cost_usd": decimal(self.cost, 4), "estimated_cost_usd_band": self.cost_band,
            "estimated_runtime_sec": self.runtime_sec, "confidence_band": self.confidence_band,
        })
    }
}

impl Risk {
    pub fn of(contract: &Contract, cost_cap: u64, public: bool) -> Self {
        let it = contract.risk(cost_cap, public);
        Self {
            tier: contract.tier(public).name().to_uppercase(),
            score: it.score,
            number_of_steps: it.number_of_steps,
            write_intensity: it.write_intensity,
            tool_novelty: it.tool_novelty,
            cost_ratio_to_cap: it.cost_ratio_to_cap,
        }
    }

    fn told(&self) -> Value {
        json!({
            "tier": self.tier, "score": self.score,
            "factors": {
                "number_of_steps": self.number_of_steps, "write_intensity": decimal(self.write_intensity, 3),
                "tool_novelty": decimal(self.tool_novelty, 3), "cost_ratio_to_cap": decimal(self.cost_ratio_to_cap, 3),
            },
        })
    }
}

impl PolicyContext {
    fn told(&self) -> Value {
        let SkillCaps { pages, tool_calls, steps, cost } = self.caps;
        json!({
            "policy_preset": self.policy_preset, "model": self.model, "max_steps": steps, "max_tool_calls": tool_calls, "max_pages": pages,
            "max_cost_usd": decimal(cost, 4),
        })
    }
}

/// A step, as the contract has it.
pub(super) fn step(step: &ContractStep) -> Value {
    json!({
        "step_id": step.step_id, "title": step.title, "objective": step.objective, "expected_output": step.expected_output,
        "tools": step.tools, "page_count_estimate": step.page_count_estimate, "tool_call_estimate": step.tool_call_estimate,
    })
}

impl ContractEvent {
    pub(super) fn new(event: &str, at: Timestamp, actor: &str, issue_count: Option<u64>) -> Self {
        Self { event: event.to_owned(), at: at.to_string(), actor: actor.to_owned(), issue_count }
    }
}

impl ContractRow {
    /// As it is answered, with what became of its plan.
    pub fn told(self, id: &str, plan: Option<&PlanRecord>, notes: Vec<String>) -> PlanContract {
        let mut events = self.events;
        let mut status = if self.verdict == Verdict::Validated { "validated" } else { "rejected" };
        for signed in plan.iter().flat_map(|plan| &plan.approvals) {
            let statement = &signed.statement;
            let by = format!("user:{}", statement.approver);
            match serde_json::to_value(statement.verb).ok().as_ref().and_then(Value::as_str) {
                Some("approve") => events.push(ContractEvent::new("approved", statement.at, &by, None)),
                Some("reject") => events.push(ContractEvent::new("rejected", statement.at, &by, None)),
                _ => {}
            }
        }
        match plan.map(|plan| plan.status) {
            Some(Status::UserApproved | Status::AutoApproved) => status = "approved",
            Some(Status::Rejected) => status = "rejected",
            Some(Status::Expired) if events.iter().any(|event| event.event == "approved") => status = "approved",
            _ => {}
        }
        PlanContract {
            plan_version: self.plan_version,
            plan_id: id.to_owned(),
            plan_hash: self.plan_hash,
            skill_id: self.skill_id,
            goal: self.goal,
            assumptions: self.assumptions,
            inputs: self.inputs,
            steps: self.steps,
            estimates: self.estimates.told(),
            risk: self.risk.told(),
            validation_issues: self.validation_issues,
            llm: self.llm_context.unwrap_or_else(|| Llm::fallback(&self.policy_context)),
            policy_context: self.policy_context.told(),
            status,
            events,
            site: self.site,
            notes,
        }
    }
}

/// Which contracts are meant.
#[derive(Debug, Clone, Default)]
pub struct ContractFilter {
    /// Of this site.
    pub site: Option<String>,
    /// In this status.
    pub status: Option<String>,
    /// How many at most.
    pub limit: usize,
    /// Those after this plan: the last of the page before.
    pub cursor: Option<String>,
}

impl App {
    /// Plan Contract v1 of a plan for a site, with the hash that an approver would sign now.
    ///
    /// # Errors
    /// `PLAN_NOT_FOUND` where there is none, or whoever asks may not see it.
    pub fn site_plan(&self, id: &PlanId) -> Result<PlanContract, Error> {
        self.authorize(Act::Read)?;
        let found = self.store.document(DocumentKind::Contract, id.as_str())?.ok_or_else(|| no_plan(id.as_str()))?;
        let mut row: ContractRow = serde_json::from_value(found.body)?;
        self.sees_contract(&row, id.as_str())?;
        let plan = self.store.plan(id)?;
        if plan.as_ref().is_some_and(|plan| plan.status == Status::Pending)
            && let Some(hash) = self.show(id).ok().and_then(|shown| shown.plan.plan_hash)
        {
            row.plan_hash = hash;
        }
        Ok(row.told(id.as_str(), plan.as_ref(), Vec::new()))
    }

    /// Plans for sites, newest first, and where the next page begins.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn site_plans(&self, filter: &ContractFilter) -> Result<(Vec<PlanContract>, Option<String>), Error> {
        self.authorize(Act::Read)?;
        let mut plans = Vec::new();
        let mut begun = filter.cursor.is_none();
        for found in self.store.documents(DocumentKind::Contract, filter.site.as_deref(), None)? {
            let id = found.id.clone();
            if !begun {
                begun = filter.cursor.as_ref() == Some(&id);
                continue;
            }
            let row: ContractRow = serde_json::from_value(found.body)?;
            if self.sees_contract(&row, &id).is_err() {
                continue;
            }
            let plan = PlanId::parse(&id).ok().map(|id| self.store.plan(&id)).transpose()?.flatten();
            let told = row.told(&id, plan.as_ref(), Vec::new());
            if filter.status.as_ref().is_some_and(|status| *status != told.status) {
                continue;
            }
            if plans.len() == filter.limit {
                let last = plans.last().map(|plan: &PlanContract| plan.plan_id.clone());
                return Ok((plans, last));
            }
            plans.push(told);
        }
        Ok((plans, None))
    }

    /// That whoever asks may see it: what they asked for themselves, or everything.
    fn sees_contract(&self, row: &ContractRow, id: &str) -> Result<(), Error> {
        if row.credential == self.credential() || self.authorize(Act::ReadAll).is_ok() {
            return Ok(());
        }
        Err(no_plan(id))
    }
}

/// The same for a plan that there is not and for one that is not theirs.
pub(super) fn no_plan(id: &str) -> Error {
    let message = format!("there is no plan `{}` for a site", exacta_kernel::text::excerpt(id, 60));
    Error::new(Exit::Usage, "PLAN_NOT_FOUND", message).hint(hint![Remedy::List, " shows the plans of this project"])
}

/// A number of parts as a decimal, exactly.
fn decimal(parts: u64, digits: usize) -> Value {
    let unit = 10_u64.pow(digits as u32);
    let text = format!("{}.{:0digits$}", parts / unit, parts % unit);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    serde_json::from_str::<Number>(text).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_decimals() {
        for (parts, digits, is) in [(99, 4, "0.0099"), (50_000, 4, "5"), (0, 3, "0"), (1500, 3, "1.5")] {
            assert_eq!(decimal(parts, digits).to_string(), is);
        }
    }

    /// A row as it was written before the model was kept beside it.
    #[test]
    fn a_row_without_a_model_reads_with_the_fallback() {
        let row = json!({
            "plan_version": 1, "site": "blog", "credential": "cli:1000", "plan_hash": "a", "skill_id": "wp.a", "goal": "g",
            "assumptions": [], "inputs": {}, "steps": [], "validation_issues": [], "verdict": "validated", "events": [],
            "estimates": { "pages": 0, "tool_calls": {}, "tokens_bucket": "low", "cost": 35, "cost_band": "low", "runtime_sec": 20, "confidence_band": "high" },
            "risk": { "tier": "LOW", "score": 27, "number_of_steps": 1, "write_intensity": 0, "tool_novelty": 200, "cost_ratio_to_cap": 1 },
            "policy_context": { "policy_preset": "balanced", "model": "gpt-x", "caps": { "pages": 200, "tool_calls": 40, "steps": 12, "cost": 50_000 } },
        });
        let row: ContractRow = serde_json::from_value(row).unwrap();
        let told = serde_json::to_value(row.told("p", None, Vec::new())).unwrap();
        assert_eq!(
            told["llm"],
            json!({ "selected_model": "gpt-x", "task_class": "planning", "preference": "quality", "request_id": "" })
        );
        assert_eq!(told.get("llm_model"), None);
        let fields: Vec<&str> = told.as_object().unwrap().keys().map(String::as_str).collect();
        // Those of the contract, and `events`.
        assert_eq!(
            fields,
            [
                "assumptions",
                "estimates",
                "events",
                "goal",
                "inputs",
                "llm",
                "plan_hash",
                "plan_id",
                "plan_version",
                "policy_context",
                "risk",
                "skill_id",
                "status",
                "steps",
                "validation_issues",
            ]
        );
        let names =
            |pointer: &str| told.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(
            names("/estimates"),
            [
                "confidence_band",
                "estimated_cost_usd",
                "estimated_cost_usd_band",
                "estimated_pages",
                "estimated_runtime_sec",
                "estimated_tokens_bucket",
                "estimated_tool_calls",
            ]
        );
        assert_eq!(names("/risk"), ["factors", "score", "tier"]);
        assert_eq!(names("/risk/factors"), ["cost_ratio_to_cap", "number_of_steps", "tool_novelty", "write_intensity"]);
        assert_eq!(
            names("/policy_context"),
            ["max_cost_usd", "max_pages", "max_steps", "max_tool_calls", "model", "policy_preset"]
        );
        assert_eq!(told["policy_context"]["max_cost_usd"], json!(5));
        assert_eq!(told["estimates"]["estimated_cost_usd"], json!(0.0035));
    }
}
