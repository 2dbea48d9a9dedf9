//! A planner's answer becomes a plan for a site: read strictly, held against skill, site and caps, each page as it is now.

use super::contract::{
    ContractEvent, ContractRow, Estimates, Llm, PlanContract, PolicyContext, Risk, Verdict as Word, step,
};
use super::kept::{verified_site, verified_skill};
use super::pages::Steps;
use super::planner::{LONGEST_ANSWER, Planned, Planner, Task, answer_too_long};
use super::reach::probed;
use crate::app::App;
use crate::caller::Act;
use crate::clock::{new_id, now};
use crate::entry::data;
use crate::error::{Error, ErrorCode, Exit};
use crate::lineage::Lineage;
use crate::lineage::SiteNow;
use crate::pipeline::Origin;
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::check::SkillCaps;
use exacta_kernel::contract::{Contract, Terms};
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::gate::Verdict;
use exacta_kernel::hash::{Digest, canonical_hash};
use exacta_kernel::id::{CorrelationId, PlanId};
use exacta_kernel::site::SiteName;
use exacta_record::{DocumentChange, DocumentKind};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The presets of the contract. They name how a plan is asked for, and change no cap.
const PRESETS: [&str; 4] = ["fast", "balanced", "quality", "reasoning"];

/// How a model is preferred.
const PREFERENCES: [&str; 3] = ["cheap", "balanced", "quality"];

/// The longest goal.
const LONGEST_GOAL: usize = 4_000;

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
    /// Who plans.
    pub planner: Planner<'d>,
    /// `fast`, `balanced`, `quality` or `reasoning`; `balanced` where none is given.
    pub policy_preset: Option<&'d str>,
    /// `cheap`, `balanced` or `quality`, which it is where none is given.
    pub model_preference: Option<&'d str>,
    /// What the caller calls this request.
    pub request_id: Option<&'d str>,
}

/// What became of a planner's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Drafted {
    /// A plan, validated or rejected.
    Plan(Box<PlanContract>),
    /// It is no contract; that is recorded, and nothing else.
    NoContract(Vec<Finding>),
}

impl App {
    /// Drafts a plan for a site. What is no contract, or breaks a rule, is recorded as refused.
    ///
    /// # Errors
    /// If the site or the planner cannot be asked, or there is no such site or skill.
    pub fn draft_for_site(&mut self, new: &NewDraft<'_>) -> Result<Drafted, Error> {
        self.authorize(Act::Propose)?;
        fits(new)?;
        let setup = verified_site(&self.home, &self.store, &self.project.id, new.site)?;
        let skill = verified_skill(&self.home, &self.store, &self.project.id, new.skill_id)?;
        if skill.deprecated {
            let message = format!("the skill `{}` is deprecated", skill.skill_id);
            return Err(Error::new(Exit::Denied, "SKILL_DEPRECATED", message).hint("use the one that took its place"));
        }
        let (client, manifest) = probed(&self.home, &setup).map_err(no_manifest)?;
        let (allowed, offered) = (skill.allows(), manifest.tools().into_iter().map(ToOwned::to_owned).collect());
        let caps = SkillCaps::of(self.in_force()?.policy.caps()).min(SkillCaps::ENVIRONMENT);
        let terms = Terms { skill: &allowed, offered: &offered, caps };
        let task = Task { goal: new.goal, skill: &skill, inputs: new.inputs, terms: &terms };
        let planned = self.planned(&new.planner, &task)?;
        let contract = match &planned.contract {
            Ok(contract) => contract.clone(),
            Err(findings) => return self.no_contract(&planned, findings.clone()),
        };
        let mut draft = Draft { new, contract, planned, caps: caps.min(skill.caps), notes: Vec::new(), public: false };
        let findings: Vec<Finding> = draft.contract.check(&terms).into_iter().chain(twice(&draft.contract)).collect();
        if !findings.is_empty() {
            let issues = findings.iter().map(|finding| json!(finding)).collect();
            return self.rejected_draft(&draft, issues);
        }
        let mut maker = Steps::new(new.site.as_str(), client, manifest.clone(), self.images()?);
        let steps = maker.all(&draft.contract)?;
        draft.notes = maker.notes;
        draft.public = maker.public;
        if !maker.issues.is_empty() {
            return self.rejected_draft(&draft, maker.issues);
        }
        let lineage = self.site_lineage(&draft, SiteNow::of(&setup, &manifest, &skill)?)?;
        self.register_draft(&draft, &steps, lineage)
    }

