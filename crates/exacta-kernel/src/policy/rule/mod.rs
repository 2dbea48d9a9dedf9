//! Rules: they ask for a person or forbid, and nothing else; every rule that matches counts, the strictest wins.

pub mod builtin;
mod operation;
mod read;

pub use operation::Operation;
pub(super) use read::{RuleFile, rules};

use super::glob::Globs;
use super::profile::Profile;
use crate::level::Level;
use crate::path::RelPath;
use crate::prelude::*;
use crate::proposal::Domain;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Unique over all that are written in files.
    pub id: String,
    /// Where it comes from.
    pub set: RuleSet,
    /// What it is about.
    pub when: When,
    /// What it asks for.
    pub action: RuleAction,
    /// Why, for the person who is asked.
    pub reason: String,
    /// The line it stands on; 0 for rules that stand in no file.
    #[serde(skip)]
    pub line: usize,
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleSet {
    /// Always there; nothing switches it off.
    BuiltIn,
    /// The operator's.
    SafetyPolicy,
    /// A profile's default; the Safety Policy may switch it off by name.
    ProfileDefault,
    /// The project's.
    Project,
}

impl RuleSet {
    /// The words for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::SafetyPolicy => "Safety Policy",
            Self::ProfileDefault => "profile default",
            Self::Project => "project",
        }
    }
}

/// What a rule asks for. There is no way to allow something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleAction {
    /// A person must approve.
    Confirm,
    /// Never runs.
    Deny,
}

impl RuleAction {
    /// The same as a gate's answer.
    #[must_use]
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Confirm => Verdict::Confirm,
            Self::Deny => Verdict::Deny,
        }
    }
}

/// What a rule is about: every list that is not empty must hold, each by one of its entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct When {
    /// What is done.
    pub operation: BTreeSet<Operation>,
    /// How risky the whole plan is.
    pub risk: BTreeSet<Level>,
    /// To which file.
    pub path: Globs,
    /// In which domain.
    pub domain: BTreeSet<Domain>,
    /// For which intent.
    pub intent: BTreeSet<String>,
    /// Under which profile.
    pub profile: BTreeSet<Profile>,
}

/// What a rule is asked about: one thing that a plan does. What is not known matches no list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// What is done; a step can be several things at once, such as a `tool_call` and the tool that it calls.
    pub operations: Vec<Operation>,
    /// To which file.
    pub path: Option<RelPath>,
    /// How risky the whole plan is.
    pub risk: Option<Level>,
    /// In which domain.
    pub domain: Option<Domain>,
    /// For which intent.
    pub intent: Option<String>,
    /// Under which profile.
    pub profile: Option<Profile>,
}

impl When {
    /// Whether a rule with these conditions is about this.
    #[must_use]
    pub fn covers(&self, subject: &Subject) -> bool {
        (self.operation.is_empty() || subject.operations.iter().any(|operation| self.operation.contains(operation)))
            && holds(&self.risk, subject.risk.as_ref())
            && holds(&self.domain, subject.domain.as_ref())
            && holds(&self.intent, subject.intent.as_ref())
            && holds(&self.profile, subject.profile.as_ref())
            && (self.path.is_empty() || subject.path.as_ref().is_some_and(|path| self.path.covers(path)))
    }
}

fn holds<T: Ord>(list: &BTreeSet<T>, value: Option<&T>) -> bool {
    list.is_empty() || value.is_some_and(|value| list.contains(value))
}

/// The word for a level, as rules write it.
pub(crate) const fn level_name(level: Level) -> &'static str {
    match level {
        Level::Low => "low",
        Level::Medium => "medium",
        Level::High => "high",
    }
}
