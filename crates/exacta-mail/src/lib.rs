//! The user's mail accounts. Reads messages as they are ([`Mailbox`]), shows them so that they can deceive nobody ([`message::read`]), and acts
//! on them as the executor of effects says ([`MailEffector`]): sends, drafts, archives.
//!
//! Servers and messages may be hostile: everything that comes from them is bounded in size and time. Knows neither projects nor
//! autopilots. Every call blocks until it is over. `docs/mail.md` says what is read, what is done, and what cannot be undone.

mod account;
mod effector;
mod error;
mod imap;
mod mailbox;
pub mod message;
mod outgoing;
mod smtp;
mod wire;

pub use account::{Account, AccountError, Password, ServerUrl, is_plain_address};
pub use effector::MailEffector;
pub use error::MailError;
pub use mailbox::{LARGEST, LeftOut, MOST, Mailbox, Messages, Offers, RawMessage};
pub use wire::Limits;

/// Logs in to send, and sends nothing.
///
/// # Errors
/// [`MailError`].
pub fn check_sending(account: &Account, password: &Password) -> Result<(), MailError> {
    smtp::Submission::open(account, password, Limits::default()).map(smtp::Submission::quit)
}
