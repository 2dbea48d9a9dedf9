//! What is sent.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Drafts a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// The site's name.
    #[serde(default)]
    pub site: Option<String>,
    /// The same, by the contract's older name.
    #[serde(default)]
    pub installation_id: Option<String>,
    /// The skill.
    pub skill_id: String,
    /// What is to be achieved.
    pub goal: String,
    /// With `pages`.
    pub inputs: Map<String, Value>,
    /// `fast`, `balanced`, `quality` or `reasoning`.
    #[serde(default)]
    pub policy_preset: Option<String>,
    /// `cheap`, `balanced` or `quality`.
    #[serde(default)]
    pub model_preference: Option<String>,
    /// What an agent planned, as text; without it the user's provider is asked.
    #[serde(default)]
    pub planner_output: Option<String>,
}

/// Approves a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approve {
    /// The hash of what was looked at: all 64 digits.
    #[serde(default)]
    pub plan_hash: Option<String>,
    /// The passphrase of the session's key, if it is not unlocked.
    #[serde(default)]
    pub passphrase: Option<String>,
}

/// Starts the run of an approved plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The plan.
    pub plan_id: String,
}

/// Rolls a run back.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rollback {
    /// The passphrase of the session's key, if it is not unlocked.
    #[serde(default)]
    pub passphrase: Option<String>,
}

/// Takes the skills of a repository over.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sync {
    /// The repository.
    pub repo_url: String,
    /// The commit.
    #[serde(default)]
    pub commit_sha: String,
    /// The passphrase of the session's key, if it is not unlocked.
    #[serde(default)]
    pub passphrase: Option<String>,
}
