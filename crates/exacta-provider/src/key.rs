//! Keys: from an environment variable or the kernel's keyring, never from a file, and never shown.

use linux_keyutils::{KeyPermissionsBuilder, KeyRing, KeyRingIdentifier, Permission};
use zeroize::Zeroizing;

/// The longest key there is; the keyring's buffer.
const MAX_KEY: usize = 4096;

/// A key. It has neither `Debug` nor `Display`, and its memory is wiped.
pub struct Key(Zeroizing<String>);

/// Why there is no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Nothing is there.
    #[error("no key is there")]
    Missing,
    /// It could not be sent in a header.
    #[error("a key is one line of visible ASCII characters, at most 4096")]
    Malformed,
    /// The keyring does not work here.
    #[error("this system's keyring cannot be used")]
    NoKeyring,
}

impl Key {
    /// A key that somebody typed.
    ///
    /// # Errors
    /// [`KeyError::Malformed`], or [`KeyError::Missing`] for an empty one.
    pub fn new(text: Zeroizing<String>) -> Result<Self, KeyError> {
        let trimmed = text.trim();
        match trimmed {
            "" => Err(KeyError::Missing),
            key if key.len() > MAX_KEY || !key.bytes().all(|byte| byte.is_ascii_graphic()) => Err(KeyError::Malformed),
            key => Ok(Self(Zeroizing::new(key.to_owned()))),
        }
    }

    /// The key in an environment variable.
    ///
    /// # Errors
    /// If there is none, or it is no key.
    pub fn from_environment(variable: &str) -> Result<Self, KeyError> {
        let value = std::env::var(variable).map_err(|_| KeyError::Missing)?;
        Self::new(Zeroizing::new(value))
    }

    /// The key that [`Key::to_keyring`] put away under this name.
    ///
    /// # Errors
    /// If there is none, or it is no key.
    pub fn from_keyring(provider: &str) -> Result<Self, KeyError> {
        let found = keyring()?.search(&description(provider)).map_err(|_| KeyError::Missing)?;
        let mut buffer = Zeroizing::new(vec![0_u8; MAX_KEY]);
        let size = found.read(&mut *buffer).map_err(|_| KeyError::Missing)?;
        let bytes = buffer.get(..size).ok_or(KeyError::Malformed)?;
        let text = std::str::from_utf8(bytes).map_err(|_| KeyError::Malformed)?;
        Self::new(Zeroizing::new(text.to_owned()))
    }

    /// Puts the key into the user's keyring of the Linux kernel, where it stays until the machine is switched off.
    ///
    /// # Errors
    /// If there is no such keyring.
    pub fn to_keyring(&self, provider: &str) -> Result<(), KeyError> {
        let added = keyring()?.add_key(&description(provider), self.0.as_bytes()).map_err(|_| KeyError::NoKeyring)?;
        // A login whose session keyring does not lead to the user's has to read it too.
        let rights = KeyPermissionsBuilder::builder().posessor(Permission::ALL).user(Permission::ALL);
        added.set_perms(rights.build()).map_err(|_| KeyError::NoKeyring)
    }

    /// Takes the key out of the keyring, if it is there.
    pub fn forget(provider: &str) {
        if let Ok(found) = keyring().and_then(|ring| ring.search(&description(provider)).map_err(|_| KeyError::Missing))
        {
            let _gone = found.invalidate();
        }
    }

    /// For the header of a request, and nothing else.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

/// The user's own keyring: other users cannot read it, every login of this one can.
fn keyring() -> Result<KeyRing, KeyError> {
    KeyRing::from_special_id(KeyRingIdentifier::User, true).map_err(|_| KeyError::NoKeyring)
}

fn description(provider: &str) -> String {
    format!("exacta:provider:{provider}")
}
