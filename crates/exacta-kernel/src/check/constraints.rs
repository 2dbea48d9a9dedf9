//! PS-1: every constraint is kept, and `satisfies` names constraints that exist.

use crate::constraint::{self, ConstraintResult, Source, SourcedConstraint, State};
use crate::finding::{Code, Finding};
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::ConstraintKind;
use crate::text::excerpt;

pub(super) fn check(
    plan: &Plan,
    extra: &[SourcedConstraint],
    results: &[ConstraintResult],
    findings: &mut Vec<Finding>,
) {
    let pointers = pointers(plan);
    for (result, pointer) in results.iter().zip(pointers.map(Some).chain(core::iter::repeat(None))) {
        if result.state == State::Violated {
            findings.push(violated(result, pointer));
        }
    }
    contradictions(plan, extra, findings);
    unknown(plan, extra, findings);
}

/// Whoever gave them, two constraints that contradict each other reject the plan: one of them would be ignored.
fn contradictions(plan: &Plan, extra: &[SourcedConstraint], findings: &mut Vec<Finding>) {
    let own = &plan.proposal.constraints;
    let all: Vec<_> = own.iter().chain(extra.iter().map(|sourced| &sourced.constraint)).collect();
    for conflict in constraint::conflicts(&all) {
        let id = |at: usize| all.get(at).map_or_else(String::new, |it| format!("`{}`", excerpt(&it.id, 60)));
        let (first, second) = (id(conflict.first), id(conflict.second));
        let message = format!("the constraints {first} and {second} contradict each other: {}", conflict.reason);
        let finding = Finding::new(Code::ConstraintConflict, message, "leave one of them out, or make them fit");
        let place = [conflict.first, conflict.second].into_iter().find(|at| *at < own.len());
        findings.push(Finding { pointer: place.map(|at| format!("/constraints/{at}")), ..finding });
    }
}

/// Where the proposal's constraints stand, in the order in which they are evaluated.
fn pointers(plan: &Plan) -> impl Iterator<Item = String> {
    let own = (0..plan.proposal.constraints.len()).map(|index| format!("/constraints/{index}"));
    let steps = plan.proposal.steps.iter().enumerate();
    own.chain(steps.flat_map(|(at, step)| {
        (0..step.constraints.len()).map(move |index| format!("/steps/{at}/constraints/{index}"))
    }))
}

fn violated(result: &ConstraintResult, pointer: Option<String>) -> Finding {
    let from = match result.source {
        Source::Proposal => "its own constraint",
        Source::Step => "a step's own constraint",
        Source::Request => "the request's constraint",
        Source::Project => "the project's constraint",
        Source::SafetyPolicy => "the Safety Policy's constraint",
    };
    let (id, text) = (excerpt(&result.constraint.id, 60), excerpt(&result.constraint.description, 120));
    let message = format!("the plan breaks {from} `{id}` (“{text}”): {}", result.reason);
    let unclaimed = result.constraint.kind == ConstraintKind::Must && result.step.is_none();
    let hint = if unclaimed {
        format!("add `{id}` to `satisfies` of the step that does it")
    } else {
        "change or leave out that step".to_owned()
    };
    Finding {
        step: result.step.clone(),
        path: result.path.clone(),
        pointer,
        ..Finding::new(Code::ConstraintViolated, message, hint)
    }
}

fn unknown(plan: &Plan, extra: &[SourcedConstraint], findings: &mut Vec<Finding>) {
    let steps = &plan.proposal.steps;
    let own = plan.proposal.constraints.iter().chain(steps.iter().flat_map(|step| &step.constraints));
    let known: BTreeSet<&str> =
        own.chain(extra.iter().map(|sourced| &sourced.constraint)).map(|constraint| constraint.id.as_str()).collect();
    for (index, step) in steps.iter().enumerate() {
        for (place, id) in step.satisfies.iter().enumerate().filter(|(_, id)| !known.contains(id.as_str())) {
            let message = format!("there is no constraint `{}` to satisfy", excerpt(id, 60));
            let finding =
                Finding::new(Code::ConstraintViolated, message, "name the id of a constraint, or leave it out");
            findings.push(finding.in_step(&step.id).at(format!("/steps/{index}/satisfies/{place}")));
        }
    }
}
