//! The schema of one domain's proposals, short enough to be given to a model: every field once, and examples.
//!
//! Made from the same table as the full one. It leaves out how long texts and lists may be, so it lets no less through.

use super::{closed, intents, skill, value};
use crate::prelude::*;
use crate::proposal::{Domain, SCHEMA};
use crate::shape::{Field, PROPOSAL, STEP, StepShape};
use serde_json::{Map, Value, json};

/// Three plans for files, as they are sent.
const EXAMPLES: &str = include_str!("examples.json");
/// Bounds that the parser keeps, and that a model hardly ever meets.
const BOUNDS: &[&str] = &["maxLength", "minLength", "maxItems", "maximum", "pattern", "$comment"];

/// The schema of proposals of one domain.
#[must_use]
pub fn of_domain(domain: Domain) -> Value {
    let mut definitions = Map::new();
    let mut root = closed(PROPOSAL.fields.iter().filter(|field| belongs(field, domain)), &mut definitions);
    let shapes = StepShape::names().filter_map(StepShape::find).filter(|shape| shape.domain == domain);
    let shapes: Vec<StepShape> = shapes.collect();
    let fields = step_fields(&shapes, &mut definitions);
    let types: Vec<Value> = shapes.iter().map(step_type).collect();
    definitions.insert("step".to_owned(), json!({ "type": "object", "properties": fields, "oneOf": types }));
    let kinds = if domain == Domain::Site { skill() } else { json!({ "enum": intents(Some(domain)) }) };
    if let Some(kind) = definitions.get_mut("intent").and_then(|intent| intent.pointer_mut("/properties/type")) {
        *kind = kinds;
    }
    root.insert("$defs".to_owned(), Value::Object(definitions));
    root.insert("title".to_owned(), json!(format!("Exacta proposal ({SCHEMA}) for {}", domain.name())));
    let mut schema = Value::Object(root);
    shorten(&mut schema);
    if let (Domain::Files, Some(root)) = (domain, schema.as_object_mut()) {
        root.insert("examples".to_owned(), serde_json::from_str(EXAMPLES).unwrap_or_default());
    }
    schema
}

/// Whether a field of the proposal can be in plans of a domain.
fn belongs(field: &Field, domain: Domain) -> bool {
    match field.name {
        "autopilot" => domain == Domain::Autopilot,
        "inputs" => domain != Domain::Files,
        _ => true,
    }
}

/// Every field that a step of one of these types can have. A name means the same in all of them.
fn step_fields(shapes: &[StepShape], definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let mut fields = Map::new();
    for field in STEP.iter().chain(shapes.iter().flat_map(|shape| &shape.payload)) {
        let mut schema = value(field.kind, definitions);
        schema.insert("description".to_owned(), json!(field.about));
        fields.insert(field.name.to_owned(), Value::Object(schema));
    }
    fields
}

/// Which fields a step of one type has.
fn step_type(shape: &StepShape) -> Value {
    let all = || STEP.iter().chain(&shape.payload);
    let mut properties: Map<String, Value> = all().map(|field| (field.name.to_owned(), json!(true))).collect();
    properties.insert("type".to_owned(), json!({ "const": shape.name }));
    let required: Vec<&str> = all().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = json!({ "properties": properties, "required": required, "additionalProperties": false });
    let forms: Vec<Value> = shape.one_of.iter().map(|field| json!({ "required": [field] })).collect();
    if let (false, Some(schema)) = (forms.is_empty(), schema.as_object_mut()) {
        schema.insert("oneOf".to_owned(), json!(forms));
        if let Some((first, second)) = shape.not_both {
            schema.insert("not".to_owned(), json!({ "required": [first, second] }));
        }
    }
    schema
}

/// Takes the bounds out.
fn shorten(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let bound = |name: &str, value: &Value| BOUNDS.contains(&name) && !value.is_object();
            fields.retain(|name, value| !bound(name, value));
            fields.values_mut().for_each(shorten);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}
