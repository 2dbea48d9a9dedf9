//! Site plans: tools of the registry and of the skill, their arguments, and the caps on calls, pages and cost.

use super::{Context, budget};
use crate::action::tool::{Tool, changes_public};
use crate::effect::site::CREATE;
use crate::estimate;
use crate::finding::{Code, Finding};
use crate::hash::Digest;
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
    let known = context.allowed.skills.get(skill);
    let tools = known.map(|skill| &skill.tools);
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
                findings.extend(
                    not_offered(context, step, name)
                        .map(|finding| finding.in_step(&step.id).at(format!("/steps/{index}/tool"))),
                );
                if known.is_some_and(|skill| !skill.publishes) && changes_public(name, arguments) {
                    let message =
                        format!("the skill `{}` writes drafts alone, and this page is not one", excerpt(skill, 60));
                    let finding = Finding::new(Code::ToolNotAllowed, message, "use a skill of the class write_publish");
                    findings.push(finding.in_step(&step.id).at(format!("/steps/{index}/arguments/status")));
                }
                check_arguments(tool, index, step, arguments, findings);
            }
        }
    }
    check_caps(plan, context, findings);
}

/// Why the step's site does not offer the tool; none where it does.
fn not_offered(context: &Context<'_>, step: &Step, tool: &str) -> Option<Finding> {
    let site = excerpt(&step.target, 60);
    match context.allowed.sites.get(&step.target) {
        Some(offered) if offered.contains(tool) => None,
        Some(_) => {
            let message = format!("the site `{site}` does not offer the tool `{tool}` to its user");
            Some(Finding::new(Code::InvalidTool, message, "use a tool that the site offers"))
        }
        None => {
            let message = format!("there is no site `{site}` here");
            Some(Finding::new(Code::InvalidTool, message, "name a site that was added, as the step's target"))
        }
    }
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
    for name in tool.needs.iter().filter(|name| !arguments.contains_key(**name)) {
        let message = format!("the tool `{}` needs the argument `{name}`", tool.name);
        let finding = Finding::new(Code::SchemaInvalid, message, "add it");
        findings.push(finding.in_step(&step.id).at(&*place));
    }
    let Some(items) = arguments.get("items").filter(|_| tool.arguments.contains(&"items")) else {
        check_page(arguments, &place, step, findings);
        return;
    };
    match items.as_array() {
        None => {
            let finding = Finding::new(Code::SchemaInvalid, "`items` is not an array", "list one object for each page");
            findings.push(finding.in_step(&step.id).at(format!("{place}/items")));
        }
        Some(items) if items.len() > MAX_BULK => {
            let message = format!("one call makes {} pages; at most {MAX_BULK} are allowed", items.len());
            let finding = Finding::new(Code::PageCapExceeded, message, "split the pages over several steps");
            findings.push(finding.in_step(&step.id).at(format!("{place}/items")));
        }
        Some(items) => {
            for (number, item) in items.iter().enumerate() {
                let place = format!("{place}/items/{number}");
                match (Tool::find(CREATE), item.as_object()) {
                    (Some(create), Some(page)) => check_item(create, page, &place, step, findings),
                    _ => {
                        let finding =
                            Finding::new(Code::SchemaInvalid, "an item is no object", "list one object for each page");
                        findings.push(finding.in_step(&step.id).at(place));
                    }
                }
            }
        }
    }
}

/// One page of several.
fn check_item(create: &Tool, page: &Map<String, Value>, place: &str, step: &Step, findings: &mut Vec<Finding>) {
    let odd = page.keys().filter(|name| !create.arguments.contains(&name.as_str()));
    let missing = create.needs.iter().filter(|name| !page.contains_key(**name));
    let odd = odd.map(|name| format!("a page has no field `{}`", excerpt(name, 60)));
    let missing = missing.map(|name| format!("a page needs the field `{name}`"));
    for message in odd.chain(missing) {
        let hint = format!("a page has {}", create.arguments.join(", "));
        findings.push(Finding::new(Code::SchemaInvalid, message, hint).in_step(&step.id).at(place));
    }
    check_page(page, place, step, findings);
}

/// That the fields of a page are what a site can store, and mean one thing.
fn check_page(page: &Map<String, Value>, place: &str, step: &Step, findings: &mut Vec<Finding>) {
    for (name, value) in page {
        let Some(wrong) = field_problem(name, value) else { continue };
        let mut pointer = place.to_owned();
        push_token(&mut pointer, name);
        let finding =
            Finding::new(Code::SchemaInvalid, format!("`{name}` {wrong}"), "write the field as the message says");
        findings.push(finding.in_step(&step.id).at(pointer));
    }
}

/// What is wrong with one field; none where nothing is.
fn field_problem(name: &str, value: &Value) -> Option<&'static str> {
    const LONGEST_SLUG: usize = 190;
    let text = value.as_str();
    match (name, text) {
        ("title", Some(text)) if text.trim().is_empty() => Some("is blank"),
        ("title" | "excerpt" | "content" | "template", Some(text)) if text.contains(unfit) => {
            Some("has a control character or a line end that a site does not keep; use `\\n`")
        }
        ("title" | "template" | "status", Some(text)) if text.contains('\n') => Some("has more than one line"),
        ("title" | "excerpt" | "content" | "template" | "status", Some(_)) => None,
        ("slug", Some(text)) => {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            let fits =
                text.chars().all(plain) && !text.starts_with('-') && !text.ends_with('-') && !text.contains("--");
            let number = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
            (!fits || number || text.len() > LONGEST_SLUG).then_some(
                "is no slug: lower-case letters, digits and single hyphens, at most 190, and no number alone",
            )
        }
        ("title" | "excerpt" | "content" | "template" | "slug" | "status", None) => Some("is no text"),
        ("id", _) => value.as_u64().is_none_or(|id| id == 0).then_some("is no page's number"),
        ("parent", _) => (!value.is_u64()).then_some("is no page's number"),
        ("meta" | "stored", _) => (!value.is_object()).then_some("is no object"),
        ("before" | "sha256", _) => text.is_none_or(|hash| Digest::parse(hash).is_err()).then_some("is no SHA-256"),
        _ => None,
    }
}

/// Characters that a site drops, changes or hides.
fn unfit(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
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
    let Some(skill) = context.allowed.skills.get(plan.proposal.intent.kind.name()) else { return };
    let mut beyond = |code, count: u64, cap: u64, what: &str| {
        if count > cap {
            let message = format!("{count} {what}; the skill allows at most {cap}");
            findings.push(Finding::new(code, message, "split the work over several plans").at("/steps"));
        }
    };
    beyond(Code::StepCapExceeded, calls, skill.caps.tool_calls, "tool calls");
    beyond(Code::PageCapExceeded, pages, skill.caps.pages, "pages");
    beyond(Code::CostCapExceeded, cost, skill.caps.cost, "hundredths of a cent of cost by estimate");
}
