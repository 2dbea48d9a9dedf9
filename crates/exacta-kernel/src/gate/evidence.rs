//! What the gates look at: everything a plan does, and what is known of it.

use super::Question;
use super::table::{at_least, level};
use crate::action::Tier;
use crate::action::tool::Tool;
use crate::assess::{Assessment, BasisPoints, Level, Requested};
use crate::check::ValidPlan;
use crate::constraint::State;
use crate::path::RelPath;
use crate::plan::{Change, Effect, Plan};
use crate::policy::Policy;
use crate::policy::caps::Caps;
use crate::policy::rule::{Operation, Subject};
use crate::prelude::*;
use crate::profile::Profile;
use crate::proposal::{Action, Payload, Step};
use crate::scan::{DependencyChange, DependencyKind, Signals};
use crate::secret;
use crate::text::{excerpt, visible_line};

/// Above this many steps a person confirms a plan, in every profile.
const MANY_STEPS: usize = 10;

/// What is found where there is nothing to look into.
static NOTHING: Signals =
    Signals { secrets: Vec::new(), hidden: Vec::new(), dangers: Vec::new(), dependencies: Vec::new() };

/// Everything that the gates decide on, besides the policy.
#[derive(Debug)]
pub(super) struct Evidence<'a> {
    /// What the plan does.
    pub(super) acts: Vec<Act>,
    /// What was found in it.
    pub(super) signals: &'a Signals,
    /// Targets that differ from a neighbour only by case or normalisation, each with its neighbour.
    pub(super) lookalikes: Vec<(String, String)>,
    /// Files of which more lines change than are looked at one by one.
    pub(super) overlong: Vec<String>,
    /// Lines that are too long to be read as code, each as its length and its place.
    pub(super) long_lines: Vec<(usize, String)>,
    /// New files that are no text.
    pub(super) bytes: Vec<String>,
    /// Constraints that only a person can judge.
    pub(super) unchecked: Vec<String>,
    /// Why the plan is larger than what runs without a person: a rule of that name, and the reason.
    pub(super) large: Vec<(&'static str, String)>,
    /// Why the plan is SYSTEM-LEVEL, each with its place; empty if it is not.
    pub(super) boundaries: Vec<(String, String)>,
    /// What the plan would give or use.
    pub(super) capabilities: &'a [Requested],
    /// The risk score.
    pub(super) score: u32,
    /// The score, lifted to what the level means.
    pub(super) risk: u32,
    /// The action whose tier lifted it, if one did.
    pub(super) lifted_by: Option<String>,
    /// Basis points.
    pub(super) quality: BasisPoints,
    /// What cannot be, and therefore denies.
    pub(super) errors: Vec<String>,
}

/// One thing that a plan does, and its name in a reason.
#[derive(Debug)]
pub(super) struct Act {
    pub(super) subject: Subject,
    pub(super) label: String,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(assessment: &'a Assessment, policy: &Policy) -> Self {
        let (valid, profile) = (assessment.valid_plan(), policy.profile());
        let plan = valid.plan();
        let (floor, by) = floor(plan);
        let score = assessment.risk.score;
        let risk = at_least(score, floor.max(assessment.risk.level));
        let mut evidence = Self {
            acts: Vec::new(),
            signals: &assessment.signals,
            lookalikes: lookalikes(valid),
            overlong: overlong(plan),
            long_lines: long_lines(plan),
            bytes: bytes(plan),
            unchecked: constraints(valid, State::Unchecked).map(ToOwned::to_owned).collect(),
            large: large(plan, assessment, policy.caps()),
            boundaries: boundaries(assessment),
            capabilities: &assessment.capabilities,
            score,
            risk,
            lifted_by: (floor > level(score)).then(|| quoted(by)),
            quality: assessment.quality.score,
            errors: violated(valid),
        };
        let whole = Subject {
            operations: Vec::new(),
            path: None,
            risk: Some(level(risk)),
            domain: Some(plan.domain()),
            intent: Some(plan.proposal().intent.kind.name().to_owned()),
            profile: Some(profile),
        };
        for step in &plan.proposal().steps {
            evidence.step(step, &whole);
        }
        let emptied = plan.changes().into_iter().filter(Change::is_emptied);
        evidence.acts.extend(emptied.map(|change| emptying(change.path, &whole)));
        let dependencies = assessment.signals.dependencies.iter();
        evidence.acts.extend(dependencies.map(|change| dependency(change, &whole)));
        evidence
    }

