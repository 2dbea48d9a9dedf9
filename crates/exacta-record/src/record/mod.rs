//! The record of one project. This is the one place where rows (`sqlite/`) and proofs (`proof/`) meet: what is read is compared with
//! the log before it is handed out, and what is written is vouched for by the log in the same transaction.

mod body_cache;
mod change;
mod documents;
mod edit;
mod ends;
mod head;
mod name;
mod open;
mod publish;
mod read;
mod transition;
mod turn;
mod verified;
mod version;

pub use head::log_state;
pub use open::connect_to_read;
pub use turn::Turn;
pub use version::Version;

use crate::folder::{FileId, Folder};
use crate::signer::CheckpointSigner;
use crate::sqlite::connection::CheckedConnection;
use crate::sqlite::db::Db;
use body_cache::BodyCache;
use exacta_kernel::audit::{Origin, SignedCheckpoint};
use std::cell::{Cell, RefCell};
use std::path::PathBuf;

/// Plans, approvals, runs and the audit log of one project, in its `.exacta/` folder.
///
/// Every change comes with at least one audit entry, and both happen or neither does. When a call returns, its
/// entries are in the log file and on disk. Each change is atomic: of any number that race, exactly one wins.
///
/// A record that was opened to write changes a plan or a run, and hands a single one out, only if it is what the log was
/// written with. Lists are for people, and are as they are found.
pub struct Record {
    connection: CheckedConnection,
    path: PathBuf,
    /// Which files the connection is to: the database and its write-ahead log. Known once it is open.
    files: Cell<Option<[Option<FileId>; 2]>>,
    folder: Folder,
    origin: Origin,
    signer: Box<dyn CheckpointSigner>,
    /// The checkpoint that was last found in the folder and verified.
    verified: RefCell<Option<SignedCheckpoint>>,
    /// How many entries are known to be complete: in the log file, signed and pinned, as durably as was asked for.
    complete: Cell<u64>,
    /// Opened only to look: records are handed out as they are found. Otherwise they are first compared with the log.
    unverified: bool,
    bodies: BodyCache,
    /// Whether a change is on the disk when it is made.
    durable: bool,
}

impl Record {
    pub(crate) const fn folder(&self) -> &Folder {
        &self.folder
    }

    fn db(&self) -> Db<'_> {
        Db { connection: &self.connection, path: &self.path }
    }
}
