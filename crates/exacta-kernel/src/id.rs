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

/// Base 32 without the letters that are taken for others.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// How many random bits a UUIDv7 has.
const RANDOM_BITS: usize = 74;

/// Characters of a plan's whole short form: its random bits, five to a character.
const SHORT_FORM: usize = RANDOM_BITS.div_ceil(5);

/// The fewest characters that name a plan.
pub const FEWEST: usize = 4;

impl PlanId {
    /// The random bits of the id in base 32. The beginning of it is what people type: the beginning of the id itself is the time, which
    /// plans made together share.
    #[must_use]
    pub fn short_form(&self) -> String {
        // One bit is missing from the last character.
        let bits = self.random_bits() << 1;
        let digit = |place: usize| usize::try_from(bits >> (5 * (SHORT_FORM - 1 - place)) & 31).unwrap_or_default();
        (0..SHORT_FORM).filter_map(|place| ALPHABET.get(digit(place)).map(|byte| char::from(*byte))).collect()
    }

    /// As much of the short form as tells it from another's, at least [`FEWEST`] characters.
    #[must_use]
    pub fn short_beside<'a>(&self, others: impl IntoIterator<Item = &'a Self>) -> String {
        let form = self.short_form();
        let shared = |other: &Self| form.bytes().zip(other.short_form().bytes()).take_while(|(a, b)| a == b).count();
        let needed = others.into_iter().map(|other| shared(other) + 1).max().unwrap_or(0).max(FEWEST);
        form.chars().take(needed).collect()
    }

    /// The end of the id, from its first random digit on, as text: ids sort by it as they do by their short forms.
    #[must_use]
    pub fn random_end(&self) -> &str {
        self.0.get(Self::RANDOM_START..).unwrap_or_default()
    }

    /// Where [`PlanId::random_end`] begins.
    pub const RANDOM_START: usize = 15;

    /// The first and the last [`PlanId::random_end`] of all ids whose short form begins so; `None` if none can.
    #[must_use]
    pub fn ends_of(prefix: &str) -> Option<(String, String)> {
        let free = 5 * SHORT_FORM.checked_sub(prefix.len())?;
        let mut bits: u128 = 0;
        for byte in prefix.bytes() {
            let digit = ALPHABET.iter().position(|known| *known == byte.to_ascii_lowercase())?;
            bits = bits << 5 | u128::try_from(digit).ok()?;
        }
        let first = bits << free;
        let last = first | ((1 << free) - 1);
        Some((end_text(first >> 1), end_text(last >> 1)))
    }

    fn random_bits(&self) -> u128 {
        let digits = |from: usize, to: usize| self.0.get(from..to).and_then(|text| u128::from_str_radix(text, 16).ok());
        let part = |from, to| digits(from, to).unwrap_or_default();
        part(15, 18) << 62 | (part(19, 23) & 0x3fff) << 48 | part(24, 36)
    }
}

/// Random bits as they stand at the end of an id, behind the mark of the variant.
fn end_text(bits: u128) -> String {
    let (first, middle, last) = (bits >> 62, bits >> 48 & 0x3fff | 0x8000, bits & 0xffff_ffff_ffff);
    format!("{first:03x}-{middle:04x}-{last:012x}")
}

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
    fn short_forms_are_the_random_bits_in_their_order() {
        let id = |text: &str| PlanId::parse(text).unwrap();
        assert_eq!(id("019a2f3e-7c1d-7000-8000-000000000000").short_form(), "000000000000000");
        assert_eq!(id("ffffffff-ffff-7fff-bfff-ffffffffffff").short_form(), "zzzzzzzzzzzzzzy");
        assert_eq!(id("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").short_form(), "wakd7g28t5cy4tp");
        let ids =
            ["7e2a-9b4f-0123456789ab", "7e2a-9b4f-0123456789ac", "7e2b-8000-000000000000", "7fff-bfff-ffffffffffff"]
                .map(|end| id(&format!("019a2f3e-7c1d-{end}")));
        for pair in ids.windows(2) {
            let [a, b] = pair else { continue };
            assert!(a.short_form() < b.short_form() && a.random_end() < b.random_end());
        }
        for id in &ids {
            for length in 0..=SHORT_FORM {
                let form = id.short_form();
                let (first, last) = PlanId::ends_of(form.get(..length).unwrap()).unwrap();
                assert!(first.as_str() <= id.random_end() && id.random_end() <= last.as_str(), "{form} {length}");
            }
        }
        for bad in ["ilou", "k3f!", "0123456789abcdefg"] {
            assert_eq!(PlanId::ends_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_short_id_is_as_long_as_it_must_be() {
        let id = |end: &str| PlanId::parse(&format!("019a2f3e-7c1d-{end}")).unwrap();
        let (a, b, c) = (id("7e2a-9b4f-0123456789ab"), id("7e2a-9b4f-0123456789ac"), id("7000-8000-000000000000"));
        assert_eq!(a.short_beside([]).len(), FEWEST);
        assert_eq!(a.short_beside([&c]).len(), FEWEST);
        assert_eq!(a.short_beside([&c, &b]), a.short_form());
        assert_ne!(a.short_beside([&b]), b.short_beside([&a]));
    }

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
