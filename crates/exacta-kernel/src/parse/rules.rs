//! Rules between fields that the table cannot express. They look at whatever is readable, so that one mistake does not
//! hide another.

use super::Size;
use super::report::Report;
use crate::finding::Code;
use crate::limit;
use crate::policy::caps;
use crate::prelude::*;
use crate::proposal::{Domain, IntentKind};
use crate::text::excerpt;
use serde_json::{Map, Value};

/// Checks a document that the table of fields has been over.
pub(super) fn check(document: &Map<String, Value>, report: &mut Report) {
    let steps = array(document.get("steps"));
    step_ids(steps, report);
    orders(steps, report);
    constraints(document, steps, report);
    autopilot(document, report);
}

/// The text and each step are no larger than they may be.
pub(super) fn sizes(document: &Map<String, Value>, text_len: usize, size: Size, report: &mut Report) {
    let text_len = text_len as u64;
    if text_len > size.plan {
        let finding = super::too_large(text_len, size.plan);
        report.add(finding.code, finding.message, finding.hint);
    }
    // Compact JSON can be longer than the text it was read from, but not eight times as long.
    if text_len > size.step / 8 {
        step_sizes(array(document.get("steps")), size, report);
    }
}

fn array(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

/// Ids are unique, and lists of them (`approve --steps a,b`) mean one thing only.
fn step_ids(steps: &[Value], report: &mut Report) {
    let mut seen = BTreeSet::new();
    for (index, step) in steps.iter().enumerate() {
        let Some(id) = text(step, "id") else { continue };
        let problem = if !seen.insert(id) {
            ("is used twice", "give every step its own id")
        } else if id.contains(',') {
            ("has a comma", "commas stand between ids; use another character")
        } else {
            continue;
        };
        let message = format!("the step id `{}` {}", excerpt(id, 60), problem.0);
        report_at(report, &["steps", &index.to_string(), "id"], Some(id), |report| report.schema(message, problem.1));
    }
}

/// Either every step has its place, or none has, and they are numbered here.
fn orders(steps: &[Value], report: &mut Report) {
    let is_numbered = |step: &Value| step.get("order").is_some();
    if !steps.iter().any(is_numbered) {
        return;
    }
    for (index, step) in steps.iter().enumerate().filter(|(_, step)| step.is_object() && !is_numbered(step)) {
        report_at(report, &["steps", &index.to_string(), "order"], text(step, "id"), |report| {
            report.schema(
                "the field `order` is missing, and other steps have one",
                "leave `order` out of every step: they are then put in an order that fits `dependencies`",
            );
        });
    }
}

/// Ids are unique over the whole proposal, since `satisfies` names them without saying where they are.
fn constraints(document: &Map<String, Value>, steps: &[Value], report: &mut Report) {
    let mut seen = BTreeSet::new();
    for (index, constraint) in array(document.get("constraints")).iter().enumerate() {
        let place = ["constraints", &index.to_string()];
        report_at(report, &place, None, |report| one_constraint(constraint, false, &mut seen, report));
    }
    for (step_index, step) in steps.iter().enumerate() {
        for (index, constraint) in array(step.get("constraints")).iter().enumerate() {
            let place = ["steps", &step_index.to_string(), "constraints", &index.to_string()];
            report_at(report, &place, text(step, "id"), |report| one_constraint(constraint, true, &mut seen, report));
        }
    }
    // A list that is too long by itself was told already.
    let lists = || steps.iter().map(|step| array(step.get("constraints")).len());
    let plan = array(document.get("constraints")).len();
    let all = plan + lists().sum::<usize>();
    if all > limit::CONSTRAINTS && lists().chain([plan]).all(|count| count <= limit::CONSTRAINTS) {
        let message = format!("the proposal has {all} constraints; at most {} are allowed", limit::CONSTRAINTS);
        report.within("constraints", |report| report.schema(message, "leave some out, or split the work"));
    }
}

/// A step's own constraint of scope `step` is about that step, and need not name it.
fn one_constraint<'v>(constraint: &'v Value, own: bool, seen: &mut BTreeSet<&'v str>, report: &mut Report) {
    if let Some(id) = text(constraint, "id")
        && !seen.insert(id)
    {
        let message = format!("the constraint id `{}` is used twice", excerpt(id, 60));
        report.within("id", |report| report.schema(message, "give every constraint its own id"));
    }
    if let Some(scope @ ("file" | "step")) = text(constraint, "scope")
        && constraint.get("target").is_none()
        && !(own && scope == "step")
    {
        let message = format!("a constraint of scope `{scope}` has a `target`; this one has none");
        report.within("target", |report| report.schema(message, format!("name the {scope} it is about")));
    }
}

