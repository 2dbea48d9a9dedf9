//! Time and ids: the only things that are not the same twice.

use exacta_kernel::time::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// The present. A clock that stands outside the years that can be written is taken for the nearest of them.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A new identifier (UUIDv7), parsed into its type.
pub(crate) fn new_id<T, E>(parse: impl Fn(&str) -> Result<T, E>) -> Result<T, crate::error::Error> {
    parse(&exacta_home::fresh_uuid().hyphenated().to_string())
        .map_err(|_| crate::error::Error::fault("internal", "a new identifier is not a UUID"))
}

/// A name for a request whose asker gave none.
#[must_use]
pub fn fresh_request_id() -> String {
    exacta_home::fresh_uuid().hyphenated().to_string()
}
