//! `{ok, data, error, meta}`: every answer of the contract, and the contract's codes and statuses for what went wrong.

use crate::answer::Answer;
use crate::hint::for_a_program;
use crate::problem::status;
use crate::request::Request;
use exacta_app::{Error, ErrorCode};
use exacta_kernel::finding::Finding;
use hyper::{StatusCode, header};
use serde::Serialize;
use serde_json::{Value, json};

/// What went well.
pub(super) fn data(request: &Request, status: StatusCode, data: &impl Serialize) -> Answer {
    let body = json!({ "ok": true, "data": data, "error": null, "meta": { "request_id": request.request_id } });
    Answer::json(status, "application/json", &body)
}

/// A planner's answer that is no contract, with everything that is wrong with it.
pub(super) fn findings(request: &Request, findings: &[Finding]) -> Answer {
    let first = findings.first();
    let error = json!({
        "code": first.map_or("PLAN_SCHEMA_INVALID", |finding| finding.code.as_str()),
        "message": first.map_or("it is no contract", |finding| finding.message.as_str()),
        "hint": first.map(|finding| finding.hint.clone()), "findings": findings,
    });
    failed(StatusCode::BAD_REQUEST, &error, &request.request_id)
}

/// An error, by the path that was asked.
#[must_use]
pub fn problem(path: &str, error: &Error, request_id: &str) -> Answer {
    let (status, code) = contract(path, error);
    let mut told = json!({
        "code": code, "message": error.message, "hint": error.hint.as_ref().map(for_a_program), "findings": [],
    });
    if let (Value::Object(told), Some(run)) =
        (&mut told, error.run_id.as_ref().filter(|_| code == ErrorCode::RUN_ACTIVE_CONFLICT))
    {
        told.insert("active_run_id".to_owned(), run.to_string().into());
    }
    let answer = failed(status, &told, request_id);
    match status {
        StatusCode::UNAUTHORIZED => answer.with(header::WWW_AUTHENTICATE, "Bearer".to_owned()),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            answer.with(header::RETRY_AFTER, "1".to_owned())
        }
        _ => answer,
    }
}

fn failed(status: StatusCode, error: &Value, request_id: &str) -> Answer {
    let body = json!({ "ok": false, "data": null, "error": error, "meta": { "request_id": request_id } });
    Answer::json(status, "application/json", &body)
}

