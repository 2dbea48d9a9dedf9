//! The published JSON Schema of what is printed about a plan, derived from the types that are printed.

use crate::plan::PLAN_VIEW;
use crate::record::PlanDetail;
use crate::ways::Explained;
use crate::words::word;
use exacta_kernel::approval::Verb;
use exacta_kernel::assess::{Capability, Grade, Level};
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::policy::profile::Profile;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The schema of `exacta.plan-view/1`. What only some commands print is optional in it: `show` adds what happened to the plan, `policy
/// explain` what would have to change.
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
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:exacta:plan-view:1",
        "title": format!("What is printed about a plan ({PLAN_VIEW})"),
        "description": "Fields may be added, never changed or removed.",
        "type": "object",
        "properties": properties,
        "required": plan.get("required"),
        "$defs": generator.take_definitions(true),
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

/// Types of which only the words are published: their own are in the kernel, which knows no schema.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $words:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "enum": Vec::from($words) })
            }
        }
    )*};
}

words! {
    /// Where a plan stands.
    StatusWord = Status::ALL.map(Status::name);
    /// A gate's answer.
    VerdictWord = [Verdict::Allow, Verdict::Confirm, Verdict::Deny].map(|verdict| word(&verdict));
    /// A level of risk.
    LevelWord = [Level::Low, Level::Medium, Level::High].map(|level| word(&level));
    /// A grade of quality.
    GradeWord = [Grade::Insufficient, Grade::Moderate, Grade::Good].map(|grade| word(&grade));
    /// What a plan may request.
    CapabilityWord = Capability::ALL.map(Capability::name);
    /// A profile.
    ProfileWord = Profile::ALL.map(Profile::name);
    /// What a person decided.
    VerbWord = [Verb::Approve, Verb::Reject, Verb::RequestChanges, Verb::Withdraw].map(|verb| word(&verb));
    /// A gate.
    GateWord = ["security", "policy", "risk", "quality", "user"];
    /// What stands in the way: a gate, or validation.
    ObstacleWord = ["validation", "security", "policy", "risk", "quality", "user"];
    /// A factor of the risk.
    FactorWord = ["file_operations", "dependency_changes", "refactoring_scope", "breaking_changes", "security_impact", "code_complexity"];
    /// A dimension of the quality.
    DimensionWord = ["completeness", "specificity", "feasibility", "safety", "clarity"];
    /// A domain of action.
    DomainWord = ["files", "autopilot", "site"];
    /// How binding a constraint is.
    KindWord = ["MUST", "MUST_NOT", "PREFER"];
    /// Where a constraint comes from.
    SourceWord = ["proposal", "step", "request", "project", "safety_policy"];
    /// How a constraint is met.
    StateWord = ["met", "violated", "unchecked", "advice"];
    /// The version of a plan's face.
    Version = [PLAN_VIEW];
}

/// Types with one schema each that no Rust type gives.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident = $schema:tt;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

plain! {
    /// A SHA-256 in hexadecimal digits.
    Hash = { "type": "string", "pattern": "^[0-9a-f]{64}$" };
    /// What a person types for a plan.
    ShortId = { "type": "string", "pattern": "^[0-9a-hjkmnp-tv-z]{4,15}$" };
    /// 0.00–1.00.
    Share = { "type": "number", "minimum": 0, "maximum": 1 };
}
