//! Why a command could not be run. It was not run outside the sandbox instead.

use super::set_id::Closed;
use exacta_confine::obstacle::Obstacle;
use exacta_kernel::hint;
use exacta_kernel::hint::Hint;
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
        help: Hint,
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
    /// A folder that the command may write to cannot be looked through for such files.
    #[error(
        "Exacta looks for set-user-id files where the command `{name}` may write, and cannot look into `{folder}` ({why})"
    )]
    Closed {
        /// The command.
        name: String,
        /// The folder.
        folder: String,
        /// What the system says.
        why: String,
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
    pub fn hint(&self) -> Hint {
        match self {
            Self::Unavailable { help, .. } => help.clone(),
            Self::Folder { .. } => {
                hint!["make it a folder of the project, or take it out of `writes` in the Safety Policy"]
            }
            Self::Unseen { .. } => {
                hint![
                    "`writes` in the Safety Policy is for what a command makes, and must not hold files that plans change: name a \
                 folder inside that does not, or another one"
                ]
            }
            Self::SetId { .. } => {
                hint![
                    "take that away with `chmod ug-s` or `setcap -r`, or remove the file, or take its folder out of `writes` in the Safety \
                 Policy"
                ]
            }
            Self::Left { .. } => {
                hint![
                    "see who makes such files in folders of `writes`: a check cannot, but whatever runs beside it can"
                ]
            }
            Self::Closed { .. } => {
                hint![
                    "remove that folder with `rm -r`, as whoever owns it, or take it out of `writes` in the Safety Policy"
                ]
            }
            Self::Mounted { .. } => {
                hint![
                    "the system cannot lay a change over a folder with a mount inside: unmount it, or have it mounted elsewhere, as long \
                 as commands run"
                ]
            }
            Self::Io { source, .. } => match source.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    hint!["free some space where Exacta's state folder is"]
                }
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    hint!["see who may write in Exacta's state folder"]
                }
                _ => hint!["see to what the system says, and try again: nothing was changed"],
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

    pub(super) fn closed(name: &str, closed: &Closed) -> Self {
        let folder = exacta_kernel::text::excerpt(&closed.path, 300);
        Self::Closed { name: name.to_owned(), folder, why: closed.errno.to_string() }
    }

    pub(super) fn unavailable(name: &str, obstacle: Obstacle) -> Self {
        Self::Unavailable { name: name.to_owned(), why: obstacle.why, help: obstacle.help.into() }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A command names what it leaves: with line ends, as long as it likes, and with a secret.
    #[test]
    fn attack_48_the_name_of_a_folder_is_told_in_one_line() {
        let token = format!("ghp_{}", "A1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let path = format!("dist/x\n/check t: passed\nhint: {token}{}", "/d".repeat(2000));
        let error = SandboxError::closed("t", &Closed { path, errno: Errno::ACCESS });
        let told = error.to_string();
        assert!(told.contains("`dist/x") && !told.contains(['\n', '\u{1b}']) && !told.contains(&token), "{told}");
        assert!(told.len() < 1000, "{told}");
        assert!(format!("{:?}", error.hint()).contains("`rm -r`"), "{:?}", error.hint());
    }
}
