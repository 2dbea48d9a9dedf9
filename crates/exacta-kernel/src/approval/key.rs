//! Names, public keys and signatures of approvers, checked for form.

use crate::prelude::*;
use core::fmt;
use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Serialize};

/// The name of an approver: 1–64 ASCII letters, digits, `.`, `_`, `-` or `@`, beginning with a letter or digit.
///
/// So that it can be a file name everywhere and cannot hide anything on a screen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ApproverName(String);

/// Text that is not an approver's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an approver's name has 1 to 64 letters, digits, `.`, `_`, `-` or `@`, and begins with a letter or digit")]
pub struct BadName;

/// An Ed25519 public key; written `ed25519:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey([u8; 32]);

/// Text that is not a usable public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a public key: expected `ed25519:` and 64 lower-case hexadecimal digits of a strong key")]
pub struct BadKey;

/// An Ed25519 signature; written as 128 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Signature([u8; 64]);

/// Text that is not a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a signature: expected 128 lower-case hexadecimal digits")]
pub struct BadSignature;

const KEY_PREFIX: &str = "ed25519:";

impl ApproverName {
    /// Accepts a well-formed name.
    ///
    /// # Errors
    /// [`BadName`] for anything else.
    pub fn parse(text: &str) -> Result<Self, BadName> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte);
        let begins_well = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if begins_well && text.len() <= 64 && text.bytes().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadName)
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PublicKey {
    /// Accepts the 32 bytes of a point that is on the curve and not of small order.
    ///
    /// # Errors
    /// [`BadKey`] for any other bytes: a small-order key would "verify" signatures that nobody made.
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, BadKey> {
        match VerifyingKey::from_bytes(&bytes) {
            Ok(key) if !key.is_weak() => Ok(Self(bytes)),
            _ => Err(BadKey),
        }
    }

    /// Reads the written form.
    ///
    /// # Errors
    /// [`BadKey`] for text of another form, and as [`PublicKey::from_bytes`].
    pub fn parse(text: &str) -> Result<Self, BadKey> {
        let digits = text.strip_prefix(KEY_PREFIX).ok_or(BadKey)?;
        Self::from_bytes(from_hex(digits).ok_or(BadKey)?)
    }

    /// The raw 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether this key signed these bytes. Strict: malleable signatures and small-order points are refused.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
        VerifyingKey::from_bytes(&self.0).is_ok_and(|key| key.verify_strict(message, &signature).is_ok())
    }
}

impl Signature {
    /// A signature made elsewhere.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }

    /// The raw 64 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }

    /// Reads the hexadecimal form.
    ///
    /// # Errors
    /// [`BadSignature`] unless the text is exactly 128 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, BadSignature> {
        from_hex(text).map(Self).ok_or(BadSignature)
    }
}

fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut out = [0_u8; N];
    if text.len() != N * 2 {
        return None;
    }
    for (slot, pair) in out.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *slot = (nibble(*high)? << 4) | nibble(*low)?;
    }
    Some(out)
}

const fn nibble(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

impl fmt::Display for ApproverName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KEY_PREFIX)?;
        write_hex(f, &self.0)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! as_text {
    ($name:ident, $error:ident) => {
        impl TryFrom<String> for $name {
            type Error = $error;
            fn try_from(text: String) -> Result<Self, $error> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.to_string()
            }
        }
    };
}

as_text!(ApproverName, BadName);
as_text!(PublicKey, BadKey);
as_text!(Signature, BadSignature);

#[cfg(test)]
mod tests {
    use super::*;
    use ed25519_dalek::{Signer as _, SigningKey, Verifier as _};

    /// The order of the base point, little-endian.
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];

    /// The eight points of small order in canonical form, and some of their other encodings.
    const SMALL_ORDER: [&str; 10] = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];

    fn signed(message: &[u8]) -> (PublicKey, [u8; 64]) {
        let key = SigningKey::from_bytes(&[7; 32]);
        (PublicKey::from_bytes(key.verifying_key().to_bytes()).unwrap(), key.sign(message).to_bytes())
    }

    #[test]
    fn names_are_plain() {
        for good in ["a", "Z9", "ann@example.org", "ci-1_b.c", &"x".repeat(64)] {
            assert_eq!(ApproverName::parse(good).unwrap().as_str(), good);
        }
        for bad in
            ["", ".", "..", ".a", "-a", "@a", "a b", "a/b", "a\\b", "a\0", "é", "a\u{202e}b", "a\n", &"x".repeat(65)]
        {
            assert_eq!(ApproverName::parse(bad), Err(BadName), "{bad:?}");
        }
    }

    #[test]
    fn every_changed_bit_of_a_signature_is_refused() {
        let (key, bytes) = signed(b"message");
        assert!(key.verifies(b"message", &Signature::from_bytes(bytes)));
        assert!(!key.verifies(b"messagf", &Signature::from_bytes(bytes)));
        for bit in 0..512 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(!key.verifies(b"message", &Signature::from_bytes(changed)), "bit {bit}");
        }
    }

    #[test]
    fn the_same_signature_in_another_form_is_refused() {
        let (key, mut bytes) = signed(b"message");
        let mut carry = 0_u16;
        for (slot, order) in bytes[32..].iter_mut().zip(ORDER) {
            let sum = u16::from(*slot) + u16::from(order) + carry;
            *slot = (sum & 0xff) as u8;
            carry = sum >> 8;
        }
        assert_eq!(carry, 0, "S + L still fits in 32 bytes, so that it is S + L that is refused");
        assert!(!key.verifies(b"message", &Signature::from_bytes(bytes)));
    }

    #[test]
    fn keys_of_small_order_are_refused() {
        for text in SMALL_ORDER {
            let bytes: [u8; 32] = from_hex(text).unwrap();
            assert_eq!(PublicKey::from_bytes(bytes), Err(BadKey), "{text}");
        }
    }

    #[test]
    fn a_signature_that_fits_every_message_is_refused() {
        let identity: [u8; 32] = from_hex(SMALL_ORDER[0]).unwrap();
        let mut bytes = [0_u8; 64];
        bytes[..32].copy_from_slice(&identity);
        let lax = VerifyingKey::from_bytes(&identity).unwrap();
        assert!(lax.verify(b"anything", &ed25519_dalek::Signature::from_bytes(&bytes)).is_ok(), "the trap is real");
        assert!(!PublicKey(identity).verifies(b"anything", &Signature::from_bytes(bytes)));
    }

    #[test]
    fn written_and_read_back() {
        let (key, bytes) = signed(b"message");
        assert_eq!(PublicKey::parse(&key.to_string()), Ok(key));
        let signature = Signature::from_bytes(bytes);
        assert_eq!(Signature::parse(&signature.to_string()), Ok(signature));
        let upper = key.to_string().to_uppercase();
        for bad in ["", "ed25519:", &upper, &key.to_string()[8..], "ed25519:zz"] {
            assert_eq!(PublicKey::parse(bad), Err(BadKey), "{bad}");
        }
        assert_eq!(Signature::parse("00"), Err(BadSignature));
    }
}
