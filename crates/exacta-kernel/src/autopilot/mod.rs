//! Autopilots: a person's standing request, and what it allows.
//!
//! Only the request's own words, the lists beside it and its switches say what a plan made for it may do ([`Autopilot::allowed`]), and they
//! count only with an approver's signature. A proposal's own words, a page or a mail never do.

mod definition;
mod spend;
mod tuning;
mod words;

pub use definition::{Autopilot, Definition, NotSigned, Schedule, Sending, Withheld};
pub use spend::{DAY_HARD, DAY_SOFT, OCCASION_HARD, OCCASION_SOFT, Spending, spending};
pub use tuning::{BadTuning, Tuning};
pub use words::{addresses, hosts, recipe_of, wants_send};

use crate::action::primitive::PrimitiveId;
use crate::effect::names_a_file;
use crate::prelude::*;
use crate::proposal::IntentKind;
use core::fmt;
use serde::{Deserialize, Serialize};

/// What a person calls an autopilot or a mail account: lower-case letters, digits, `-` and `_`, at most 40 characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AutopilotName(String);

/// Text that names no autopilot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no name: lower-case letters, digits, `-` and `_`, at most 40 characters, beginning with a letter or digit"
)]
pub struct BadName(String);

impl AutopilotName {
    /// Reads a name.
    ///
    /// # Errors
    /// [`BadName`] for anything else.
    pub fn parse(text: &str) -> Result<Self, BadName> {
        let lower = !text.contains(|c: char| c.is_ascii_uppercase());
        if text.len() <= 40 && lower && names_a_file(text) {
            return Ok(Self(text.to_owned()));
        }
        Err(BadName(text.chars().take(40).collect()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AutopilotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for AutopilotName {
    type Error = BadName;
    fn try_from(text: String) -> Result<Self, BadName> {
        Self::parse(&text)
    }
}

impl From<AutopilotName> for String {
    fn from(name: AutopilotName) -> String {
        name.0
    }
}

/// How an autopilot works: three fixed sequences, and one that a model or an agent writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are those of the recipes")]
pub enum Recipe {
    WebsiteMonitor,
    InboxTriage,
    DailyBrief,
    Custom,
}

impl Recipe {
    /// Every recipe.
    pub const ALL: [Self; 4] = [Self::WebsiteMonitor, Self::InboxTriage, Self::DailyBrief, Self::Custom];

    /// The recipe of this name, in whatever case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|recipe| recipe.name().eq_ignore_ascii_case(name))
    }

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WebsiteMonitor => "WebsiteMonitor",
            Self::InboxTriage => "InboxTriage",
            Self::DailyBrief => "DailyBrief",
            Self::Custom => "Custom",
        }
    }

    /// The intent that its plans have.
    #[must_use]
    pub const fn intent(self) -> IntentKind {
        match self {
            Self::WebsiteMonitor => IntentKind::WebsiteMonitor,
            Self::InboxTriage => IntentKind::InboxTriage,
            Self::DailyBrief => IntentKind::DailyBrief,
            Self::Custom => IntentKind::Custom,
        }
    }

    /// Its steps, with the one that sends if the user asked to send; none for [`Recipe::Custom`].
    #[must_use]
    pub fn steps(self, sends: bool) -> Vec<PrimitiveId> {
        use PrimitiveId::{
            AggregateDailySummary, ReadForwardedEmail, ReadSources, ReadWeb, SendEmail, TriageEmail, WriteEmailDraft,
            WriteOutcomeDraft,
        };
        let (mut steps, may_send) = match self {
            Self::WebsiteMonitor => (vec![ReadWeb, WriteOutcomeDraft, WriteEmailDraft], true),
            Self::InboxTriage => (vec![ReadForwardedEmail, TriageEmail, WriteOutcomeDraft, WriteEmailDraft], true),
            Self::DailyBrief => (vec![ReadSources, AggregateDailySummary, WriteOutcomeDraft], false),
            Self::Custom => (Vec::new(), false),
        };
        steps.extend((may_send && sends).then_some(SendEmail));
        steps
    }
}
