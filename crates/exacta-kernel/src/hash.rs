//! SHA-256 and the canonical form (RFC 8785) that everything signed or compared is hashed in.

use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// A SHA-256 digest, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// Text that is not 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 digest: expected 64 lower-case hexadecimal digits")]
pub struct BadDigest;

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// A digest computed elsewhere.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads the hexadecimal form.
    ///
    /// # Errors
    /// [`BadDigest`] unless the text is exactly 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, BadDigest> {
        let mut out = [0_u8; 32];
        if text.len() != 64 {
            return Err(BadDigest);
        }
        for (slot, pair) in out.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let [high, low] = pair else { return Err(BadDigest) };
            *slot = (nibble(*high)? << 4) | nibble(*low)?;
        }
        Ok(Self(out))
    }
}

/// A digest in the making, of bytes that are never all in memory.
#[derive(Debug, Clone, Default)]
pub struct Hashing(sha2::Sha256);

impl Hashing {
    /// Adds the bytes that follow.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all of them.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// The seal of some bytes by a secret key: HMAC-SHA-256.
#[must_use]
pub fn keyed_hash(key: &[u8; 32], bytes: &[u8]) -> Digest {
    let pad = |byte: u8| {
        let mut block = [byte; 64];
        block.iter_mut().zip(key).for_each(|(slot, key)| *slot ^= key);
        block
    };
    let inner = sha2::Sha256::new().chain_update(pad(0x36)).chain_update(bytes).finalize();
    Digest(sha2::Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into())
}

/// The SHA-256 of a value's canonical JSON (RFC 8785).
///
/// Values hashed here come from the strict reader or from our own types, so integers beyond 2^53 and duplicate keys, which
/// the canonical form cannot tell apart, never reach it.
///
/// # Errors
/// Only for values that JSON cannot express, such as a map with keys that are not strings.
pub fn canonical_hash(value: &impl Serialize) -> Result<Digest, serde_json::Error> {
    canonical_json(value).map(|bytes| Digest::of(&bytes))
}

/// A value's canonical JSON (RFC 8785).
///
/// # Errors
/// As [`canonical_hash`].
pub fn canonical_json(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    serde_json_canonicalizer::to_vec(value)
}

fn nibble(byte: u8) -> Result<u8, BadDigest> {
    match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        _ => Err(BadDigest),
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or_default();
        let mut text = [0; 64];
        for (pair, byte) in text.as_chunks_mut().0.iter_mut().zip(self.0) {
            *pair = [digit(byte >> 4), digit(byte & 0xf)];
        }
        f.write_str(core::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for Digest {
    type Error = BadDigest;
    fn try_from(text: String) -> Result<Self, BadDigest> {
        Self::parse(&text)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}
