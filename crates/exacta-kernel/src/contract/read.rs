//! The strict reader of a planner's answer.

use super::{Contract, ContractStep};
use crate::finding::{Code, Finding};
use crate::json::push_token;
use crate::parse::parse_object;
use crate::prelude::*;
use crate::text::excerpt;
use serde_json::{Map, Value};

/// The largest text of one field, in bytes.
const LONGEST: usize = 4096;

/// Reads a planner's answer to a caller who asked for this skill with these inputs.
///
/// # Errors
/// Every reason why it is no contract.
pub fn read(text: &str, skill_id: &str, inputs: &Map<String, Value>) -> Result<Contract, Vec<Finding>> {
    read_object(&parse_object(text)?, skill_id, inputs)
}

/// The same of a planner that was asked here and need not repeat the inputs: those that it leaves out are the caller's.
///
/// # Errors
/// Every reason why it is no contract.
pub fn read_own(text: &str, skill_id: &str, inputs: &Map<String, Value>) -> Result<Contract, Vec<Finding>> {
    let mut object = parse_object(text)?;
    object.entry("inputs").or_insert_with(|| Value::Object(inputs.clone()));
    read_object(&object, skill_id, inputs)
}

fn read_object(
    object: &Map<String, Value>,
    skill_id: &str,
    inputs: &Map<String, Value>,
) -> Result<Contract, Vec<Finding>> {
    let mut reader = Reader { findings: Vec::new() };
    let fields = ["plan_version", "skill_id", "goal", "assumptions", "inputs", "steps"];
    reader.closed(object, "", &fields);
    if object.get("plan_version").and_then(Value::as_u64) != Some(1) {
        reader.wrong("/plan_version", "`plan_version` is not 1");
    }
    let named = reader.text(object, "", "skill_id");
    if named != skill_id {
        let message = format!("the skill is `{}`, and `{}` was asked for", excerpt(&named, 60), excerpt(skill_id, 60));
        reader.wrong("/skill_id", &message);
    }
    if object.get("inputs").and_then(Value::as_object) != Some(inputs) {
        reader.wrong("/inputs", "`inputs` is not what the caller gave: a planner may not change it");
    }
    let contract = Contract {
        skill_id: named,
        goal: reader.text(object, "", "goal"),
        assumptions: reader.texts(object, "", "assumptions"),
        inputs: inputs.clone(),
        steps: reader.steps(object),
    };
    if reader.findings.is_empty() { Ok(contract) } else { Err(reader.findings) }
}

struct Reader {
    findings: Vec<Finding>,
}

impl Reader {
    fn wrong(&mut self, pointer: &str, message: &str) {
        self.findings
            .push(Finding::new(Code::SchemaInvalid, message, "write it as Plan Contract v1 has it").at(pointer));
    }

    fn closed(&mut self, object: &Map<String, Value>, place: &str, known: &[&str]) {
        for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
            let mut pointer = place.to_owned();
            push_token(&mut pointer, name);
            self.wrong(&pointer, &format!("there is no field `{}`", excerpt(name, 60)));
        }
    }

    /// A text that says something.
    fn text(&mut self, object: &Map<String, Value>, place: &str, name: &str) -> String {
        match object.get(name).and_then(Value::as_str) {
            Some(text) if !text.trim().is_empty() && text.len() <= LONGEST => text.to_owned(),
            _ => {
                self.wrong(
                    &format!("{place}/{name}"),
                    &format!("`{name}` is no text, or blank, or longer than {LONGEST} bytes"),
                );
                String::new()
            }
        }
    }

    fn texts(&mut self, object: &Map<String, Value>, place: &str, name: &str) -> Vec<String> {
        let list = object.get(name).and_then(Value::as_array);
        let texts = list.and_then(|list| list.iter().map(|text| text.as_str().map(ToOwned::to_owned)).collect());
        texts.unwrap_or_else(|| {
            self.wrong(&format!("{place}/{name}"), &format!("`{name}` is no list of texts"));
            Vec::new()
        })
    }

    /// A whole number that is not negative.
    fn count(&mut self, object: &Map<String, Value>, place: &str, name: &str) -> Option<u64> {
        let value = object.get(name)?;
        let count = value.as_u64();
        if count.is_none() {
            self.wrong(&format!("{place}/{name}"), &format!("`{name}` is no whole number from 0"));
        }
        count
    }

    fn steps(&mut self, object: &Map<String, Value>) -> Vec<ContractStep> {
        let Some(list) = object.get("steps").and_then(Value::as_array).filter(|list| !list.is_empty()) else {
            self.wrong("/steps", "`steps` is no list, or empty");
            return Vec::new();
        };
        let mut steps: Vec<ContractStep> = Vec::new();
        for (index, value) in list.iter().enumerate() {
            let place = format!("/steps/{index}");
            let Some(step) = value.as_object() else {
                self.wrong(&place, "a step is no object");
                continue;
            };
            let step = self.step(step, &place);
            if steps.iter().any(|other| other.step_id == step.step_id) {
                self.wrong(&format!("{place}/step_id"), "two steps have the same `step_id`");
            }
            steps.push(step);
        }
        steps
    }

    fn step(&mut self, step: &Map<String, Value>, place: &str) -> ContractStep {
        let known =
            ["step_id", "title", "objective", "expected_output", "tools", "page_count_estimate", "tool_call_estimate"];
        self.closed(step, place, &known);
        ContractStep {
            step_id: self.text(step, place, "step_id"),
            title: self.text(step, place, "title"),
            objective: self.text(step, place, "objective"),
            expected_output: self.text(step, place, "expected_output"),
            tools: self.texts(step, place, "tools"),
            page_count_estimate: self.count(step, place, "page_count_estimate").unwrap_or(0),
            tool_call_estimate: self.count(step, place, "tool_call_estimate"),
        }
    }
}
