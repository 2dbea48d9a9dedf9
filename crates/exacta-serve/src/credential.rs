//! What a request shows of who asks, and what that is worth: looked at when it comes, and again before each answer to it. An approver can be
//! removed, and a token revoked, while somebody waits.

use crate::session::Session;
use crate::state::Server;
use exacta_app::token::caller_of;
use exacta_app::{Caller, Error};
use std::sync::Arc;

/// What is shown.
#[derive(Clone)]
pub enum Credential {
    /// Nothing that opens anything.
    None,
    /// The cookie of a session.
    Session(Arc<Session>),
    /// An agent's token.
    Token(String),
    /// A decision in the body, signed elsewhere: the application finds out what that is worth.
    Signature,
}

impl Credential {
    /// Who that is now; nobody where it no longer counts.
    ///
    /// # Errors
    /// If the user's folder cannot be read.
    pub fn caller(&self, server: &Server) -> Result<Option<Caller>, Error> {
        match self {
            Self::None => Ok(Some(Caller::default())),
            Self::Session(_) => Ok(server.approver_counts()?.then(|| server.person())),
            Self::Token(token) => caller_of(server.places.options(), token),
            Self::Signature => Ok(Some(Caller::Key { agent: None })),
        }
    }

    /// The session, where it is one.
    #[must_use]
    pub fn session(&self) -> Option<&Arc<Session>> {
        match self {
            Self::Session(session) => Some(session),
            Self::None | Self::Token(_) | Self::Signature => None,
        }
    }
}
