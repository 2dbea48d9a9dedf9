//! What a tool gives: a report, or what went wrong.

use crate::hint;
use exacta_app::{Error, ErrorCode};
use exacta_mcp::ToolResult;
use serde::Serialize;
use serde_json::{Value, json};

/// What a tool gives.
pub fn done(value: &impl Serialize) -> ToolResult {
    match serde_json::to_value(value) {
        Ok(value) => ToolResult { value, failed: false },
        Err(error) => failed(&error.into()),
    }
}

/// What went wrong, in words that a model can act on. What only a person can do is apart.
pub fn failed(error: &Error) -> ToolResult {
    let hint = match error.code {
        ErrorCode::PLAN_UNKNOWN => Some("call `status` without a plan_id: it lists the plans that are yours"),
        ErrorCode::PROJECT_UNKNOWN => Some("ask the person to run `exacta init` in the project"),
        ErrorCode::ALREADY_RUN => Some("a plan runs once: submit the change again if it is still wanted"),
        _ => None,
    };
    let (own, for_the_person) = error.hint.as_ref().map_or((None, None), hint::worded);
    let value: Value = json!({
        "error": {
            "code": error.code,
            "message": error.message,
            "hint": hint.map(str::to_owned).or(own),
            "for_the_person": for_the_person,
        }
    });
    ToolResult { value, failed: true }
}
