//! What the user's folder keeps of sites: in which project each one lives, what it offered when it was last asked, and passwords, in
//! files of their own, mode 0600. None of it grants anything: a site is in its project's record, signed.

use crate::FileError;
use crate::document::{self, Document};
use crate::file::{self, Lock, Trust};
use crate::{Home, HomeError, site_keyring};
use exacta_kernel::approval::ApprovalError;
use exacta_kernel::hash::Digest;
use exacta_kernel::site::{PasswordSource, SiteName, SiteSetup};
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// In which folder each site lives.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Places(BTreeMap<SiteName, PathBuf>);

/// What a site offered when it was last asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteState {
    /// The setup it is about: of another one nothing is known.
    pub setup: Digest,
    /// Its manifest.
    pub manifest: Value,
    /// The manifest's hash.
    pub sha256: Digest,
    /// When.
    pub at: Timestamp,
}

impl Document for Places {
    const SCHEMA: &'static str = "exacta.sites/2";
}

impl Document for SiteState {
    const SCHEMA: &'static str = "exacta.site-state/1";
}

impl Home {
    /// Every site of the user, and the folder of the project that it lives in.
    ///
    /// # Errors
    /// Where the list is damaged or could have been changed by others.
    pub fn sites(&self) -> Result<BTreeMap<SiteName, PathBuf>, HomeError> {
        Ok(document::read::<Places>(&self.site_places())?.unwrap_or_default().0)
    }

    /// Gives a name to a site of this project, unless another one has it: then the other's project.
    ///
    /// # Errors
    /// Where the list cannot be read or written.
    pub fn claim_site(&self, name: &SiteName, root: &Path) -> Result<Option<PathBuf>, HomeError> {
        let lock = Lock::on(&self.site_folder())?;
        let mut places = document::read::<Places>(&self.site_places())?.unwrap_or_default();
        if let Some(taken) = places.0.get(name) {
            return Ok(Some(taken.clone()));
        }
        places.0.insert(name.clone(), root.to_owned());
        document::write(&lock, &self.site_places(), &places)?;
        Ok(None)
    }

    /// Gives a name up.
    ///
    /// # Errors
    /// Where the list cannot be read or written.
    pub fn release_site(&self, name: &SiteName) -> Result<(), HomeError> {
        let lock = Lock::on(&self.site_folder())?;
        let mut places = document::read::<Places>(&self.site_places())?.unwrap_or_default();
        places.0.remove(name);
        Ok(document::write(&lock, &self.site_places(), &places)?)
    }

    /// What a site as it is set up now offered when it was last asked.
    ///
    /// # Errors
    /// Where the file is damaged or could have been changed by others.
    pub fn site_state(&self, setup: &SiteSetup) -> Result<Option<SiteState>, HomeError> {
        let subject = setup.subject().map_err(|_| ApprovalError::NotCanonical)?;
        let state: Option<SiteState> = document::read(&self.site_folder().join(format!("{}.json", setup.name)))?;
        Ok(state.filter(|state| state.setup == subject))
    }

    /// Remembers what a site offers.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn set_site_state(&self, name: &SiteName, state: &SiteState) -> Result<(), HomeError> {
        let lock = Lock::on(&self.site_folder())?;
        Ok(document::write(&lock, &self.site_folder().join(format!("{name}.json")), state)?)
    }

    /// A site's application password; `None` where it is not there.
    ///
    /// # Errors
    /// Where others could read it.
    pub fn site_password(&self, setup: &SiteSetup) -> Result<Option<Zeroizing<String>>, HomeError> {
        let (path, kept) = match &setup.password {
            PasswordSource::Environment(variable) => {
                return Ok(std::env::var(variable).ok().filter(|text| !text.trim().is_empty()).map(Zeroizing::new));
            }
            PasswordSource::File(path) => (PathBuf::from(path), "a password file"),
            PasswordSource::Kept => (self.password_file(&setup.name), "a kept password"),
            PasswordSource::Keyring => return Ok(site_keyring::read(&setup.name)),
        };
        let Some(bytes) = file::read(&path, Trust::Secret)? else { return Ok(None) };
        let text = str::from_utf8(&bytes).map_err(|_| malformed(&path, &format!("{kept} is text")))?;
        Ok(Some(Zeroizing::new(text.trim().to_owned())).filter(|text| !text.is_empty()))
    }

    /// Keeps a site's application password where its setup says, in a file that only the user can read or in the keyring, while
    /// something is done that needs it. Where that fails, the password is what it was, or gone.
    ///
    /// # Errors
    /// Where it cannot be kept, and as `done`.
    pub fn keep_site_password<T, E: From<HomeError>>(
        &self,
        setup: &SiteSetup,
        password: &str,
        done: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let before = self.site_password(setup)?;
        self.write_site_password(setup, Some(password))?;
        done().inspect_err(|_| {
            // What cannot be put back now is told by the error that came first.
            let _put_back = self.write_site_password(setup, before.as_deref().map(String::as_str));
        })
    }

    /// Forgets a site's application password, if it is kept here.
    ///
    /// # Errors
    /// Where it cannot be removed.
    pub fn forget_site_password(&self, setup: &SiteSetup) -> Result<(), HomeError> {
        self.write_site_password(setup, None)
    }

    fn write_site_password(&self, setup: &SiteSetup, password: Option<&str>) -> Result<(), HomeError> {
        match (&setup.password, password) {
            (PasswordSource::Kept, password) => {
                let (lock, path) = (Lock::on(&self.passwords())?, self.password_file(&setup.name));
                Ok(password.map_or_else(|| lock.remove(&path), |password| lock.write(&path, password.as_bytes()))?)
            }
            (PasswordSource::Keyring, Some(password)) => {
                site_keyring::keep(&setup.name, password).map_err(|_| HomeError::NoKeyring)
            }
            (PasswordSource::Keyring, None) => {
                site_keyring::forget(&setup.name);
                Ok(())
            }
            (PasswordSource::Environment(_) | PasswordSource::File(_), _) => Ok(()),
        }
    }

    fn site_folder(&self) -> PathBuf {
        self.state.join("sites")
    }

    fn site_places(&self) -> PathBuf {
        self.site_folder().join(".places")
    }

    fn passwords(&self) -> PathBuf {
        self.config.join("site-passwords")
    }

    fn password_file(&self, name: &SiteName) -> PathBuf {
        self.passwords().join(name.as_str())
    }
}

fn malformed(path: &Path, why: &str) -> FileError {
    FileError::Malformed { path: path.to_owned(), why: why.to_owned() }
}
