//! Approvers' keys: files with an Ed25519 seed, plain or sealed with a passphrase.

use crate::document::{self, Document};
use crate::file::{Lock, Trust};
use crate::seal::{Hex, Sealed};
use crate::{FileError, Home};
use ed25519_dalek::Signer as _;
use exacta_kernel::approval::setting::{SettingStatement, SignedSetting};
use exacta_kernel::approval::{ApprovalError, ApproverName, PublicKey, Signature, SignedStatement, Statement};
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// A key as it lies in a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyFile {
    name: ApproverName,
    public_key: PublicKey,
    secret: Secret,
}

/// A key that can sign. Its seed is wiped from memory when it is dropped.
pub struct SigningKey {
    name: ApproverName,
    public_key: PublicKey,
    key: ed25519_dalek::SigningKey,
}

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no such file.
    #[error("there is no key file `{}`", .0.display())]
    Missing(PathBuf),
    /// A key is never overwritten.
    #[error("there is a key file `{}` already", .0.display())]
    Exists(PathBuf),
    /// It is sealed, and no passphrase was given.
    #[error("the key of `{0}` needs its passphrase")]
    PassphraseNeeded(ApproverName),
    /// The seal does not open: the passphrase is wrong, or the file was changed.
    #[error("wrong passphrase for the key of `{0}`, or its file was changed")]
    WrongPassphrase(ApproverName),
    /// It protects nothing.
    #[error("an empty passphrase protects nothing")]
    EmptyPassphrase,
    /// The seed in the file belongs to another public key, or the way it is sealed is out of bounds.
    #[error("the key file of `{0}` does not fit together")]
    Damaged(ApproverName),
    /// The key that signs checkpoints is unusable.
    #[error("the key that signs the log's checkpoints is unusable")]
    LogKey,
    /// The statement names another approver.
    #[error("the key of `{key}` cannot sign for `{approver}`")]
    NotTheirs {
        /// Whose key it is.
        key: ApproverName,
        /// Who the statement says decided.
        approver: ApproverName,
    },
    /// It cannot be signed.
    #[error(transparent)]
    Statement(#[from] ApprovalError),
    /// The system gave no randomness.
    #[error("this system gives no random numbers")]
    NoRandomness,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Secret {
    Plain { seed: Hex<32> },
    Sealed(Sealed),
}

impl Document for KeyFile {
    const SCHEMA: &'static str = "exacta.key/1";
    const TRUST: Trust = Trust::Secret;
}

impl KeyFile {
    /// Makes a key, sealed with a passphrase if one is given. It is nowhere but in memory until it is saved.
    ///
    /// # Errors
    /// [`KeyError::EmptyPassphrase`], or where the system gives no randomness.
    pub fn generate(name: &ApproverName, passphrase: Option<&str>) -> Result<(Self, SigningKey), KeyError> {
        let seed = Hex::random().map_err(|_| KeyError::NoRandomness)?;
        let key = SigningKey::from_seed(name, &seed)?;
        Ok((Self::of(&key, passphrase)?, key))
    }

    /// An unlocked key, sealed with another passphrase, or with none. It opens to the same key, or it is not made.
    ///
    /// # Errors
    /// As [`KeyFile::generate`].
    pub fn of(key: &SigningKey, passphrase: Option<&str>) -> Result<Self, KeyError> {
        let seed = Hex::from_bytes(key.seed());
        let secret = match passphrase {
            None => Secret::Plain { seed },
            Some("") => return Err(KeyError::EmptyPassphrase),
            Some(passphrase) => {
                let sealed = Sealed::seal(&seed, passphrase, &bound(&key.name, &key.public_key)?);
                Secret::Sealed(sealed.map_err(|_| KeyError::NoRandomness)?)
            }
        };
        Ok(Self { name: key.name.clone(), public_key: key.public_key, secret })
    }

    /// Puts this in the place of the file of the same key, in one step: whatever happens, one of the two is there.
    ///
    /// # Errors
    /// Where the file is not that of this key, or cannot be written.
    pub fn replace(&self, path: &Path) -> Result<(), KeyError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let lock = Lock::on(folder)?;
        let there = Self::load(path)?;
        if (&there.name, there.public_key) != (&self.name, self.public_key) {
            return Err(KeyError::Damaged(self.name.clone()));
        }
        Ok(document::write(&lock, path, self)?)
    }

    /// Reads a key file, wherever it is. Nobody but its owner may be able to read it.
    ///
    /// # Errors
    /// Where it is missing, damaged, or not private.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        document::read(path)?.ok_or_else(|| KeyError::Missing(path.to_owned()))
    }

    /// Writes the key to a new file, readable by its owner alone.
    ///
    /// # Errors
    /// [`KeyError::Exists`]: a key is never overwritten.
    pub fn save(&self, path: &Path) -> Result<(), KeyError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let lock = Lock::on(folder)?;
        if path.symlink_metadata().is_ok() {
            return Err(KeyError::Exists(path.to_owned()));
        }
        Ok(document::write(&lock, path, self)?)
    }

    /// Whose key it says it is.
    #[must_use]
    pub const fn name(&self) -> &ApproverName {
        &self.name
    }

    /// The public half.
    #[must_use]
    pub const fn public_key(&self) -> PublicKey {
        self.public_key
    }

    /// Whether a passphrase is needed.
    #[must_use]
    pub const fn is_encrypted(&self) -> bool {
        matches!(self.secret, Secret::Sealed(_))
    }

    /// The key, ready to sign. Slow on purpose where it is sealed, so that guessing takes long.
    ///
    /// # Errors
    /// Where the passphrase is missing or wrong, or the file was changed.
    pub fn unlock(&self, passphrase: Option<&str>) -> Result<SigningKey, KeyError> {
        let key = match &self.secret {
            Secret::Plain { seed } => SigningKey::from_seed(&self.name, seed)?,
            Secret::Sealed(sealed) => {
                let passphrase = passphrase.ok_or_else(|| KeyError::PassphraseNeeded(self.name.clone()))?;
                if !sealed.is_bearable() {
                    return Err(KeyError::Damaged(self.name.clone()));
                }
                let seed = sealed.open(passphrase, &bound(&self.name, &self.public_key)?);
                let seed = seed.ok_or_else(|| KeyError::WrongPassphrase(self.name.clone()))?;
                SigningKey::from_seed(&self.name, &seed)?
            }
        };
        if key.public_key == self.public_key { Ok(key) } else { Err(KeyError::Damaged(self.name.clone())) }
    }
}

