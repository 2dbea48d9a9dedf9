//! A site of the user's, as an approver signs for it. The password is never part of it: only where it is.

use crate::approval::setting::{self, SettingDemand, SettingVerb, SignedSetting};
use crate::approval::{ApprovalError, Approver};
use crate::effect::names_a_file;
use crate::hash::{Digest, canonical_hash};
use crate::id::ProjectId;
use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize};

/// What a user calls a site: the target of every step on it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SiteName(String);

/// Text that names no site.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no name of a site: lower-case letters, digits, `-` and `_`, at most 40 characters, beginning with a letter or digit"
)]
pub struct BadSiteName(String);

/// Where a site's application password is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PasswordSource {
    /// In this variable of the environment.
    Environment(String),
    /// In this file, mode 0600.
    File(String),
    /// In the user's own folder, mode 0600.
    Kept,
    /// In the user's keyring of the system, until the machine is switched off.
    Keyring,
}

/// A site, as an approver signs for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteSetup {
    /// What the user calls it.
    pub name: SiteName,
    /// Where it is.
    pub url: String,
    /// The user who acts there.
    pub user: String,
    /// Where the application password is.
    pub password: PasswordSource,
}

/// A site as a project keeps it, with who signed for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// What was signed.
    pub setup: SiteSetup,
    /// By whom.
    pub signed: SignedSetting,
    /// Whether it was removed: its name stays on record.
    pub removed: bool,
}

impl Site {
    /// That it is there, and that an approver on the list signed for exactly this, for this project. It is asked at every use.
    ///
    /// # Errors
    /// What does not hold.
    pub fn verify(&self, approvers: &[Approver], project: &ProjectId) -> Result<(), ApprovalError> {
        let subject = self.setup.subject().map_err(|_| ApprovalError::NotCanonical)?;
        let now = self.signed.statement.at;
        let demand = SettingDemand { verb: SettingVerb::SiteSet, project: Some(project), subject, now };
        setting::verify(&self.signed, approvers, &demand).map(drop)
    }
}

impl SiteName {
    /// Reads a name.
    ///
    /// # Errors
    /// [`BadSiteName`] for anything else.
    pub fn parse(text: &str) -> Result<Self, BadSiteName> {
        let lower = !text.contains(|c: char| c.is_ascii_uppercase());
        if text.len() <= 40 && lower && names_a_file(text) {
            return Ok(Self(text.to_owned()));
        }
        Err(BadSiteName(text.chars().take(40).collect()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SiteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SiteName {
    type Error = BadSiteName;
    fn try_from(text: String) -> Result<Self, BadSiteName> {
        Self::parse(&text)
    }
}

impl From<SiteName> for String {
    fn from(name: SiteName) -> String {
        name.0
    }
}

impl SiteSetup {
    /// What an approver signs.
    ///
    /// # Errors
    /// Only where canonical JSON cannot be written, which the types rule out.
    pub fn subject(&self) -> Result<Digest, serde_json::Error> {
        #[derive(Serialize)]
        struct Subject<'a> {
            site: &'a SiteSetup,
        }
        canonical_hash(&Subject { site: self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, is) in [("blog", true), ("a-1_b", true), ("Blog", false), ("-a", false), ("a/b", false), ("", false)]
        {
            assert_eq!(SiteName::parse(text).is_ok(), is, "{text}");
        }
        assert!(SiteName::parse(&"a".repeat(41)).is_err());
    }
}
