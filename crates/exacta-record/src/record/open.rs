//! Opening the records: making them, refusing what is not ours, and healing what a crash left.

use super::body_cache::BodyCache;
use super::{Record, log_state};
use crate::error::{Place, RecordError, Tampered};
use crate::folder::{DATABASE, Folder, JOURNAL, LOG, PATIENCE, SHM, WAL};
use crate::proof::log_state::LogState;
use crate::signer::CheckpointSigner;
use crate::sqlite::connection::CheckedConnection;
use crate::sqlite::schema;
use exacta_kernel::audit::Origin;
use exacta_kernel::id::ProjectId;
use rusqlite::config::DbConfig;
use rusqlite::{FileControl, OpenFlags};
use std::cell::{Cell, RefCell};
use std::path::Path;

impl Record {
    /// Opens the records in `dir` (a project's `.exacta/`), making them if there are none, and heals what a crash left.
    ///
    /// # Errors
    /// [`RecordError`]: records that are damaged, newer, of another project, or changed from outside are refused.
    pub fn open(dir: &Path, project: &ProjectId, signer: Box<dyn CheckpointSigner>) -> Result<Self, RecordError> {
        let folder = Folder::create(dir)?;
        clear_journal(&folder)?;
        let path = folder.path().join(DATABASE);
        let origin = Origin::of(project);
        let connection = match ready(&folder, &path)? {
            Some(connection) => connection,
            None => make(&folder, &path, &origin)?,
        };
        let record = Self {
            connection,
            path,
            files: Cell::default(),
            folder,
            origin,
            signer,
            verified: RefCell::default(),
            complete: Cell::new(0),
            unverified: false,
            bodies: BodyCache::default(),
            durable: true,
        };
        let log = record.check_origin()?;
        // SQLite has both files open now.
        record.check_place()?;
        if !record.is_complete(&log)? {
            let _lock = record.folder.lock()?;
            let _held = record.signer.hold()?;
            let pin = record.signer.pinned()?;
            let db = record.db();
            record.heal(&db, &record.head(&db, pin)?)?;
        }
        Ok(record)
    }

    /// Opens the records to be read only, as they are: nothing is made, healed or checked. Changes are refused.
    ///
    /// # Errors
    /// [`RecordError`]; [`RecordError::Missing`] if there are no records.
    pub fn read(dir: &Path, project: &ProjectId, signer: Box<dyn CheckpointSigner>) -> Result<Self, RecordError> {
        let folder = Folder::open(dir)?;
        if has_journal(&folder)? {
            // Whoever makes the database holds the lock, and leaves none.
            drop(folder.lock_if_writable()?);
        }
        let path = folder.path().join(DATABASE);
        let connection = connect_to_read(&folder, &path)?;
        let record = Self {
            connection,
            path,
            files: Cell::default(),
            folder,
            origin: Origin::of(project),
            signer,
            verified: RefCell::default(),
            complete: Cell::new(0),
            unverified: true,
            bodies: BodyCache::default(),
            durable: true,
        };
        record.check_origin()?;
        Ok(record)
    }

    /// How the log stands, if it is this project's.
    fn check_origin(&self) -> Result<LogState, RecordError> {
        let log = log_state(&self.db())?;
        if log.origin == self.origin.as_str() {
            return Ok(log);
        }
        Err(RecordError::OtherProject { path: self.folder.path().to_owned(), found: log.origin })
    }

    /// That the database and its write-ahead log are still the files that they were when this was asked last: what is written into
    /// others, or into none, nobody finds again.
    pub(super) fn check_place(&self) -> Result<(), RecordError> {
        let found = [self.folder.identity(DATABASE)?, self.folder.identity(WAL)?];
        if self.files.replace(Some(found)).is_none_or(|files| files == found) {
            return Ok(());
        }
        let what = "it or its write-ahead log was replaced or taken away while it was in use".to_owned();
        Err(Tampered { place: Place::File(self.path.clone()), what }.into())
    }

    /// Whether the last change was finished completely, by whichever process, so that there is nothing to heal.
    fn is_complete(&self, log: &LogState) -> Result<bool, RecordError> {
        let end = Some(log.end());
        let signed = self.read_checkpoint()?.map(|signed| (signed.size(), signed.root()));
        let pinned = self.signer.pinned()?.map(|pin| (pin.size, pin.root));
        Ok(signed == end && pinned == end)
    }
}