    fn site_lineage(&self, draft: &Draft<'_>, site: SiteNow) -> Result<Lineage, Error> {
        Ok(Lineage { site: Some(site), maker: draft.planned.maker.clone(), ..self.new_lineage()? })
    }

    /// Gives the plan to the gates, and keeps the contract beside it.
    fn register_draft(&mut self, draft: &Draft<'_>, steps: &[Value], lineage: Lineage) -> Result<Drafted, Error> {
        let intent = json!({ "type": draft.new.skill_id, "text": draft.new.goal });
        let proposal = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": steps });
        let view = self.register(proposal.to_string().as_bytes(), Origin::Outside, &[], lineage)?;
        let mut issues: Vec<Value> = view.findings.iter().map(|finding| json!(finding)).collect();
        if view.decision == Verdict::Deny && issues.is_empty() {
            let denied = view.gates.iter().filter(|gate| gate.verdict == Verdict::Deny);
            issues.extend(denied.map(|gate| json!({ "code": "plan_denied", "message": gate.reason })));
        }
        let (Some(id), Some(hash)) = (&view.plan_id, &view.plan_hash) else {
            return self.rejected_draft(draft, issues);
        };
        let word = if issues.is_empty() { Word::Validated } else { Word::Rejected };
        let row = self.row(draft, (hash.clone(), word), issues)?;
        let plan = PlanId::parse(id).ok().map(|id| self.store.plan(&id)).transpose()?.flatten();
        let reason = format!("a contract for site `{}`: {} issues", row.site, row.validation_issues.len());
        let mut entry = EntryDraft::new(Event::PlanEvaluated, self.actor(), reason);
        entry.plan_id = PlanId::parse(id).ok();
        entry.correlation_id = plan.as_ref().map(|plan| plan.correlation_id.clone());
        self.keep_contract(id, &row, &[entry])?;
        Ok(Drafted::Plan(Box::new(row.told(id, plan.as_ref(), draft.notes.clone()))))
    }

    /// Keeps a contract that broke a rule, and why, with the entry that it was refused.
    fn rejected_draft(&mut self, draft: &Draft<'_>, issues: Vec<Value>) -> Result<Drafted, Error> {
        let id = new_id(PlanId::parse)?;
        let hash = draft.content_hash()?.to_string();
        let codes: Vec<&str> = issues.iter().filter_map(|issue| issue.get("code")?.as_str()).collect();
        let entry = self.refusal(&codes, draft.planned.sha256())?;
        let row = self.row(draft, (hash, Word::Rejected), issues.clone())?;
        self.keep_contract(id.as_str(), &row, &[entry])?;
        Ok(Drafted::Plan(Box::new(row.told(id.as_str(), None, draft.notes.clone()))))
    }

    /// Records that an answer is no contract: its codes and its hash, never the text.
    fn no_contract(&mut self, planned: &Planned, findings: Vec<Finding>) -> Result<Drafted, Error> {
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
        let entry = self.refusal(&codes, planned.sha256())?;
        self.store.record(&[entry], now())?;
        Ok(Drafted::NoContract(findings))
    }

    fn refusal(&self, codes: &[&str], text_sha256: Digest) -> Result<EntryDraft, Error> {
        let reason = format!("no plan for a site: {}", codes.join(", "));
        let mut entry = EntryDraft::new(Event::ProposalRefused, self.actor(), reason);
        entry.correlation_id = Some(new_id(CorrelationId::parse)?);
        entry.decision = Some("deny".to_owned());
        entry.data = data(json!({ "codes": codes, "text_sha256": text_sha256 }));
        Ok(entry)
    }

    fn row(&self, draft: &Draft<'_>, (hash, word): (String, Word), issues: Vec<Value>) -> Result<ContractRow, Error> {
        let Draft { new, contract, planned, caps, .. } = draft;
        let (at, count) = (now(), issues.len() as u64);
        let verdict = if word == Word::Validated { "validated" } else { "rejected" };
        Ok(ContractRow {
            plan_version: 1,
            site: new.site.to_string(),
            credential: self.credential(),
            plan_hash: hash,
            skill_id: new.skill_id.to_owned(),
            goal: new.goal.to_owned(),
            assumptions: contract.assumptions.clone(),
            inputs: new.inputs.clone(),
            steps: contract.steps.iter().map(step).collect(),
            estimates: Estimates::of(contract),
            risk: Risk::of(contract, caps.cost, draft.public),
            validation_issues: issues,
            policy_context: draft.policy_context(),
            llm_context: Some(Llm {
                selected_model: planned.model.clone(),
                task_class: "planning".to_owned(),
                preference: new.model_preference.unwrap_or("quality").to_owned(),
                request_id: new
                    .request_id
                    .map_or_else(|| new_id(CorrelationId::parse).map(|id| id.to_string()), |id| Ok(id.to_owned()))?,
                provider_request_id: None,
            }),
            verdict: word,
            events: vec![
                ContractEvent::new("draft", at, "system:planner", None),
                ContractEvent::new(verdict, at, "system:validator", Some(count)),
            ],
        })
    }

