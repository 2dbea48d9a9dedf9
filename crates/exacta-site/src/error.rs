//! Why a site could not be asked, or its answer does not count.

use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use std::time::Duration;

/// What went wrong between this machine and a site. One line; no password is ever in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    /// The request never left: nothing was asked.
    #[error("the site cannot be reached: {0}")]
    NotSent(String),
    /// No answer came in time. The site may still be at it.
    #[error("the site did not answer within {} s", .0.as_secs())]
    Late(Duration),
    /// The connection ended before the answer did.
    #[error("the site's answer was cut off")]
    Cut,
    /// The site sends the caller elsewhere. Nobody follows: on the way a write becomes a read that looks like a success.
    #[error("the site answers with a redirect ({status}) to `{to}`")]
    Redirect {
        /// The status.
        status: u16,
        /// Where to.
        to: String,
    },
    /// The answer is larger than is read.
    #[error("the site's answer is larger than {0} bytes")]
    TooLarge(usize),
    /// It is not JSON, whatever its status says.
    #[error("the site answers with {} where JSON belongs (status {status})", if *.html { "a page of HTML" } else { "something else" })]
    NotJson {
        /// The status.
        status: u16,
        /// Whether it is HTML.
        html: bool,
        /// How long it asks to wait.
        retry_after: Option<u64>,
    },
    /// WordPress refuses, in its own words.
    #[error("the site refuses: {message} (`{code}`, status {status})")]
    Refused {
        /// The status.
        status: u16,
        /// WordPress's code.
        code: String,
        /// WordPress's message, as plain text.
        message: String,
        /// How long it asks to wait.
        retry_after: Option<u64>,
    },
    /// It is JSON, but not of this site, or not of what was asked.
    #[error("the answer is not what was asked for: {0}")]
    Strange(String),
    /// Nothing can be asked from here.
    #[error("{0}")]
    Local(String),
}

/// What became of a request on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was never sent.
    NotSent,
    /// The site is done with it.
    Ended,
    /// The site may still be at it.
    Open,
}

impl SiteError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Refused { status: 401 | 403, .. } => "SITE_AUTH",
            Self::Refused { status: 404 | 410, .. } => "SITE_PAGE_CHANGED",
            _ => "SITE_UNREACHABLE",
        }
    }

    /// What helps.
    #[must_use]
    pub fn hint(&self) -> Hint {
        match self {
            Self::NotSent(_) | Self::Late(_) | Self::Cut => {
                hint!["check the address and whether the site is up, then give the command again"]
            }
            Self::Redirect { .. } => hint!["add the site with the address that it redirects to"],
            Self::TooLarge(_) => hint!["look at what the site answers; it is not what WordPress answers"],
            Self::NotJson { .. } => {
                hint![
                    "something before WordPress answers (a cache, a firewall, maintenance), or its REST interface is off"
                ]
            }
            Self::Refused { status: 401, .. } => {
                hint!["the user or application password is wrong, or the host strips the `Authorization` header"]
            }
            Self::Refused { status: 403, .. } => {
                hint!["this user may not do that; ", Remedy::SiteRole, " prints the role that may"]
            }
            Self::Refused { .. } | Self::Strange(_) => hint!["look at the site, then make the plan again"],
            Self::Local(_) => hint!["fix that, and give the command again"],
        }
    }

    /// Whether a page is not there.
    pub(crate) const fn is_gone(&self) -> bool {
        matches!(self, Self::Refused { status: 404 | 410, .. })
    }

    /// What became of the request.
    pub(crate) const fn fate(&self) -> Fate {
        match self {
            Self::NotSent(_) | Self::Local(_) => Fate::NotSent,
            // A gateway that gave up says nothing of what stands behind it.
            Self::Late(_)
            | Self::NotJson { status: 502 | 504 | 520..=524, .. }
            | Self::Refused { status: 502 | 504 | 520..=524, .. } => Fate::Open,
            _ => Fate::Ended,
        }
    }

    /// How many seconds the site asks to wait before the same is asked again; none where asking again does not help.
    pub(crate) fn pause(&self) -> Option<u64> {
        match self {
            Self::Refused { status: 429 | 503, retry_after, .. }
            | Self::NotJson { status: 429 | 503, retry_after, .. } => Some(retry_after.unwrap_or(1)),
            _ => None,
        }
    }
}
