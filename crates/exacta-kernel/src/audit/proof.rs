//! A receipt that anyone can check offline: this entry is in that log (C2SP `tlog-proof`).

use super::checkpoint::{CheckpointError, Origin, SignedCheckpoint, decode_digest, encode, parse_size};
use super::merkle::{leaf_hash, root_of_inclusion};
use crate::approval::PublicKey;
use crate::hash::Digest;
use crate::prelude::*;

const HEADER: &str = "c2sp.org/tlog-proof@v1";
/// A tree of 2^64 leaves is no deeper.
const MAX_HASHES: usize = 64;

/// Proof that one entry is under a signed checkpoint. It proves nothing until [`LogReceipt::verify`] has seen the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogReceipt {
    /// The entry's place in the log.
    pub index: u64,
    /// From the leaf to the root, nearest first.
    pub hashes: Vec<Digest>,
    /// The signed note.
    pub checkpoint: String,
}

/// Why a receipt proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// Not of the form.
    #[error("not a receipt: {0}")]
    Malformed(&'static str),
    /// Its checkpoint does not hold.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The entry is not the one the receipt was made for.
    #[error("the entry is not in the log at the place the receipt names")]
    NotIncluded,
}

impl LogReceipt {
    /// The receipt as a `.tlog-proof` file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{HEADER}\nindex {}\n", self.index);
        for hash in &self.hashes {
            text.push_str(&encode(hash.as_bytes()));
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&self.checkpoint);
        text
    }

    /// Reads a `.tlog-proof` file. An `extra` line is allowed and ignored: nothing vouches for it.
    ///
    /// # Errors
    /// [`ReceiptError::Malformed`].
    pub fn parse(text: &str) -> Result<Self, ReceiptError> {
        let bad = ReceiptError::Malformed;
        let (proof, checkpoint) = text.split_once("\n\n").ok_or(bad("it has no checkpoint"))?;
        let mut lines = proof.split('\n').peekable();
        if lines.next() != Some(HEADER) {
            return Err(bad("its first line is not `c2sp.org/tlog-proof@v1`"));
        }
        let _extra = lines.next_if(|line| line.starts_with("extra "));
        let index = lines.next().and_then(|line| line.strip_prefix("index ")).and_then(parse_size);
        let index = index.ok_or(bad("it names no index"))?;
        let hashes: Option<Vec<_>> = lines.map(decode_digest).take(MAX_HASHES + 1).collect();
        let hashes = hashes.filter(|hashes| hashes.len() <= MAX_HASHES).ok_or(bad("a line is not a hash"))?;
        Ok(Self { index, hashes, checkpoint: checkpoint.to_owned() })
    }

    /// Checks that the log signed for this line.
    ///
    /// # Errors
    /// [`ReceiptError`] says what does not hold.
    pub fn verify(&self, line: &[u8], origin: &Origin, keys: &[PublicKey]) -> Result<SignedCheckpoint, ReceiptError> {
        let signed = SignedCheckpoint::verify(&self.checkpoint, origin, keys)?;
        let (size, root) = (signed.checkpoint().size, signed.checkpoint().root);
        if root_of_inclusion(leaf_hash(line), self.index, size, &self.hashes) != Some(root) {
            return Err(ReceiptError::NotIncluded);
        }
        Ok(signed)
    }
}
