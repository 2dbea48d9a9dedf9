//! The hash of what a person looked at, whole or shortened, and whether a plan is still that.

use crate::hash::Digest;
use crate::prelude::*;

/// The hash of a plan as it was shown, or the beginning of it. An approval names it, so that nobody approves what they have
/// not seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown(String);

/// Fewer digits than tell plans apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a hash needs at least {} digits", Shown::FEWEST_DIGITS)]
pub struct TooShort;

impl Shown {
    /// The fewest digits of a hash that name a plan.
    pub const FEWEST_DIGITS: usize = 8;

    /// Reads the digits that were shown.
    ///
    /// # Errors
    /// [`TooShort`]. Text that is no hash at all is read, and is the hash of nothing.
    pub fn parse(digits: &str) -> Result<Self, TooShort> {
        if digits.len() < Self::FEWEST_DIGITS { Err(TooShort) } else { Ok(Self(digits.to_owned())) }
    }

    /// The digits, as they were given.
    #[must_use]
    pub fn digits(&self) -> &str {
        &self.0
    }

    /// Whether a plan of this hash is the one that was shown (INV-PLAN-2).
    #[must_use]
    pub fn is(&self, hash: Digest) -> bool {
        hash.to_string().starts_with(&self.0)
    }
}

impl From<Digest> for Shown {
    fn from(hash: Digest) -> Self {
        Self(hash.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_digits_or_more_of_this_hash() {
        let hash = Digest::of(b"plan");
        let digits = hash.to_string();
        for (shown, expected) in [
            (&digits[..7], None),
            ("", None),
            (&digits[..8], Some(true)),
            (&digits[..9], Some(true)),
            (&digits[..], Some(true)),
            (&digits[1..], Some(false)),
            (&format!("{digits}0"), Some(false)),
            (&digits.to_uppercase(), Some(digits.to_uppercase() == digits)),
            ("not a hash", Some(false)),
        ] {
            assert_eq!(Shown::parse(shown).ok().map(|shown| shown.is(hash)), expected, "{shown}");
        }
        assert_eq!((Shown::from(hash).digits(), Shown::parse("c0ffee11").unwrap().digits()), (&*digits, "c0ffee11"));
        assert!(Shown::from(hash).is(hash) && !Shown::from(Digest::of(b"other")).is(hash));
        assert_eq!(TooShort.to_string(), "a hash needs at least 8 digits");
    }
}
