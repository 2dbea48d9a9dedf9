//! PV-1 to PV-3: there are steps, their dependencies exist and make no circle, and `order` is one of their orders.

use crate::finding::{Code, Finding};
use crate::plan::Plan;
use crate::policy::caps::{self, Caps};
use crate::prelude::*;
use crate::proposal::{Proposal, Step};
use crate::text::excerpt;

/// The most of an id that a message shows.
const SHOWN: usize = 60;
/// How many steps of a circle a message names.
const NAMED: usize = 12;

pub(super) fn check(plan: &Plan, caps: &Caps, findings: &mut Vec<Finding>) {
    let proposal = &plan.proposal;
    if proposal.steps.is_empty() {
        let hint = "ask what is to be done, and send a plan with at least one step";
        findings.push(Finding::new(Code::Empty, "the plan has no steps", hint).at("/steps"));
    }
    let graph = Graph::new(proposal);
    numbered(proposal, findings);
    dependencies(&graph, caps, findings);
    let knots = cycles(&graph, findings);
    topological(&graph, &knots, findings);
}

/// Steps and the known steps each depends on, by index.
pub(super) struct Graph<'p> {
    pub steps: &'p [Step],
    /// For each step: the place in its list, and the step it names.
    edges: Vec<Vec<(usize, Option<usize>)>>,
}

impl<'p> Graph<'p> {
    pub fn new(proposal: &'p Proposal) -> Self {
        let steps = proposal.steps.as_slice();
        let index: BTreeMap<&str, usize> = steps.iter().enumerate().map(|(at, step)| (step.id.as_str(), at)).collect();
        let named =
            |step: &Step| step.dependencies.iter().map(|id| index.get(id.as_str()).copied()).enumerate().collect();
        Self { steps, edges: steps.iter().map(named).collect() }
    }

    /// The steps that a step depends on directly.
    pub fn dependencies(&self, step: usize) -> impl Iterator<Item = usize> {
        self.edges.get(step).into_iter().flatten().filter_map(|(_, to)| *to)
    }

