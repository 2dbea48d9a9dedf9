//! Who plans: an agent that gives its answer along, or a provider of the user's that is asked for one.

use crate::app::App;
use crate::ask::{Fence, repair};
use crate::error::{Error, Exit};
use crate::lineage::Maker;
use exacta_kernel::binding::{Asked, ModelIdentity};
use exacta_kernel::contract::{self, Contract, Terms};
use exacta_kernel::finding::Finding;
use exacta_kernel::hash::{Digest, canonical_hash};
use exacta_kernel::skill::Skill;
use exacta_provider::{Answer, Cancel, Fault, FaultKind, Message, Model, Request, Stage};
use exacta_view::FindingView;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The longest answer of a planner, in characters.
pub(super) const LONGEST_ANSWER: usize = 30_000;

/// What a planner is told.
const SYSTEM: &str = include_str!("planner.txt");

/// The most tokens of an answer.
const TOKENS: u64 = 1_100;

/// How often an answer that breaks a rule is asked for again.
const REPAIRS: u32 = 3;

/// The most of a page's title that a planner sees.
const TITLE: usize = 120;

/// Who plans.
#[derive(Debug, Clone, Copy)]
pub enum Planner<'p> {
    /// An agent, with this answer.
    Answered(&'p str),
    /// The provider of this name, or the one that `exacta provider use` chose.
    Provider(Option<&'p str>),
}

/// What is to be planned.
pub(super) struct Task<'t> {
    pub goal: &'t str,
    pub skill: &'t Skill,
    pub inputs: &'t Map<String, Value>,
    pub terms: &'t Terms<'t>,
}

/// What a planner answered, and who it is.
pub(super) struct Planned {
    text: String,
    pub contract: Result<Contract, Vec<Finding>>,
    /// The model, as it is told: `undeclared` where nobody says.
    pub model: String,
    /// What the plan is bound to where a model of ours made it.
    pub maker: Option<Maker>,
}

impl Planned {
    pub fn sha256(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }
}

impl App {
    /// Gets an answer, and reads it.
    pub(super) fn planned(&self, planner: &Planner<'_>, task: &Task<'_>) -> Result<Planned, Error> {
        match planner {
            Planner::Answered(text) => {
                let declared = self.home.declared_identity(&self.project.id, &self.credential())?;
                let model = declared.and_then(|declared| declared.model).map(|claim| claim.model);
                let contract = contract::read(text, &task.skill.skill_id, task.inputs);
                let model = model.unwrap_or_else(|| "undeclared".to_owned());
                Ok(Planned { text: (*text).to_owned(), contract, model, maker: None })
            }
            Planner::Provider(name) => self.asked_for(*name, task),
        }
    }

    /// Asks a provider. What breaks a rule goes back to the same model, a few times.
    fn asked_for(&self, name: Option<&str>, task: &Task<'_>) -> Result<Planned, Error> {
        let mut model = self.models(name)?.maker;
        let class = model.identity().class;
        if !self.in_force()?.policy.allows_provider(class) {
            let message =
                format!("the Safety Policy allows no plans from {} providers; nothing was sent", class.name());
            return Err(Error::new(Exit::Denied, "ASK_PROVIDER_CLASS", message)
                .hint("the operator changes `provider_classes` in the Safety Policy"));
        }
        let fence = Fence::new();
        let first = Message::user(question(task, &fence));
        let mut messages = vec![first.clone()];
        for attempt in 0.. {
            let answer = asked(&mut *model, messages.clone())?;
            let text = answer.content.text().to_owned();
            if text.chars().count() > LONGEST_ANSWER {
                return Err(answer_too_long());
            }
            let contract = contract::read_own(&text, &task.skill.skill_id, task.inputs);
            let findings = match &contract {
                Ok(contract) => contract.check(task.terms),
                Err(findings) => findings.clone(),
            };
            if findings.is_empty() || attempt == REPAIRS {
                let identity = model.identity();
                crate::ask::note_served(&self.home, model.name(), &identity, model.weights_file())?;
                let maker = Some(maker(&*model, &identity, &answer, task)?);
                return Ok(Planned { text, contract, model: identity.model, maker });
            }
            let views: Vec<FindingView> = findings.iter().map(FindingView::from).collect();
            messages = vec![first.clone(), Message::model(text), Message::user(repair(&views))];
        }
        Err(Error::fault("internal", "a planner was never asked"))
    }
}

fn asked(model: &mut dyn Model, messages: Vec<Message>) -> Result<Answer, Error> {
    let request = Request {
        stage: Stage::Plan,
        system: SYSTEM.to_owned(),
        messages,
        tool: None,
        schema: None,
        max_output_tokens: model.identity().limits.output.map_or(TOKENS, |most| most.min(TOKENS)),
    };
    model.answer(&request, &mut |_| {}, &Cancel::new()).map_err(|fault| failed(&fault))
}

/// What the planner sees: the goal, the skill's tools that the site offers, the caps, and the pages without their content.
fn question(task: &Task<'_>, fence: &Fence) -> String {
    let Task { goal, skill, inputs, terms } = task;
    let tools: Vec<&String> = skill.tool_allowlist.iter().filter(|tool| terms.offered.contains(*tool)).collect();
    let caps = terms.caps.min(terms.skill.caps);
    let pages: Vec<Value> = inputs
        .get("pages")
        .and_then(Value::as_array)
        .map(|list| list.iter().map(outline).collect())
        .unwrap_or_default();
    let about = json!({
        "skill_id": skill.skill_id, "tools": tools, "max_steps": caps.steps, "max_tool_calls": caps.tool_calls,
        "max_pages": caps.pages, "pages": pages,
    });
    format!("{}\n{}", fence.quote("The goal", goal), fence.quote("What there is", &about.to_string()))
}

fn outline(page: &Value) -> Value {
    let field = |name: &str| page.get(name).cloned().unwrap_or_default();
    let title = page.get("title").and_then(Value::as_str).map(|title| exacta_kernel::text::excerpt(title, TITLE));
    json!({ "op": field("op"), "id": field("id"), "step_id": field("step_id"), "title": title })
}

/// What a plan is bound to.
fn maker(model: &dyn Model, identity: &ModelIdentity, answer: &Answer, task: &Task<'_>) -> Result<Maker, Error> {
    Ok(Maker {
        model: identity.clone(),
        request_sha256: answer.request_sha256,
        asked: Asked {
            provider: model.name().to_owned(),
            context_sha256: canonical_hash(&json!({ "goal": task.goal, "inputs": task.inputs }))?,
            named: BTreeSet::new(),
            reader: None,
            confidence: 10_000,
        },
    })
}

/// A planner says too much.
pub(super) fn answer_too_long() -> Error {
    let message = format!("the planner's answer is longer than {LONGEST_ANSWER} characters");
    Error::new(Exit::Denied, "PLAN_OUTPUT_CAP_EXCEEDED", message)
        .hint("the pages belong to `inputs`, which it only repeats")
}

fn failed(fault: &Fault) -> Error {
    let code = match fault.kind {
        FaultKind::Timeout { .. } => "PLAN_LLM_TIMEOUT",
        _ => "PLAN_LLM_FAILED",
    };
    Error::new(Exit::Fault, code, fault.to_string()).hint(fault.hint())
}
