//! Sites and skills as a project's record has them. They count only if an approver who is still on the list signed for exactly them.

use crate::error::{Error, Exit};
use crate::signer::Signer;
use exacta_home::Home;
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::ProjectId;
use exacta_kernel::site::{Site, SiteName, SiteSetup};
use exacta_kernel::skill::{SignedSkills, Skill};
use exacta_kernel::text::excerpt;
use exacta_record::{DocumentKind, DocumentRecord, RECORDS, Record};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Something of the record, and what its hash was.
pub(super) struct Kept<T> {
    pub it: T,
    pub was: Digest,
}

impl<T: DeserializeOwned> Kept<T> {
    fn of(found: DocumentRecord) -> Result<Self, Error> {
        Ok(Self { it: serde_json::from_value(found.body)?, was: found.hash })
    }
}

/// Where sites and skills are kept: a project, whoever holds it open.
#[derive(Clone)]
pub(crate) struct Keeper {
    pub home: Home,
    pub root: PathBuf,
    pub project: ProjectId,
}

impl Keeper {
    /// A look of its own: whoever asks may be in the middle of a change of the record.
    pub fn record(&self) -> Result<Record, Error> {
        look(&self.home, &self.root, &self.project)
    }
}

/// Opens a project's record to look.
pub(super) fn look(home: &Home, root: &Path, project: &ProjectId) -> Result<Record, Error> {
    let signer = Box::new(Signer::new(home, project)?);
    Ok(Record::open(&root.join(RECORDS), project, signer)?)
}

/// A site of the record, removed or not.
pub(super) fn site(record: &Record, name: &SiteName) -> Result<Option<Kept<Site>>, Error> {
    record.document(DocumentKind::Site, name.as_str())?.map(Kept::of).transpose()
}

/// Every site of the record that is not removed, by name.
pub(super) fn sites(record: &Record) -> Result<Vec<Site>, Error> {
    let found = record.documents(DocumentKind::Site, None, None)?;
    let mut sites = Vec::new();
    for listed in found {
        // A list is as it is found; what the log vouches for is read one by one.
        let name = super::name(&listed.id)?;
        sites.extend(site(record, &name)?.map(|kept| kept.it).filter(|site| !site.removed));
    }
    sites.sort_by(|a, b| a.setup.name.cmp(&b.setup.name));
    Ok(sites)
}

/// A site that counts.
pub(super) fn verified_site(
    home: &Home,
    record: &Record,
    project: &ProjectId,
    name: &SiteName,
) -> Result<SiteSetup, Error> {
    let found = site(record, name)?.map(|kept| kept.it).filter(|site| !site.removed);
    let site = found.ok_or_else(|| unknown(name))?;
    site.verify(&home.approvers()?, project).map_err(|error| {
        let message = format!("no approver signed for site `{name}` as it is: {error}");
        Error::new(Exit::Denied, "not_signed", message).hint(hint![Remedy::SiteAdd, " signs it again"])
    })?;
    Ok(site.setup)
}

/// The skills of every repository of the record.
pub(super) fn skill_sets(record: &Record) -> Result<Vec<Kept<SignedSkills>>, Error> {
    let found = record.documents(DocumentKind::Skills, None, None)?;
    let read = |id: &str| record.document(DocumentKind::Skills, id);
    found.iter().filter_map(|listed| read(&listed.id).transpose()).map(|found| Kept::of(found?)).collect()
}

/// A skill that counts.
pub(super) fn verified_skill(home: &Home, record: &Record, project: &ProjectId, id: &str) -> Result<Skill, Error> {
    let sets = skill_sets(record)?;
    let holder = sets.into_iter().map(|kept| kept.it).find(|signed| signed.set.skills.contains_key(id));
    let mut signed = holder.ok_or_else(|| {
        let message = format!("no skill `{}` in this project", excerpt(id, 60));
        Error::new(Exit::Usage, "SKILL_NOT_FOUND", message).hint(hint![
            Remedy::SkillList,
            " shows yours; ",
            Remedy::SkillSync,
            " takes them over from a repository"
        ])
    })?;
    signed.verify(&home.approvers()?, project).map_err(|error| {
        let message = format!("no approver signed for skill `{}` as it is: {error}", excerpt(id, 60));
        Error::new(Exit::Denied, "not_signed", message).hint(hint![Remedy::SkillSync, " signs it again"])
    })?;
    signed.set.skills.remove(id).ok_or_else(|| Error::fault("internal", "a skill that was found is not there"))
}

pub(super) fn unknown(name: &SiteName) -> Error {
    Error::new(Exit::Usage, "SITE_NOT_FOUND", format!("no site `{name}`")).hint(hint![
        Remedy::SiteList,
        " shows yours; ",
        Remedy::SiteAdd,
        " adds one"
    ])
}