    fn keep_contract(&mut self, id: &str, row: &ContractRow, entries: &[EntryDraft]) -> Result<(), Error> {
        let change = DocumentChange {
            kind: DocumentKind::Contract,
            id: id.to_owned(),
            owner: row.site.clone(),
            state: "kept".to_owned(),
            body: serde_json::to_value(row)?,
            was: None,
        };
        if self.store.put_documents(&[change], entries, now())? {
            return Ok(());
        }
        Err(Error::fault("internal", format!("there is a contract of plan `{id}` already")))
    }
}

/// A draft on its way.
struct Draft<'d> {
    new: &'d NewDraft<'d>,
    contract: Contract,
    planned: Planned,
    /// The strictest of policy, skill and environment.
    caps: SkillCaps,
    notes: Vec<String>,
    /// Whether a page is changed that the public sees.
    public: bool,
}

impl Draft<'_> {
    fn policy_context(&self) -> PolicyContext {
        let policy_preset = self.new.policy_preset.unwrap_or("balanced").to_owned();
        PolicyContext { policy_preset, model: self.planned.model.clone(), caps: self.caps }
    }

    /// What a contract says, by hash: where no plan was made of it.
    fn content_hash(&self) -> Result<Digest, Error> {
        let Contract { skill_id, goal, assumptions, inputs, steps } = &self.contract;
        let steps: Vec<Value> = steps.iter().map(step).collect();
        let content = json!({
            "plan_version": 1, "skill_id": skill_id, "goal": goal, "assumptions": assumptions, "inputs": inputs, "steps": steps,
            "policy_context": self.policy_context(),
        });
        Ok(canonical_hash(&content)?)
    }
}

/// That the request itself is one of the contract's.
fn fits(new: &NewDraft<'_>) -> Result<(), Error> {
    let wrong = |message: String, hint: &str| Err(Error::new(Exit::Usage, "VALIDATION_ERROR", message).hint(hint));
    if new.goal.trim().is_empty() {
        return wrong("the goal is blank".to_owned(), "say what is to be achieved");
    }
    if new.goal.chars().count() > LONGEST_GOAL {
        let message = format!("the goal is longer than {LONGEST_GOAL} characters");
        return Err(Error::new(Exit::Usage, "POLICY_INPUT_TOO_LARGE", message)
            .hint("say it shorter; content belongs to `inputs.pages`"));
    }
    if let Some(preset) = new.policy_preset.filter(|preset| !PRESETS.contains(preset)) {
        return wrong(format!("there is no preset `{}`", excerpt(preset)), "fast, balanced, quality or reasoning");
    }
    if let Some(preference) = new.model_preference.filter(|preference| !PREFERENCES.contains(preference)) {
        return wrong(format!("there is no preference `{}`", excerpt(preference)), "cheap, balanced or quality");
    }
    if let Planner::Answered(text) = &new.planner
        && text.chars().count() > LONGEST_ANSWER
    {
        return Err(answer_too_long());
    }
    Ok(())
}

/// A page that two calls write: the second could not know what the first leaves.
fn twice(contract: &Contract) -> Vec<Finding> {
    let (mut seen, mut findings) = (BTreeSet::new(), Vec::new());
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

/// What it means for a draft that the site could not be asked.
fn no_manifest(error: Error) -> Error {
    let late = error.message.contains("did not answer within");
    match error.code {
        ErrorCode::SITE_UNREACHABLE if late => Error { code: ErrorCode::PLAN_MANIFEST_TIMEOUT, ..error },
        ErrorCode::SITE_UNREACHABLE => Error { code: ErrorCode::PLAN_MANIFEST_FETCH_FAILED, ..error },
        _ => error,
    }
}

fn excerpt(text: &str) -> String {
    exacta_kernel::text::excerpt(text, 40)
}
