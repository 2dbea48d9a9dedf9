//! The keys of approvers that are here, and unlocking them.

use crate::error::{Error, Exit};
use crate::options::Options;
use exacta_home::{FileError, KeyError, Weakness};
use exacta_home::{KeyFile, SigningKey};
use exacta_kernel::approval::{ApproverName, PublicKey};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use std::path::{Path, PathBuf};

/// The person's own key: the named file, or the oldest key here that an approver on the list owns, which is the one that
/// `init` made.
///
/// # Errors
/// If there is none.
#[expect(clippy::disallowed_methods, reason = "the user's own folder")]
pub fn own_key(options: &Options, file: Option<&Path>) -> Result<KeyFile, Error> {
    if let Some(file) = file {
        return KeyFile::load(file).map_err(not_a_key);
    }
    let home = options.home()?;
    let listed = home.approvers()?;
    let mut own = Vec::new();
    for approver in listed.iter().filter(|approver| approver.removed_at.is_none()) {
        let path: PathBuf = home.key_path(&approver.name);
        if path.exists() {
            let file = KeyFile::load(&path)?;
            if file.public_key() == approver.public_key {
                own.push(file);
            }
        }
    }
    own.into_iter().next().ok_or_else(no_key)
}

/// The key of the approver of this name.
///
/// # Errors
/// If it is not here, or that approver is not on the list.
pub fn key_of(options: &Options, name: &ApproverName) -> Result<KeyFile, Error> {
    let home = options.home()?;
    let file = KeyFile::load(&home.key_path(name))?;
    if is_listed(options, file.public_key())? { Ok(file) } else { Err(no_key()) }
}

/// Whether whoever has this key is an approver.
///
/// # Errors
/// If the list cannot be read.
pub fn is_listed(options: &Options, key: PublicKey) -> Result<bool, Error> {
    let listed = options.home()?.approvers()?;
    Ok(listed.iter().any(|approver| approver.removed_at.is_none() && approver.public_key == key))
}

/// A key that was unlocked less than ten minutes ago, or needs no passphrase.
///
/// # Errors
/// If the key file is damaged.
pub fn unlocked(options: &Options, file: &KeyFile) -> Result<Option<SigningKey>, Error> {
    if !file.is_encrypted() {
        return Ok(Some(file.unlock(None)?));
    }
    Ok(options.home()?.remembered(file))
}

/// Unlocks a key and remembers it for ten minutes.
///
/// # Errors
/// If the passphrase is wrong.
pub fn unlock(options: &Options, file: &KeyFile, passphrase: &str) -> Result<SigningKey, Error> {
    let key = file.unlock(Some(passphrase))?;
    let _where = options.home()?.remember(&key);
    Ok(key)
}

/// A file that was named for a key and is none is not to be repaired or moved away.
fn not_a_key(error: KeyError) -> Error {
    use Weakness::{NotAFile, NotAFolder, TooLarge};
    let unfit = matches!(
        error,
        KeyError::File(
            FileError::Malformed { .. } | FileError::Unsafe { weakness: NotAFile | NotAFolder | TooLarge, .. }
        )
    );
    let told = Error::from(error);
    if unfit { told.hint(hint!["name a key file; ", Remedy::ApproverKeys, " says where yours are"]) } else { told }
}

fn no_key() -> Error {
    Error::new(Exit::Usage, "key_missing", "no approver's key is here")
        .hint(hint![Remedy::Init, " makes your first key; or name one with `--approver-key FILE`"])
}
