//! The signed root of the log at some size: a C2SP checkpoint in a signed note.
//!
//! ```text
//! exacta/019a2f3e-7c1d-7e2a-9b4f-0123456789ab
//! 42
//! CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
//!
//! — exacta/019a2f3e-7c1d-7e2a-9b4f-0123456789ab Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeO…
//! ```

use crate::approval::{PublicKey, Signature};
use crate::hash::Digest;
use crate::id::ProjectId;
use crate::prelude::*;
use base64ct::{Base64, Encoding as _};
use core::fmt;
use sha2::{Digest as _, Sha256};

/// The signature type of Ed25519 in signed notes.
const ED25519: u8 = 1;
/// How many signature lines are looked at.
const MAX_SIGNATURES: usize = 16;

/// The name of a log, and of the key that signs its checkpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

/// The root of a log at some size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which log.
    pub origin: Origin,
    /// How many entries it has.
    pub size: u64,
    /// The root of its Merkle tree.
    pub root: Digest,
}

/// A checkpoint whose signature was made or checked here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCheckpoint {
    checkpoint: Checkpoint,
    note: String,
}

/// Why a text is not a checkpoint to rely on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// Not of the form.
    #[error("not a checkpoint: {0}")]
    Malformed(&'static str),
    /// Of another log.
    #[error("the checkpoint is of another log, `{0}`")]
    OtherLog(String),
    /// No signature by a key that is trusted here.
    #[error("the checkpoint carries no signature by the log's key")]
    NotSigned,
    /// A signature in the key's name that the key did not make.
    #[error("the signature of the checkpoint is not valid")]
    BadSignature,
}

