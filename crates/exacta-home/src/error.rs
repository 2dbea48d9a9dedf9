//! What can go wrong in the user's own folder, each with what would help.

use crate::key::KeyError;
use exacta_kernel::approval::{ApprovalError, ApproverName};
use exacta_kernel::provider::ProviderName;
use std::io;
use std::path::{Path, PathBuf};

/// A file or folder of the user's that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system refused.
    #[error("cannot {call} `{}`: {source}", path.display())]
    Io {
        /// What was being done, as a verb.
        call: &'static str,
        /// To what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Others could have changed or read it, so nothing in it can be believed.
    #[error("`{}` is not safe to use: {weakness}", path.display())]
    Unsafe {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        weakness: Weakness,
    },
    /// It is not what it should be.
    #[error("`{}` cannot be read: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Why. Never holds a secret.
        why: String,
    },
    /// It would be larger than what is read back.
    #[error("`{}` is not written: it would have {size} bytes, and at most {most} are read back", path.display())]
    Oversize {
        /// The file.
        path: PathBuf,
        /// How large it would be.
        size: u64,
        /// How large it may be.
        most: u64,
    },
    /// It was written by a newer version.
    #[error("`{}` has the format `{schema}`, which this version does not know", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// What it says it is.
        schema: String,
    },
    /// Another process has kept it locked for too long.
    #[error("`{}` is kept locked by another process", path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
    },
}

/// Why a file or folder is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Weakness {
    /// It belongs to somebody else.
    #[error("it belongs to user {owner}, not to user {expected}")]
    Owner {
        /// Whose it is.
        owner: u32,
        /// Whose it should be.
        expected: u32,
    },
    /// Others may write it.
    #[error("others can write it (mode {0:o})")]
    Writable(u32),
    /// Others may read a secret.
    #[error("others can read it (mode {0:o})")]
    Readable(u32),
    /// It is a symbolic link, a pipe, a device.
    #[error("it is not a regular file")]
    NotAFile,
    /// It is not a folder.
    #[error("it is not a folder")]
    NotAFolder,
    /// It is larger than any such file.
    #[error("it is too large")]
    TooLarge,
}

/// What can go wrong with the user's own folder.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Nobody said where it is.
    #[error("no place for Exacta's own files: neither `EXACTA_HOME` nor `HOME` names a folder by its full path")]
    NoFolder,
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// No listed approver signed for it.
    #[error(transparent)]
    Approval(#[from] ApprovalError),
    /// What grants would lie where plans can write.
    #[error("Exacta's own folder `{}` lies in the project `{}`", home.display(), root.display())]
    InsideProject {
        /// Where the policy and keys are.
        home: PathBuf,
        /// The project.
        root: PathBuf,
    },
    /// The machine's policy wins, so the user's cannot be set.
    #[error("the Safety Policy of this machine is `{}` and only its administrator can change it", .0.display())]
    SystemPolicy(PathBuf),
    /// The list of approvers is not empty.
    #[error("there are approvers already, so one of them must sign for another")]
    NotTheFirst,
    /// The name is taken.
    #[error("there is an approver `{0}` already")]
    ApproverExists(ApproverName),
    /// The key is another approver's.
    #[error("that key is already the key of approver `{0}`")]
    KeyInUse(ApproverName),
    /// Nobody of that name.
    #[error("there is no approver `{0}`")]
    NoApprover(ApproverName),
    /// Without approvers nobody could decide anything any more.
    #[error("`{0}` is the last approver")]
    LastApprover(ApproverName),
    /// No provider of that name.
    #[error("there is no provider `{0}`")]
    NoProvider(ProviderName),
    /// The project is not known yet.
    #[error("`{}` is not a project that Exacta knows", .0.display())]
    NoProject(PathBuf),
    /// The log is shorter than it once was.
    #[error("the log has {given} entries, but {pinned} were seen before")]
    PinBackward {
        /// How many were seen.
        pinned: u64,
        /// How many there are.
        given: u64,
    },
    /// The log is another one.
    #[error("the log's first {0} entries are not those that were seen before")]
    PinConflict(u64),
}

impl FileError {
    /// For `map_err`: names the call and the path.
    pub(crate) fn io<E: Into<io::Error>>(call: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        move |source| Self::Io { call, path: path.to_owned(), source: source.into() }
    }

    /// What would help.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Io { path, source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "free some space and give the command again".to_owned()
                }
                io::ErrorKind::ReadOnlyFilesystem => {
                    "make the file system writable and give the command again".to_owned()
                }
                _ => format!("see who may use it: `ls -ld {}`", path.display()),
            },
            Self::Unsafe { path, weakness } => weakness.hint(path),
            Self::Malformed { .. } => "put back a copy that you trust, or move the file away and begin anew".to_owned(),
            Self::Oversize { .. } => "nothing was changed; write less into it".to_owned(),
            Self::Newer { .. } => "use the newer version of exacta that wrote it".to_owned(),
            Self::Busy { .. } => "wait for the other command to end, and give this one again".to_owned(),
        }
    }
}

impl Weakness {
    fn hint(self, path: &Path) -> String {
        let path = path.display();
        match self {
            Self::Owner { .. } => format!("act as the user it belongs to, or look at it and then `chown` it: {path}"),
            Self::Writable(_) => format!("look at what is in it, then `chmod go-w {path}`"),
            Self::Readable(_) => format!("look at what is in it, then `chmod go-rwx {path}`"),
            Self::NotAFile | Self::NotAFolder | Self::TooLarge => format!("move `{path}` away and begin anew"),
        }
    }
}

impl HomeError {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> String {
        let hint = match self {
            Self::File(error) => return error.hint(),
            Self::Key(error) => return error.hint(),
            Self::NoFolder => "set `HOME`, or `EXACTA_HOME` to a folder of your own",
            Self::Approval(error) => error.hint(),
            Self::InsideProject { .. } => {
                "set `EXACTA_HOME` to a folder outside the project, or take a smaller project"
            }
            Self::SystemPolicy(_) => "ask the administrator of this machine; `exacta policy show` prints it",
            Self::NotTheFirst | Self::NoApprover(_) => "see `exacta approver list`",
            Self::ApproverExists(_) => "choose another name, or `exacta approver remove` the old one first",
            Self::KeyInUse(_) => "let `exacta approver add` make a new key",
            Self::LastApprover(_) => "add another approver first: `exacta approver add NAME`",
            Self::NoProvider(_) => "see `exacta provider list`",
            Self::NoProject(_) => "run `exacta init` there",
            Self::PinBackward { .. } | Self::PinConflict(_) => "the record was changed: run `exacta audit verify`",
        };
        hint.to_owned()
    }
}
