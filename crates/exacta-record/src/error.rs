//! What can go wrong with the records.

use crate::run::RunState;
use crate::signer::SignerError;
use exacta_kernel::audit::EntryError;
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::lifecycle::Status;
use std::io;
use std::path::{Path, PathBuf};

/// Why the records could not be read or changed. Nothing was changed then, unless it says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file could not be read or written.
    #[error("cannot {action} `{}`: {cause}", path.display())]
    Io {
        /// Such as `open`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// The database reported an error.
    #[error("the database `{}` failed: {cause}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What it said.
        #[source]
        cause: rusqlite::Error,
    },
    /// Another process held the database for longer than we wait.
    #[error("the database `{}` is busy", .0.display())]
    Busy(PathBuf),
    /// The database or its folder cannot be written.
    #[error("the records in `{}` cannot be written: {why}", path.display())]
    ReadOnly {
        /// What cannot be written.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// No space is left.
    #[error("no space is left to write `{}`", .0.display())]
    Full(PathBuf),
    /// The file is not a database of ours, or is damaged.
    #[error("the database `{}` is damaged: {what}", path.display())]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Written by a newer version.
    #[error("the database `{}` has format {found}; this version knows formats up to {known}", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest we know.
        known: i64,
    },
    /// Written by a version before the first that can be read.
    #[error("the database `{}` has format {found}; this version knows formats from {known} on", path.display())]
    Older {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The oldest we know.
        known: i64,
    },
    /// The folder holds the records of another project, such as the one it was copied from.
    #[error("the records in `{}` belong to another project, `{found}`", path.display())]
    OtherProject {
        /// The folder.
        path: PathBuf,
        /// Whose they are.
        found: String,
    },
    /// The records were changed from outside.
    #[error("{0}")]
    Tampered(#[from] Tampered),
    /// There are no records yet.
    #[error("there are no records in `{}`", .0.display())]
    Missing(PathBuf),
    /// Something lies where another kind of thing belongs.
    #[error("`{}` is {found}, where {wanted} belongs", path.display())]
    WrongKind {
        /// Where.
        path: PathBuf,
        /// What belongs there.
        wanted: &'static str,
        /// What is there.
        found: &'static str,
        /// Whether it holds no record and is made again.
        remade: bool,
    },
    /// The records' folder is another user's.
    #[error("`{}` belongs to another user ({owner}), who could write anything there", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// A name that is already taken.
    #[error("there is already a plan `{0}`")]
    DuplicatePlan(PlanId),
    /// No such plan.
    #[error("there is no plan `{0}`")]
    UnknownPlan(PlanId),
    /// No such run.
    #[error("there is no run `{0}`")]
    UnknownRun(RunId),
    /// A run that is over cannot end again.
    #[error("the run `{id}` has already ended: {state}")]
    RunEnded {
        /// The run.
        id: RunId,
        /// How it ended.
        state: RunState,
    },
    /// A change that the lifecycle does not have.
    #[error("a plan that is {from} cannot become {to}")]
    NotATransition {
        /// Where it stands.
        from: Status,
        /// Where it was to go.
        to: Status,
    },
    /// A change that came without an audit entry.
    #[error("a change of the records came without an audit entry")]
    Unrecorded,
    /// An entry that cannot be written.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// A value that cannot be written as JSON.
    #[error("a record cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The entry is made and will be in the log when the next command has finished it; this one could not.
    #[error("the entry is made, but writing the log stopped: {0}")]
    Unfinished(
        /// Why.
        #[source]
        Box<RecordError>,
    ),
    /// The checkpoint could not be signed or pinned.
    #[error(transparent)]
    Signer(#[from] SignerError),
}

/// Where the records were changed from outside, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the records were changed from outside: {place}: {what}")]
pub struct Tampered {
    /// The place.
    pub place: Place,
    /// What is wrong there.
    pub what: String,
}

/// A place in the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line of the audit log, counted from 1.
    Line(u64),
    /// Lines of the audit log, counted from 1, both inclusive.
    Lines(u64, u64),
    /// A file.
    File(PathBuf),
    /// A plan in the database.
    Plan(String),
    /// A run in the database.
    Run(String),
    /// A plan or run that the log knows.
    Record(String),
    /// The database's index of the audit log.
    Index,
}