/// The contract's status and code.
fn contract(path: &str, error: &Error) -> (StatusCode, ErrorCode) {
    let code = match error.code {
        ErrorCode::PLAN_UNKNOWN => ErrorCode::PLAN_NOT_FOUND,
        ErrorCode::RUN_UNKNOWN => ErrorCode::RUN_NOT_FOUND,
        ErrorCode::UNAUTHENTICATED if path.contains("/runs") => ErrorCode::RUNS_AUTH_FAILED,
        ErrorCode::UNAUTHENTICATED if path.contains("/skills") => ErrorCode::SKILLS_AUTH_FAILED,
        ErrorCode::UNAUTHENTICATED => ErrorCode::PLANS_AUTH_FAILED,
        ErrorCode::TOO_MANY => ErrorCode::RATE_LIMITED,
        ErrorCode::BODY_INVALID | ErrorCode::USAGE | ErrorCode::NAME_INVALID => ErrorCode::VALIDATION_ERROR,
        code => code,
    };
    let unlisted = code.is_of_contract() && code.status().is_none();
    let status = if unlisted { StatusCode::BAD_REQUEST } else { status(&Error { code, ..error.clone() }) };
    (status, code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_app::Exit;

    #[test]
    fn every_code_of_the_contract_has_its_status() {
        for (path, code, exit, status, told) in [
            ("/api/v1/plans/{plan}", "PLAN_NOT_FOUND", Exit::Usage, 404, "PLAN_NOT_FOUND"),
            ("/api/v1/plans/{plan}", "plan_unknown", Exit::Usage, 404, "PLAN_NOT_FOUND"),
            ("/api/v1/plans/draft", "SITE_NOT_FOUND", Exit::Usage, 404, "SITE_NOT_FOUND"),
            ("/api/v1/plans/draft", "SKILL_NOT_FOUND", Exit::Usage, 404, "SKILL_NOT_FOUND"),
            ("/api/v1/plans/draft", "unauthenticated", Exit::Usage, 401, "PLANS_AUTH_FAILED"),
            ("/api/v1/runs", "unauthenticated", Exit::Usage, 401, "RUNS_AUTH_FAILED"),
            ("/api/v1/skills", "unauthenticated", Exit::Usage, 401, "SKILLS_AUTH_FAILED"),
            ("/api/v1/plans/draft", "too_many", Exit::Usage, 429, "RATE_LIMITED"),
            ("/api/v1/plans/draft", "too_large", Exit::Usage, 413, "too_large"),
            ("/api/v1/plans/draft", "POLICY_INPUT_TOO_LARGE", Exit::Usage, 400, "POLICY_INPUT_TOO_LARGE"),
            ("/api/v1/plans/draft", "PLAN_OUTPUT_CAP_EXCEEDED", Exit::Denied, 400, "PLAN_OUTPUT_CAP_EXCEEDED"),
            ("/api/v1/plans/draft", "PLAN_LLM_TIMEOUT", Exit::Fault, 504, "PLAN_LLM_TIMEOUT"),
            ("/api/v1/plans/draft", "PLAN_LLM_FAILED", Exit::Fault, 502, "PLAN_LLM_FAILED"),
            ("/api/v1/plans/draft", "PLAN_MANIFEST_TIMEOUT", Exit::Fault, 504, "PLAN_MANIFEST_TIMEOUT"),
            ("/api/v1/plans/draft", "PLAN_MANIFEST_FETCH_FAILED", Exit::Fault, 502, "PLAN_MANIFEST_FETCH_FAILED"),
            ("/api/v1/plans/{plan}/approve", "PLAN_NOT_APPROVABLE", Exit::Drifted, 409, "PLAN_NOT_APPROVABLE"),
            ("/api/v1/plans/{plan}/approve", "PLAN_HASH_REQUIRED", Exit::Usage, 400, "PLAN_HASH_REQUIRED"),
            ("/api/v1/plans/{plan}/approve", "not_allowed", Exit::Usage, 403, "not_allowed"),
            ("/api/v1/runs", "RUN_PLAN_NOT_APPROVED", Exit::Drifted, 409, "RUN_PLAN_NOT_APPROVED"),
            ("/api/v1/runs", "RUN_ACTIVE_CONFLICT", Exit::Fault, 409, "RUN_ACTIVE_CONFLICT"),
            ("/api/v1/runs", "PLAN_EXPIRED", Exit::Drifted, 409, "PLAN_EXPIRED"),
            ("/api/v1/runs", "RUN_PAGE_CAP_EXCEEDED", Exit::Denied, 400, "RUN_PAGE_CAP_EXCEEDED"),
            (
                "/api/v1/runs/{run}/rollback",
                "RUN_ROLLBACK_NOT_AVAILABLE",
                Exit::Drifted,
                409,
                "RUN_ROLLBACK_NOT_AVAILABLE",
            ),
            ("/api/v1/runs/{run}/rollback", "RUN_ROLLBACK_FAILED", Exit::Fault, 502, "RUN_ROLLBACK_FAILED"),
            ("/api/v1/skills/sync", "SKILL_SYNC_TIMEOUT", Exit::Denied, 504, "SKILL_SYNC_TIMEOUT"),
            ("/api/v1/skills/sync", "SKILL_UNKNOWN_TOOL", Exit::Denied, 400, "SKILL_UNKNOWN_TOOL"),
        ] {
            let answer = problem(path, &Error::new(exit, code, "m"), "r");
            let body: Value = serde_json::from_slice(&answer.body).unwrap();
            assert_eq!(
                (answer.status.as_u16(), body["error"]["code"].as_str().unwrap()),
                (status, told),
                "{path} {code}"
            );
            assert_eq!(
                (&body["ok"], &body["data"], &body["meta"]["request_id"]),
                (&json!(false), &Value::Null, &json!("r"))
            );
        }
    }
}
