//! What can go wrong in the user's own folder, each with what would help.

use crate::file_error::FileError;
use crate::key::KeyError;
use exacta_kernel::approval::{ApprovalError, ApproverName};
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use exacta_kernel::provider::ProviderName;
use std::path::PathBuf;

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
    /// The keyring does not work here.
    #[error("this system's keyring cannot be used")]
    NoKeyring,
}

impl HomeError {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Hint {
        match self {
            Self::File(error) => error.hint(),
            Self::Key(error) => error.hint(),
            Self::NoFolder => hint!["set `HOME`, or `EXACTA_HOME` to a folder of your own"],
            Self::Approval(error) => error.hint(),
            Self::InsideProject { .. } => {
                hint!["set `EXACTA_HOME` to a folder outside the project, or take a smaller project"]
            }
            Self::SystemPolicy(_) => hint!["ask the administrator of this machine; ", Remedy::PolicyShow, " prints it"],
            Self::NotTheFirst | Self::NoApprover(_) => hint!["see ", Remedy::ApproverList],
            Self::ApproverExists(_) => {
                hint!["choose another name, or remove the old one first: ", Remedy::ApproverRemove]
            }
            Self::KeyInUse(_) => hint!["have a new key made: ", Remedy::ApproverAdd],
            Self::LastApprover(_) => hint!["add another approver first: ", Remedy::ApproverAdd],
            Self::NoProvider(_) => hint!["see ", Remedy::ProviderList],
            Self::NoKeyring => hint!["keep the password in a file or a variable of the environment"],
            Self::NoProject(_) => hint!["run ", Remedy::Init, " there"],
            Self::PinBackward { .. } | Self::PinConflict(_) => {
                hint!["the record was changed: run ", Remedy::AuditVerify]
            }
        }
    }
}
