//! The user's mail accounts, `mail.json`: each with the signature of the approver who added it. Passwords are not in it.

use crate::document::{self, Document};
use crate::file::{self, Lock, Trust};
use crate::file_error::FileError;
use crate::{Home, HomeError};
use exacta_kernel::approval::setting::{SettingDemand, SettingVerb, SignedSetting, VerifiedSetting, verify};
use exacta_kernel::approval::{ApprovalError, Approver};
use exacta_kernel::hash::{Digest, canonical_hash};
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// What is in every project's folder.
const PROJECT_MARK: &str = ".exacta";

/// A mail account as an approver signs for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailSetup {
    /// What the user calls it.
    pub name: String,
    /// The way to its IMAP server.
    pub imap: String,
    /// The way to its submission server.
    pub smtp: String,
    /// Who logs in.
    pub user: String,
    /// The address it sends from.
    pub from: String,
    /// Where its password is.
    pub password: PasswordSource,
}

/// Where a mail account's password is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PasswordSource {
    /// In this environment variable.
    Environment(String),
    /// In this file, of mode 0600 and outside every project.
    File(PathBuf),
}

/// A mail account, and who signed for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedMail {
    /// What was signed.
    pub setup: MailSetup,
    /// By whom.
    pub signed: SignedSetting,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Accounts {
    accounts: Vec<SignedMail>,
}

impl Document for Accounts {
    const SCHEMA: &'static str = "exacta.mail/1";
}

/// Why the file with a password is not used.
#[derive(Debug, thiserror::Error)]
pub enum PasswordFileError {
    /// It cannot be read, or others could.
    #[error(transparent)]
    File(#[from] FileError),
    /// It lies where plans can write.
    #[error("`{}` lies in the project `{}`", file.display(), project.display())]
    InProject {
        /// The file.
        file: PathBuf,
        /// The project.
        project: PathBuf,
    },
    /// It is not there, its path is not a full one, or it is no text.
    #[error("`{}` {why}", file.display())]
    Unusable {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl MailSetup {
    /// What an approver signs for, by hash.
    ///
    /// # Errors
    /// Only where canonical JSON cannot be written, which the types rule out.
    pub fn subject(&self) -> Result<Digest, serde_json::Error> {
        canonical_hash(&(Accounts::SCHEMA, self))
    }
}

impl SignedMail {
    /// That an approver on the list signed for exactly this. It is asked at every use.
    ///
    /// # Errors
    /// What does not hold.
    pub fn verify(&self, approvers: &[Approver]) -> Result<(), ApprovalError> {
        let subject = self.setup.subject().map_err(|_| ApprovalError::NotCanonical)?;
        let demand =
            SettingDemand { verb: SettingVerb::MailSet, project: None, subject, now: self.signed.statement.at };
        verify(&self.signed, approvers, &demand).map(drop)
    }
}

impl Home {
    /// Every mail account, in the order they were added. None of them counts before [`SignedMail::verify`] says so.
    ///
    /// # Errors
    /// Where the list is damaged or could have been changed by others.
    pub fn mail_accounts(&self) -> Result<Vec<SignedMail>, HomeError> {
        Ok(document::read::<Accounts>(&self.mail_file())?.unwrap_or_default().accounts)
    }

    /// Adds a mail account, in place of the one of the same name.
    ///
    /// # Errors
    /// Where no listed approver signed for exactly this.
    pub fn set_mail(&self, setup: &MailSetup, now: Timestamp, by: &VerifiedSetting) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let subject = setup.subject().map_err(|_| ApprovalError::NotCanonical)?;
        // Again, under the lock: the signer may have been removed since.
        let demand = SettingDemand { verb: SettingVerb::MailSet, project: None, subject, now };
        verify(by.signed(), &self.approvers()?, &demand)?;
        let mut accounts = self.mail_accounts()?;
        accounts.retain(|known| known.setup.name != setup.name);
        accounts.push(SignedMail { setup: setup.clone(), signed: by.signed().clone() });
        Ok(document::write(&lock, &self.mail_file(), &Accounts { accounts })?)
    }

    /// Removes a mail account; nobody has to sign for that. Says whether there was one.
    ///
    /// # Errors
    /// Where the list cannot be written.
    pub fn remove_mail(&self, name: &str) -> Result<bool, HomeError> {
        let lock = Lock::on(&self.config)?;
        let mut accounts = self.mail_accounts()?;
        let before = accounts.len();
        accounts.retain(|known| known.setup.name != name);
        let found = accounts.len() < before;
        if found {
            document::write(&lock, &self.mail_file(), &Accounts { accounts })?;
        }
        Ok(found)
    }

    pub(crate) fn mail_file(&self) -> PathBuf {
        self.config.join("mail.json")
    }
}

/// The first line of a file that nobody but its owner can read, and that lies in no project.
///
/// # Errors
/// [`PasswordFileError`]; nothing of the content is in it.
pub fn password_in(file: &Path) -> Result<Zeroizing<String>, PasswordFileError> {
    let unusable = |why| PasswordFileError::Unusable { file: file.to_owned(), why };
    if !file.is_absolute() {
        return Err(unusable("is not a full path"));
    }
    let folder = file.parent().unwrap_or(file).canonicalize().map_err(FileError::io("look at", file))?;
    if let Some(project) = folder.ancestors().find(|folder| folder.join(PROJECT_MARK).symlink_metadata().is_ok()) {
        return Err(PasswordFileError::InProject { file: file.to_owned(), project: project.to_owned() });
    }
    let bytes = file::read(file, Trust::Secret)?.ok_or_else(|| unusable("is not there"))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| unusable("is not UTF-8"))?;
    Ok(Zeroizing::new(text.lines().next().unwrap_or_default().to_owned()))
}
