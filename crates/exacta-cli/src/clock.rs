//! The present.

use exacta_kernel::time::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// The present.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
