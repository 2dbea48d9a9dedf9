//! Site plans: tools of the registry and of the skill, their arguments, and the caps on calls, pages and cost.

use super::{Context, budget};
use crate::action::tool::Tool;
use crate::estimate;
use crate::finding::{Code, Finding};
use crate::json::push_token;
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::{Action, Step};
use crate::text::excerpt;
use serde_json::{Map, Value};

/// Pages that one bulk call may make.
const MAX_BULK: usize = 50;

pub(super) fn check(plan: &Plan, context: &Context<'_>, findings: &mut Vec<Finding>) {
    let skill = plan.proposal.intent.kind.name();
    let tools = context.allowed.skills.get(skill);
    if tools.is_none() {
        let message = format!("there is no skill `{}` here, so none of its tools is allowed", excerpt(skill, 60));
        let finding = Finding::new(Code::ToolNotAllowed, message, "name an installed skill");
        findings.push(finding.at("/intent/type"));
    }
    for (index, step, name, arguments) in calls(plan) {
        match Tool::find(name) {
            None => {
                let message = format!("there is no tool `{}`", excerpt(name, 60));
                let hint = format!("use one of {}", Tool::names().join(", "));
                findings.push(
                    Finding::new(Code::InvalidTool, message, hint).in_step(&step.id).at(format!("/steps/{index}/tool")),
                );
            }
            Some(tool) => {
                if tools.is_some_and(|tools| !tools.contains(name)) {
                    let message = format!("the skill `{}` does not allow the tool `{name}`", excerpt(skill, 60));
                    let finding = Finding::new(Code::ToolNotAllowed, message, "use a tool of the skill's list");
                    findings.push(finding.in_step(&step.id).at(format!("/steps/{index}/tool")));
                }
                check_arguments(tool, index, step, arguments, findings);
            }
        }
    }
    check_caps(plan, context, findings);
}

fn calls(plan: &Plan) -> impl Iterator<Item = (usize, &Step, &str, &Map<String, Value>)> {
    plan.proposal.steps.iter().enumerate().filter_map(|(index, step)| match &step.action {
        Action::ToolCall { tool, arguments } => Some((index, step, tool.as_str(), arguments)),
        _ => None,
    })
}

fn check_arguments(
    tool: &Tool,
    index: usize,
    step: &Step,
    arguments: &Map<String, Value>,
    findings: &mut Vec<Finding>,
) {
    let place = format!("/steps/{index}/arguments");
    for name in arguments.keys().filter(|name| !tool.arguments.contains(&name.as_str())) {
        let mut pointer = place.clone();
        push_token(&mut pointer, name);
        let message = format!("the tool `{}` takes no argument `{}`", tool.name, excerpt(name, 60));
        let hint = format!("leave it out; known: {}", tool.arguments.join(", "));
        findings.push(Finding::new(Code::SchemaInvalid, message, hint).in_step(&step.id).at(pointer));
    }
    let Some(items) = arguments.get("items").filter(|_| tool.arguments.contains(&"items")) else { return };
    match items.as_array().map(Vec::len) {
        None => {
            let finding = Finding::new(Code::SchemaInvalid, "`items` is not an array", "list one object for each page");
            findings.push(finding.in_step(&step.id).at(format!("{place}/items")));
        }
        Some(count) if count > MAX_BULK => {
            let message = format!("one call makes {count} pages; at most {MAX_BULK} are allowed");
            let finding = Finding::new(Code::PageCapExceeded, message, "split the pages over several steps");
            findings.push(finding.in_step(&step.id).at(format!("{place}/items")));
        }
        Some(_) => {}
    }
}

fn check_caps(plan: &Plan, context: &Context<'_>, findings: &mut Vec<Finding>) {
    let caps = context.caps;
    let calls = calls(plan).count() as u64;
    let pages = estimate::pages(plan);
    let cost = estimate::cost(plan, estimate::tokens(plan));
    let mut exceeded = |code, name, what: &str, count: u64| {
        findings.extend(budget::exceeded(caps, code, name, what, count).map(|finding| finding.at("/steps")));
    };
    exceeded(Code::StepCapExceeded, "tool_calls", "tool calls", calls);
    exceeded(Code::PageCapExceeded, "pages", "pages", pages);
    exceeded(Code::CostCapExceeded, "cost", "hundredths of a cent of cost by estimate", cost);
}
