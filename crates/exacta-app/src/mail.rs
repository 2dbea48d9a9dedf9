//! The user's mail accounts: adding one is signed, removing one is free. The signature is verified at every use, and a password is read only to log in.

use crate::caller::Act;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::settings::{Settings, SigningKey, entry, signed_setting};
use exacta_home::{Home, SignedMail, password_in};
pub use exacta_home::{MailSetup, PasswordSource};
use exacta_kernel::approval::setting::SettingVerb;
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_mail::{Account, MailEffector, MailError, Mailbox, Password, check_sending};
use serde::Serialize;
use serde_json::json;
use zeroize::Zeroizing;

/// A mail account, as people and scripts see it. No password is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MailView {
    /// What the user calls it.
    #[serde(flatten)]
    pub setup: MailSetup,
    /// Who signed for it.
    pub signed_by: String,
    /// Whether that signature counts.
    pub counts: bool,
}

/// What a mail account offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MailOffers {
    /// What the user calls it.
    pub name: String,
    /// How many messages its inbox has.
    pub messages: u32,
    /// Whether there is a folder to archive to.
    pub archive: bool,
    /// Whether there is a folder for drafts.
    pub drafts: bool,
    /// Whether there is a folder in which what was sent can be found again.
    pub sent: bool,
}

impl Settings {
    /// Adds a mail account or changes it, for which an approver signs.
    ///
    /// # Errors
    /// If it cannot be used, or the key is not an approver's.
    pub fn add_mail(&mut self, setup: &MailSetup, key: &SigningKey) -> Result<MailView, Error> {
        self.authorize(Act::Configure)?;
        account(setup)?;
        source_fits(&setup.password)?;
        let subject = setup.subject()?;
        let by = signed_setting(&self.home, SettingVerb::MailSet, None, subject, key)?;
        let at = by.statement().at;
        let words = format!("mail account `{}`: {} at {} and {}", setup.name, setup.user, setup.imap, setup.smtp);
        let change = data(json!({ "mail": setup.name, "sha256": subject }));
        self.enter(entry(Event::AutopilotChanged, &by, words, change), |home| home.set_mail(setup, at, &by))?;
        self.mail_accounts()?
            .into_iter()
            .find(|known| known.setup.name == setup.name)
            .ok_or_else(|| unknown(&setup.name))
    }

    /// Every mail account.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn mail_accounts(&self) -> Result<Vec<MailView>, Error> {
        self.authorize(Act::ReadAll)?;
        let approvers = self.home.approvers()?;
        let view = |known: SignedMail| MailView {
            counts: known.verify(&approvers).is_ok(),
            signed_by: known.signed.statement.approver.to_string(),
            setup: known.setup,
        };
        Ok(self.home.mail_accounts()?.into_iter().map(view).collect())
    }

    /// Logs in to both servers of an account, and changes nothing there.
    ///
    /// # Errors
    /// What does not work, in the server's words where it has some.
    pub fn test_mail(&self, name: &str) -> Result<MailOffers, Error> {
        self.authorize(Act::Adjust)?;
        let (account, password) = opened(&self.home, name)?;
        let mut mailbox = Mailbox::connect(&account, &password).map_err(|error| not_reached(&error))?;
        let offers = mailbox.offers().map_err(|error| not_reached(&error))?;
        mailbox.close();
        check_sending(&account, &password).map_err(|error| not_reached(&error))?;
        let exacta_mail::Offers { messages, archive, drafts, sent } = offers;
        Ok(MailOffers { name: name.to_owned(), messages, archive, drafts, sent })
    }

    /// Removes a mail account: narrowing needs no signature.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn remove_mail(&mut self, name: &str) -> Result<(), Error> {
        self.authorize(Act::Adjust)?;
        find(&self.home, name)?;
        let words = format!("mail account `{name}` removed");
        let entry = EntryDraft::new(Event::AutopilotChanged, self.actor(), words);
        self.enter(entry, |home| home.remove_mail(name).map(drop))
    }
}