impl Origin {
    /// The log of a project.
    #[must_use]
    pub fn of(project: &ProjectId) -> Self {
        Self(format!("exacta/{project}"))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The four bytes by which a signed note refers to a key of this name.
    #[must_use]
    pub fn key_id(&self, key: &PublicKey) -> [u8; 4] {
        let mut hasher = Sha256::new();
        hasher.update(self.0.as_bytes());
        hasher.update([b'\n', ED25519]);
        hasher.update(key.as_bytes());
        let [a, b, c, d, ..] = <[u8; 32]>::from(hasher.finalize());
        [a, b, c, d]
    }

    /// The key as others are given it to verify signed notes with: C2SP's `NAME+HASH+KEY`.
    #[must_use]
    pub fn verifier_key(&self, key: &PublicKey) -> String {
        let mut bytes = vec![ED25519];
        bytes.extend(key.as_bytes());
        format!("{}+{:08x}+{}", self.0, u32::from_be_bytes(self.key_id(key)), encode(&bytes))
    }

    fn parse(text: &str) -> Result<Self, CheckpointError> {
        let plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '+';
        if text.is_empty() || !text.chars().all(plain) {
            return Err(CheckpointError::Malformed("its first line names no log"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Checkpoint {
    /// The text that is signed.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, encode(self.root.as_bytes()))
    }

    /// Signs it. `sign` makes the Ed25519 signature of the log's key over the bytes it is given.
    ///
    /// # Errors
    /// Whatever `sign` says, and [`CheckpointError::BadSignature`] if what it made is not a signature of `key`.
    pub fn sign<E: From<CheckpointError>>(
        self,
        key: &PublicKey,
        sign: impl FnOnce(&[u8]) -> Result<Signature, E>,
    ) -> Result<SignedCheckpoint, E> {
        let text = self.text();
        let signature = sign(text.as_bytes())?;
        if !key.verifies(text.as_bytes(), &signature) {
            return Err(CheckpointError::BadSignature.into());
        }
        let mut bytes = self.origin.key_id(key).to_vec();
        bytes.extend(signature.as_bytes());
        let note = format!("{text}\n— {} {}\n", self.origin, encode(&bytes));
        Ok(SignedCheckpoint { checkpoint: self, note })
    }

    /// Reads the text that is signed. Extension lines after the third are allowed and ignored, as C2SP asks.
    fn parse(text: &str) -> Result<Self, CheckpointError> {
        let bad = CheckpointError::Malformed;
        let mut lines = text.strip_suffix('\n').ok_or(bad("it does not end in a newline"))?.split('\n');
        let origin = Origin::parse(lines.next().unwrap_or_default())?;
        let size = lines.next().and_then(parse_size).ok_or(bad("its second line is not a size"))?;
        let root = lines.next().and_then(decode_digest).ok_or(bad("its third line is not a hash"))?;
        if lines.any(str::is_empty) {
            return Err(bad("an extension line is empty"));
        }
        Ok(Self { origin, size, root })
    }
}

impl SignedCheckpoint {
    /// Reads a signed note and checks that one of `keys` signed it as this log.
    ///
    /// # Errors
    /// [`CheckpointError`] says what does not hold. Signatures of others, such as witnesses, are passed over.
    pub fn verify(note: &str, origin: &Origin, keys: &[PublicKey]) -> Result<Self, CheckpointError> {
        if note.bytes().any(|byte| byte < b' ' && byte != b'\n') {
            return Err(CheckpointError::Malformed("it holds control characters"));
        }
        let separator = note.rfind("\n\n").ok_or(CheckpointError::Malformed("it has no signature"))?;
        let (text, signatures) = note.split_at(separator + 1);
        let checkpoint = Checkpoint::parse(text)?;
        if checkpoint.origin != *origin {
            return Err(CheckpointError::OtherLog(checkpoint.origin.0));
        }
        let lines = signatures.strip_prefix('\n').and_then(|rest| rest.strip_suffix('\n')).unwrap_or_default();
        let mut signed = false;
        for line in lines.split('\n').take(MAX_SIGNATURES) {
            signed |= is_signed(line, text, origin, keys)?;
        }
        if !signed {
            return Err(CheckpointError::NotSigned);
        }
        Ok(Self { checkpoint, note: note.to_owned() })
    }

    /// What is signed.
    #[must_use]
    pub const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// How many entries the log had.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.checkpoint.size
    }

    /// The root of its Merkle tree then.
    #[must_use]
    pub const fn root(&self) -> Digest {
        self.checkpoint.root
    }

    /// The signed note, as it is written to a file.
    #[must_use]
    pub fn note(&self) -> &str {
        &self.note
    }
}

impl fmt::Display for SignedCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.note)
    }
}

/// Whether a signature line is by one of the keys. A signature in a key's name that it did not make is an error.
fn is_signed(line: &str, text: &str, origin: &Origin, keys: &[PublicKey]) -> Result<bool, CheckpointError> {
    let bad = CheckpointError::Malformed("a signature line is malformed");
    let Some((name, encoded)) = line.strip_prefix("— ").and_then(|rest| rest.split_once(' ')) else {
        return Err(bad);
    };
    let mut buffer = [0_u8; 256];
    let bytes = Base64::decode(encoded, &mut buffer).map_err(|_| bad.clone())?;
    let (id, signature) = bytes.split_at_checked(4).ok_or(bad)?;
    let Some(key) = keys.iter().find(|key| name == origin.as_str() && origin.key_id(key) == *id) else {
        return Ok(false);
    };
    let signature = <[u8; 64]>::try_from(signature).map_err(|_| CheckpointError::BadSignature)?;
    if !key.verifies(text.as_bytes(), &Signature::from_bytes(signature)) {
        return Err(CheckpointError::BadSignature);
    }
    Ok(true)
}

/// A decimal number without leading zeroes.
pub(super) fn parse_size(text: &str) -> Option<u64> {
    let plain = text == "0" || !text.starts_with('0');
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (plain && digits).then(|| text.parse().ok()).flatten()
}

pub(super) fn encode(bytes: &[u8]) -> String {
    let mut buffer = [0_u8; 128];
    Base64::encode(bytes, &mut buffer).map(ToOwned::to_owned).unwrap_or_default()
}

pub(super) fn decode_digest(text: &str) -> Option<Digest> {
    let mut buffer = [0_u8; 32];
    let bytes = Base64::decode(text, &mut buffer).ok()?;
    <[u8; 32]>::try_from(bytes).ok().map(Digest::from_bytes)
}
