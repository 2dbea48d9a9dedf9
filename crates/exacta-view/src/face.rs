//! What programs are told about a plan, `exacta.plan-view/2`: what to decide or do next on, without what is long. A plan of 61 KB is not
//! repeated as its diff, and a reason that holds at forty places is told once.

use crate::next::{Next, Rights};
use crate::plan::PlanView;
use crate::published::PLAN_VIEW;
use crate::record::PlanDetail;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What a reader wants of a plan beside what it always gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct With {
    /// Every diff.
    pub diff: bool,
    /// The bytes of files that are no text.
    pub hex: bool,
    /// Every reason by itself.
    pub reasons: bool,
    /// What it was made against.
    pub binding: bool,
}

impl With {
    /// What can be wanted.
    pub const WORDS: [&'static str; 4] = ["diff", "hex", "reasons", "binding"];

    /// Of words such as `diff`; unknown ones are passed over.
    #[must_use]
    pub fn of<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut with = Self::default();
        for word in words {
            match word.trim() {
                "diff" => with.diff = true,
                "hex" => with.hex = true,
                "reasons" => with.reasons = true,
                "binding" => with.binding = true,
                _ => {}
            }
        }
        with
    }
}

/// What was only checked.
#[must_use]
pub fn checked(view: &PlanView, with: With) -> Value {
    of(view, &Next::checked(view), with)
}

/// What was submitted, or decided without a look at what happened since.
#[must_use]
pub fn plan(view: &PlanView, rights: Rights, with: With) -> Value {
    of(view, &Next::submitted(view, rights), with)
}

/// A plan with everything that happened to it.
#[must_use]
pub fn detail(detail: &PlanDetail, rights: Rights, with: With) -> Value {
    of(detail, &Next::standing(detail, rights), with)
}

/// Of a value that has a plan's fields among its own.
#[must_use]
pub fn of(value: &impl Serialize, next: &Next, with: With) -> Value {
    let mut told = json!(value);
    if let Value::Object(fields) = &mut told {
        fields.insert("schema".to_owned(), json!(PLAN_VIEW));
        fields.insert("next".to_owned(), json!(next));
    }
    if let (false, Some(Value::Object(detail))) = (with.binding, told.pointer_mut("/detail")) {
        detail.remove("binding");
    }
    if let Some(Value::Array(steps)) = told.pointer_mut("/detail/steps") {
        for step in steps.iter_mut().filter_map(Value::as_object_mut) {
            if !with.diff {
                step.remove("diff");
            }
            if let (false, Some(Value::Object(binary))) = (with.hex, step.get_mut("binary")) {
                binary.remove("hex");
            }
        }
    }
    if !with.reasons {
        fold_all(&mut told, "/risk/factors", "reasons");
        fold_all(&mut told, "/quality/dimensions", "issues");
    }
    told
}

/// Reasons of the same words, as one. The places of all of them are told, so nothing is lost but their single points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Folded {
    /// In words.
    pub message: String,
    /// What would fix it, for an issue of quality.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How many.
    pub count: u64,
    /// Of all of them together.
    pub points: u64,
    /// Where they are.
    pub places: Vec<Place>,
}

/// Where a reason is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Place {
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The step's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// JSON pointer into the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

fn fold_all(told: &mut Value, list: &str, name: &str) {
    let Some(Value::Array(items)) = told.pointer_mut(list) else { return };
    for reasons in items.iter_mut().filter_map(|item| item.get_mut(name)) {
        *reasons = json!(folded(reasons));
    }
}

/// In the order in which each first comes.
fn folded(reasons: &Value) -> Vec<Folded> {
    let mut all: Vec<Folded> = Vec::new();
    for reason in reasons.as_array().into_iter().flatten().filter_map(Value::as_object) {
        let (message, hint) = (text(reason, "message").unwrap_or_default(), text(reason, "hint"));
        let known = all.iter_mut().position(|one| one.message == message && one.hint == hint);
        let at = known.unwrap_or_else(|| {
            all.push(Folded { message, hint, count: 0, points: 0, places: Vec::new() });
            all.len() - 1
        });
        let Some(one) = all.get_mut(at) else { continue };
        one.count += 1;
        one.points += number(reason, "points").unwrap_or_default();
        one.places.extend(place(reason));
    }
    all
}

fn place(reason: &Map<String, Value>) -> Option<Place> {
    let place = Place {
        path: text(reason, "path"),
        line: number(reason, "line"),
        step: text(reason, "step"),
        pointer: text(reason, "pointer"),
    };
    (place != Place::default()).then_some(place)
}

fn text(reason: &Map<String, Value>, name: &str) -> Option<String> {
    reason.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn number(reason: &Map<String, Value>, name: &str) -> Option<u64> {
    reason.get(name).and_then(Value::as_u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_with_the_same_words_are_one() {
        let reasons = json!([
            { "message": "a", "path": "x", "line": 1, "points": 2 },
            { "message": "b", "points": 1 },
            { "message": "a", "path": "y", "points": 3 },
            { "message": "a", "hint": "another fix", "points": 3 },
        ]);
        assert_eq!(
            json!(folded(&reasons)),
            json!([
                { "message": "a", "count": 2, "points": 5, "places": [{ "path": "x", "line": 1 }, { "path": "y" }] },
                { "message": "b", "count": 1, "points": 1, "places": [] },
                { "message": "a", "hint": "another fix", "count": 1, "points": 3, "places": [] },
            ])
        );
    }
}
