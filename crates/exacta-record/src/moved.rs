//! What lies in a project's folder before its records are opened; and how they are moved out of the way. All of it beneath the held folder of
//! the project: nothing is reached by a path that somebody could lead elsewhere.

use crate::error::RecordError;
use crate::folder::{CONFIGURATION, DATABASE, Outer, RECORDS};
use crate::record::Record;
use rustix::fs::{AtFlags, RenameFlags, renameat_with, statat};
use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// The longest configuration of a project.
const MAX_CONFIGURATION: u64 = 1 << 20;

/// How many records can lie aside.
const MAX_MOVED: u32 = 1_000;

/// What lies in a project's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Nothing of ours.
    Nothing,
    /// The folder of the records, without any.
    Folder,
    /// Records, whosever they are.
    Records,
}

/// Records that were moved out of the way.
#[derive(Debug)]
pub struct MovedRecord {
    /// Where they are now.
    pub path: PathBuf,
    /// The project's configuration that lay beside them.
    pub configuration: Configuration,
}

/// What of a project's configuration goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Configuration {
    /// There was none.
    None,
    /// Its text.
    Text(Vec<u8>),
    /// It cannot be taken for the project's own; why.
    Unusable(String),
}

/// What lies in the folder of a project.
///
/// # Errors
/// [`RecordError`]; what cannot be looked at is not gone.
pub fn presence(project: &Path) -> Result<Presence, RecordError> {
    match Outer::of(&project.join(RECORDS))?.inner() {
        Ok(folder) if folder.identity(DATABASE)?.is_some() => Ok(Presence::Records),
        Ok(_) => Ok(Presence::Folder),
        Err(RecordError::Missing(_)) => Ok(Presence::Nothing),
        Err(error) => Err(error),
    }
}

/// Gives the records another name, beside their old one; `None` if there are none.
///
/// # Errors
/// [`RecordError`]; nothing was moved then.
pub fn move_away(project: &Path) -> Result<Option<MovedRecord>, RecordError> {
    let outer = Outer::of(&project.join(RECORDS))?;
    let configuration = match outer.inner() {
        Ok(folder) => match folder.read_up_to(CONFIGURATION, MAX_CONFIGURATION) {
            Ok(text) => text.map_or(Configuration::None, Configuration::Text),
            Err(error) => Configuration::Unusable(error.to_string()),
        },
        Err(RecordError::Missing(_)) => return Ok(None),
        Err(error @ RecordError::Foreign { .. }) => return Err(error),
        // Another thing than a folder can be put aside too.
        Err(_) => Configuration::None,
    };
    for number in 1..=MAX_MOVED {
        let name = format!("{RECORDS}.aside-{number}");
        if statat(&outer.handle, &name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            continue;
        }
        match renameat_with(&outer.handle, RECORDS, &outer.handle, &name, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(Some(MovedRecord { path: outer.path.join(name), configuration })),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(RecordError::io("put aside", &outer.path.join(RECORDS))(errno.into())),
        }
    }
    let cause = std::io::Error::other("a thousand others are aside already");
    Err(RecordError::io("put aside", &outer.path.join(RECORDS))(cause))
}

impl Record {
    /// Writes the project's configuration beside its records, in the folder that is held.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn put_configuration(&self, text: &[u8]) -> Result<(), RecordError> {
        let folder = self.folder();
        let _lock = folder.lock()?;
        folder.replace(CONFIGURATION, &[text])?;
        folder.sync()
    }
}