impl core::fmt::Display for Place {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Line(line) => write!(f, "audit log, line {line}"),
            Self::Lines(first, last) => write!(f, "audit log, lines {first} to {last}"),
            Self::File(path) => write!(f, "`{}`", path.display()),
            Self::Plan(id) => write!(f, "plan `{id}`"),
            Self::Run(id) => write!(f, "run `{id}`"),
            Self::Record(id) => write!(f, "record `{id}`"),
            Self::Index => f.write_str("the database's index of the audit log"),
        }
    }
}

impl RecordError {
    /// Whether the records were changed from outside; also where that was noticed after the entry was made.
    #[must_use]
    pub fn is_tampered(&self) -> bool {
        match self {
            Self::Tampered(_) => true,
            Self::Unfinished(cause) => cause.is_tampered(),
            _ => false,
        }
    }

    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Hint {
        match self {
            Self::Unfinished(cause) if cause.is_tampered() || matches!(**cause, Self::WrongKind { .. }) => cause.hint(),
            Self::Unfinished(_) => hint!["remove the cause; the next command finishes the record"],
            Self::Io { cause, .. } if cause.kind() == io::ErrorKind::IsADirectory => {
                hint!["run ", Remedy::AuditVerify, " to see everything that differs"]
            }
            Self::Io { .. } => hint!["remove the cause and give the command again"],
            Self::WrongKind { path, remade: true, .. } => {
                let path = path.display();
                hint![format!("it holds no record: `mv {path} {path}.old`, and give the command again")]
            }
            Self::WrongKind { .. } => {
                hint!["put the folder back from a backup, or begin a new record: ", Remedy::InitAgain]
            }
            Self::Foreign { .. } => {
                hint!["give the command as that user, or begin a project of your own in another folder: ", Remedy::Init]
            }
            Self::Database { .. } => hint!["run ", Remedy::Doctor],
            Self::Busy(_) => hint!["wait for the other command to end; ", Remedy::Status, " shows what is running"],
            Self::ReadOnly { .. } => hint!["make the project's `.exacta` folder writable"],
            Self::Full(_) => hint!["free some space and give the command again"],
            Self::Corrupt { .. } => {
                hint!["restore `.exacta` from a backup, or begin a new record: ", Remedy::InitAgain]
            }
            Self::Newer { .. } => hint!["update exacta, or use the version that wrote it"],
            Self::Older { .. } => hint!["put these records aside and begin new ones: ", Remedy::InitAgain],
            Self::OtherProject { .. } => {
                hint![
                    "a copied folder is a new project: ",
                    Remedy::InitAgain,
                    " puts these records aside and begins its own"
                ]
            }
            Self::Tampered(_) => hint!["run ", Remedy::AuditVerify, " to see everything that differs"],
            Self::Missing(_) => {
                hint![
                    "run ",
                    Remedy::Init,
                    "; where something was recorded before, ",
                    Remedy::InitAgain,
                    " begins a new record"
                ]
            }
            Self::DuplicatePlan(_) | Self::UnknownPlan(_) => hint!["see ", Remedy::List],
            Self::UnknownRun(_) | Self::RunEnded { .. } => hint!["see ", Remedy::Status],
            Self::NotATransition { .. } => hint!["look at the plan with ", Remedy::Show(None)],
            Self::Unrecorded | Self::Entry(_) | Self::Json(_) => hint!["this is a fault in exacta: please report it"],
            Self::Signer(SignerError::Pin { hint, .. }) => hint.clone(),
            Self::Signer(_) => hint!["run ", Remedy::Doctor, "; the next command signs the checkpoint again"],
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |cause| match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full(path),
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path, why: "the file system is read-only" },
            _ => Self::Io { action, path, cause },
        }
    }

    /// The error for a value that none of our versions writes.
    pub(crate) fn corrupt(path: &Path, what: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_owned(), what: what.into() }
    }

    pub(crate) fn database(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self + use<> {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        move |cause| match cause.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy(path),
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { path, why: "the database is read-only" },
            Some(ErrorCode::PermissionDenied) => Self::ReadOnly { path, why: "permission denied" },
            Some(ErrorCode::DiskFull) => Self::Full(path),
            Some(ErrorCode::DatabaseCorrupt) => {
                Self::Corrupt { path, what: "its pages do not fit together".to_owned() }
            }
            Some(ErrorCode::NotADatabase) => Self::Corrupt { path, what: "it is not a database".to_owned() },
            _ => Self::Database { path, cause },
        }
    }
}

/// The error for an index of the log that somebody else changed.
pub fn index_changed(what: &str) -> RecordError {
    Tampered { place: Place::Index, what: what.to_owned() }.into()
}
