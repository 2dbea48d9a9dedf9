//! A connection to the files of the held folder, and to no others.
//!
//! SQLite opens its files by path, and whoever can write in the project can exchange a folder on that path in the very moment. So
//! what it opened is compared with what lies in the held folder, before anything is written.

use crate::error::{Place, RecordError, Tampered};
use crate::folder::{DATABASE, FileId, Folder, SHM, WAL};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, statat};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many connections of this process were found to have each file open. Each opens it for itself, so there must be as many open
/// files that are it.
static TAKEN: Mutex<BTreeMap<FileId, usize>> = Mutex::new(BTreeMap::new());

/// The longest value or row in bytes: a plan's body, with a proposal of at most 64 MiB and a view of at most 100 MiB.
const MAX_VALUE: i32 = 256 << 20;

/// The open files of this process, by number.
const OPEN_FILES: &str = "/proc/self/fd";

/// A connection whose files are those in the folder.
#[derive(Debug)]
pub struct CheckedConnection {
    // Given up before they are closed: a connection that is opened meanwhile must not be one short.
    taken: CountedFiles,
    connection: Connection,
}

/// The files that one connection has.
#[derive(Debug, Default)]
struct CountedFiles(Vec<FileId>);

impl CheckedConnection {
    /// Connects to the database in a folder.
    pub fn open(folder: &Folder, path: &Path, flags: OpenFlags) -> Result<Self, RecordError> {
        let connection = Connection::open_with_flags(path, flags).map_err(RecordError::database(path))?;
        // A table that somebody else made can have values that take all memory.
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE).map_err(RecordError::database(path))?;
        let mut held = Self { connection, taken: CountedFiles::default() };
        held.taken.take(folder, DATABASE)?;
        Ok(held)
    }

    /// That the write-ahead log it reads is the one in the folder, if there is one.
    pub fn check_log(&mut self, folder: &Folder) -> Result<(), RecordError> {
        match folder.size(WAL)? {
            Some(1..) => self.taken.take(folder, WAL),
            _ => Ok(()),
        }
    }

    /// That the files which SQLite opens with the first look into the database are those in the folder too.
    pub fn check_sides(&mut self, folder: &Folder) -> Result<(), RecordError> {
        self.taken.take(folder, WAL)?;
        // The connections of a process to the same database share this one.
        match folder.identity(SHM)? {
            Some(wanted) if open_files()?.contains(&wanted) => Ok(()),
            _ => Err(elsewhere(folder, SHM)),
        }
    }
}

impl CountedFiles {
    /// Finds an open file that is what the folder has under this name, beside those that other connections have.
    fn take(&mut self, folder: &Folder, name: &str) -> Result<(), RecordError> {
        let mut all = all();
        let wanted = folder.identity(name)?.ok_or_else(|| elsewhere(folder, name))?;
        let taken = all.entry(wanted).or_default();
        if open_files()?.iter().filter(|found| **found == wanted).count() <= *taken {
            return Err(elsewhere(folder, name));
        }
        *taken += 1;
        self.0.push(wanted);
        Ok(())
    }
}

impl Drop for CountedFiles {
    fn drop(&mut self) {
        let mut all = all();
        for file in &self.0 {
            if let Some(taken) = all.get_mut(file) {
                *taken = taken.saturating_sub(1);
            }
        }
        all.retain(|_, taken| *taken > 0);
    }
}

impl Deref for CheckedConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for CheckedConnection {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

fn all() -> MutexGuard<'static, BTreeMap<FileId, usize>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Every file that this process has open.
fn open_files() -> Result<Vec<FileId>, RecordError> {
    let failed = || |errno: rustix::io::Errno| RecordError::io("look at", Path::new(OPEN_FILES))(errno.into());
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = openat(CWD, OPEN_FILES, flags, Mode::empty()).map_err(failed())?;
    let mut files = Vec::new();
    for entry in Dir::read_from(&folder).map_err(failed())? {
        let entry = entry.map_err(failed())?;
        // One that another thread closed meanwhile is none.
        if let Ok(found) = statat(&folder, entry.file_name(), AtFlags::empty()) {
            files.push((found.st_dev, found.st_ino));
        }
    }
    Ok(files)
}

fn elsewhere(folder: &Folder, name: &str) -> RecordError {
    let what = "the file that was opened is not the one in this folder: the folder was exchanged".to_owned();
    Tampered { place: Place::File(folder.path().join(name)), what }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{RenameFlags, renameat_with};
    use std::path::PathBuf;

    const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE;

    /// Two folders with a database each, the first one held.
    fn folders() -> (tempfile::TempDir, Folder, [PathBuf; 2]) {
        let dir = tempfile::tempdir().unwrap();
        let paths = [".exacta", "copy"].map(|name| dir.path().join(name));
        for path in &paths {
            Folder::create(path).unwrap().new_file(DATABASE).unwrap();
            let connection = Connection::open(path.join(DATABASE)).unwrap();
            connection.pragma_update(None, "journal_mode", "wal").unwrap();
            connection.execute_batch("CREATE TABLE some(thing TEXT)").unwrap();
        }
        let folder = Folder::open(&paths[0]).unwrap();
        (dir, folder, paths)
    }

    fn exchange(paths: &[PathBuf; 2]) {
        renameat_with(CWD, &paths[0], CWD, &paths[1], RenameFlags::EXCHANGE).unwrap();
    }

    fn look(held: &CheckedConnection) {
        held.query_row("SELECT count(*) FROM some", [], |row| row.get::<_, i64>(0)).unwrap();
    }

    /// attack 19: the folder is exchanged before the database is opened, or between that and the first look into it.
    #[test]
    fn a_folder_that_was_exchanged_is_noticed() {
        let (_dir, folder, paths) = folders();
        let path = folder.path().join(DATABASE);
        let tampered = |error: RecordError| assert!(error.is_tampered(), "{error}");
        let mut held = CheckedConnection::open(&folder, &path, FLAGS).unwrap();
        look(&held);
        held.check_sides(&folder).unwrap();
        drop(held);

        exchange(&paths);
        tampered(CheckedConnection::open(&folder, &path, FLAGS).unwrap_err());
        exchange(&paths);

        let mut held = CheckedConnection::open(&folder, &path, FLAGS).unwrap();
        exchange(&paths);
        look(&held);
        tampered(held.check_sides(&folder).unwrap_err());
    }

    #[test]
    fn two_connections_to_the_same_files_do_not_vouch_for_each_other() {
        let (_dir, folder, paths) = folders();
        let path = folder.path().join(DATABASE);
        let mut first = CheckedConnection::open(&folder, &path, FLAGS).unwrap();
        look(&first);
        first.check_sides(&folder).unwrap();
        let mut second = CheckedConnection::open(&folder, &path, FLAGS).unwrap();
        look(&second);
        second.check_sides(&folder).unwrap();
        exchange(&paths);
        assert!(CheckedConnection::open(&folder, &path, FLAGS).unwrap_err().is_tampered());
    }
}
