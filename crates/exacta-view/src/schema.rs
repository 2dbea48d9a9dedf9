//! The published JSON Schema of what is printed about a plan, derived from the types that are printed.

use crate::face::Folded;
use crate::next::Next;
use crate::published::PLAN_VIEW;
use crate::record::PlanDetail;
use crate::ways::Explained;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// The schema of `exacta.plan-view/2`. What only some commands print, or only with `--with`, is optional in it: `show` adds what happened
/// to the plan, `policy explain` what would have to change.
#[must_use]
pub fn plan_view() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    let plan = object(&crate::plan::PlanView::json_schema(&mut generator));
    let more = [PlanDetail::json_schema(&mut generator), Explained::json_schema(&mut generator)];
    let mut properties = Map::new();
    for schema in &more {
        let printed = object(schema).remove("properties");
        properties.extend(printed.as_ref().and_then(Value::as_object).cloned().unwrap_or_default());
    }
    properties.insert("next".to_owned(), json!(generator.subschema_for::<Next>()));
    let folded = json!(generator.subschema_for::<Folded>());
    let mut required = plan.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    required.push(json!("next"));
    let mut definitions = generator.take_definitions(true);
    for (owner, list) in [("FactorView", "reasons"), ("DimensionView", "issues")] {
        let items =
            definitions.get_mut(owner).and_then(|owner| owner.pointer_mut(&format!("/properties/{list}/items")));
        if let Some(items) = items {
            *items = json!({ "anyOf": [folded, items.take()] });
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:exacta:plan-view:2",
        "title": format!("What is printed about a plan ({PLAN_VIEW})"),
        "description": "From release 0.2 on fields are added, never changed or removed.",
        "type": "object",
        "properties": properties,
        "required": required,
        "$defs": definitions,
    })
}

/// The schema of what an agent is told about its plan.
#[must_use]
pub fn report() -> Value {
    whole::<crate::report::Report>()
}

/// The schema of how plans stand.
#[must_use]
pub fn standing() -> Value {
    whole::<crate::report::Standing>()
}

/// The schema of everything that was found about a plan.
#[must_use]
pub fn found() -> Value {
    whole::<crate::report::Found>()
}

/// A schema without references, since not every client follows them.
fn whole<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = object(&settings.into_generator().into_root_schema_for::<T>());
    schema.remove("title");
    Value::Object(schema)
}

fn object(schema: &Schema) -> Map<String, Value> {
    schema.as_object().cloned().unwrap_or_default()
}
