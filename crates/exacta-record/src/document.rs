//! Autopilots, their occasions, results of checks, sites, skills and site contracts as they are remembered: each a text of the caller's, opaque here, with the little that is looked up by.

use exacta_kernel::hash::Digest;
use exacta_kernel::time::Timestamp;
use serde_json::Value;

/// What a document is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentKind {
    /// A person's standing request; its id is its name.
    Autopilot,
    /// What an autopilot does once.
    Occasion,
    /// What the operator's checks said of a plan's content before anybody decided; its id is the content's hash.
    Checks,
    /// A site; its id is its name.
    Site,
    /// The skills of a repository; its id is the repository, by hash.
    Skills,
    /// What was asked of a plan for a site; its id is the plan's.
    Contract,
}

/// A document as it is remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentRecord {
    /// What it is about.
    pub kind: DocumentKind,
    /// Names it among those of its kind.
    pub id: String,
    /// Whose it is: the autopilot of an occasion.
    pub owner: String,
    /// Where it stands, in the caller's words.
    pub state: String,
    /// When it was first remembered.
    pub created_at: Timestamp,
    /// All of it; opaque here.
    pub body: Value,
    /// What the log vouches for.
    pub hash: Digest,
}

/// A document to remember, or to change.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentChange {
    /// What it is about.
    pub kind: DocumentKind,
    /// Names it among those of its kind.
    pub id: String,
    /// Whose it is.
    pub owner: String,
    /// Where it stands then.
    pub state: String,
    /// All of it.
    pub body: Value,
    /// [`DocumentRecord::hash`] as it was when the caller looked; `None` for a new one.
    pub was: Option<Digest>,
}

impl DocumentKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Autopilot, Self::Occasion, Self::Checks, Self::Site, Self::Skills, Self::Contract];

    /// As it is stored.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Autopilot => "autopilot",
            Self::Occasion => "occasion",
            Self::Checks => "checks",
            Self::Site => "site",
            Self::Skills => "skills",
            Self::Contract => "contract",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
