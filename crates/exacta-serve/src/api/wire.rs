//! What is sent and answered: apart from the views, so that these can change without a word to anybody.

use crate::problem::refuse;
use exacta_app::Error;
use exacta_kernel::approval::SignedStatement;
use exacta_kernel::policy::profile::Profile;
use exacta_view::PlanLine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
    /// A decision that was signed elsewhere, with an approver's key.
    #[serde(default)]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub statement: Option<exacta_kernel::approval::Statement>,
    /// The signature over it.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub signature: Option<exacta_kernel::approval::Signature>,
    /// The passphrase of the session's key, if it is not unlocked.
    #[serde(default)]
    pub passphrase: Option<String>,
}

impl Because {
    /// The decision that was signed elsewhere, if there is one.
    ///
    /// # Errors
    /// If only half of it is there.
    pub fn signed(&self) -> Result<Option<SignedStatement>, Error> {
        match (self.statement.clone(), self.signature) {
            (Some(statement), Some(signature)) => Ok(Some(statement.with_signature(signature))),
            (None, None) => Ok(None),
            _ => Err(half_signed()),
        }
    }
}

/// A statement without its signature, or the other way round.
#[must_use]
pub fn half_signed() -> Error {
    refuse("body_invalid", "a statement and its signature belong together", "send both, or neither")
}

/// Changes the profile of a project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetProfile {
    /// `SAFE`, `DEV` or `FULL-AUTO`.
    #[schemars(extend("enum" = ["SAFE", "DEV", "FULL-AUTO"]), with = "String")]
    pub profile: Profile,
    /// The passphrase of the session's key, if it is not unlocked.
    #[serde(default)]
    pub passphrase: Option<String>,
}

/// Replaces the Safety Policy.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPolicy {
    /// Its text: TOML.
    pub text: String,
    /// The hash of the policy that it replaces (`sha256`), so that nobody else's change is lost.
    pub replaces: String,
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

/// A plan in a list, and where it is.
#[derive(Debug, Serialize)]
pub struct Listed {
    /// The project.
    pub project_id: String,
    /// The plan.
    #[serde(flatten)]
    pub line: PlanLine,
}

/// The schema of a body, whole in itself.
pub fn schema<T: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