/// Autopilot plans carry their recipe, and it is the intent's type; other plans carry none.
fn autopilot(document: &Map<String, Value>, report: &mut Report) {
    let intent = document.get("intent").and_then(|intent| text(intent, "type"));
    let Some(kind) = intent.and_then(IntentKind::parse) else { return };
    let found = document.get("autopilot");
    report.within("autopilot", |report| match (kind.domain(), found) {
        (Domain::Autopilot, None) => {
            let message = format!("a `{}` plan has the field `autopilot`; it is missing", kind.name());
            report.schema(message, format!("add {{\"recipe\": \"{}\"}} and its sources", kind.name()));
        }
        (Domain::Autopilot, Some(autopilot)) => recipe(autopilot, kind.name(), report),
        (_, Some(_)) => {
            let message = format!("a `{}` plan has no field `autopilot`", excerpt(kind.name(), 60));
            report.schema(message, "leave it out, or use an autopilot intent");
        }
        (_, None) => {}
    });
}

fn recipe(autopilot: &Value, expected: &str, report: &mut Report) {
    if let Some(found) = text(autopilot, "recipe")
        && found != expected
    {
        let message = format!("the recipe is `{}`, the intent is `{expected}`", excerpt(found, 60));
        report.within("recipe", |report| report.schema(message, format!("write \"{expected}\"")));
    }
}

fn step_sizes(steps: &[Value], allowed: Size, report: &mut Report) {
    for (index, step) in steps.iter().enumerate() {
        let size = compact_len(step) as u64;
        let most = allowed.of_step(step.get("content_base64").is_some());
        if size > most {
            let message = format!("the step has {size} bytes; a step has at most {most}");
            let way = caps::way("submitted_step_bytes", most);
            report_at(report, &["steps", &index.to_string()], text(step, "id"), |report| {
                report.add(
                    Code::TooLarge,
                    message,
                    format!("send a diff, or split the change into several steps; {way}"),
                );
            });
        }
    }
}

fn report_at(report: &mut Report, place: &[&str], step: Option<&str>, add: impl FnOnce(&mut Report)) {
    match place {
        [] => report.in_step(step, add),
        [first, rest @ ..] => report.within(first, |report| report_at(report, rest, step, add)),
    }
}

/// The length of a value as compact JSON, without writing it.
pub(super) fn compact_len(value: &Value) -> usize {
    match value {
        Value::Null => 4,
        Value::Bool(value) => 5 - usize::from(*value),
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => string_len(text),
        Value::Array(items) => 1 + items.len().max(1) + items.iter().map(compact_len).sum::<usize>(),
        Value::Object(map) => {
            let members = map.iter().map(|(key, value)| string_len(key) + 1 + compact_len(value));
            1 + map.len().max(1) + members.sum::<usize>()
        }
    }
}

fn string_len(text: &str) -> usize {
    let extra = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 1,
        0..0x20 => 5,
        _ => 0,
    };
    2 + text.len() + text.bytes().map(extra).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_length_is_that_of_the_written_json() {
        for text in [
            "null",
            "[]",
            "{}",
            "[true,false,null]",
            "{\"a\":{\"b\":[1,-2.5,1e3]},\"é\":\"\\u0000\\n\\\"\\\\/\\b\\f\\r\\t\\u001f\"}",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(compact_len(&value), value.to_string().len(), "{value}");
        }
    }
}