    /// As if a plan did one thing.
    pub(super) fn supposed(question: &Question, profile: Profile) -> Self {
        let subject = Subject {
            operations: question.operation.into_iter().collect(),
            path: question.path.clone(),
            risk: Some(level(question.risk)),
            domain: question.domain,
            intent: question.intent.clone(),
            profile: Some(profile),
        };
        let label = match (question.operation, &question.path) {
            (Some(operation), Some(path)) => format!("`{}` of {}", operation.name(), quoted(path.as_str())),
            (Some(operation), None) => format!("`{}`", operation.name()),
            (None, Some(path)) => quoted(path.as_str()),
            (None, None) => "any plan".to_owned(),
        };
        let supposed = |yes: bool, what: &str| yes.then(|| what.to_owned());
        Self {
            acts: vec![Act { subject, label }],
            signals: &NOTHING,
            lookalikes: Vec::new(),
            overlong: Vec::new(),
            long_lines: Vec::new(),
            bytes: Vec::new(),
            unchecked: supposed(question.unchecked, "supposed").into_iter().collect(),
            large: Vec::new(),
            boundaries: supposed(question.system_level, "supposed").into_iter().map(|it| (it, String::new())).collect(),
            capabilities: &[],
            score: question.risk,
            risk: question.risk,
            lifted_by: None,
            quality: question.quality,
            errors: Vec::new(),
        }
    }

    fn step(&mut self, step: &Step, whole: &Subject) {
        let path = step.action.is_file().then(|| RelPath::parse(&step.target));
        if matches!(path, Some(Err(_))) {
            self.errors.push(format!("step {} has no path that could be judged", quoted(&step.id)));
        }
        let operations = operations(&step.action);
        if operations.is_empty() {
            self.errors.push(format!("step {} does something that no rule knows", quoted(&step.id)));
        }
        let label = match &path {
            Some(_) => format!("step {}, {}", quoted(&step.id), quoted(&step.target)),
            None => format!("step {}", quoted(&step.id)),
        };
        let subject = Subject { operations, path: path.and_then(Result::ok), ..whole.clone() };
        self.acts.push(Act { subject, label });
    }
}

/// Text from outside as it may be recorded and shown: on one line, nothing hidden, no secret.
pub(super) fn plain(text: &str) -> String {
    visible_line(&secret::mask(text)).into_owned()
}

/// A name from outside, as it may be recorded and shown.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", excerpt(text, 200))
}

/// The level that the highest tier of the plan's actions means, and that action.
fn floor(plan: &Plan) -> (Level, &str) {
    let tiers = plan.proposal().steps.iter().map(|step| tier(&step.action));
    let (tier, name) = tiers.max_by_key(|(tier, _)| *tier).unwrap_or((Tier::Low, ""));
    match tier {
        Tier::Low => (Level::Low, name),
        Tier::Medium => (Level::Medium, name),
        Tier::High => (Level::High, name),
    }
}

/// An action's tier and name; files are judged by their content alone, an unknown tool is the worst.
fn tier(action: &Action) -> (Tier, &str) {
    match action {
        Action::Primitive { id, .. } => (id.tier(), id.name()),
        Action::ToolCall { tool, arguments } => (Tool::tier_of(tool, arguments), tool),
        _ => (Tier::Low, action.name()),
    }
}

fn operations(action: &Action) -> Vec<Operation> {
    let tool = match action {
        Action::ToolCall { tool, .. } => Tool::find(tool).map(Operation::from),
        _ => None,
    };
    Operation::parse(action.name()).into_iter().chain(tool).collect()
}

/// What the steps of one file leave of it together.
fn emptying(path: RelPath, whole: &Subject) -> Act {
    let label = quoted(path.as_str());
    Act { subject: Subject { operations: vec![Operation::FILE_EMPTY], path: Some(path), ..whole.clone() }, label }
}

