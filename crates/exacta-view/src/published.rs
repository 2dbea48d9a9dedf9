//! Values of the views of which the schema says more than their Rust type: closed lists of words, hashes, shares.

use crate::words::word;
use exacta_kernel::approval::Verb;
use exacta_kernel::assess::{Capability, Grade, Level};
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::policy::profile::Profile;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// The version of the face of a plan.
pub const PLAN_VIEW: &str = "exacta.plan-view/2";

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
    VerbWord = [Verb::Approve, Verb::Reject, Verb::RequestChanges, Verb::Withdraw, Verb::Resolve].map(|verb| word(&verb));
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
