//! The messages of an account, as they are.

use crate::account::{Account, Password};
use crate::error::MailError;
use crate::imap::{Purpose, Session};
use crate::wire::Limits;
use exacta_kernel::hash::Digest;

/// The largest message that is read.
pub const LARGEST: usize = 32 << 20;

/// The most bytes of messages that are read at once.
const TOGETHER: usize = 64 << 20;

/// The most messages that are read at once.
pub const MOST: u32 = 500;

/// An account that is logged in to, to read.
pub struct Mailbox(Session);

/// A message, as the server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawMessage {
    /// Of the mailbox: changes when the server numbers its messages again.
    pub uid_validity: u32,
    /// The message's number.
    pub uid: u32,
    /// Its bytes, to the byte.
    pub bytes: Vec<u8>,
    /// Of its bytes.
    pub sha256: Digest,
}

/// A message that was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// Its number.
    pub uid: u32,
    /// In bytes, as the server says.
    pub size: u64,
    /// Whether it alone is too large; else there were too many bytes before it.
    pub too_large: bool,
}

/// What was read of a mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Messages {
    /// The newest first.
    pub messages: Vec<RawMessage>,
    /// What was not read for its size.
    pub left_out: Vec<LeftOut>,
    /// How many messages the mailbox has.
    pub total: u32,
}

/// What an account offers, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offers {
    /// How many messages the inbox has.
    pub messages: u32,
    /// Whether there is a folder to archive to.
    pub archive: bool,
    /// Whether there is a folder for drafts.
    pub drafts: bool,
    /// Whether there is a folder in which what was sent can be found again.
    pub sent: bool,
}

impl Mailbox {
    /// Logs in.
    ///
    /// # Errors
    /// [`MailError`].
    pub fn connect(account: &Account, password: &Password) -> Result<Self, MailError> {
        Self::connect_within(account, password, Limits::default())
    }

    /// Logs in, with time limits of the caller's own.
    ///
    /// # Errors
    /// [`MailError`].
    pub fn connect_within(account: &Account, password: &Password, limits: Limits) -> Result<Self, MailError> {
        Ok(Self(Session::open(account, password, limits)?))
    }

    /// The newest messages of the inbox, at most so many ([`MOST`] at most). Nothing is marked as read.
    ///
    /// # Errors
    /// [`MailError`].
    pub fn messages(&mut self, limit: u32) -> Result<Messages, MailError> {
        let selected = self.0.select("INBOX", false)?;
        let mut read = Messages { messages: Vec::new(), left_out: Vec::new(), total: selected.messages };
        let mut left = TOGETHER;
        for listed in self.0.newest(selected, limit.min(MOST))? {
            let (uid, size) = (listed.uid, usize::try_from(listed.size).unwrap_or(usize::MAX));
            if size > LARGEST || size > left {
                read.left_out.push(LeftOut { uid, size: listed.size, too_large: size > LARGEST });
                continue;
            }
            // What somebody deleted meanwhile is not there to be read.
            if let Some(bytes) = self.0.message(uid, LARGEST.min(left))? {
                left = left.saturating_sub(bytes.len());
                let sha256 = Digest::of(&bytes);
                read.messages.push(RawMessage { uid_validity: selected.validity, uid, bytes, sha256 });
            }
        }
        Ok(read)
    }

    /// What the account offers.
    ///
    /// # Errors
    /// [`MailError`], but not if a folder is missing.
    pub fn offers(&mut self) -> Result<Offers, MailError> {
        let messages = self.0.select("INBOX", false)?.messages;
        let mut has = |purpose| match self.0.folder(purpose) {
            Ok(_) => Ok(true),
            Err(MailError::NoFolder { .. }) => Ok(false),
            Err(error) => Err(error),
        };
        Ok(Offers {
            messages,
            archive: has(Purpose::Archive)?,
            drafts: has(Purpose::Drafts)?,
            sent: has(Purpose::Sent)?,
        })
    }

    /// Ends the connection.
    pub fn close(self) {
        self.0.log_out();
    }
}
