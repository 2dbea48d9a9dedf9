//! What went wrong, as HTTP says it: one table from the application's codes to statuses.

use exacta_app::{Error, Exit};
use hyper::StatusCode;

/// The status of an error: by its code where that says more than how a command would end.
#[must_use]
pub fn status(error: &Error) -> StatusCode {
    match (error.code, error.exit) {
        ("plan_unknown" | "run_unknown" | "entry_unknown" | "project_unknown" | "not_found", _) => {
            StatusCode::NOT_FOUND
        }
        ("method_not_allowed", _) => StatusCode::METHOD_NOT_ALLOWED,
        ("unauthenticated", _) => StatusCode::UNAUTHORIZED,
        (
            "not_allowed" | "scope_missing" | "plan_not_own" | "undo_needs_person" | "caller_not_person"
            | "origin_refused" | "form_refused" | "approval_invalid",
            _,
        ) => StatusCode::FORBIDDEN,
        ("too_large", _) => StatusCode::PAYLOAD_TOO_LARGE,
        ("too_many", _) => StatusCode::TOO_MANY_REQUESTS,
        ("busy", _) => StatusCode::SERVICE_UNAVAILABLE,
        ("media_type", _) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        (_, Exit::Done) => StatusCode::OK,
        (_, Exit::Usage) => StatusCode::BAD_REQUEST,
        (_, Exit::Denied) => StatusCode::UNPROCESSABLE_ENTITY,
        (_, Exit::AboveCeiling) => StatusCode::FORBIDDEN,
        (_, Exit::Confirm | Exit::ChangesRequested | Exit::Drifted | Exit::RolledBack) => StatusCode::CONFLICT,
        (_, Exit::Fault) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// An error of this surface, not of a use case.
#[must_use]
pub fn refuse(code: &'static str, message: &str, hint: &str) -> Error {
    Error::new(Exit::Usage, code, message).hint(hint)
}
