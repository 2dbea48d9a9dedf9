//! Sites as people and programs see them.

use super::kept;
use crate::app::App;
use crate::caller::Act;
use crate::error::Error;
use exacta_kernel::site::{PasswordSource, Site, SiteName};
use exacta_site::Manifest;
use serde::Serialize;

/// A site, as people and scripts see it. No password is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SiteView {
    /// What the user calls it.
    pub name: SiteName,
    /// Where it is.
    pub url: String,
    /// The user who acts there.
    pub user: String,
    /// Where the password is looked for.
    pub password: PasswordSource,
    /// Whether a password is there.
    pub password_present: bool,
    /// What the user can do there, as the site said when it was last asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    /// The manifest, by hash: what plans are bound to.
    pub manifest_sha256: Option<String>,
    /// The tools that it offers to this user.
    pub tools: Vec<&'static str>,
    /// When the site was last asked.
    pub probed_at: Option<String>,
    /// Who signed for it; none where that signature does not count.
    pub signed_by: Option<String>,
}

impl App {
    /// Every site of this project.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn sites(&self) -> Result<Vec<SiteView>, Error> {
        self.authorize(Act::ReadAll)?;
        kept::sites(&self.store)?.iter().map(|site| self.site_view(site)).collect()
    }

    /// A site of this project.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn site(&self, name: &SiteName) -> Result<SiteView, Error> {
        self.authorize(Act::ReadAll)?;
        let found = kept::site(&self.store, name)?.map(|kept| kept.it).filter(|site| !site.removed);
        self.site_view(&found.ok_or_else(|| kept::unknown(name))?)
    }

    /// Whether this project has a site of that name that counts.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn has_site(&self, name: &SiteName) -> Result<bool, Error> {
        self.authorize(Act::Propose)?;
        Ok(kept::verified_site(&self.home, &self.store, &self.project.id, name).is_ok())
    }

    fn site_view(&self, site: &Site) -> Result<SiteView, Error> {
        let (home, setup) = (&self.home, &site.setup);
        let state = home.site_state(setup)?;
        let manifest: Option<Manifest> =
            state.as_ref().map(|state| serde_json::from_value(state.manifest.clone())).transpose()?;
        let counts = site.verify(&home.approvers()?, &self.project.id).is_ok();
        Ok(SiteView {
            name: setup.name.clone(),
            url: setup.url.clone(),
            user: setup.user.clone(),
            password: setup.password.clone(),
            password_present: home.site_password(setup).is_ok_and(|password| password.is_some()),
            tools: manifest.as_ref().map(Manifest::tools).unwrap_or_default(),
            manifest_sha256: state.as_ref().map(|state| state.sha256.to_string()),
            probed_at: state.map(|state| state.at.to_string()),
            manifest,
            signed_by: counts.then(|| site.signed.statement.approver.to_string()),
        })
    }
}
