//! Time and ids: the only things that are not the same twice.

use exacta_kernel::time::Timestamp;

/// The present.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
}

/// A new identifier (UUIDv7), parsed into its type.
pub(crate) fn new_id<T, E>(parse: impl Fn(&str) -> Result<T, E>) -> Result<T, crate::Error> {
    parse(&uuid::Uuid::now_v7().hyphenated().to_string())
        .map_err(|_| crate::Error::fault("internal", "a new identifier is not a UUID"))
}
