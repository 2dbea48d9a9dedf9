//! A seed sealed with a passphrase: Argon2id makes a key of the passphrase, XChaCha20-Poly1305 seals with it.

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use zeroize::{Zeroize as _, Zeroizing};

/// What one guess at a passphrase costs: 64 MiB of memory, three passes over it.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 1;
/// More than this is not our doing, and would only make this machine swap.
const MOST_MEMORY_KIB: u32 = 1024 * 1024;
const MOST_PASSES: u32 = 16;

/// A sealed seed and all that is needed to open it, save the passphrase.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sealed {
    kdf: Kdf,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    salt: Hex<16>,
    cipher: Cipher,
    nonce: Hex<24>,
    ciphertext: Hex<48>,
}

#[derive(Debug, Serialize, Deserialize)]
enum Kdf {
    #[serde(rename = "argon2id")]
    Argon2id,
}

#[derive(Debug, Serialize, Deserialize)]
enum Cipher {
    #[serde(rename = "xchacha20-poly1305")]
    XChaCha20Poly1305,
}

/// Bytes that may be secret, written in hexadecimal; wiped when dropped, never shown.
pub(crate) struct Hex<const N: usize>([u8; N]);

/// The system gave no randomness, or no memory.
#[derive(Debug)]
pub(crate) struct NoMeans;

impl Sealed {
    /// Seals a seed. `bound` is not secret, but the seal does not open with another.
    pub(crate) fn seal(seed: &Hex<32>, passphrase: &str, bound: &[u8]) -> Result<Self, NoMeans> {
        let (salt, nonce) = (Hex::<16>::random()?, Hex::<24>::random()?);
        let mut sealed = Self {
            kdf: Kdf::Argon2id,
            memory_kib: MEMORY_KIB,
            passes: PASSES,
            lanes: LANES,
            salt,
            cipher: Cipher::XChaCha20Poly1305,
            nonce,
            ciphertext: Hex([0; 48]),
        };
        let cipher = sealed.cipher(passphrase).ok_or(NoMeans)?;
        let payload = Payload { msg: seed.as_bytes(), aad: bound };
        let ciphertext = cipher.encrypt(&XNonce::from(sealed.nonce.0), payload).map_err(|_| NoMeans)?;
        sealed.ciphertext = Hex(ciphertext.try_into().map_err(|_| NoMeans)?);
        Ok(sealed)
    }

    /// The seed, if the passphrase is right and nothing was changed.
    pub(crate) fn open(&self, passphrase: &str, bound: &[u8]) -> Option<Hex<32>> {
        let payload = Payload { msg: self.ciphertext.as_bytes(), aad: bound };
        let seed = self.cipher(passphrase)?.decrypt(&XNonce::from(self.nonce.0), payload).ok().map(Zeroizing::new)?;
        seed.as_slice().try_into().ok().map(Hex)
    }

    /// Whether opening it costs no more than this machine should spend on a file that somebody may have changed.
    pub(crate) const fn is_bearable(&self) -> bool {
        self.memory_kib <= MOST_MEMORY_KIB && self.passes <= MOST_PASSES && self.lanes <= 4
    }

    fn cipher(&self, passphrase: &str) -> Option<XChaCha20Poly1305> {
        let params = Params::new(self.memory_kib, self.passes, self.lanes, Some(32)).ok()?;
        let kdf = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut key = Zeroizing::new([0_u8; 32]);
        kdf.hash_password_into(passphrase.as_bytes(), self.salt.as_bytes(), &mut *key).ok()?;
        XChaCha20Poly1305::new_from_slice(&*key).ok()
    }
}

impl<const N: usize> Hex<N> {
    /// Fresh random bytes.
    pub(crate) fn random() -> Result<Self, NoMeans> {
        let mut bytes = [0; N];
        getrandom::fill(&mut bytes).map_err(|_| NoMeans)?;
        Ok(Self(bytes))
    }

    pub(crate) const fn from_bytes(bytes: &[u8; N]) -> Self {
        Self(*bytes)
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; N] {
        &self.0
    }
}

impl<const N: usize> Drop for Hex<N> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<const N: usize> fmt::Debug for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl<const N: usize> Serialize for Hex<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
        let mut text = Zeroizing::new(String::with_capacity(N * 2));
        for byte in &self.0 {
            text.push(digit(byte >> 4));
            text.push(digit(byte & 15));
        }
        serializer.serialize_str(&text)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Hex<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits<const N: usize>;
        impl<const N: usize> de::Visitor<'_> for Digits<N> {
            type Value = Hex<N>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} lower-case hexadecimal digits", N * 2)
            }
            // The text is not repeated in the error: it may be most of a secret.
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Hex<N>, E> {
                parse(text).ok_or_else(|| E::custom("expected lower-case hexadecimal digits"))
            }
        }
        deserializer.deserialize_str(Digits)
    }
}

fn parse<const N: usize>(text: &str) -> Option<Hex<N>> {
    let nibble = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut out = Hex([0; N]);
    if text.len() != N * 2 {
        return None;
    }
    for (slot, pair) in out.0.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *slot = (nibble(*high)? << 4) | nibble(*low)?;
    }
    Some(out)
}