    /// Whether a step depends on another, directly or through others.
    pub fn depends(&self, step: usize, on: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![step];
        while let Some(at) = open.pop() {
            for next in self.dependencies(at) {
                if next == on {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }

    fn id(&self, step: usize) -> &'p str {
        self.steps.get(step).map_or("", |step| &step.id)
    }
}

fn finding(code: Code, message: String, hint: &str, step: &Step, pointer: String) -> Finding {
    Finding::new(code, message, hint).in_step(&step.id).at(pointer)
}

/// `order` is 1..n: no number twice, none above n.
fn numbered(proposal: &Proposal, findings: &mut Vec<Finding>) {
    let count = proposal.steps.len() as u64;
    let mut seen: BTreeMap<u64, &str> = BTreeMap::new();
    for (index, step) in proposal.steps.iter().enumerate() {
        let message = match seen.get(&step.order) {
            Some(other) => format!("order {} is already that of step `{}`", step.order, excerpt(other, SHOWN)),
            None if step.order > count => format!("order {} is above {count}, the number of steps", step.order),
            None => {
                seen.insert(step.order, &step.id);
                continue;
            }
        };
        let hint = "leave `order` out of every step, or number them from 1 without gaps";
        findings.push(finding(Code::OrderInvalid, message, hint, step, format!("/steps/{index}/order")));
    }
}

fn dependencies(graph: &Graph<'_>, caps: &Caps, findings: &mut Vec<Finding>) {
    for (index, (step, edges)) in graph.steps.iter().zip(&graph.edges).enumerate() {
        if edges.len() as u64 > caps.dependencies {
            let message =
                format!("the step has {} dependencies; at most {} are allowed", edges.len(), caps.dependencies);
            let way = caps::way("dependencies", caps.dependencies);
            let hint = format!("name only the steps it needs directly; {way}");
            findings.push(finding(Code::OrderInvalid, message, &hint, step, format!("/steps/{index}/dependencies")));
        }
        for (place, _) in edges.iter().filter(|(_, to)| to.is_none()) {
            let id = step.dependencies.get(*place).map_or("", String::as_str);
            let message = format!("there is no step `{}` to depend on", excerpt(id, SHOWN));
            let pointer = format!("/steps/{index}/dependencies/{place}");
            findings.push(finding(
                Code::DependencyUnknown,
                message,
                "name the id of a step of this plan",
                step,
                pointer,
            ));
        }
    }
}

/// Reports circles and returns, for each step, which knot of steps that depend on each other it is in.
fn cycles(graph: &Graph<'_>, findings: &mut Vec<Finding>) -> Vec<usize> {
    let knots = knots(graph);
    let mut seen = BTreeSet::new();
    for (start, knot) in knots.iter().enumerate() {
        let tied = |step: usize| graph.dependencies(step).find(|next| knots.get(*next) == Some(knot));
        // Every step of a knot depends on another of it: following them must come back.
        if tied(start).is_none() || !seen.insert(*knot) {
            continue;
        }
        let mut walk: Vec<usize> = Vec::new();
        let mut visited = BTreeSet::new();
        let mut at = start;
        while visited.insert(at) {
            walk.push(at);
            at = tied(at).unwrap_or(at);
        }
        let begin = walk.iter().position(|step| *step == at).unwrap_or_default();
        findings.push(circle(graph, walk.get(begin..).unwrap_or_default()));
    }
    knots
}

/// The strongly connected components: steps get the same number if each depends on the other, through whatever others.
fn knots(graph: &Graph<'_>) -> Vec<usize> {
    let count = graph.steps.len();
    let forward: Vec<Vec<usize>> = (0..count).map(|step| graph.dependencies(step).collect()).collect();
    let mut backward = vec![Vec::new(); count];
    for (step, edges) in forward.iter().enumerate() {
        for to in edges {
            if let Some(list) = backward.get_mut(*to) {
                list.push(step);
            }
        }
    }
    let mut knots = vec![usize::MAX; count];
    let mut finished = Vec::new();
    let mut seen = vec![false; count];
    (0..count).for_each(|root| walk(root, &forward, &mut seen, &mut finished));
    let mut seen = vec![false; count];
    for root in finished.into_iter().rev() {
        let mut members = Vec::new();
        walk(root, &backward, &mut seen, &mut members);
        for member in members {
            if let Some(knot) = knots.get_mut(member) {
                *knot = root;
            }
        }
    }
    knots
}

/// Depth first from a root through what was not seen; steps are added when all beyond them is done.
fn walk(root: usize, edges: &[Vec<usize>], seen: &mut [bool], done: &mut Vec<usize>) {
    let mut enter = |step: usize| seen.get_mut(step).is_some_and(|seen| !core::mem::replace(seen, true));
    if !enter(root) {
        return;
    }
    let mut open = vec![(root, edges.get(root).into_iter().flatten())];
    while let Some((step, rest)) = open.last_mut() {
        match rest.next() {
            Some(next) if enter(*next) => open.push((*next, edges.get(*next).into_iter().flatten())),
            Some(_) => {}
            None => {
                done.push(*step);
                open.pop();
            }
        }
    }
}

fn circle(graph: &Graph<'_>, steps: &[usize]) -> Finding {
    let first = steps.first().copied().unwrap_or_default();
    let mut names: Vec<String> =
        steps.iter().take(NAMED).map(|step| format!("`{}`", excerpt(graph.id(*step), SHOWN))).collect();
    if steps.len() > NAMED {
        names.push("…".to_owned());
    }
    names.push(format!("`{}`", excerpt(graph.id(first), SHOWN)));
    let message = format!("steps depend on each other in a circle: {}", names.join(" → "));
    let hint = "remove one of these dependencies";
    Finding::new(Code::DependencyCycle, message, hint)
        .in_step(graph.id(first))
        .at(format!("/steps/{first}/dependencies"))
}

/// A step comes after all it depends on. In a circle no order would do, so that is not reported again.
fn topological(graph: &Graph<'_>, knots: &[usize], findings: &mut Vec<Finding>) {
    for (index, (step, edges)) in graph.steps.iter().zip(&graph.edges).enumerate() {
        for (place, to) in edges {
            let Some((to, other)) = to.and_then(|to| graph.steps.get(to).map(|other| (to, other))) else { continue };
            if other.order <= step.order || knots.get(index) == knots.get(to) {
                continue;
            }
            let name = excerpt(&other.id, SHOWN);
            let message =
                format!("the step has order {} but depends on `{name}` with order {}", step.order, other.order);
            let pointer = format!("/steps/{index}/dependencies/{place}");
            findings.push(finding(
                Code::OrderInvalid,
                message,
                "leave `order` out of every step, or number them after those they depend on",
                step,
                pointer,
            ));
        }
    }
}
