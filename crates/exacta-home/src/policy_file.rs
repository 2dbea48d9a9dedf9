//! Where the text of the Safety Policy comes from, and who may replace it.

use crate::file::{self, Lock, Trust};
use crate::{FileError, Home, HomeError};
use exacta_kernel::approval::ApprovalError;
use exacta_kernel::approval::setting::{SettingVerb, VerifiedSetting};
use exacta_kernel::hash::Digest;
use std::path::{Path, PathBuf};

const NAME: &str = "safety-policy.toml";
/// What was replaced last, kept for the person who wants it back.
const PREVIOUS: &str = "safety-policy.previous.toml";

/// The text of the Safety Policy in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicySource {
    /// As it was written.
    pub text: String,
    /// Where it is.
    pub file: PathBuf,
    /// Whether it is the administrator's.
    pub system: bool,
}

impl Home {
    /// The Safety Policy in force: the administrator's, else the user's; `None` means the built-in one.
    ///
    /// # Errors
    /// Where the file that would be in force cannot be read or could have been changed by others.
    pub fn safety_policy_text(&self) -> Result<Option<PolicySource>, HomeError> {
        let system = self.system.join(NAME);
        if let Some(text) = read_text(&system, Trust::Root)? {
            file::check_folder(&self.system, Trust::Root)?;
            return Ok(Some(PolicySource { text, file: system, system: true }));
        }
        let own = self.config.join(NAME);
        Ok(read_text(&own, Trust::Own)?.map(|text| PolicySource { text, file: own, system: false }))
    }

    /// Whether the administrator's policy is in force, readable or not.
    #[must_use]
    pub fn has_system_policy(&self) -> bool {
        std::fs::symlink_metadata(self.system.join(NAME)).is_ok()
    }

    /// Replaces the user's Safety Policy; what it was is kept beside it.
    ///
    /// # Errors
    /// Where an approver did not sign for this text, or the administrator's policy is in force.
    pub fn write_safety_policy(&self, text: &str, by: &VerifiedSetting) -> Result<(), HomeError> {
        if !by.is_for(SettingVerb::PolicySet, None, Digest::of(text.as_bytes())) {
            return Err(ApprovalError::WrongSubject.into());
        }
        let lock = self.lock_policy()?;
        self.keep_previous(&lock)?;
        Ok(lock.write(&self.config.join(NAME), text.as_bytes())?)
    }

    /// Goes back to the built-in Safety Policy; what it was is kept beside it.
    ///
    /// # Errors
    /// Where an approver did not sign for it, or the administrator's policy is in force.
    pub fn reset_safety_policy(&self, built_in: &str, by: &VerifiedSetting) -> Result<(), HomeError> {
        if !by.is_for(SettingVerb::PolicyReset, None, Digest::of(built_in.as_bytes())) {
            return Err(ApprovalError::WrongSubject.into());
        }
        let lock = self.lock_policy()?;
        self.keep_previous(&lock)?;
        Ok(lock.remove(&self.config.join(NAME))?)
    }

    /// The user's policy, and the one before it.
    pub(crate) fn policy_files(&self) -> [PathBuf; 2] {
        [self.config.join(NAME), self.config.join(PREVIOUS)]
    }

    /// The right to replace the user's policy; nobody has it where the administrator's is in force.
    fn lock_policy(&self) -> Result<Lock, HomeError> {
        let system = self.system.join(NAME);
        match std::fs::symlink_metadata(&system) {
            Ok(_) => Err(HomeError::SystemPolicy(system)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Lock::on(&self.config)?),
            Err(error) => Err(FileError::io("look at", &system)(error).into()),
        }
    }

    fn keep_previous(&self, lock: &Lock) -> Result<(), HomeError> {
        if let Some(bytes) = file::read(&self.config.join(NAME), Trust::Own)? {
            lock.write(&self.config.join(PREVIOUS), &bytes)?;
        }
        Ok(())
    }
}

fn read_text(path: &Path, trust: Trust) -> Result<Option<String>, FileError> {
    let Some(bytes) = file::read(path, trust)? else { return Ok(None) };
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(Some(text.to_owned())),
        Err(error) => {
            let why = format!("it is not UTF-8 from byte {} on", error.valid_up_to());
            Err(FileError::Malformed { path: path.to_owned(), why })
        }
    }
}