fn dependency(change: &DependencyChange, whole: &Subject) -> Act {
    let mut operations = match change.change {
        DependencyKind::Added => vec![Operation::DEPENDENCY_ADD],
        DependencyKind::Removed => vec![Operation::DEPENDENCY_REMOVE],
        DependencyKind::Version => vec![Operation::DEPENDENCY_VERSION],
        DependencyKind::Source => vec![Operation::DEPENDENCY_NEW_SOURCE],
        DependencyKind::Content => Vec::new(),
    };
    let mut label = format!("{} in {}", quoted(&change.name), quoted(&change.manifest));
    if let Some(source) = &change.new_source {
        operations.push(Operation::DEPENDENCY_NEW_SOURCE);
        label.push_str(&format!(" from {}", quoted(source)));
    }
    if let Some(content) = &change.content {
        operations.push(Operation::DEPENDENCY_CONTENT);
        label.push_str(&format!(" has {}", plain(content)));
    }
    if let Some(known) = &change.resembles {
        operations.push(Operation::DEPENDENCY_LOOKALIKE);
        label.push_str(&format!(" resembles {}", quoted(known)));
    }
    let path = RelPath::parse(&change.manifest).ok();
    Act { subject: Subject { operations, path, ..whole.clone() }, label }
}

fn lookalikes(valid: &ValidPlan) -> Vec<(String, String)> {
    valid.lookalikes().iter().map(|lookalike| (lookalike.path.clone(), lookalike.name.clone())).collect()
}

fn overlong(plan: &Plan) -> Vec<String> {
    let effects = plan.effects().iter().chain(plan.wholes()).filter(|effect| effect.is_overlong());
    effects.map(|effect| quoted(effect.path.as_str())).collect::<BTreeSet<_>>().into_iter().collect()
}

fn long_lines(plan: &Plan) -> Vec<(usize, String)> {
    let effects = plan.effects().iter().chain(plan.wholes());
    let found = effects.filter_map(|effect| Some((effect, effect.long_line()?)));
    let mut lines = Vec::new();
    for (effect, (line, length)) in found {
        let line = (length, format!("{}, line {line}", quoted(effect.path.as_str())));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The files that come as bytes, or that are binary afterwards.
fn bytes(plan: &Plan) -> Vec<String> {
    let comes = |step: &&Step| matches!(step.action, Action::FileCreate(Payload::Bytes(_)));
    let named = plan.proposal().steps.iter().filter(comes).map(|step| quoted(&step.target));
    let binary = |effect: &&Effect| effect.after.as_ref().is_some_and(|after| after.is_binary());
    let found = plan.effects().iter().filter(binary).map(|effect| quoted(effect.path.as_str()));
    named.chain(found).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A plan that was submitted from outside is not refused for being large where the operator allows it, but a person is asked.
fn large(plan: &Plan, assessment: &Assessment, caps: &Caps) -> Vec<(&'static str, String)> {
    let (steps, tokens) = (plan.proposal().steps.len(), assessment.estimates.tokens);
    let mut large = Vec::new();
    if steps > MANY_STEPS {
        large.push(("many-steps", format!("the plan has {steps} steps, more than {MANY_STEPS}")));
    }
    if tokens > caps.tokens {
        let budget = format!("the plan is estimated at {tokens} tokens, above the budget of {}", caps.tokens);
        large.push(("token-budget", budget));
    }
    large
}

/// A violated constraint has no place in a valid plan; were there one, it would deny.
fn violated(valid: &ValidPlan) -> Vec<String> {
    constraints(valid, State::Violated).map(|id| format!("constraint {} is violated", quoted(id))).collect()
}

/// The ids of the constraints that stand like this.
fn constraints(valid: &ValidPlan, state: State) -> impl Iterator<Item = &str> {
    valid.constraints().iter().filter(move |it| it.state == state).map(|it| it.constraint.id.as_str())
}

/// Where something was requested.
pub(super) fn requested_place(requested: &Requested) -> String {
    match (&requested.path, requested.line, &requested.step) {
        (Some(path), Some(line), _) => format!("{}, line {line}", quoted(path)),
        (Some(path), None, _) => quoted(path),
        (None, _, Some(step)) => format!("step {}", quoted(step)),
        (None, _, None) => "the plan".to_owned(),
    }
}

fn boundaries(assessment: &Assessment) -> Vec<(String, String)> {
    let reasons = assessment.risk.boundaries.iter();
    let place = |path: &Option<String>, step: &Option<String>| match (path, step) {
        (Some(path), _) => quoted(path),
        (None, Some(step)) => format!("step {}", quoted(step)),
        (None, None) => "the plan".to_owned(),
    };
    reasons.map(|reason| (reason.message.clone(), place(&reason.path, &reason.step))).collect()
}
