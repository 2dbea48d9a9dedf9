//! A planner's answer becomes a plan for a site: read strictly, held against skill, site and caps, each page as it is now.

use super::standing::SiteNow;
use super::{known, probed, skill};
use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use crate::pipeline::{Evaluation, Origin};
use crate::submit::Lineage;
use exacta_effect::Folder;
use exacta_kernel::check::SkillCaps;
use exacta_kernel::contract::{Contract, ContractCall, ContractStep, Terms};
use exacta_kernel::effect::site::BULK;
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::hash::Digest;
use exacta_kernel::parse::Refusal;
use exacta_kernel::site::SiteName;
use exacta_kernel::text::excerpt;
use exacta_site::{Client, Images, Manifest, NoDraft, Op, Request, draft_call};
use exacta_view::PlanView;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What is asked for.
#[derive(Debug, Clone)]
pub struct NewDraft<'d> {
    /// The site.
    pub site: &'d SiteName,
    /// The skill.
    pub skill_id: &'d str,
    /// In the caller's words.
    pub goal: &'d str,
    /// The caller's, with the pages.
    pub inputs: &'d Map<String, Value>,
    /// What the planner answered.
    pub planner_output: &'d str,
}

/// Plan Contract v1, as it is printed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteDraft {
    plan_version: u64,
    /// The plan; none where it is rejected.
    pub plan_id: Option<String>,
    /// What an approver signs.
    pub plan_hash: Option<String>,
    skill_id: String,
    goal: String,
    assumptions: Vec<String>,
    inputs: Map<String, Value>,
    steps: Vec<Value>,
    estimates: Value,
    risk: Value,
    validation_issues: Vec<Value>,
    policy_context: Value,
    llm: Value,
    /// `validated` or `rejected`.
    pub status: &'static str,
    /// What a person has to know before approving it.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl App {
    /// Drafts a plan for a site out of a planner's answer. What is no contract, or breaks a rule, is recorded as refused.
    ///
    /// # Errors
    /// If the site cannot be asked, or a page cannot be written so that it can be put back.
    pub fn draft_for_site(&mut self, new: &NewDraft<'_>) -> Result<SiteDraft, Error> {
        self.authorize(Act::Propose)?;
        let setup = known(&self.home, new.site)?;
        let skill = skill::known(&self.home, new.skill_id)?;
        if skill.deprecated {
            let message = format!("the skill `{}` is deprecated", skill.skill_id);
            return Err(Error::new(Exit::Denied, "SKILL_DEPRECATED", message).hint("use the one that took its place"));
        }
        let text = new.planner_output;
        let contract = match exacta_kernel::contract::read(text, new.skill_id, new.inputs) {
            Ok(contract) => contract,
            Err(findings) => return self.no_contract(new, None, findings),
        };
        let (client, manifest) = probed(&self.home, &setup)?;
        let now = SiteNow::of(&setup, &manifest, &skill)?;
        let (allowed, offered) = (skill.allows(), manifest.tools().into_iter().map(ToOwned::to_owned).collect());
        let caps = SkillCaps::of(self.in_force()?.policy.caps());
        let terms = Terms { skill: &allowed, offered: &offered, caps };
        let mut findings = contract.check(&terms);
        findings.extend(twice(&contract));
        if !findings.is_empty() {
            return self.no_contract(new, Some(&contract), findings);
        }
        let calls = contract.calls().unwrap_or_default();
        let mut maker = Steps { site: new.site.as_str(), client, manifest, notes: Vec::new(), images: self.images()? };
        let mut steps = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            let own = contract.steps.iter().find(|step| step.step_id == call.step_id);
            steps.push(maker.step(number, call, own)?);
        }
        let intent = json!({ "type": new.skill_id, "text": new.goal });
        let proposal = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": steps });
        let lineage = Lineage { site: Some(now), ..self.new_lineage()? };
        let view = self.register(proposal.to_string().as_bytes(), Origin::Outside, &[], lineage)?;
        let cap = caps.min(skill.caps).cost;
        let draft = SiteDraft { notes: maker.notes, ..self.printed(new, Some(&contract), cap)? };
        Ok(of_view(draft, &view))
    }

    fn images(&self) -> Result<Images, Error> {
        let io = |error: exacta_effect::IoError| Error::fault("not_kept", error.to_string());
        let state = Folder::open(&self.home.project_state(&self.project.id)?).map_err(io)?;
        Images::open(&state).map_err(io)
    }

    /// Records that an answer is no plan, and says why.
    fn no_contract(
        &mut self,
        new: &NewDraft<'_>,
        contract: Option<&Contract>,
        findings: Vec<Finding>,
    ) -> Result<SiteDraft, Error> {
        let text = new.planner_output.as_bytes();
        let refusal = Refusal { findings, text_sha256: Digest::of(text) };
        let (sha256, lineage) = (refusal.text_sha256, self.new_lineage()?);
        let view = self.refuse(sha256, &Evaluation::refused(refusal, text), &lineage)?;
        let draft = self.printed(new, contract, SkillCaps::of(self.in_force()?.policy.caps()).cost)?;
        Ok(of_view(draft, &view))
    }

    /// The contract's fields; those of the plan come with its view.
    fn printed(&self, new: &NewDraft<'_>, contract: Option<&Contract>, cost_cap: u64) -> Result<SiteDraft, Error> {
        let in_force = self.in_force()?;
        let authority = in_force.authority();
        Ok(SiteDraft {
            plan_version: 1,
            plan_id: None,
            plan_hash: None,
            skill_id: new.skill_id.to_owned(),
            goal: new.goal.to_owned(),
            assumptions: contract.map(|contract| contract.assumptions.clone()).unwrap_or_default(),
            inputs: new.inputs.clone(),
            steps: contract.map(|contract| contract.steps.iter().map(step).collect()).unwrap_or_default(),
            estimates: contract.map_or(Value::Null, estimates),
            risk: contract.map_or(Value::Null, |contract| risk(contract, cost_cap)),
            validation_issues: Vec::new(),
            policy_context: json!({
                "policy_version": authority.policy_version, "policy_sha256": authority.policy_sha256,
                "profile": authority.profile, "max_cost_usd": usd(cost_cap),
            }),
            llm: json!({ "selected_model": "undeclared" }),
            status: "rejected",
            notes: Vec::new(),
        })
    }
}

