//! The user's sites, `sites.json`, what each offered when it was last asked, and the skills, `skills.json`. Passwords are in files of
//! their own, mode 0600, or elsewhere.

use crate::FileError;
use crate::document::{self, Document};
use crate::file::{self, Lock, Trust};
use crate::{Home, HomeError};
use exacta_kernel::approval::ApprovalError;
use exacta_kernel::approval::setting::{SettingDemand, SettingVerb, VerifiedSetting, verify};
use exacta_kernel::hash::Digest;
use exacta_kernel::site::{PasswordSource, SiteName, SiteSetup};
use exacta_kernel::skill::Skill;
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sites {
    sites: Vec<SiteSetup>,
}

/// What a site offered when it was last asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteState {
    /// The setup it is about: of another one nothing is known.
    pub setup: Digest,
    /// Its manifest.
    pub manifest: Value,
    /// The manifest's hash.
    pub sha256: Digest,
    /// When.
    pub at: Timestamp,
}

/// The skills of one repository at one commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillSet {
    /// The repository.
    pub repo: String,
    /// The whole name of the commit.
    pub commit_sha: String,
    /// Of repository, commit, paths and contents.
    pub sha256: Digest,
    /// By their names.
    pub skills: BTreeMap<String, Skill>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Skills {
    sources: Vec<SkillSet>,
}

impl Document for Sites {
    const SCHEMA: &'static str = "exacta.sites/1";
}

impl Document for SiteState {
    const SCHEMA: &'static str = "exacta.site-state/1";
}

impl Document for Skills {
    const SCHEMA: &'static str = "exacta.skills/1";
}

impl Home {
    /// Every site, in the order they were added.
    ///
    /// # Errors
    /// Where the list is damaged or could have been changed by others.
    pub fn sites(&self) -> Result<Vec<SiteSetup>, HomeError> {
        Ok(document::read::<Sites>(&self.sites_file())?.unwrap_or_default().sites)
    }

    /// Adds a site, or changes the one of the same name.
    ///
    /// # Errors
    /// Where no listed approver signed for exactly this.
    pub fn set_site(&self, setup: &SiteSetup, now: Timestamp, by: &VerifiedSetting) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let subject = setup.subject().map_err(|_| ApprovalError::NotCanonical)?;
        // Again, under the lock: the signer may have been removed since.
        let demand = SettingDemand { verb: SettingVerb::SiteSet, project: None, subject, now };
        verify(by.signed(), &self.approvers()?, &demand)?;
        let mut sites = self.sites()?;
        sites.retain(|known| known.name != setup.name);
        sites.push(setup.clone());
        Ok(document::write(&lock, &self.sites_file(), &Sites { sites })?)
    }

    /// Removes a site; nobody has to sign for that.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn remove_site(&self, name: &SiteName) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let mut sites = self.sites()?;
        sites.retain(|known| known.name != *name);
        Ok(document::write(&lock, &self.sites_file(), &Sites { sites })?)
    }

    /// What a site as it is set up now offered when it was last asked.
    ///
    /// # Errors
    /// Where the file is damaged or could have been changed by others.
    pub fn site_state(&self, setup: &SiteSetup) -> Result<Option<SiteState>, HomeError> {
        let subject = setup.subject().map_err(|_| ApprovalError::NotCanonical)?;
        let state: Option<SiteState> = document::read(&self.site_states().join(format!("{}.json", setup.name)))?;
        Ok(state.filter(|state| state.setup == subject))
    }

    /// Remembers what a site offers.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn set_site_state(&self, name: &SiteName, state: &SiteState) -> Result<(), HomeError> {
        let lock = Lock::on(&self.site_states())?;
        Ok(document::write(&lock, &self.site_states().join(format!("{name}.json")), state)?)
    }

    /// A site's application password; `None` where it is not there.
    ///
    /// # Errors
    /// Where others could read it.
    pub fn site_password(&self, setup: &SiteSetup) -> Result<Option<Zeroizing<String>>, HomeError> {
        let (path, kept) = match &setup.password {
            PasswordSource::Environment(variable) => {
                return Ok(std::env::var(variable).ok().filter(|text| !text.trim().is_empty()).map(Zeroizing::new));
            }
            PasswordSource::File(path) => (PathBuf::from(path), "a password file"),
            PasswordSource::Kept => (self.password_file(&setup.name), "a kept password"),
        };
        let Some(bytes) = file::read(&path, Trust::Secret)? else { return Ok(None) };
        let text = str::from_utf8(&bytes).map_err(|_| malformed(&path, &format!("{kept} is text")))?;
        Ok(Some(Zeroizing::new(text.trim().to_owned())).filter(|text| !text.is_empty()))
    }

    /// Keeps a site's application password in a file that only the user can read.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn keep_site_password(&self, name: &SiteName, password: &str) -> Result<(), HomeError> {
        let lock = Lock::on(&self.passwords())?;
        Ok(lock.write(&self.password_file(name), password.as_bytes())?)
    }

    /// Forgets a site's application password.
    ///
    /// # Errors
    /// Where it cannot be removed.
    pub fn forget_site_password(&self, name: &SiteName) -> Result<(), HomeError> {
        let lock = Lock::on(&self.passwords())?;
        Ok(lock.remove(&self.password_file(name))?)
    }

    /// The skills of every repository.
    ///
    /// # Errors
    /// Where the list is damaged or could have been changed by others.
    pub fn skills(&self) -> Result<Vec<SkillSet>, HomeError> {
        Ok(document::read::<Skills>(&self.skills_file())?.unwrap_or_default().sources)
    }

    /// Takes the skills of a repository over, in place of those it had before.
    ///
    /// # Errors
    /// Where no listed approver signed for exactly these.
    pub fn set_skills(&self, set: &SkillSet, now: Timestamp, by: &VerifiedSetting) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let demand = SettingDemand { verb: SettingVerb::SkillsSync, project: None, subject: set.sha256, now };
        verify(by.signed(), &self.approvers()?, &demand)?;
        let mut sources = self.skills()?;
        sources.retain(|known| known.repo != set.repo);
        sources.push(set.clone());
        Ok(document::write(&lock, &self.skills_file(), &Skills { sources })?)
    }

    pub(crate) fn sites_file(&self) -> PathBuf {
        self.config.join("sites.json")
    }

    pub(crate) fn skills_file(&self) -> PathBuf {
        self.config.join("skills.json")
    }

    fn site_states(&self) -> PathBuf {
        self.state.join("sites")
    }

    fn passwords(&self) -> PathBuf {
        self.config.join("site-passwords")
    }

    fn password_file(&self, name: &SiteName) -> PathBuf {
        self.passwords().join(name.as_str())
    }
}

fn malformed(path: &Path, why: &str) -> FileError {
    FileError::Malformed { path: path.to_owned(), why: why.to_owned() }
}
