//! What keeps a copy from being made, an agent from being run, or its difference from being read.

use exacta_confine::obstacle::Obstacle;
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use rustix::io::Errno;
use std::io;
use std::path::Path;

/// Why it cannot be done. Nothing of the project was changed.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// As the system says.
    #[error("cannot {call} `{place}`: {error}")]
    Io {
        /// What was tried.
        call: &'static str,
        /// Where.
        place: String,
        /// Why not.
        error: io::Error,
    },
    /// A file was written again and again while it was copied.
    #[error("`{0}` changes while it is copied")]
    Changing(String),
    /// What an earlier command noted about a copy cannot be read.
    #[error("what is noted about the copy `{name}` cannot be read: {why}")]
    Damaged {
        /// The copy.
        name: String,
        /// Why.
        why: String,
    },
    /// Another command uses the copy.
    #[error("the copy `{0}` is in use: its agent runs, or another command looks at it")]
    Busy(String),
    /// Nothing can be confined here.
    #[error("no agent can be confined here: {why}")]
    Unavailable {
        /// What is in the way.
        why: String,
        /// What would help.
        help: String,
    },
    /// What was asked for cannot be given to an agent.
    #[error("{message}")]
    Refused {
        /// What, and why.
        message: String,
        /// What would help.
        help: &'static str,
    },
}

impl AgentError {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Hint {
        match self {
            Self::Io { .. } => "see to what the message names, and try again; the project was not touched".into(),
            Self::Changing(_) => "wait until whatever writes it has ended, and try again".into(),
            Self::Damaged { .. } => hint![Remedy::AgentDrop, " removes the copy; the project was not touched"],
            Self::Busy(_) => hint!["wait for its end; ", Remedy::AgentList, " shows which agents run"],
            Self::Unavailable { help, .. } => help.as_str().into(),
            Self::Refused { help, .. } => (*help).into(),
        }
    }

    /// For `map_err`.
    pub(crate) fn io<E: Into<io::Error>>(call: &'static str, place: impl AsRef<Path>) -> impl FnOnce(E) -> Self {
        let place = place.as_ref().display().to_string();
        move |error| Self::Io { call, place, error: error.into() }
    }

    /// The same, for a call that names something in a held folder.
    pub(crate) fn at(call: &'static str, place: impl ToString) -> impl FnOnce(Errno) -> Self {
        let place = place.to_string();
        move |errno| Self::Io { call, place, error: errno.into() }
    }
}

impl From<Obstacle> for AgentError {
    fn from(obstacle: Obstacle) -> Self {
        Self::Unavailable { why: obstacle.why, help: obstacle.help }
    }
}
