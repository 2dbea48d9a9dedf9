//! Identifiers. They are made outside (UUIDv7 needs a clock and randomness) and only checked for form here.

use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize};

/// Text that is not a UUID in lower-case hyphenated form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a UUID")]
pub struct BadId(String);

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Accepts a UUID in lower-case hyphenated form.
            ///
            /// # Errors
            /// [`BadId`] for anything else.
            pub fn parse(text: &str) -> Result<Self, BadId> {
                if is_uuid(text) { Ok(Self(text.to_owned())) } else { Err(BadId(text.chars().take(64).collect())) }
            }

            /// The identifier as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadId;
            fn try_from(text: String) -> Result<Self, BadId> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }
    };
}

id!(
    /// Names one plan, for ever.
    PlanId
);
id!(
    /// Ties together everything that came from one request: versions, derived plans, runs, undo.
    CorrelationId
);
id!(
    /// Names one execution of a plan, or one undo.
    RunId
);
id!(
    /// Names the session a plan was made in; a plan does not outlive it.
    SessionId
);
id!(
    /// Names a project in the user's own configuration (never in the project folder, which grants nothing).
    ProjectId
);

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_digit() || (b'a'..=b'f').contains(&b),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_case_hyphenated_uuids() {
        assert!(PlanId::parse("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").is_ok());
        for bad in [
            "",
            "019A2F3E-7C1D-7E2A-9B4F-0123456789AB",
            "019a2f3e7c1d7e2a9b4f0123456789ab",
            "../019a2f3e-7c1d-7e2a-9b4f-01234567",
        ] {
            assert!(PlanId::parse(bad).is_err(), "{bad}");
        }
    }
}