/// Makes the steps of a plan out of calls.
struct Steps<'s> {
    site: &'s str,
    client: Client,
    manifest: Manifest,
    images: Images,
    notes: Vec<String>,
}

impl Steps<'_> {
    fn step(&mut self, number: usize, call: &ContractCall, of: Option<&ContractStep>) -> Result<Value, Error> {
        let arguments = match call.tool {
            "site.get_environment" => read(exacta_site::environment(&self.manifest))?,
            "content.inventory" => read(exacta_site::inventory(&self.client, &[]))?,
            "seo.get_config" => read(exacta_site::seo(&self.client))?,
            BULK => {
                let items = call.pages.iter().map(|page| self.page(Op::Create, page).map(Value::Object));
                json!({ "items": items.collect::<Result<Vec<_>, _>>()? })
            }
            tool => {
                let op = match tool {
                    "content.update_page" => Op::Update,
                    "content.publish_page" => Op::Publish,
                    "content.trash_page" => Op::Trash,
                    _ => Op::Create,
                };
                let none = Map::new();
                Value::Object(self.page(op, call.pages.first().unwrap_or(&none))?)
            }
        };
        let words = of.map(|step| format!("{}: {}", step.title, step.objective)).unwrap_or_default();
        let order = number + 1;
        let after: Vec<String> = (number > 0).then(|| format!("s{number}")).into_iter().collect();
        Ok(json!({
            "id": format!("s{order}"), "type": "tool_call", "target": self.site, "dependencies": after, "order": order,
            "description": excerpt(&words, 200), "tool": call.tool, "arguments": arguments,
        }))
    }

    /// The exact arguments of one page, which is kept as it is now.
    fn page(&mut self, op: Op, page: &Map<String, Value>) -> Result<Map<String, Value>, Error> {
        let id = page.get("id").and_then(Value::as_u64);
        let fields: Map<String, Value> =
            page.iter().filter(|(name, _)| *name != "id").map(|(name, value)| (name.clone(), value.clone())).collect();
        let drafted =
            draft_call(&self.client, &self.manifest, &Request { op, id, fields: &fields }).map_err(no_draft)?;
        if let Some(before) = &drafted.before {
            let kept = self.images.keep(before.text().as_bytes());
            kept.map_err(|error| Error::fault("not_kept", error.to_string()))?;
        }
        self.notes.extend(drafted.notes);
        Ok(drafted.arguments)
    }
}

