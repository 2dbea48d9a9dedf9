//! The proposal's own words: everything an AI wrote that is not the content of a file.

use super::Place;
use crate::diff::heads;
use crate::prelude::*;
use crate::proposal::{Action, Constraint, Payload, Proposal, Step};
use serde_json::{Map, Value};

/// One text of a proposal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    /// The step it belongs to.
    pub step: Option<&'a str>,
    /// The text.
    pub text: &'a str,
}

impl Words<'_> {
    pub fn place(&self) -> Place {
        Place { step: self.step.map(ToOwned::to_owned), ..Place::default() }
    }
}

/// Every text, the plan's own first, then step by step.
pub(super) fn of(proposal: &Proposal) -> Vec<Words<'_>> {
    let mut words = Vec::new();
    let intent = &proposal.intent;
    let mut add = |text| words.push(Words { step: None, text });
    add(intent.text.as_str());
    intent
        .id
        .iter()
        .chain(&intent.files)
        .chain(&intent.symbols)
        .chain(&proposal.assumptions)
        .for_each(|text| add(text));
    if let Some(autopilot) = &proposal.autopilot {
        let optional = autopilot.web_source_url.iter().chain(&autopilot.inbox_source_text);
        optional.chain(&autopilot.daily_sources).for_each(|text| add(text));
    }
    if let Some(model) = &proposal.model {
        [&model.provider, &model.model].into_iter().chain(&model.version).for_each(|text| add(text));
    }
    constraints(None, &proposal.constraints, &mut words);
    object(None, &proposal.inputs, &mut words);
    for step in &proposal.steps {
        of_step(step, &mut words);
    }
    words
}

fn of_step<'a>(step: &'a Step, words: &mut Vec<Words<'a>>) {
    let id = Some(step.id.as_str());
    let said = [&step.id, &step.target, &step.description];
    for text in said.into_iter().chain(&step.dependencies).chain(&step.satisfies) {
        words.push(Words { step: id, text });
    }
    constraints(id, &step.constraints, words);
    match &step.action {
        // Of a new file's diff nobody's file is quoted; for the others see `kept`.
        Action::FileCreate(Payload::Diff(diff)) => words.extend(heads(diff).map(|text| Words { step: id, text })),
        Action::Primitive { parameters, .. } => object(id, parameters, words),
        Action::ToolCall { tool, arguments } => {
            words.push(Words { step: id, text: tool });
            object(id, arguments, words);
        }
        _ => {}
    }
}

fn constraints<'a>(step: Option<&'a str>, constraints: &'a [Constraint], words: &mut Vec<Words<'a>>) {
    for constraint in constraints {
        let texts = [&constraint.id, &constraint.description].into_iter().chain(&constraint.target);
        words.extend(texts.map(|text| Words { step, text }));
    }
}

fn object<'a>(step: Option<&'a str>, map: &'a Map<String, Value>, words: &mut Vec<Words<'a>>) {
    for (key, value) in map {
        words.push(Words { step, text: key });
        json(step, value, words);
    }
}

/// The reader keeps values at most 32 deep.
fn json<'a>(step: Option<&'a str>, value: &'a Value, words: &mut Vec<Words<'a>>) {
    match value {
        Value::String(text) => words.push(Words { step, text }),
        Value::Array(items) => items.iter().for_each(|item| json(step, item, words)),
        Value::Object(map) => object(step, map, words),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
