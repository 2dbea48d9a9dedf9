//! Why a file or folder of the user's cannot be used, and what would help. Apart from `error`, which joins it with what goes wrong with keys.

use exacta_kernel::hint;
use exacta_kernel::hint::Hint;
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
    /// Another version wrote it.
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

impl FileError {
    /// For `map_err`: names the call and the path.
    pub(crate) fn io<E: Into<io::Error>>(call: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        move |source| Self::Io { call, path: path.to_owned(), source: source.into() }
    }

    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Hint {
        match self {
            Self::Io { path, source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    hint!["free some space and give the command again"]
                }
                io::ErrorKind::ReadOnlyFilesystem => {
                    hint!["make the file system writable and give the command again"]
                }
                _ => hint![format!("see who may use it: `ls -ld {}`", path.display())],
            },
            Self::Unsafe { path, weakness } => hint![weakness.hint(path)],
            Self::Malformed { .. } => hint!["put back a copy that you trust, or move the file away and start over"],
            Self::Oversize { .. } => hint!["nothing was changed; write less into it"],
            Self::Newer { .. } => {
                hint!["use the version of exacta that wrote it, or move the file away and add again what it held"]
            }
            Self::Busy { .. } => hint!["wait for the other command to end, and give this one again"],
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
            Self::NotAFile | Self::NotAFolder | Self::TooLarge => format!("move `{path}` away and start over"),
        }
    }
}
