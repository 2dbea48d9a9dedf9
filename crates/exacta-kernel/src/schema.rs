//! The JSON Schema (draft 2020-12) of a proposal, made from the same table that the decoder verifies against.
//!
//! What a schema cannot say is checked by the parser alone: unique ids and keys, nesting, the size of a step. `maxLength` counts
//! characters and the parser bytes, so the schema lets no less through than the parser.

mod short;

pub use short::of_domain;

use crate::json::MAX_NUMBER;
use crate::limit::NAME;
use crate::prelude::*;
use crate::proposal::{Domain, IntentKind, SCHEMA};
use crate::shape::{Field, Kind, PROPOSAL, STEP, Shape, StepShape};
use serde_json::{Map, Value, json};

/// Where the schema says it lives; a name, not an address that is fetched.
const ID: &str = "urn:exacta:plan:1";

/// The schema of a proposal.
#[must_use]
pub fn proposal() -> Value {
    let mut definitions = Map::new();
    let mut root = closed(PROPOSAL.fields.iter(), &mut definitions);
    let steps: Vec<Value> = StepShape::names().filter_map(|name| step(name, &mut definitions)).collect();
    definitions.insert("step".to_owned(), json!({ "oneOf": steps }));
    root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("$id".to_owned(), json!(ID));
    root.insert("title".to_owned(), json!(format!("Exacta proposal ({SCHEMA})")));
    root.insert("allOf".to_owned(), json!(domains()));
    root.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(root)
}

/// An object with these fields and no other.
fn closed<'f>(fields: impl Iterator<Item = &'f Field>, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let mut schema = value(field.kind, definitions);
        schema.insert("description".to_owned(), json!(field.about));
        properties.insert(field.name.to_owned(), Value::Object(schema));
        if field.required {
            required.push(field.name);
        }
    }
    let mut object = Map::new();
    object.insert("type".to_owned(), json!("object"));
    object.insert("properties".to_owned(), Value::Object(properties));
    object.insert("required".to_owned(), json!(required));
    object.insert("additionalProperties".to_owned(), json!(false));
    object
}

