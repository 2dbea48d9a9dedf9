//! What programs are answered, as schemas: derived from the types that are answered, where these are ours.

use exacta_view::{AnswerView, PlanLine, RunView, UndoView};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// A plan with everything that happened to it.
pub fn plan() -> Value {
    json!({ "$ref": "#/components/schemas/Plan" })
}

/// A page of a list of plans.
pub fn plans() -> Value {
    let mut line = of::<PlanLine>();
    if let Some(Value::Object(properties)) = line.pointer_mut("/properties") {
        properties.insert("project_id".to_owned(), json!({ "type": "string" }));
    }
    object(
        &json!({ "schema": { "const": "exacta.plan-list/2" }, "plans": { "type": "array", "items": line }, "after": { "type": ["string", "null"] } }),
    )
}

/// A run.
pub fn run() -> Value {
    of::<RunView>()
}

/// A run that has ended, or where one stands that goes on.
pub fn started() -> Value {
    let going =
        object(&json!({ "plan_id": { "type": "string" }, "run": { "anyOf": [of::<RunView>(), { "type": "null" }] } }));
    json!({ "anyOf": [of::<RunView>(), going] })
}

/// What an undo would do, or the run that it was.
pub fn undone() -> Value {
    json!({ "anyOf": [of::<RunView>(), of::<UndoView>()] })
}

/// The answer to a plan.
pub fn answer() -> Value {
    of::<AnswerView>()
}

/// Entries of the log.
pub fn entries() -> Value {
    let entry = json!({ "type": "object", "required": ["seq", "event", "reason"] });
    object(&json!({ "schema": { "const": "exacta.audit-list/1" }, "entries": { "type": "array", "items": entry } }))
}

/// The newest checkpoint.
pub fn checkpoint() -> Value {
    let text = json!({ "type": ["string", "null"] });
    object(
        &json!({ "schema": { "const": "exacta.checkpoint/1" }, "size": number(), "note": text, "verifier_key": text }),
    )
}

/// What verifying came to.
pub fn verified() -> Value {
    object(
        &json!({ "schema": { "const": "exacta.audit-report/1" }, "entries": number(), "plans": number(), "runs": number() }),
    )
}

/// That it answers.
pub fn health() -> Value {
    object(&json!({
        "schema": { "const": "exacta.health/1" }, "status": { "enum": ["ok", "attention"] }, "version": { "type": "string" }, "projects": number(), "broken": number(),
    }))
}

/// The projects.
pub fn projects() -> Value {
    let text = json!({ "type": ["string", "null"] });
    let profile = json!({ "anyOf": [profile(), { "type": "null" }] });
    let project = object(
        &json!({ "project_id": text, "name": text, "folder": { "type": "string" }, "profile": profile, "problem": text }),
    );
    object(
        &json!({ "schema": { "const": "exacta.project-list/1" }, "projects": { "type": "array", "items": project } }),
    )
}

/// A profile.
pub fn profile() -> Value {
    let word = json!({ "enum": ["SAFE", "DEV", "FULL-AUTO"] });
    object(
        &json!({ "chosen": word, "ceiling": word, "in_force": word, "concurrency": number(), "fell": { "type": ["string", "null"] } }),
    )
}

/// The Safety Policy.
pub fn policy() -> Value {
    let text = json!({ "type": "string" });
    object(
        &json!({ "file": { "type": ["string", "null"] }, "system": { "type": "boolean" }, "version": text, "sha256": text, "text": text }),
    )
}

fn number() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// An object that has all of these.
fn object(properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(|fields| fields.keys()).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The schema of a view, whole in itself.
fn of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
