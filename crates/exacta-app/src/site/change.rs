//! Adding a site or changing it, which an approver signs for; removing and asking it, which nobody has to.

use super::reach::{account, client, keep_manifest, probed, trouble, unusable};
use super::{SiteView, active, kept};
use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::settings::{SigningKey, signed_setting};
use exacta_home::Home;
use exacta_kernel::approval::setting::SettingVerb;
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::hash::Digest;
use exacta_kernel::site::{PasswordSource, Site, SiteName, SiteSetup};
use exacta_record::{DocumentChange, DocumentKind};
use exacta_site::{Account, SiteUrl};
use serde_json::json;
use std::path::Path;

impl App {
    /// Adds a site or changes it, for which an approver signs: it is asked first what the user can do there. A password that is given
    /// is kept in the user's own folder; where anything fails, none stays behind.
    ///
    /// # Errors
    /// If the name is taken, the site cannot be used as it is, or the key is not an approver's.
    pub fn add_site(&mut self, setup: &SiteSetup, password: Option<&str>, key: &SigningKey) -> Result<SiteView, Error> {
        self.authorize(Act::Configure)?;
        let setup = &usable(&self.home, setup)?;
        let known = kept::site(&self.store, &setup.name)?;
        let former = known.as_ref().map(|known| known.it.setup.clone());
        let claimed = self.home.claim_site(&setup.name, self.root.path())?;
        if let Some(place) = &claimed
            && place != self.root.path()
        {
            let message = format!("there is a site `{}` already, in `{}`", setup.name, place.display());
            return Err(Error::new(Exit::Usage, "name_taken", message).hint("choose another name"));
        }
        let added = self.signed_and_kept(setup, password, known.map(|known| known.was), key);
        match (&added, former) {
            (Err(_), _) if claimed.is_none() => {
                let _unclaimed = self.home.release_site(&setup.name);
            }
            // Kept elsewhere now: where it was it serves nobody.
            (Ok(_), Some(former)) if former.password != setup.password => self.home.forget_site_password(&former)?,
            _ => {}
        }
        added
    }

    fn signed_and_kept(
        &mut self,
        setup: &SiteSetup,
        password: Option<&str>,
        was: Option<Digest>,
        key: &SigningKey,
    ) -> Result<SiteView, Error> {
        let account = match password {
            Some(password) => Account::new(&setup.user, password),
            None => account(&self.home, setup)?,
        };
        let (_, manifest) = exacta_site::probe(client(setup, account)?).map_err(trouble)?;
        let by = signed_setting(&self.home, SettingVerb::SiteSet, Some(&self.project.id), setup.subject()?, key)?;
        let site = Site { setup: setup.clone(), signed: by.signed().clone(), removed: false };
        let reason = format!("site `{}`: `{}` at {}", setup.name, setup.user, setup.url);
        let mut entry = EntryDraft::new(Event::SiteChanged, Actor::Person(key.name().clone()), reason);
        entry.data = data(json!({ "site": setup }));
        let home = self.home.clone();
        let put = || {
            self.put_site(&site, was, entry)?;
            keep_manifest(&self.home, setup, &manifest)
        };
        match password {
            Some(password) => home.keep_site_password(setup, password, put)?,
            None => put()?,
        }
        self.site(&setup.name)
    }

    /// Asks a site what the user can do there, and remembers the answer.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn probe_site(&self, name: &SiteName) -> Result<SiteView, Error> {
        self.authorize(Act::Adjust)?;
        let setup = kept::verified_site(&self.home, &self.store, &self.project.id, name)?;
        probed(&self.home, &setup)?;
        self.site(name)
    }

    /// Removes a site, and its password where it was kept here.
    ///
    /// # Errors
    /// If there is none of that name, or a run on it is not over.
    pub fn remove_site(&mut self, name: &SiteName) -> Result<(), Error> {
        self.authorize(Act::Adjust)?;
        let found = kept::site(&self.store, name)?.filter(|kept| !kept.it.removed);
        let kept::Kept { it: site, was } = found.ok_or_else(|| kept::unknown(name))?;
        active::nothing_open(&self.home, &site.setup.url)?;
        let entry = EntryDraft::new(Event::SiteChanged, self.actor(), format!("site `{name}` removed"));
        self.put_site(&Site { removed: true, ..site.clone() }, Some(was), entry)?;
        self.home.release_site(name)?;
        Ok(self.home.forget_site_password(&site.setup)?)
    }

    fn put_site(&mut self, site: &Site, was: Option<Digest>, entry: EntryDraft) -> Result<(), Error> {
        let name = site.setup.name.to_string();
        let change = DocumentChange {
            kind: DocumentKind::Site,
            id: name.clone(),
            owner: name.clone(),
            state: if site.removed { "removed" } else { "kept" }.to_owned(),
            body: serde_json::to_value(site)?,
            was,
        };
        if self.store.put_documents(&[change], &[entry], now())? {
            return Ok(());
        }
        let message = format!("somebody else changed site `{name}` at the same time");
        Err(Error::new(Exit::Drifted, "lost_race", message).hint("look at it, and give the command again"))
    }
}

/// The setup with its address normalised, if a site can be used so.
fn usable(home: &Home, setup: &SiteSetup) -> Result<SiteSetup, Error> {
    let url = SiteUrl::parse(&setup.url).map_err(|error| unusable(error.to_string()))?;
    if setup.user.trim().is_empty() || setup.user.contains(':') || setup.user.chars().any(char::is_control) {
        return Err(unusable("a user's name is not blank, and has no colon in it".to_owned()));
    }
    if let PasswordSource::File(path) = &setup.password {
        outside_projects(home, Path::new(path))?;
    }
    Ok(SiteSetup { url: url.to_string(), ..setup.clone() })
}

/// That a password's file lies in no project: whoever works there could read it.
fn outside_projects(home: &Home, path: &Path) -> Result<(), Error> {
    if !path.is_absolute() {
        return Err(unusable("the password's file is named by its whole path".to_owned()));
    }
    match crate::elsewhere::project_around(home, path)? {
        None => Ok(()),
        Some(project) => {
            let message = format!("the password's file lies in the project `{}`", project.display());
            Err(unusable(message).hint("keep it outside every project, with mode 0600"))
        }
    }
}
