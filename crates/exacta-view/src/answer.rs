//! What was answered to a plan: what `wait` tells its proposer.

use crate::changes::ChangesRequested;
use crate::published::StatusWord;
use crate::record::RunView;
use exacta_kernel::lifecycle::Status;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer to a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AnswerView {
    /// Always [`AnswerView::SCHEMA`].
    pub schema: String,
    /// The plan.
    pub plan_id: String,
    /// What a person types for it.
    pub short_id: String,
    /// What was answered.
    pub answer: Answer,
    /// Where the plan stands now.
    #[schemars(with = "StatusWord")]
    pub status: Status,
    /// The person who answered; none where policy did, or nobody has.
    pub by: Option<String>,
    /// Why it was rejected or is expired.
    pub reason: Option<String>,
    /// What a person asked to be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes_requested: Option<ChangesRequested>,
    /// Its run, if it has one.
    pub run: Option<RunView>,
}

impl AnswerView {
    /// The version of its face.
    pub const SCHEMA: &'static str = "exacta.wait/1";

    /// The reason of a plan that was withdrawn; `: ` and why may follow.
    pub const WITHDRAWN: &'static str = "withdrawn";
}

/// What was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Answer {
    /// It may run.
    Approved,
    /// It never runs.
    Rejected,
    /// It waits for its proposer.
    ChangesRequested,
    /// It can no longer be used, whatever was answered.
    Expired,
    /// Nobody has answered yet.
    Waiting,
}