/// The address that an account sends from, if an approver's signature stands behind it.
///
/// # Errors
/// If the list cannot be read.
pub(crate) fn sender(home: &Home, name: &str) -> Result<Option<String>, Error> {
    let approvers = home.approvers()?;
    let found = home.mail_accounts()?.into_iter().find(|known| known.setup.name == name);
    Ok(found.filter(|known| known.verify(&approvers).is_ok()).map(|known| known.setup.from))
}

/// Everything that performs mail: the accounts that an approver signed for and whose password is there. What is missing is told when it is
/// needed.
///
/// # Errors
/// If the list cannot be read.
pub(crate) fn effector(home: &Home) -> Result<MailEffector, Error> {
    let approvers = home.approvers()?;
    let counts = home.mail_accounts()?.into_iter().filter(|known| known.verify(&approvers).is_ok());
    let usable = counts.filter_map(|known| Some((account(&known.setup).ok()?, password(&known.setup).ok()?)));
    Ok(MailEffector::new(usable.collect()))
}

/// An account that can be logged in to.
///
/// # Errors
/// If there is none of that name, no signature stands behind it, or its password is missing.
pub(crate) fn opened(home: &Home, name: &str) -> Result<(Account, Password), Error> {
    let known = find(home, name)?;
    known.verify(&home.approvers()?).map_err(|error| {
        let message = format!("no approver signed for mail account `{name}` as it is: {error}");
        Error::new(Exit::Denied, "not_signed", message).hint(hint![Remedy::MailAdd, " signs it again"])
    })?;
    Ok((account(&known.setup)?, password(&known.setup)?))
}

fn find(home: &Home, name: &str) -> Result<SignedMail, Error> {
    home.mail_accounts()?.into_iter().find(|known| known.setup.name == name).ok_or_else(|| unknown(name))
}

fn account(setup: &MailSetup) -> Result<Account, Error> {
    let MailSetup { name, imap, smtp, user, from, .. } = setup;
    Account::new(name, imap, smtp, user, from)
        .map_err(|error| unusable(error.to_string()).hint(hint![Remedy::MailAddHelp, " has an example"]))
}

/// That a password can be looked for there; whether it is there is not asked of the environment, which another shell may set.
fn source_fits(source: &PasswordSource) -> Result<(), Error> {
    match source {
        PasswordSource::Environment(name) => {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || name.len() > 128 || !name.chars().all(plain) {
                return Err(unusable("`--password-env` names no environment variable".to_owned())
                    .hint("the variable's name, such as MAIL_PASSWORD; never the password itself"));
            }
            Ok(())
        }
        PasswordSource::File(_) => read(source).map(drop),
    }
}

fn password(setup: &MailSetup) -> Result<Password, Error> {
    Password::new(read(&setup.password)?).map_err(|error| {
        let message = format!("the password of mail account `{}` cannot be used: {error}", setup.name);
        Error::new(Exit::Usage, "password_unusable", message).hint("one line, at most 1024 bytes")
    })
}

fn read(source: &PasswordSource) -> Result<Zeroizing<String>, Error> {
    match source {
        PasswordSource::Environment(name) => std::env::var(name).map(Zeroizing::new).map_err(|_| {
            Error::new(Exit::Usage, "password_missing", format!("the environment has no text named `{name}`"))
                .hint("set it to the mail account's password, and give the command again")
        }),
        PasswordSource::File(file) => password_in(file).map_err(|error| {
            Error::new(Exit::Usage, "password_missing", error.to_string())
                .hint("a file of your own, mode 0600, outside every project, with the password in its first line")
        }),
    }
}

fn unusable(message: String) -> Error {
    Error::new(Exit::Usage, "mail_unusable", message)
}

pub(crate) fn unknown(name: &str) -> Error {
    let name = exacta_kernel::text::excerpt(name, 64);
    Error::new(Exit::Usage, "mail_unknown", format!("no mail account `{name}`")).hint(hint![
        Remedy::MailList,
        " shows yours; ",
        Remedy::MailAdd,
        " adds one"
    ])
}

pub(crate) fn not_reached(error: &MailError) -> Error {
    Error::fault("mail_failed", error.to_string())
        .hint("nothing was changed there; correct what it names, and test again")
}
