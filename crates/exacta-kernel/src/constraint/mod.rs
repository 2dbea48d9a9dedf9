//! Constraints: limits in words, compiled to checks where they can be, and never ignored where they cannot.
//!
//! [`phrase`] turns a text into a [`Check`], [`verify`] holds a plan against it. A `MUST` or `MUST_NOT` that is not
//! understood is *unchecked*, which makes a person decide; it is never taken for met.

mod api;
mod conflict;
mod pattern;
mod phrase;
mod token;
mod verify;

pub use conflict::{Conflict, conflicts};

use crate::facts::source::SourceFacts;
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::{Constraint, ConstraintKind, Scope, Step};
use pattern::Pattern;
use serde::Serialize;
use verify::{Answer, Subject};

/// Where a constraint comes from. Stages only ever add constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The proposal's own list.
    Proposal,
    /// One step's own list.
    Step,
    /// The user's request.
    Request,
    /// The project's configuration.
    Project,
    /// The operator's Safety Policy.
    SafetyPolicy,
}

/// A constraint from outside the proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourcedConstraint {
    /// Where it comes from.
    pub source: Source,
    /// What it says.
    pub constraint: Constraint,
}

/// How a constraint stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Compiled, checked, and kept.
    Met,
    /// Broken, or a `MUST` that no step satisfies.
    Violated,
    /// Cannot be checked here: a person must judge.
    Unchecked,
    /// A `PREFER`: never decides anything.
    Advice,
}

/// One constraint held against a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConstraintResult {
    /// What it says.
    pub constraint: Constraint,
    /// Where it comes from.
    pub source: Source,
    /// How it stands.
    pub state: State,
    /// Why, in words.
    pub reason: String,
    /// The step that breaks it or says that it satisfies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The file that breaks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// What a text was compiled to. Each is something a plan must not do.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Check {
    /// No step may touch these paths.
    LeaveAlone(Vec<Pattern>),
    /// No step may touch any other path.
    Only(Vec<Pattern>),
    /// No step may delete a file; with patterns, none of these.
    NoDeletions(Vec<Pattern>),
    /// No manifest or lock file may name a package it did not name before.
    NoNewDependencies,
    /// No public signature may be removed or changed.
    KeepApi,
    /// No line that holds one of these texts may be added.
    Avoid(Vec<String>),
}

/// How many constraints of a plan are compiled; any more are for a person.
const MAX_COMPILED: usize = 64;

/// Holds a plan against its own constraints, its steps' and those from outside; in this order, one result each.
#[must_use]
pub fn evaluate(plan: &Plan, source: &SourceFacts, extra: &[SourcedConstraint]) -> Vec<ConstraintResult> {
    let given = |source, constraint, owner| Given { source, constraint, owner };
    let own = plan.proposal.constraints.iter().map(|constraint| given(Source::Proposal, constraint, None));
    let steps = plan.proposal.steps.iter();
    let steps = steps.flat_map(|step| step.constraints.iter().map(move |it| given(Source::Step, it, Some(step))));
    let extra = extra.iter().map(|sourced| given(sourced.source, &sourced.constraint, None));
    let compiled = |given: &Given<'_>| phrase::compile(given.constraint);
    let proposed = own.chain(steps).enumerate().map(|(index, given)| {
        let check = if index < MAX_COMPILED { compiled(&given) } else { None };
        (given, check)
    });
    let all = proposed.chain(extra.map(|given| (given, compiled(&given))));
    let claims = claims(plan);
    all.map(|(given, check)| given.result(plan, source, &claims, check)).collect()
}

/// Whether a constraint's text can be checked here, so that its author can be told at once.
#[must_use]
pub fn is_understood(constraint: &Constraint) -> bool {
    phrase::compile(constraint).is_some()
}

/// The first step that says it satisfies a constraint, by the constraint's id.
fn claims(plan: &Plan) -> BTreeMap<&str, &Step> {
    let claims =
        plan.proposal.steps.iter().rev().flat_map(|step| step.satisfies.iter().map(move |id| (id.as_str(), step)));
    claims.collect()
}

/// A constraint, where it comes from, and the step it belongs to.
#[derive(Clone, Copy)]
struct Given<'p> {
    source: Source,
    constraint: &'p Constraint,
    owner: Option<&'p Step>,
}

impl<'p> Given<'p> {
    fn result(
        &self,
        plan: &'p Plan,
        source: &'p SourceFacts,
        claims: &BTreeMap<&str, &Step>,
        check: Option<Check>,
    ) -> ConstraintResult {
        let answer = match (self.constraint.kind, check) {
            (ConstraintKind::Prefer, _) => Answer::new(State::Advice, "advice only"),
            (_, Some(check)) => match self.subject(plan, source) {
                Ok(subject) => verify::verify(&check, &subject),
                Err(reason) => Answer::new(State::Unchecked, reason),
            },
            (ConstraintKind::Must, None) => self.claimed(claims),
            (ConstraintKind::MustNot, None) => {
                Answer::new(State::Unchecked, "the text is not one that can be checked here")
            }
        };
        let Answer { state, reason, step, path } = answer;
        ConstraintResult { constraint: self.constraint.clone(), source: self.source, state, reason, step, path }
    }

    /// A `MUST` that cannot be compiled needs a step that says it satisfies it; a person judges whether it does.
    fn claimed(&self, claims: &BTreeMap<&str, &Step>) -> Answer {
        match claims.get(self.constraint.id.as_str()).copied().or(self.owner) {
            Some(step) => Answer {
                step: Some(step.id.clone()),
                ..Answer::new(State::Unchecked, "a step says that it satisfies this, which cannot be checked here")
            },
            None => Answer::new(State::Violated, "no step satisfies it"),
        }
    }

    /// The part of the plan that the constraint covers.
    fn subject(&self, plan: &'p Plan, source: &'p SourceFacts) -> Result<Subject<'p>, String> {
        let (scope, target) = (self.constraint.scope, self.constraint.target.as_deref());
        let step = match (scope, target) {
            (Scope::Step, Some(id)) if self.owner.is_none_or(|owner| owner.id == id) => {
                let found = plan.proposal.step(id);
                Some(found.ok_or_else(|| format!("there is no step `{}`", crate::text::excerpt(id, 60)))?)
            }
            (Scope::Step, None) if self.owner.is_some() => self.owner,
            (Scope::Step, _) => return Err("it does not name the step it is about".to_owned()),
            (Scope::Global | Scope::File, _) => self.owner,
        };
        let files = match (scope, target) {
            (Scope::File, Some(text)) => {
                let pattern = Pattern::parse(text).map(Pattern::known_path);
                Some(pattern.ok_or_else(|| "its target is not a path or pattern inside the project".to_owned())?)
            }
            (Scope::File, None) => return Err("it does not name the file it is about".to_owned()),
            (Scope::Global | Scope::Step, _) => None,
        };
        let of_project = matches!(self.source, Source::Project | Source::SafetyPolicy);
        Ok(Subject { plan, source, step, files, of_project })
    }
}
