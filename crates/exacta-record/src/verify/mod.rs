//! Whether anything in the records was changed from outside, and where. Reads only.
//!
//! Three things are compared: the log with its signed checkpoint and the one pinned outside the project; the database with
//! the hashes that the log's entries carry of every record; the files for people with what the database and the log say.

mod files;
mod lines;
mod records;

use crate::error::{Place, RecordError, Tampered};
use crate::folder::{CHECKPOINT, DATABASE, Folder};
use crate::proof::log_state::LogState;
use crate::record::connect_to_read;
use crate::record::log_state;
use crate::signer::Pin;
use crate::sqlite::db::Db;
use crate::sqlite::log;
use exacta_kernel::approval::PublicKey;
use exacta_kernel::audit::{Checkpoint, Origin, SignedCheckpoint};
use exacta_kernel::id::ProjectId;
use std::path::Path;

/// How many findings are collected: a log with more is no better understood by listing them.
const MAX_FOUND: usize = 100;

/// What is trusted: all of it comes from outside the project.
#[derive(Debug, Clone)]
pub struct Trusted {
    /// Which project the records must be of.
    pub project: ProjectId,
    /// The key that signs its checkpoints; `None` if none was ever made.
    pub key: Option<PublicKey>,
    /// The newest checkpoint that was remembered.
    pub pin: Option<Pin>,
}

/// What was established.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Entries in the log.
    pub entries: u64,
    /// Bytes they take.
    pub bytes: u64,
    /// So many of the entries are under a signed checkpoint in the folder.
    pub signed: u64,
    /// So many are under the checkpoint pinned in the user's configuration.
    pub pinned: u64,
    /// Plans whose records are as the log says.
    pub plans: u64,
    /// Runs whose records are as the log says.
    pub runs: u64,
    /// Files for people that say what the records say.
    pub files: u64,
    /// What could not be established, in words.
    pub notes: Vec<String>,
}

/// Why the records do not verify.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// They were changed from outside: every place that was found, at most 100; never empty.
    #[error("{}", .0.first().map_or_else(String::new, ToString::to_string))]
    Tampered(Vec<Tampered>),
    /// They could not be read.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// What is found on the way.
#[derive(Default)]
struct Findings {
    report: Report,
    tampered: Vec<Tampered>,
}

impl Findings {
    fn tampered(&mut self, place: Place, what: impl Into<String>) {
        if !self.is_full() {
            self.tampered.push(Tampered { place, what: what.into() });
        }
    }

    fn absorb(&mut self, other: Self) {
        self.report.files += other.report.files;
        self.report.notes.extend(other.report.notes);
        self.tampered.extend(other.tampered);
    }

    fn is_full(&self) -> bool {
        self.tampered.len() >= MAX_FOUND
    }

    fn note(&mut self, text: impl Into<String>) {
        if self.report.notes.len() < MAX_FOUND {
            self.report.notes.push(text.into());
        }
    }
}

/// Compares everything in `dir` (a project's `.exacta/`) with everything else, and with what is trusted. Changes by other
/// processes wait until it is done.
///
/// # Errors
/// [`VerifyError::Tampered`] with every place that differs; [`VerifyError::Record`] if the records cannot be read at all.
pub fn verify(dir: &Path, trusted: &Trusted) -> Result<Report, VerifyError> {
    let folder = Folder::open(dir)?;
    let _lock = folder.lock_if_writable()?;
    let path = folder.path().join(DATABASE);
    let connection = match connect_to_read(&folder, &path) {
        Ok(connection) => connection,
        Err(RecordError::Missing(_)) => {
            let place = Place::File(path);
            return Err(VerifyError::Tampered(vec![Tampered { place, what: "the database is missing".to_owned() }]));
        }
        Err(RecordError::Tampered(tampered)) => return Err(VerifyError::Tampered(vec![tampered])),
        Err(error) => return Err(error.into()),
    };
    let db = Db { connection: &connection, path: &path };
    let origin = Origin::of(&trusted.project);
    let ledger = log_state(&db)?;
    if ledger.origin != origin.as_str() {
        return Err(RecordError::OtherProject { path: folder.path().to_owned(), found: ledger.origin }.into());
    }
    let mut found = Findings::default();
    let signed = checkpoint(&folder, &ledger, &origin, trusted, &mut found)?;
    let said = lines::check(&db, &folder, &ledger, signed.as_ref(), trusted.pin, &mut found)?;
    // Everything else is compared with the log: where that does not hold, nothing is said about the rest.
    if found.tampered.is_empty() {
        records::check(&db, &folder, said.records, said.state, &mut found)?;
        files::check_operations(&db, &folder, said.operations, &mut found)?;
    }
    if !found.tampered.is_empty() {
        return Err(VerifyError::Tampered(found.tampered));
    }
    // What no command could go on with is not in order, though no record is in it.
    folder.check_kinds()?;
    Ok(found.report)
}

/// The checkpoint in the folder, if its signature holds.
fn checkpoint(
    folder: &Folder,
    ledger: &LogState,
    origin: &Origin,
    trusted: &Trusted,
    found: &mut Findings,
) -> Result<Option<Checkpoint>, RecordError> {
    let place = || Place::File(folder.path().join(CHECKPOINT));
    let note = match folder.read(CHECKPOINT)? {
        // After the first change its name is on the disk: no crash takes it away.
        None if ledger.before.size() > 0 => {
            found.tampered(place(), "the checkpoint is missing");
            return Ok(None);
        }
        None => return Ok(None),
        // A crash of the machine can leave it empty; the next command writes it again.
        Some(note) if note.is_empty() => {
            found.note(format!("the file `{CHECKPOINT}` is empty; the next command writes it"));
            return Ok(None);
        }
        Some(note) => note,
    };
    let verified = match core::str::from_utf8(&note) {
        Ok(note) => SignedCheckpoint::verify(note, origin, trusted.key.as_slice()).map_err(|error| error.to_string()),
        Err(_) => Err("it is not text".to_owned()),
    };
    match verified {
        Ok(signed) => Ok(Some(signed.checkpoint().clone())),
        Err(what) => {
            found.tampered(place(), what);
            Ok(None)
        }
    }
}

/// Entries that are in the outbox but did not reach the file.
fn pending(db: &Db<'_>, len: u64) -> Result<Vec<crate::log::Pending>, RecordError> {
    let mut pending = log::outbox(db)?;
    pending.retain(|line| line.start + line.bytes.len() as u64 > len);
    Ok(pending)
}
