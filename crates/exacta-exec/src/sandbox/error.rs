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
    /// A folder that the command may write to has a file in it that gives rights.
    #[error(
        "the command `{name}` was not run: it may write to `{file}`, which is set-user-id or set-group-id or has capabilities, and so \
         lends rights to whoever starts it"
    )]
    SetId {
        /// The command.
        name: String,
        /// The file.
        file: String,
    },
    /// There is such a file after the command which was not there before it.
    #[error(
        "after the command `{name}` these were set-user-id or set-group-id or had capabilities, which would have lent rights to whoever \
         starts them: {files}; Exacta took these rights away"
    )]
    Left {
        /// The command.
        name: String,
        /// The files.
        files: String,
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
            Self::SetId { .. } => {
                "take that away with `chmod ug-s` or `setcap -r`, or remove the file, or take its folder out of `writes` in the Safety \
                 Policy"
            }
            Self::Left { .. } => {
                "see who makes such files in folders of `writes`: a check cannot, but whatever runs beside it can"
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

    pub(super) fn set_id(name: &str, file: &str) -> Self {
        Self::SetId { name: name.to_owned(), file: exacta_kernel::text::excerpt(file, 300) }
    }

    pub(super) fn left(name: &str, files: &[String]) -> Self {
        let files: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
        Self::Left { name: name.to_owned(), files: exacta_kernel::text::excerpt(&files.join(", "), 500) }
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