/// A page that two calls write: the second could not know what the first leaves.
fn twice(contract: &Contract) -> Vec<Finding> {
    let (mut seen, mut findings) = (std::collections::BTreeSet::new(), Vec::new());
    for call in contract.calls().unwrap_or_default() {
        for id in call.pages.iter().filter_map(|page| page.get("id")?.as_u64()) {
            if !seen.insert(id) {
                let message = format!("page {id} is written twice");
                let hint = "make one plan for each act on the same page";
                findings
                    .push(Finding::new(Code::SchemaInvalid, message, hint).in_step(&call.step_id).at("/inputs/pages"));
            }
        }
    }
    findings
}

fn of_view(draft: SiteDraft, view: &PlanView) -> SiteDraft {
    let issues = view.findings.iter().map(|finding| json!(finding)).collect();
    let valid =
        view.plan_id.is_some() && view.findings.is_empty() && view.decision != exacta_kernel::gate::Verdict::Deny;
    SiteDraft {
        plan_id: view.plan_id.clone(),
        plan_hash: view.plan_hash.clone(),
        validation_issues: issues,
        status: if valid { "validated" } else { "rejected" },
        ..draft
    }
}

fn read(found: Result<exacta_site::Snapshot, exacta_site::SiteError>) -> Result<Value, Error> {
    let snapshot = found.map_err(|error| Error::fault(error.code(), error.to_string()).hint(error.hint()))?;
    Ok(json!({ "sha256": snapshot.sha256 }))
}

fn no_draft(no: NoDraft) -> Error {
    Error::new(Exit::Denied, no.code, no.message).hint(no.hint)
}

fn step(step: &ContractStep) -> Value {
    json!({
        "step_id": step.step_id, "title": step.title, "objective": step.objective, "expected_output": step.expected_output,
        "tools": step.tools, "page_count_estimate": step.page_count_estimate, "tool_call_estimate": step.tool_call_estimate,
    })
}

fn estimates(contract: &Contract) -> Value {
    let it = contract.estimate();
    json!({
        "pages": it.pages, "tool_calls": it.calls, "tool_calls_by_tool": it.calls_by_tool, "tokens": it.tokens,
        "token_bucket": it.token_bucket.name(), "cost_usd": usd(it.cost), "cost_band": it.cost_band.name(),
        "runtime_seconds": it.seconds, "confidence": it.confidence.name(),
    })
}

fn risk(contract: &Contract, cost_cap: u64) -> Value {
    let it = contract.risk(cost_cap);
    json!({
        "score": it.score, "tier": contract.tier(),
        "factors": {
            "number_of_steps": it.number_of_steps, "write_intensity": thousandths(it.write_intensity),
            "tool_novelty": thousandths(it.tool_novelty), "cost_ratio_to_cap": thousandths(it.cost_ratio_to_cap),
        },
    })
}

/// Hundredths of a cent as dollars, exactly.
fn usd(cost: u64) -> String {
    format!("{}.{:04}", cost / 10_000, cost % 10_000)
}

fn thousandths(number: u64) -> String {
    format!("{}.{:03}", number / 1000, number % 1000)
}
