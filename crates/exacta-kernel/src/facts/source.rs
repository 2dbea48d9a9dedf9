//! What was read from the code that a plan changes.
//!
//! Plain data: `exacta-source` parses, the kernel judges. An entry belongs to one exact change (path, content before, content
//! after), so facts of another plan never count for this one. Where there is no entry, lines tell what they can.

use crate::hash::Digest;
use crate::path::RelPath;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// What was read from the code of a plan's files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFacts {
    files: BTreeMap<ChangeKey, FileFacts>,
}

/// Names one exact change of one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangeKey {
    /// The file.
    pub path: RelPath,
    /// The hash of its content before; none for a new file.
    pub before: Option<Digest>,
    /// The hash of its content after; none for a deleted one.
    pub after: Option<Digest>,
}

/// What was read from one file before and after a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// What its code tells; none where it was not parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<CodeFacts>,
    /// Lines of it that another place of the plan lost: moved here, not newly written.
    pub moved_lines: u64,
}

/// What parsed code tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFacts {
    /// What becomes of the names that other code may use, in the order of their lines.
    pub public: Vec<PublicChange>,
    /// The functions that change, in the order of their lines.
    pub functions: Vec<FunctionChange>,
    /// The sensitive areas that changed lines work in, each once.
    pub areas: Vec<AreaUse>,
}

/// A public signature that comes, goes or changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicChange {
    /// What it is and its name: `fn Parser::parse`.
    pub name: String,
    /// What happens to it.
    pub change: SignatureChange,
    /// Its line in the new file; in the old one if it is removed.
    pub line: u64,
    /// The file of the same plan that has it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

/// What happens to a public signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureChange {
    /// It is gone: whoever uses it breaks.
    Removed,
    /// It is another one: whoever uses it may break.
    Changed,
    /// It is new, or takes more than before: nobody breaks.
    Added,
}

/// A function that comes, goes or changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionChange {
    /// Its name with what it is in: `Parser::parse`.
    pub name: String,
    /// Its line in the new file; in the old one if it is removed.
    pub line: u64,
    /// Its cyclomatic complexity before; none if it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u32>,
    /// Its cyclomatic complexity after; none if it is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u32>,
    /// Whether it only checks other code.
    pub test: bool,
    /// Whether the plan takes the same code away elsewhere, or puts it there.
    pub moved: bool,
}

/// A changed line that works in a sensitive area.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AreaUse {
    /// Which.
    pub area: Area,
    /// The call or import that says so.
    pub what: String,
    /// Its line in the new file; none if the line is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// Where a mistake opens a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// Who somebody is.
    Authentication,
    /// What somebody may do.
    Authorisation,
    /// Ciphers, hashes, signatures, certificates, random numbers for them.
    Cryptography,
    /// Keys and passwords.
    Secrets,
    /// Objects made from bytes that came from elsewhere.
    Deserialisation,
    /// Other programs, and code made from text.
    Processes,
    /// Queries and markup made from text.
    Queries,
    /// What others can connect to.
    Listeners,
    /// Owners and modes of files and processes.
    Permissions,
}

impl SourceFacts {
    /// Nothing read: only lines tell.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what was read from one change.
    pub fn insert(&mut self, change: ChangeKey, facts: FileFacts) {
        self.files.insert(change, facts);
    }

    /// What was read from one change.
    #[must_use]
    pub fn get(&self, change: &ChangeKey) -> Option<&FileFacts> {
        self.files.get(change)
    }
}

impl FunctionChange {
    /// How much more complex it became; a function that goes adds nothing. That it moved is no discount: another step may
    /// never lower a plan's risk.
    #[must_use]
    pub fn growth(&self) -> u32 {
        self.after.unwrap_or(0).saturating_sub(self.before.unwrap_or(0))
    }
}

impl Area {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Authentication => "authentication",
            Self::Authorisation => "authorisation",
            Self::Cryptography => "cryptography",
            Self::Secrets => "secrets",
            Self::Deserialisation => "deserialisation",
            Self::Processes => "process building",
            Self::Queries => "query building",
            Self::Listeners => "network listeners",
            Self::Permissions => "permissions",
        }
    }

    /// Reads what [`Area::name`] writes, as the tables spell it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        use Area::*;
        let all = [
            Authentication,
            Authorisation,
            Cryptography,
            Secrets,
            Deserialisation,
            Processes,
            Queries,
            Listeners,
            Permissions,
        ];
        all.into_iter().find(|area| area.name() == text)
    }
}
