//! The key that signs the logs' checkpoints. Made at first use, in the state folder.
//!
//! It belongs to the machine's user and needs no passphrase: it shows that this installation wrote a log, not that a person
//! agreed to anything.

use crate::document::{self, Document};
use crate::file::{Lock, Trust};
use crate::seal::Hex;
use crate::{Home, HomeError, KeyError};
use ed25519_dalek::Signer as _;
use exacta_kernel::approval::{PublicKey, Signature};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Signs checkpoints.
pub struct LogKey {
    public_key: PublicKey,
    key: ed25519_dalek::SigningKey,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogKeyFile {
    seed: Hex<32>,
}

impl Document for LogKeyFile {
    const SCHEMA: &'static str = "exacta.log-key/1";
    const TRUST: Trust = Trust::Secret;
}

impl Home {
    /// The key that signs checkpoints of all of this user's logs; made where there is none.
    ///
    /// # Errors
    /// Where the file cannot be read, is not private, or cannot be made.
    pub fn log_key(&self) -> Result<LogKey, HomeError> {
        let path = self.state.join("log.key");
        if let Some(file) = document::read::<LogKeyFile>(&path)? {
            return LogKey::from_seed(&file.seed);
        }
        let lock = Lock::on(&self.state)?;
        if let Some(file) = document::read::<LogKeyFile>(&path)? {
            return LogKey::from_seed(&file.seed);
        }
        let file = LogKeyFile { seed: Hex::random().map_err(|_| KeyError::NoRandomness)? };
        document::write(&lock, &path, &file)?;
        LogKey::from_seed(&file.seed)
    }

    /// The public half, for verifying; `None` where no log was ever signed.
    ///
    /// # Errors
    /// Where the file cannot be read or is not private.
    pub fn log_public_key(&self) -> Result<Option<PublicKey>, HomeError> {
        let file = document::read::<LogKeyFile>(&self.state.join("log.key"))?;
        file.map(|file| LogKey::from_seed(&file.seed).map(|key| key.public_key)).transpose()
    }
}

impl LogKey {
    /// The public half.
    #[must_use]
    pub const fn public_key(&self) -> PublicKey {
        self.public_key
    }

    /// Signs the text of a checkpoint.
    #[must_use]
    pub fn sign(&self, checkpoint: &[u8]) -> Signature {
        Signature::from_bytes(self.key.sign(checkpoint).to_bytes())
    }

    fn from_seed(seed: &Hex<32>) -> Result<Self, HomeError> {
        let key = ed25519_dalek::SigningKey::from_bytes(seed.as_bytes());
        let public_key = PublicKey::from_bytes(key.verifying_key().to_bytes());
        let public_key = public_key.map_err(|_| KeyError::LogKey)?;
        Ok(Self { public_key, key })
    }
}

impl fmt::Debug for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogKey").field("public_key", &self.public_key).finish()
    }
}