impl SigningKey {
    /// Whose key it is.
    #[must_use]
    pub const fn name(&self) -> &ApproverName {
        &self.name
    }

    /// The public half.
    #[must_use]
    pub const fn public_key(&self) -> PublicKey {
        self.public_key
    }

    /// Signs a decision about a plan.
    ///
    /// # Errors
    /// [`KeyError::NotTheirs`] where it names another approver.
    pub fn sign(&self, statement: &Statement) -> Result<SignedStatement, KeyError> {
        let signature = self.sign_for(&statement.approver, &statement.signing_bytes()?)?;
        Ok(statement.clone().with_signature(signature))
    }

    /// Signs a decision about policy, profile or approvers.
    ///
    /// # Errors
    /// [`KeyError::NotTheirs`] where it names another approver.
    pub fn sign_setting(&self, statement: &SettingStatement) -> Result<SignedSetting, KeyError> {
        let signature = self.sign_for(&statement.approver, &statement.signing_bytes()?)?;
        Ok(statement.clone().with_signature(signature))
    }

    pub(crate) fn seed(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    pub(crate) fn from_seed(name: &ApproverName, seed: &Hex<32>) -> Result<Self, KeyError> {
        let key = ed25519_dalek::SigningKey::from_bytes(seed.as_bytes());
        let public_key = PublicKey::from_bytes(key.verifying_key().to_bytes());
        let public_key = public_key.map_err(|_| KeyError::Damaged(name.clone()))?;
        Ok(Self { name: name.clone(), public_key, key })
    }

    fn sign_for(&self, approver: &ApproverName, bytes: &[u8]) -> Result<Signature, KeyError> {
        if *approver != self.name {
            return Err(KeyError::NotTheirs { key: self.name.clone(), approver: approver.clone() });
        }
        Ok(Signature::from_bytes(self.key.sign(bytes).to_bytes()))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("name", &self.name).field("public_key", &self.public_key).finish()
    }
}

impl Home {
    /// Where the key of an approver of this home lies.
    #[must_use]
    pub fn key_path(&self, name: &ApproverName) -> PathBuf {
        self.config.join("keys").join(format!("{name}.key"))
    }
}

impl KeyError {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Hint {
        match self {
            Self::File(error) => error.hint(),
            Self::Missing(_) => hint!["see ", Remedy::ApproverList, "; name another file with `--approver-key FILE`"],
            Self::Exists(_) => hint!["choose another name, or move the old file away"],
            Self::PassphraseNeeded(_) => hint!["give the command at a terminal, where it can be asked for"],
            Self::WrongPassphrase(_) => {
                hint![
                    "try again; a forgotten passphrase cannot be recovered: let another approver decide, or, where there is none, move `approvers.toml` away and begin with a new key: ",
                    Remedy::InitApprover
                ]
            }
            Self::EmptyPassphrase => hint!["choose one, or say `--no-passphrase`"],
            Self::Damaged(_) => hint!["put back a copy of the key file, or add another approver"],
            Self::LogKey => hint!["put back a copy of `log.key` in the state folder"],
            Self::NotTheirs { .. } => hint!["sign with the key of the approver who decides"],
            Self::Statement(error) => error.hint(),
            Self::NoRandomness => hint!["nothing can be signed safely on this system"],
        }
    }
}

/// What a sealed seed is tied to: a file with another name or public key does not open.
fn bound(name: &ApproverName, public_key: &PublicKey) -> Result<Vec<u8>, KeyError> {
    #[derive(Serialize)]
    struct Bound<'a> {
        schema: &'a str,
        name: &'a ApproverName,
        public_key: &'a PublicKey,
    }
    exacta_kernel::hash::canonical_json(&Bound { schema: KeyFile::SCHEMA, name, public_key })
        .map_err(|_| KeyError::Damaged(name.clone()))
}
