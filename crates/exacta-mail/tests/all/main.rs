//! Mail with real parts: aiosmtpd into a Maildir that a private dovecot reads, and messages that want to do harm.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "tests prepare their folders by path and stop at the first surprise"
)]

mod account;
mod acts;
mod hostile;
mod imap_server;
mod kill;
mod mails;
mod permit;
mod reading;
mod sending;
mod tls;
