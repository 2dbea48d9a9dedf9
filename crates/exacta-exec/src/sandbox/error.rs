//! Why a command could not be run. It was not run outside the sandbox instead.

use super::obstacle::Obstacle;
use exacta_kernel::path::RelPath;
use rustix::io::Errno;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The overlay or the confinement could not be set up.
    #[error("the command `{name}` cannot be confined here: {why}")]
    Unavailable {
        /// The command.
        name: String,
        /// What is in the way.
        why: String,
        /// What would help.
        help: String,
    },
    /// A folder that the command may write to is none of the project's.
    #[error("the command `{name}` may write to `{path}`, which {why}")]
    Folder {
        /// The command.
        name: String,
        /// The folder.
        path: RelPath,
        /// What it is instead.
        why: String,
    },
    /// A folder that the command may write to has a file of the change in it.
    #[error(
        "the command `{name}` would not see the change of `{file}`: it may write to `{folder}`, which is shown as it is on the disk"
    )]
    Unseen {
        /// The command.
        name: String,
        /// The file.
        file: RelPath,
        /// The folder.
        folder: RelPath,
    },
    /// Something is mounted inside the project.
    #[error("the command `{name}` cannot be run: another file system is mounted in the project, at `{}`", .mount.display())]
    Mounted {
        /// The command.
        name: String,
        /// Where.
        mount: PathBuf,
    },
    /// The change could not be laid out for it.
    #[error("cannot {call}: {source}")]
    Io {
        /// What was tried.
        call: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

impl SandboxError {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> &str {
        match self {
            Self::Unavailable { help, .. } => help,
            Self::Folder { .. } => "make it a folder of the project, or take it out of `writes` in the Safety Policy",
            Self::Unseen { .. } => {
                "`writes` in the Safety Policy is for what a command makes, and must not hold files that plans change: name a \
                 folder inside that does not, or another one"
            }
            Self::Mounted { .. } => {
                "the system cannot lay a change over a folder with a mount inside: unmount it, or have it mounted elsewhere, as long \
                 as commands run"
            }
            Self::Io { source, .. } => match source.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space where Exacta's state folder is",
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    "see who may write in Exacta's state folder"
                }
                _ => "see to what the system says, and try again: nothing was changed",
            },
        }
    }

    pub(super) fn unavailable(name: &str, obstacle: Obstacle) -> Self {
        Self::Unavailable { name: name.to_owned(), why: obstacle.why, help: obstacle.help }
    }

    pub(super) fn io(call: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { call, source }
    }

    pub(super) fn folder(name: &str, path: &RelPath, errno: Errno) -> Self {
        let why = match errno {
            Errno::LOOP => "is behind a symbolic link".to_owned(),
            Errno::NOTDIR => "is a symbolic link or a file, not a folder".to_owned(),
            Errno::XDEV => "is on another file system".to_owned(),
            other => format!("cannot be opened ({other})"),
        };
        Self::Folder { name: name.to_owned(), path: path.clone(), why }
    }
}
