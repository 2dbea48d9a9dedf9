//! Whether anything was recorded between two looks.

use super::Record;
use crate::error::RecordError;
use crate::folder::{DATABASE, Entry, LOG, WAL};
use std::os::fd::BorrowedFd;

/// What a look at the records saw: two of the same opened record are equal if nothing was recorded between them, by whomever, and its
/// files are still the same ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// SQLite's count of changes by other connections.
    data: i64,
    database: Option<(u64, u64)>,
    wal: Option<(u64, u64)>,
    log: Option<Entry>,
}

impl Record {
    /// Which state of the records there is now; `None` if others took their place in the project's folder.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn version(&self, project: BorrowedFd<'_>) -> Result<Option<Version>, RecordError> {
        if !self.folder.is_in(project)? {
            return Ok(None);
        }
        let asked = self.connection.prepare_cached("PRAGMA data_version");
        let data = asked.and_then(|mut asked| asked.query_row([], |row| row.get(0)));
        let data = data.map_err(RecordError::database(&self.path))?;
        let (database, wal) = (self.folder.identity(DATABASE)?, self.folder.identity(WAL)?);
        Ok(Some(Version { data, database, wal, log: self.folder.state(LOG)? }))
    }
}
