//! Points in time, always handed in: the kernel has no clock.

use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01 UTC; written as RFC 3339 with three decimals and `Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

/// Text that is not an RFC 3339 time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an RFC 3339 time")]
pub struct BadTimestamp;

impl Timestamp {
    /// A point in time, clamped to the years that RFC 3339 can write.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        const LAST: i64 = 253_370_764_800_000;
        if millis < 0 {
            Self(0)
        } else if millis > LAST {
            Self(LAST)
        } else {
            Self(millis)
        }
    }

    /// Milliseconds since 1970-01-01 UTC.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This time and so many seconds more.
    #[must_use]
    pub const fn plus_seconds(self, seconds: u64) -> Self {
        let millis = if seconds > 10_000_000_000 { 10_000_000_000_000 } else { (seconds as i64) * 1000 };
        Self::from_millis(self.0.saturating_add(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = jiff::Timestamp::from_millisecond(self.0).map_err(|_| fmt::Error)?;
        write!(f, "{at:.3}")
    }
}

impl TryFrom<String> for Timestamp {
    type Error = BadTimestamp;
    fn try_from(text: String) -> Result<Self, BadTimestamp> {
        let at: jiff::Timestamp = text.parse().map_err(|_| BadTimestamp)?;
        Ok(Self::from_millis(at.as_millisecond()))
    }
}

impl From<Timestamp> for String {
    fn from(at: Timestamp) -> String {
        at.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_as_rfc_3339_and_read_back() {
        let at = Timestamp::from_millis(1_794_000_000_042);
        assert_eq!(at.to_string(), "2026-11-06T21:20:00.042Z");
        assert_eq!(Timestamp::try_from(at.to_string()), Ok(at));
        assert_eq!(at.plus_seconds(1).as_millis() - at.as_millis(), 1000);
        assert_eq!(Timestamp::from_millis(i64::MAX).plus_seconds(u64::MAX).to_string(), "9999-01-01T00:00:00.000Z");
    }
}
