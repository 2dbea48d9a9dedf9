//! The store in one SQLite database, beside the log file that it indexes.

pub(crate) mod book;
mod change;
pub(crate) mod db;
mod edit;
mod ends;
pub(crate) mod head;
mod held;
pub(crate) mod ledger;
mod name;
pub(crate) mod open;
pub(crate) mod plans;
mod publish;
pub(crate) mod runs;
mod schema;
mod sheet;
pub(crate) mod state;
mod store;
pub(crate) mod whole;

use crate::folder::{FileId, Folder};
use crate::signer::CheckpointSigner;
use db::Db;
use exacta_kernel::audit::{Origin, SignedCheckpoint};
use held::Held;
use std::cell::{Cell, RefCell};
use std::path::PathBuf;

/// The records of one project in its `.exacta/` folder.
pub struct SqliteStore {
    connection: Held,
    path: PathBuf,
    /// Which files the connection is to: the database and its write-ahead log. Known once it is open.
    files: Cell<Option<[Option<FileId>; 2]>>,
    folder: Folder,
    origin: Origin,
    signer: Box<dyn CheckpointSigner>,
    /// The checkpoint that was last found in the folder and verified.
    verified: RefCell<Option<SignedCheckpoint>>,
    /// So many entries are known to be settled: in the log file, signed and pinned, as durably as was asked for.
    settled: Cell<u64>,
    /// Opened only to look: records are handed out as they are found. Otherwise they are first compared with the log.
    trusting: bool,
    seen: whole::Seen,
    /// Whether a change is on the disk when it is made.
    durable: bool,
}

impl SqliteStore {
    pub(crate) const fn folder(&self) -> &Folder {
        &self.folder
    }

    fn db(&self) -> Db<'_> {
        Db { connection: &self.connection, path: &self.path }
    }
}