/// Opens a database that needs nothing done to it.
fn ready(folder: &Folder, path: &Path) -> Result<Option<CheckedConnection>, RecordError> {
    if folder.size(DATABASE)?.unwrap_or_default() == 0 {
        return Ok(None);
    }
    let mut connection = connect(folder, path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if !schema::is_current(&connection, path)? {
        return Ok(None);
    }
    connection.check_sides(folder)?;
    shorten_when_closed(&connection, folder, path)?;
    Ok(Some(connection))
}

/// From this length on the write-ahead log is copied into the database by whoever closes it last.
const WAL_BYTES: u64 = 512 << 10;

/// Makes the database, or brings it to the newest format.
fn make(folder: &Folder, path: &Path, origin: &Origin) -> Result<CheckedConnection, RecordError> {
    let _lock = folder.lock()?;
    if folder.size(DATABASE)?.is_none() {
        if folder.size(LOG)?.is_some() {
            let what = "the database is missing though there is an audit log".to_owned();
            return Err(Tampered { place: Place::File(path.to_owned()), what }.into());
        }
        folder.new_file(DATABASE)?;
    }
    let mut connection = connect(folder, path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(RecordError::database(path))?;
    // A look into it, with which SQLite opens the files beside it.
    schema::is_current(&connection, path)?;
    connection.check_sides(folder)?;
    schema::migrate(&mut connection, path, origin)?;
    shorten_when_closed(&connection, folder, path)?;
    folder.sync()?;
    Ok(connection)
}

/// A database that nothing was written to yet has one page, of 64 KiB at most.
const FIRST_PAGE: u64 = 64 << 10;

/// Takes away the journal of a rollback. The database has one only while it is made; what SQLite finds in another one it believes, and it opens
/// whatever file that names.
fn clear_journal(folder: &Folder) -> Result<(), RecordError> {
    if !has_journal(folder)? {
        return Ok(());
    }
    // Whoever makes a database holds it.
    let _lock = folder.lock()?;
    if !has_journal(folder)? {
        return Ok(());
    }
    if folder.size(LOG)?.is_none()
        && folder.size(DATABASE)?.unwrap_or_default() <= FIRST_PAGE
        && let Some(database) = folder.file(DATABASE, true)?
    {
        // Whoever made it died half-way; nothing was recorded yet.
        database.set_len(0).map_err(RecordError::io("empty", &folder.path().join(DATABASE)))?;
    }
    folder.remove(JOURNAL)
}

fn has_journal(folder: &Folder) -> Result<bool, RecordError> {
    Ok(folder.size(JOURNAL)?.unwrap_or_default() > 0)
}

fn connect(folder: &Folder, path: &Path, access: OpenFlags) -> Result<CheckedConnection, RecordError> {
    // SQLite would wait for the other end of a pipe, follow a link, or write to a file with another name elsewhere, that somebody put
    // in the place of its own files.
    for name in [DATABASE, JOURNAL, WAL, SHM] {
        folder.size(name)?;
    }
    let failed = || RecordError::database(path);
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = CheckedConnection::open(folder, path, flags)?;
    connection.busy_timeout(PATIENCE).map_err(failed())?;
    // Whoever can write in the folder can put triggers and views into the database; none of ours has any.
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true),
        // Until it is known that its files are those of the folder, closing it must not copy and empty a write-ahead log.
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ] {
        connection.set_db_config(setting, on).map_err(failed())?;
    }
    // It is emptied then, not removed: SQLite would remove whatever has its name by that time.
    let mut stays = 1;
    connection.file_control(None::<&str>, FileControl::PersistWal(&mut stays)).map_err(failed())?;
    connection.pragma_update(None, "journal_size_limit", 0).map_err(failed())?;
    connection.pragma_update(None, "synchronous", "full").map_err(failed())?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Has the write-ahead log copied into the database when it is closed, if it is long. The next command reads it as it is: copying it at
/// every exit would cost three syncs. But it must not grow for ever, since whoever opens the database reads all of it.
fn shorten_when_closed(connection: &CheckedConnection, folder: &Folder, path: &Path) -> Result<(), RecordError> {
    let stays = folder.size(WAL)?.unwrap_or_default() < WAL_BYTES;
    let set = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, stays);
    set.map(drop).map_err(RecordError::database(path))
}

/// Opens a database to read, also where nothing can be written.
pub fn connect_to_read(folder: &Folder, path: &Path) -> Result<CheckedConnection, RecordError> {
    if folder.size(DATABASE)?.is_none() {
        return Err(RecordError::Missing(folder.path().to_owned()));
    }
    if has_journal(folder)? {
        return Err(folder.not_wanted(JOURNAL, "a journal"));
    }
    let mut connection = connect(folder, path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    if !schema::is_current(&connection, path)? {
        return Err(RecordError::Missing(folder.path().to_owned()));
    }
    connection.check_log(folder)?;
    Ok(connection)
}