fn value(kind: Kind, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let schema = match kind {
        Kind::Const(text) => json!({ "const": text }),
        Kind::Text(most) => text(most),
        Kind::StepType => text(NAME),
        Kind::Id => json!({ "type": "string", "maxLength": NAME, "pattern": "^[^,]*[^,\\s][^,]*$" }),
        Kind::NonEmpty(usize::MAX) => json!({ "type": "string", "minLength": 1 }),
        Kind::NonEmpty(most) => json!({ "type": "string", "minLength": 1, "maxLength": most }),
        Kind::Raw => json!({ "type": "string" }),
        Kind::Choice(choices) => json!({ "enum": choices }),
        Kind::Base64(most) => json!({
            "type": "string",
            "contentEncoding": "base64",
            "minLength": 4,
            "maxLength": most.div_ceil(3) * 4,
            "pattern": "^[A-Za-z0-9+/]*={0,2}$",
        }),
        Kind::Digest => json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" }),
        Kind::Count => json!({ "type": "integer", "minimum": 0, "maximum": MAX_NUMBER }),
        Kind::Ordinal => json!({ "type": "integer", "minimum": 1, "maximum": MAX_NUMBER }),
        Kind::Texts { most, bytes } => json!({ "type": "array", "maxItems": most, "items": text(bytes) }),
        Kind::TextOrTexts { most, bytes } => json!({
            "type": ["string", "array"],
            "pattern": "\\S",
            "maxLength": bytes,
            "maxItems": most,
            "items": text(bytes),
        }),
        Kind::Free(most) => json!({ "type": "object", "$comment": format!("at most {most} bytes of compact JSON") }),
        Kind::Object(shape) => json!({ "$ref": define(shape, definitions) }),
        Kind::Objects(shape, most) => {
            json!({ "type": "array", "maxItems": most, "items": { "$ref": define(shape, definitions) } })
        }
        Kind::SomeObjects(shape) => {
            json!({ "type": "array", "minItems": 1, "items": { "$ref": define(shape, definitions) } })
        }
        Kind::Intent => json!({ "anyOf": [{ "enum": intents(None) }, skill()] }),
        Kind::Steps => json!({ "type": "array", "items": { "$ref": "#/$defs/step" } }),
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// A string that is not blank.
fn text(most: usize) -> Value {
    json!({ "type": "string", "maxLength": most, "pattern": "\\S" })
}

/// Adds a shape to the definitions and refers to it.
fn define(shape: &'static Shape, definitions: &mut Map<String, Value>) -> String {
    if !definitions.contains_key(shape.name) {
        let mut schema = closed(shape.fields.iter(), definitions);
        if shape.name == "constraint" {
            let scoped = json!({ "properties": { "scope": { "enum": ["file", "step"] } }, "required": ["scope"] });
            schema.insert("if".to_owned(), scoped);
            schema.insert("then".to_owned(), json!({ "required": ["target"] }));
        }
        definitions.insert(shape.name.to_owned(), Value::Object(schema));
    }
    format!("#/$defs/{}", shape.name)
}

/// Defines the step of one type and refers to it.
fn step(name: &str, definitions: &mut Map<String, Value>) -> Option<Value> {
    let shape = StepShape::find(name)?;
    let mut schema = closed(STEP.iter().chain(&shape.payload), definitions);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert("type".to_owned(), json!({ "const": name }));
    }
    if !shape.one_of.is_empty() {
        let forms: Vec<Value> = shape.one_of.iter().map(|field| json!({ "required": [field] })).collect();
        schema.insert("oneOf".to_owned(), json!(forms));
    }
    if let Some((first, second)) = shape.not_both {
        schema.insert("not".to_owned(), json!({ "required": [first, second] }));
    }
    let definition = format!("step_{name}");
    let reference = json!({ "$ref": format!("#/$defs/{definition}") });
    definitions.insert(definition, Value::Object(schema));
    Some(reference)
}

/// What an intent implies: the types its steps may have, and its recipe.
fn domains() -> Vec<Value> {
    let domains = [Domain::Files, Domain::Autopilot, Domain::Site];
    let mut rules: Vec<Value> = domains.into_iter().map(domain).collect();
    rules.extend(intents(Some(Domain::Autopilot)).into_iter().map(|name| {
        let recipe = json!({ "properties": { "recipe": { "const": name } } });
        when(json!({ "const": name }), json!({ "required": ["autopilot"], "properties": { "autopilot": recipe } }))
    }));
    rules
}

fn domain(domain: Domain) -> Value {
    let types: Vec<&str> =
        StepShape::names().filter(|name| StepShape::find(name).is_some_and(|shape| shape.domain == domain)).collect();
    let mut then = json!({ "properties": { "steps": { "items": { "properties": { "type": { "enum": types } } } } } });
    if domain != Domain::Autopilot
        && let Some(properties) = then.get_mut("properties").and_then(Value::as_object_mut)
    {
        properties.insert("autopilot".to_owned(), json!(false));
    }
    let intent = if domain == Domain::Site { skill() } else { json!({ "enum": intents(Some(domain)) }) };
    when(intent, then)
}

fn when(intent: Value, then: Value) -> Value {
    let intent = json!({ "properties": { "type": intent }, "required": ["type"] });
    json!({ "if": { "properties": { "intent": intent }, "required": ["intent"] }, "then": then })
}

fn intents(domain: Option<Domain>) -> Vec<&'static str> {
    let of_domain = |kind: &IntentKind| domain.is_none_or(|domain| kind.domain() == domain);
    IntentKind::CLOSED.iter().filter(|(_, kind)| of_domain(kind)).map(|(name, _)| *name).collect()
}

fn skill() -> Value {
    json!({ "type": "string", "maxLength": NAME, "pattern": "^[a-z][a-z0-9_-]*(\\.[a-z][a-z0-9_-]*)+$" })
}
