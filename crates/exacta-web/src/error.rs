//! Why a page could not be read. Each kind has a stable code, and says whether looking again later may help.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// A page that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebError {
    /// What went wrong.
    pub kind: WebErrorKind,
    /// The address that was being read then, which may be one that another led to; at most 200 characters of it.
    pub url: String,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum WebErrorKind {
    /// The address may not be read.
    AddressRefused {
        /// Why.
        why: String,
    },
    /// The page leads to where nobody may follow.
    RedirectRefused {
        /// Why.
        why: String,
    },
    /// The page is larger than any page may be.
    TooLarge {
        /// What is.
        what: TooLarge,
    },
    /// The name cannot be resolved.
    NameUnknown,
    /// No connection, or it ended before an answer began.
    Unreachable,
    /// The certificate does not hold.
    Untrusted,
    /// It took too long.
    Timeout {
        /// The limit.
        limit: Duration,
    },
    /// The answer ended before it was complete.
    CutShort,
    /// The answer is not HTTP as it may be.
    BadAnswer {
        /// What is wrong with it.
        why: String,
    },
    /// The answer is of a type that is not read.
    Type {
        /// The type, if one was given.
        found: String,
    },
}

/// What is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TooLarge {
    /// The page, unpacked.
    Page,
    /// What comes before it.
    Head,
}

impl WebError {
    pub(crate) fn new(kind: WebErrorKind, url: &str) -> Self {
        Self { kind, url: exacta_kernel::text::excerpt(url, 200) }
    }

    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self.kind {
            WebErrorKind::AddressRefused { .. } => "WEB_ADDRESS_REFUSED",
            WebErrorKind::RedirectRefused { .. } => "WEB_REDIRECT_REFUSED",
            WebErrorKind::TooLarge { .. } => "WEB_TOO_LARGE",
            WebErrorKind::NameUnknown => "WEB_NAME_UNKNOWN",
            WebErrorKind::Unreachable => "WEB_UNREACHABLE",
            WebErrorKind::Untrusted => "WEB_UNTRUSTED",
            WebErrorKind::Timeout { .. } => "WEB_TIMEOUT",
            WebErrorKind::CutShort => "WEB_CUT_SHORT",
            WebErrorKind::BadAnswer { .. } => "WEB_BAD_ANSWER",
            WebErrorKind::Type { .. } => "WEB_TYPE",
        }
    }

    /// Whether the same request may succeed a little later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(
            self.kind,
            WebErrorKind::NameUnknown
                | WebErrorKind::Unreachable
                | WebErrorKind::Timeout { .. }
                | WebErrorKind::CutShort
        )
    }

    /// What a person can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self.kind {
            WebErrorKind::AddressRefused { .. } | WebErrorKind::RedirectRefused { .. } => {
                "only http and https addresses of the hosts that you listed are read, and only on the public internet"
            }
            WebErrorKind::TooLarge { .. } => "watch a smaller page, or a feed of it",
            WebErrorKind::Untrusted => "look at the site's certificate; `SSL_CERT_FILE` names certificates of your own",
            WebErrorKind::Type { .. } => "HTML, plain text, JSON, RSS and Atom are read",
            WebErrorKind::BadAnswer { .. } => "tell those who run the site",
            _ => "try again later",
        }
    }
}

impl fmt::Display for WebError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = &self.url;
        match &self.kind {
            WebErrorKind::AddressRefused { why } => write!(f, "`{url}` is not read: {why}"),
            WebErrorKind::RedirectRefused { why } => write!(f, "the redirect to `{url}` is not followed: {why}"),
            WebErrorKind::TooLarge { what: TooLarge::Page } => {
                write!(f, "`{url}` is larger than {} KB", crate::limits::MAX_PAGE / 1024)
            }
            WebErrorKind::TooLarge { what: TooLarge::Head } => {
                write!(
                    f,
                    "the answer of `{url}` begins with more than {} KB of headers",
                    crate::limits::MAX_HEAD / 1024
                )
            }
            WebErrorKind::NameUnknown => write!(f, "the host of `{url}` is not known"),
            WebErrorKind::Unreachable => write!(f, "`{url}` cannot be reached"),
            WebErrorKind::Untrusted => write!(f, "the certificate of `{url}` does not hold"),
            WebErrorKind::Timeout { limit } => write!(f, "`{url}` took longer than {} s", limit.as_secs()),
            WebErrorKind::CutShort => write!(f, "the answer of `{url}` ended before it was complete"),
            WebErrorKind::BadAnswer { why } => write!(f, "the answer of `{url}` is not understood: {why}"),
            WebErrorKind::Type { found } => write!(f, "`{url}` is of the type `{found}`, which is not read"),
        }
    }
}

impl std::error::Error for WebError {}
