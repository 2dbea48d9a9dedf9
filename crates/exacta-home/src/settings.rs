//! The settings that hold for all projects as they were, to be put back where a change of them cannot be recorded.

use crate::file::{self, Lock, Trust};
use crate::{FileError, Home, HomeError};
use std::io;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// The files with the settings that hold for all projects, as they were at one moment.
#[derive(Debug, Default)]
pub struct SettingsSnapshot(Vec<(PathBuf, Option<Zeroizing<Vec<u8>>>)>);

impl Home {
    /// Reads the settings as they are now.
    ///
    /// # Errors
    /// Where one cannot be read.
    pub fn settings_snapshot(&self) -> Result<SettingsSnapshot, HomeError> {
        let lists = [self.approvers_file(), self.providers_file(), self.tokens_file(), self.mail_file()];
        let paths = self.policy_files().into_iter().chain(lists);
        let files = paths.map(|path| file::read(&path, Trust::Own).map(|bytes| (path, bytes)));
        Ok(SettingsSnapshot(files.collect::<Result<_, _>>()?))
    }

    /// Puts back what a change made of the settings, given how they were before and after it.
    ///
    /// # Errors
    /// Where somebody changed them again meanwhile, and where they cannot be written.
    pub fn restore_settings(&self, before: &SettingsSnapshot, after: &SettingsSnapshot) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        for ((path, before), (_, after)) in before.0.iter().zip(&after.0) {
            if before == after {
                continue;
            }
            if file::read(path, Trust::Own)? != *after {
                return Err(FileError::io("put back", path)(io::Error::other("somebody changed it meanwhile")).into());
            }
            match before {
                Some(bytes) => lock.write(path, bytes)?,
                None => lock.remove(path)?,
            }
        }
        Ok(())
    }
}
