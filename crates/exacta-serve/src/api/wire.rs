//! What is sent and answered: apart from the views, so that these can change without a word to anybody.

use exacta_kernel::lifecycle::Status;
use exacta_view::{Outcome, PlanDetail};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The version of a plan's face here.
pub const PLAN_VIEW: &str = "exacta.plan-view/2";

/// Approves a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approve {
    /// The hash that was shown: all 64 digits.
    pub plan_hash: String,
    /// A decision that was signed elsewhere, with an approver's key.
    #[serde(default)]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub statement: Option<exacta_kernel::approval::Statement>,
    /// The signature over it.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub signature: Option<exacta_kernel::approval::Signature>,
    /// Run it at once; only in an approver's session.
    #[serde(default)]
    pub run: bool,
    /// The passphrase of the session's key, if it is not unlocked.
    #[serde(default)]
    pub passphrase: Option<String>,
    /// `approve`, for a plan of high risk.
    #[serde(default)]
    pub word: Option<String>,
}

/// Rejects or withdraws a plan.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Because {
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
    /// The passphrase of the session's key, if it is not unlocked.
    #[serde(default)]
    pub passphrase: Option<String>,
}

/// Asks for changes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Revise {
    /// What should be different.
    pub text: String,
    /// Where, as `PATH:LINE`.
    #[serde(default)]
    pub at: Option<String>,
    /// The passphrase of the session's key, if it is not unlocked.
    #[serde(default)]
    pub passphrase: Option<String>,
}

/// Makes a plan of some parts of another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Derive {
    /// Steps (`s1`) and hunks (`s3:1-2`).
    pub parts: Vec<String>,
}

/// Starts the run of an approved plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The plan: a whole id.
    pub plan_id: String,
}

/// Undoes a run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// What is undone, as it was shown; without it, nothing is done but shown.
    #[serde(default)]
    pub undo_hash: Option<String>,
    /// The passphrase of the session's key, if it is not unlocked.
    #[serde(default)]
    pub passphrase: Option<String>,
}

/// A body without fields.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// What a reader wants of a plan beside what it always gets.
#[derive(Debug, Clone, Copy, Default)]
pub struct With {
    /// Every diff.
    pub diff: bool,
    /// Every reason by itself.
    pub reasons: bool,
    /// What it was made against.
    pub binding: bool,
}

impl With {
    /// Of a list such as `diff,reasons`.
    #[must_use]
    pub fn parse(words: &str) -> Self {
        let has = |word: &str| words.split(',').any(|given| given.trim() == word);
        Self { diff: has("diff"), reasons: has("reasons"), binding: has("binding") }
    }
}

/// A plan with everything that happened to it.
#[must_use]
pub fn detail(detail: &PlanDetail, with: With) -> Value {
    let mut told = plan(&serde_json::to_value(detail).unwrap_or_default(), with);
    if let Value::Object(told) = &mut told {
        told.insert("next".to_owned(), next(detail));
    }
    told
}

/// A plan: without diffs, reasons one by one, and binding, unless they are wanted.
#[must_use]
pub fn plan(view: &Value, with: With) -> Value {
    let mut told = view.clone();
    if let Some(schema) = told.pointer_mut("/schema") {
        *schema = json!(PLAN_VIEW);
    }
    if let (false, Some(Value::Object(detail))) = (with.binding, told.pointer_mut("/detail")) {
        detail.remove("binding");
    }
    if let (false, Some(Value::Array(steps))) = (with.diff, told.pointer_mut("/detail/steps")) {
        steps.iter_mut().filter_map(Value::as_object_mut).for_each(|step| drop(step.remove("diff")));
    }
    if !with.reasons {
        fold_all(&mut told, "/risk/factors", "reasons");
        fold_all(&mut told, "/quality/dimensions", "issues");
    }
    told
}

fn fold_all(told: &mut Value, list: &str, name: &str) {
    let Some(Value::Array(items)) = told.pointer_mut(list) else { return };
    for reasons in items.iter_mut().filter_map(|item| item.get_mut(name)) {
        *reasons = folded(reasons);
    }
}

/// Reasons with the same words as one, with their number and places.
fn folded(reasons: &Value) -> Value {
    let mut order: Vec<String> = Vec::new();
    let mut by: std::collections::BTreeMap<String, (u64, u64, Vec<Value>)> = std::collections::BTreeMap::new();
    for reason in reasons.as_array().into_iter().flatten() {
        let message = reason.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !by.contains_key(&message) {
            order.push(message.clone());
        }
        let (count, points, places) = by.entry(message).or_default();
        *count += 1;
        *points += reason.get("points").and_then(Value::as_u64).unwrap_or_default();
        let place = |name: &str| {
            reason.get(name).filter(|value| !value.is_null()).map(|value| (name.to_owned(), value.clone()))
        };
        let place: Map<String, Value> = ["path", "line", "step"].into_iter().filter_map(place).collect();
        if !place.is_empty() {
            places.push(Value::Object(place));
        }
    }
    let one = |message: String| {
        let (count, points, places) = by.remove(&message).unwrap_or_default();
        json!({ "message": message, "count": count, "points": points, "places": places })
    };
    order.into_iter().map(one).collect()
}

/// Who has to do what next.
fn next(detail: &PlanDetail) -> Value {
    let id = detail.plan.plan_id.as_deref().unwrap_or_default();
    let (who, command, tool, why) = match (detail.plan.status, detail.run.as_ref().map(|run| run.outcome)) {
        (_, Some(Outcome::Running | Outcome::RollingBack)) => ("nobody", String::new(), "", "its run goes on"),
        (_, Some(Outcome::NeedsAttention | Outcome::Unknown)) => {
            ("person", "exacta status".to_owned(), "", "its run needs attention")
        }
        (_, Some(_)) => ("nobody", String::new(), "", "it has had its run"),
        (Some(Status::Pending), _) if detail.plan.changes_requested.is_some() => {
            ("agent", format!("exacta submit FILE --revises {id}"), "submit", "a person asked for changes")
        }
        (Some(Status::Pending), _) => ("person", format!("exacta review {id}"), "wait", "a person has to decide"),
        (Some(Status::AutoApproved | Status::UserApproved), _) => {
            ("agent", format!("exacta execute {id}"), "runs", "it is approved and has not run")
        }
        (Some(Status::Expired), _) => ("agent", format!("exacta resubmit {id}"), "submit", "it is expired"),
        (Some(Status::Rejected) | None, _) => {
            ("agent", "exacta submit FILE".to_owned(), "submit", "it was refused for good")
        }
    };
    json!({ "who": who, "command": command, "tool": tool, "why": why })
}

/// The schema of a body, whole in itself.
pub fn schema<T: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
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
        ]);
        assert_eq!(
            folded(&reasons),
            json!([
                { "message": "a", "count": 2, "points": 5, "places": [{ "path": "x", "line": 1 }, { "path": "y" }] },
                { "message": "b", "count": 1, "points": 1, "places": [] },
            ])
        );
    }
}
