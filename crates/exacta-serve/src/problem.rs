//! What went wrong, as HTTP says it.

use exacta_app::{Error, ErrorCode, Exit};
use hyper::StatusCode;

/// The status of an error: by its code where the list of codes has one, else by how a command would end.
#[must_use]
pub fn status(error: &Error) -> StatusCode {
    let listed = error.code.status().and_then(|status| StatusCode::from_u16(status).ok());
    listed.unwrap_or(match error.exit {
        Exit::Done => StatusCode::OK,
        Exit::Usage => StatusCode::BAD_REQUEST,
        Exit::Denied => StatusCode::UNPROCESSABLE_ENTITY,
        Exit::AboveCeiling => StatusCode::FORBIDDEN,
        Exit::Confirm | Exit::ChangesRequested | Exit::Drifted | Exit::RolledBack => StatusCode::CONFLICT,
        Exit::Fault => StatusCode::INTERNAL_SERVER_ERROR,
    })
}

/// An error of this surface, not of a use case.
#[must_use]
pub fn refuse(code: impl Into<ErrorCode>, message: &str, hint: &str) -> Error {
    Error::new(Exit::Usage, code, message).hint(hint)
}
