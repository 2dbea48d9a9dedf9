//! The list of approvers, `approvers.toml`: whose signature counts.
//!
//! Removed approvers stay on it, marked, so that old decisions can be explained.

use crate::file::{self, Lock, Trust};
use crate::{FileError, Home, HomeError};
use exacta_kernel::approval::setting::{SettingDemand, SettingVerb, VerifiedSetting, approver_subject, verify};
use exacta_kernel::approval::{Approver, ApproverName};
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const SCHEMA: &str = "exacta.approvers/1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    schema: String,
    #[serde(default, rename = "approver")]
    approvers: Vec<Approver>,
}

#[derive(Deserialize)]
struct SchemaOnly {
    schema: String,
}

impl Home {
    /// Everybody who is or was an approver, in the order they were added.
    ///
    /// # Errors
    /// Where the list is damaged or could have been changed by others.
    pub fn approvers(&self) -> Result<Vec<Approver>, HomeError> {
        Ok(read(&self.approvers_file())?)
    }

    /// Puts the first approver on an empty list. Nobody needs to sign for it.
    ///
    /// # Errors
    /// [`HomeError::NotTheFirst`] where anybody is or ever was on the list.
    pub fn add_first_approver(&self, approver: &Approver) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let mut list = self.approvers()?;
        if !list.is_empty() {
            return Err(HomeError::NotTheFirst);
        }
        list.push(approver.clone());
        Ok(self.write_approvers(&lock, list)?)
    }

    /// Puts another approver on the list, for whom one that is on it has signed.
    ///
    /// # Errors
    /// Where the name or key is taken, or the signature is for something else or no longer counts.
    pub fn add_approver(&self, approver: &Approver, by: &VerifiedSetting) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let mut list = self.approvers()?;
        authorise(SettingVerb::ApproverAdd, approver, approver.added_at, by, &list)?;
        for listed in list.iter().filter(|listed| listed.removed_at.is_none()) {
            if listed.name == approver.name {
                return Err(HomeError::ApproverExists(listed.name.clone()));
            }
            if listed.public_key == approver.public_key {
                return Err(HomeError::KeyInUse(listed.name.clone()));
            }
        }
        list.push(approver.clone());
        Ok(self.write_approvers(&lock, list)?)
    }

    /// Takes an approver off the list, for which one that is on it has signed. The entry stays, marked.
    ///
    /// # Errors
    /// Where there is no such approver, it is the last, or the signature is for something else or no longer counts.
    pub fn remove_approver(
        &self,
        name: &ApproverName,
        at: Timestamp,
        by: &VerifiedSetting,
    ) -> Result<Approver, HomeError> {
        let lock = Lock::on(&self.config)?;
        let mut list = self.approvers()?;
        let listed = list.iter().filter(|approver| approver.removed_at.is_none()).count();
        let found = list.iter().position(|approver| approver.name == *name && approver.removed_at.is_none());
        let approver = found.and_then(|index| list.get(index)).ok_or_else(|| HomeError::NoApprover(name.clone()))?;
        authorise(SettingVerb::ApproverRemove, approver, at, by, &list)?;
        if listed == 1 {
            return Err(HomeError::LastApprover(name.clone()));
        }
        let removed = Approver { removed_at: Some(at), ..approver.clone() };
        for slot in list.iter_mut().filter(|approver| approver.name == *name && approver.removed_at.is_none()) {
            slot.removed_at = Some(at);
        }
        self.write_approvers(&lock, list)?;
        Ok(removed)
    }

    /// Where the list is.
    #[must_use]
    pub fn approvers_file(&self) -> PathBuf {
        self.config.join("approvers.toml")
    }

    fn write_approvers(&self, lock: &Lock, approvers: Vec<Approver>) -> Result<(), FileError> {
        let path = self.approvers_file();
        let list = List { schema: SCHEMA.to_owned(), approvers };
        let text = toml::to_string(&list)
            .map_err(|error| FileError::Malformed { path: path.clone(), why: error.to_string() })?;
        lock.write(&path, text.as_bytes())
    }
}

/// Checks the signature again, against the list as it is under the lock: the signer may have been removed since.
fn authorise(
    verb: SettingVerb,
    approver: &Approver,
    now: Timestamp,
    by: &VerifiedSetting,
    list: &[Approver],
) -> Result<(), HomeError> {
    let subject = approver_subject(&approver.name, &approver.public_key);
    verify(by.signed(), list, &SettingDemand { verb, project: None, subject, now })?;
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Approver>, FileError> {
    let malformed = |why: String| FileError::Malformed { path: path.to_owned(), why };
    let Some(bytes) = file::read(path, Trust::Own)? else { return Ok(Vec::new()) };
    let text = std::str::from_utf8(&bytes).map_err(|_| malformed("it is not UTF-8".to_owned()))?;
    let found: SchemaOnly = toml::from_str(text).map_err(|error| malformed(error.message().to_owned()))?;
    if found.schema != SCHEMA {
        return Err(FileError::Newer { path: path.to_owned(), schema: found.schema });
    }
    let list: List = toml::from_str(text).map_err(|error| malformed(error.message().to_owned()))?;
    Ok(list.approvers)
}
