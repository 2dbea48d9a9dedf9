//! Opening the records: making them, refusing what is not ours, and healing what a crash left.

use super::db::Db;
use super::head::{Head, Owner};
use super::held::Held;
use super::ledger::Ledger;
use super::whole::Seen;
use super::{SqliteStore, schema};
use crate::error::{Place, StoreError, Tampered};
use crate::folder::{DATABASE, Folder, JOURNAL, LOG, PATIENCE, SHM, WAL};
use crate::signer::{CheckpointSigner, Pin};
use exacta_kernel::audit::Origin;
use exacta_kernel::id::ProjectId;
use rusqlite::config::DbConfig;
use rusqlite::{FileControl, OpenFlags};
use std::cell::{Cell, RefCell};
use std::path::Path;

impl SqliteStore {
    /// Opens the records in `dir` (a project's `.exacta/`), making them if there are none, and heals what a crash left.
    ///
    /// # Errors
    /// [`StoreError`]: records that are damaged, newer, of another project, or changed from outside are refused.
    pub fn open(dir: &Path, project: &ProjectId, signer: Box<dyn CheckpointSigner>) -> Result<Self, StoreError> {
        let folder = Folder::create(dir)?;
        let path = folder.path().join(DATABASE);
        let origin = Origin::of(project);
        let connection = match ready(&folder, &path)? {
            Some(connection) => connection,
            None => make(&folder, &path, &origin)?,
        };
        let store = Self {
            connection,
            path,
            files: Cell::default(),
            folder,
            origin,
            signer,
            verified: RefCell::default(),
            settled: Cell::new(0),
            trusting: false,
            seen: Seen::default(),
            durable: true,
        };
        let ledger = store.check_origin()?;
        // SQLite has both files open now.
        store.check_place()?;
        if !store.is_settled(&ledger)? {
            let _lock = store.folder.lock()?;
            let _held = store.signer.hold()?;
            let pin = store.signer.pinned()?;
            let db = store.db();
            store.settle(&db, &store.head(&db, pin)?)?;
        }
        Ok(store)
    }

    /// Opens the records to be read only, as they are: nothing is made, healed or checked. Changes are refused.
    ///
    /// # Errors
    /// [`StoreError`]; [`StoreError::Missing`] if there are no records.
    pub fn read(dir: &Path, project: &ProjectId, signer: Box<dyn CheckpointSigner>) -> Result<Self, StoreError> {
        let folder = Folder::open(dir)?;
        let path = folder.path().join(DATABASE);
        let connection = connect_to_read(&folder, &path)?;
        let store = Self {
            connection,
            path,
            files: Cell::default(),
            folder,
            origin: Origin::of(project),
            signer,
            verified: RefCell::default(),
            settled: Cell::new(0),
            trusting: true,
            seen: Seen::default(),
            durable: true,
        };
        store.check_origin()?;
        Ok(store)
    }

    /// How the log stands, if it is this project's.
    fn check_origin(&self) -> Result<Ledger, StoreError> {
        let ledger = Ledger::load(&self.db())?.ok_or_else(|| self.db().corrupt("it holds no log"))?;
        if ledger.origin == self.origin.as_str() {
            return Ok(ledger);
        }
        Err(StoreError::OtherProject { path: self.folder.path().to_owned(), found: ledger.origin })
    }

    /// That the database and its write-ahead log are still the files that they were when this was asked last: what is written into
    /// others, or into none, nobody finds again.
    pub(super) fn check_place(&self) -> Result<(), StoreError> {
        let found = [self.folder.identity(DATABASE)?, self.folder.identity(WAL)?];
        if self.files.replace(Some(found)).is_none_or(|files| files == found) {
            return Ok(());
        }
        let what = "it or its write-ahead log was replaced or taken away while it was in use".to_owned();
        Err(Tampered { place: Place::File(self.path.clone()), what }.into())
    }

    /// Whether the last change was finished completely, by whichever process, so that there is nothing to heal.
    fn is_settled(&self, ledger: &Ledger) -> Result<bool, StoreError> {
        let stands = Some((ledger.size(), ledger.frontier.root()));
        let signed = self.read_checkpoint()?.map(|signed| (signed.size(), signed.root()));
        let pinned = self.signer.pinned()?.map(|pin| (pin.size, pin.root));
        Ok(signed == stands && pinned == stands)
    }

    /// The log as it stands, which is believed only if it is ours.
    pub(super) fn head(&self, db: &Db<'_>, pin: Option<Pin>) -> Result<Head, StoreError> {
        Head::load(db, Owner { origin: &self.origin, signer: &*self.signer }, pin)
    }
}

/// Opens a database that needs nothing done to it.
fn ready(folder: &Folder, path: &Path) -> Result<Option<Held>, StoreError> {
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
fn make(folder: &Folder, path: &Path, origin: &Origin) -> Result<Held, StoreError> {
    let _lock = folder.lock()?;
    if folder.size(DATABASE)?.is_none() {
        if folder.size(LOG)?.is_some() {
            let what = "the database is missing though there is an audit log".to_owned();
            return Err(Tampered { place: Place::File(path.to_owned()), what }.into());
        }
        folder.new_file(DATABASE)?;
    }
    let mut connection = connect(folder, path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(StoreError::database(path))?;
    // A look into it, with which SQLite opens the files beside it.
    schema::is_current(&connection, path)?;
    connection.check_sides(folder)?;
    schema::migrate(&mut connection, path, origin)?;
    shorten_when_closed(&connection, folder, path)?;
    folder.sync()?;
    Ok(connection)
}

fn connect(folder: &Folder, path: &Path, access: OpenFlags) -> Result<Held, StoreError> {
    // SQLite would wait for the other end of a pipe, follow a link, or write to a file with another name elsewhere, that somebody put
    // in the place of its own files.
    for name in [DATABASE, JOURNAL, WAL, SHM] {
        folder.size(name)?;
    }
    let failed = || StoreError::database(path);
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Held::open(folder, path, flags)?;
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
fn shorten_when_closed(connection: &Held, folder: &Folder, path: &Path) -> Result<(), StoreError> {
    let stays = folder.size(WAL)?.unwrap_or_default() < WAL_BYTES;
    let set = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, stays);
    set.map(drop).map_err(StoreError::database(path))
}

/// Opens a database to read, also where nothing can be written.
pub(crate) fn connect_to_read(folder: &Folder, path: &Path) -> Result<Held, StoreError> {
    if folder.size(DATABASE)?.is_none() {
        return Err(StoreError::Missing(folder.path().to_owned()));
    }
    let mut connection = connect(folder, path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    if !schema::is_current(&connection, path)? {
        return Err(StoreError::Missing(folder.path().to_owned()));
    }
    connection.check_log(folder)?;
    Ok(connection)
}
