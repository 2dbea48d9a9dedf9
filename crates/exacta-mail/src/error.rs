//! What is reported when a mail server cannot be reached, does not let in, or does not do what it is asked.

use exacta_kernel::text::excerpt;

/// The most of a server's words that is shown.
const SAID: usize = 200;

/// Why something about mail did not work. Every text is one line and inert; a server's own words are an excerpt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// No connection.
    #[error("`{server}` cannot be reached: {why}")]
    Unreachable {
        /// Which.
        server: String,
        /// Why.
        why: String,
    },
    /// Its certificate, or what TLS needs.
    #[error("`{server}` cannot be spoken to in confidence: {why}")]
    NotSecure {
        /// Which.
        server: String,
        /// Why.
        why: String,
    },
    /// The connection ended, or nothing came in time.
    #[error("the connection to `{server}` was lost: {why}")]
    Lost {
        /// Which.
        server: String,
        /// Why.
        why: String,
    },
    /// Wrong or expired password, or no way to log in.
    #[error("`{server}` does not let `{user}` in: {said}")]
    LoginRefused {
        /// Which.
        server: String,
        /// Who.
        user: String,
        /// In the server's words.
        said: String,
        /// Whether the server says that it will pass.
        transient: bool,
    },
    /// It understood, and does not do it.
    #[error("`{server}` refused {what}: {said}")]
    Refused {
        /// Which.
        server: String,
        /// What it was asked.
        what: String,
        /// In the server's words.
        said: String,
        /// Whether the server says that it will pass.
        transient: bool,
    },
    /// It says what a mail server does not say, or more than it was asked.
    #[error("`{server}` does not speak as a mail server does: {what}")]
    Strange {
        /// Which.
        server: String,
        /// What it said or did.
        what: String,
    },
    /// An account without a folder for this.
    #[error("account `{account}` has no folder that its server marks `{mark}`: mark one there, or use another account")]
    NoFolder {
        /// Which account.
        account: String,
        /// `\Archive`, `\Drafts` or `\Sent`.
        mark: &'static str,
    },
    /// The server numbered its messages again.
    #[error(
        "the server numbered the messages of `{account}` again (UIDVALIDITY was {was}, is {is}): nothing was touched; read the mailbox again"
    )]
    Renumbered {
        /// Which account.
        account: String,
        /// When the message was read.
        was: u32,
        /// Now.
        is: u32,
    },
    /// A message that is not what was read.
    #[error("message {uid} of `{account}` {what}: nothing was touched")]
    NotThatMessage {
        /// Which account.
        account: String,
        /// Its number.
        uid: u32,
        /// What is there instead.
        what: &'static str,
    },
    /// Bytes that no mail server may be given.
    #[error("this message cannot be sent: {0}")]
    BadMessage(&'static str),
}

/// An act that did not come to a good end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failed {
    /// It provably did not happen: it was never handed over whole, or the server said no.
    Never(MailError),
    /// It was handed over, and there was no answer that could be understood.
    Unanswered(MailError),
}

impl From<Failed> for MailError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Never(error) | Failed::Unanswered(error) => error,
        }
    }
}

impl MailError {
    /// Whether it may work a little later, with nothing changed.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Lost { .. } => true,
            Self::Refused { transient, .. } | Self::LoginRefused { transient, .. } => *transient,
            _ => false,
        }
    }
}

/// A server's words, as they may be shown.
pub(crate) fn said(text: &[u8]) -> String {
    excerpt(String::from_utf8_lossy(text).trim(), SAID)
}
