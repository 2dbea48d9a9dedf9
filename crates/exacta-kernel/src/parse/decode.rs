//! A document that keeps all rules → the types. `None` cannot happen after [`super::verify`]; it would refuse the text.

use super::payload;
use crate::action::primitive::PrimitiveId;
use crate::hash::Digest;
use crate::prelude::*;
use crate::proposal::{
    Action, Autopilot, Constraint, ConstraintKind, Edit, Intent, IntentKind, ModelClaim, Payload, Proposal, Scope, Step,
};
use serde_json::{Map, Value};

type Object = Map<String, Value>;

pub(super) fn proposal(document: Object) -> Option<Proposal> {
    Some(Proposal {
        intent: intent(object(&document, "intent")?)?,
        steps: objects(&document, "steps").map(|item| step(item?)).collect::<Option<_>>()?,
        constraints: constraints(&document)?,
        assumptions: texts(&document, "assumptions")?,
        inputs: object(&document, "inputs").cloned().unwrap_or_default(),
        autopilot: optional(&document, "autopilot", autopilot)?,
        model: optional(&document, "model", model)?,
        estimated_tokens: document.get("estimated_tokens").and_then(Value::as_u64),
        estimated_duration_ms: document.get("estimated_duration_ms").and_then(Value::as_u64),
        document,
    })
}

fn intent(intent: &Object) -> Option<Intent> {
    let nothing = Map::new();
    let target = object(intent, "target").unwrap_or(&nothing);
    Some(Intent {
        kind: IntentKind::parse(str(intent, "type")?)?,
        text: text(intent, "text")?,
        id: text(intent, "id"),
        files: texts(target, "files")?,
        symbols: texts(target, "symbols")?,
    })
}

/// A step outside its proposal; its order does not count.
pub(super) fn lone_step(value: &Value) -> Option<Step> {
    let mut fields = value.as_object()?.clone();
    fields.insert("order".to_owned(), Value::from(1));
    step(&fields)
}

fn step(step: &Object) -> Option<Step> {
    Some(Step {
        id: text(step, "id")?,
        order: step.get("order")?.as_u64()?,
        action: action(step)?,
        target: text(step, "target")?,
        description: text(step, "description")?,
        dependencies: texts(step, "dependencies")?,
        constraints: constraints(step)?,
        satisfies: texts(step, "satisfies")?,
        base_sha256: str(step, "base_sha256").map(Digest::parse).transpose().ok()?,
        executable: str(step, "mode").map(|mode| mode == "100755"),
    })
}

fn action(step: &Object) -> Option<Action> {
    match str(step, "type")? {
        "file_create" => change(step).map(Action::FileCreate),
        "file_modify" => change(step).map(Action::FileModify),
        "file_delete" => Some(Action::FileDelete { diff: text(step, "diff") }),
        "build" => Some(Action::Build),
        "tool_call" => {
            Some(Action::ToolCall { tool: text(step, "tool")?, arguments: object(step, "arguments")?.clone() })
        }
        name => primitive(PrimitiveId::parse(name)?, step),
    }
}

/// What becomes of the step's file.
pub(super) fn change(step: &Object) -> Option<Payload> {
    if let Some(diff) = text(step, "diff") {
        return Some(Payload::Diff(diff));
    }
    if let Some(content) = text(step, "content") {
        return Some(Payload::Content(content));
    }
    if let Some(encoded) = str(step, "content_base64") {
        return payload::bytes(encoded).ok().map(Payload::Bytes);
    }
    let edit = |edit: &Object| Some(Edit { find: text(edit, "find")?, replace: text(edit, "replace")? });
    step.get("edits")?;
    objects(step, "edits").map(|item| edit(item?)).collect::<Option<_>>().map(Payload::Edits)
}

fn primitive(id: PrimitiveId, step: &Object) -> Option<Action> {
    let given = id.parameters().iter().filter_map(|name| step.get_key_value(*name));
    Some(Action::Primitive { id, parameters: given.map(|(name, value)| (name.clone(), value.clone())).collect() })
}

fn constraints(of: &Object) -> Option<Vec<Constraint>> {
    objects(of, "constraints").map(|item| constraint(item?)).collect()
}

fn constraint(constraint: &Object) -> Option<Constraint> {
    let kind = match str(constraint, "type")? {
        "MUST" => ConstraintKind::Must,
        "MUST_NOT" => ConstraintKind::MustNot,
        "PREFER" => ConstraintKind::Prefer,
        _ => return None,
    };
    let scope = match str(constraint, "scope")? {
        "global" => Scope::Global,
        "file" => Scope::File,
        "step" => Scope::Step,
        _ => return None,
    };
    let (id, description) = (text(constraint, "id")?, text(constraint, "description")?);
    Some(Constraint { id, kind, scope, target: text(constraint, "target"), description })
}

fn autopilot(autopilot: &Object) -> Option<Autopilot> {
    Some(Autopilot {
        recipe: text(autopilot, "recipe")?,
        web_source_url: text(autopilot, "web_source_url"),
        inbox_source_text: text(autopilot, "inbox_source_text"),
        daily_sources: texts(autopilot, "daily_sources")?,
    })
}

fn model(model: &Object) -> Option<ModelClaim> {
    Some(ModelClaim {
        provider: text(model, "provider")?,
        model: text(model, "model")?,
        version: text(model, "version"),
    })
}

/// `Some(None)` where the field is left out.
fn optional<T>(of: &Object, name: &str, decode: impl Fn(&Object) -> Option<T>) -> Option<Option<T>> {
    match of.get(name) {
        None => Some(None),
        Some(value) => decode(value.as_object()?).map(Some),
    }
}

fn str<'o>(of: &'o Object, name: &str) -> Option<&'o str> {
    of.get(name)?.as_str()
}

fn text(of: &Object, name: &str) -> Option<String> {
    str(of, name).map(ToOwned::to_owned)
}

fn object<'o>(of: &'o Object, name: &str) -> Option<&'o Object> {
    of.get(name)?.as_object()
}

/// The objects of an array; none where the field is left out, `None` for an item that is no object.
fn objects<'o>(of: &'o Object, name: &str) -> impl Iterator<Item = Option<&'o Object>> {
    of.get(name).and_then(Value::as_array).into_iter().flatten().map(Value::as_object)
}

/// The strings of an array; none where the field is left out.
fn texts(of: &Object, name: &str) -> Option<Vec<String>> {
    let items = of.get(name).and_then(Value::as_array).into_iter().flatten();
    items.map(|item| item.as_str().map(ToOwned::to_owned)).collect()
}
