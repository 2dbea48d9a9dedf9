//! The user's sites and skills: adding and syncing are signed, removing is free; what a site offers is asked, kept and bound.

mod draft;
mod effector;
mod skill;
mod standing;

pub use draft::{NewDraft, SiteDraft};
pub use skill::SkillView;

pub(crate) use effector::Sites;
pub(crate) use standing::{SiteNow, site_now};

use crate::caller::Act;
use crate::clock::now;
use crate::error::{Error, Exit};
use crate::settings::{Settings, SigningKey, entry, signed_setting};
use crate::submit::data;
use exacta_home::{Home, SiteState};
use exacta_kernel::approval::setting::SettingVerb;
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::site::{PasswordSource, SiteName, SiteSetup};
use exacta_site::{Account, Client, Manifest, Patience, SiteUrl, Trouble};
use serde::Serialize;
use serde_json::json;
use std::path::Path;

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
}

/// Code that makes a role with the least rights, to paste.
#[must_use]
pub fn role() -> String {
    exacta_site::role()
}

/// A name as it was typed.
///
/// # Errors
/// If it is none.
pub fn name(text: &str) -> Result<SiteName, Error> {
    SiteName::parse(text)
        .map_err(|error| Error::new(Exit::Usage, "name_invalid", error.to_string()).hint("such as `blog`"))
}

impl Settings {
    /// Every site.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn sites(&self) -> Result<Vec<SiteView>, Error> {
        self.authorize(Act::ReadAll)?;
        self.home.sites()?.iter().map(|setup| view(&self.home, setup)).collect()
    }

    /// One site.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn site(&self, name: &SiteName) -> Result<SiteView, Error> {
        self.authorize(Act::ReadAll)?;
        view(&self.home, &known(&self.home, name)?)
    }

    /// Adds a site or changes it, for which an approver signs: it is asked first what the user can do there. A password that is given
    /// is kept in the user's own folder.
    ///
    /// # Errors
    /// If the site cannot be used as it is, or the key is not an approver's.
    pub fn add_site(&mut self, setup: &SiteSetup, password: Option<&str>, key: &SigningKey) -> Result<SiteView, Error> {
        self.authorize(Act::Configure)?;
        let url = SiteUrl::parse(&setup.url).map_err(|error| unusable(error.to_string()))?;
        let setup = &SiteSetup { url: url.to_string(), ..setup.clone() };
        if setup.user.trim().is_empty() || setup.user.contains(':') || setup.user.chars().any(char::is_control) {
            return Err(unusable("a user's name is no blank, and has no colon in it".to_owned()));
        }
        if let PasswordSource::File(path) = &setup.password {
            outside_projects(Path::new(path))?;
        }
        let account = match password {
            Some(password) => Account::new(&setup.user, password),
            None => account(&self.home, setup)?,
        };
        let (_, manifest) = exacta_site::probe(client(setup, account)?).map_err(trouble)?;
        let by = signed_setting(&self.home, SettingVerb::SiteSet, None, setup.subject()?, key)?;
        let at = by.statement().at;
        let reason = format!("site `{}`: `{}` at {}", setup.name, setup.user, setup.url);
        let entry = entry(Event::SiteChanged, &by, reason, data(json!({ "site": setup })));
        if let Some(password) = password {
            self.home.keep_site_password(&setup.name, password)?;
        }
        self.enter(entry, |home| home.set_site(setup, at, &by))?;
        keep_manifest(&self.home, setup, &manifest)?;
        self.site(&setup.name)
    }

    /// Asks a site what the user can do there, and remembers the answer.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn probe_site(&self, name: &SiteName) -> Result<SiteView, Error> {
        self.authorize(Act::Adjust)?;
        let setup = known(&self.home, name)?;
        probed(&self.home, &setup)?;
        self.site(name)
    }

    /// Removes a site, and its password where it was kept here.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn remove_site(&mut self, name: &SiteName) -> Result<(), Error> {
        self.authorize(Act::Adjust)?;
        let setup = known(&self.home, name)?;
        let entry = EntryDraft::new(Event::SiteChanged, self.actor(), format!("site `{name}` removed"));
        self.enter(entry, |home| home.remove_site(name))?;
        if setup.password == PasswordSource::Kept {
            self.home.forget_site_password(name)?;
        }
        Ok(())
    }
}

/// A site of the user's.
pub(crate) fn known(home: &Home, name: &SiteName) -> Result<SiteSetup, Error> {
    let unknown = || {
        Error::new(Exit::Usage, "SITE_NOT_FOUND", format!("no site `{name}`"))
            .hint("`exacta site list` shows yours; `exacta site add` adds one")
    };
    home.sites()?.into_iter().find(|setup| setup.name == *name).ok_or_else(unknown)
}

/// A site that was asked just now: a client of it, and what its user can do there, which is kept.
pub(crate) fn probed(home: &Home, setup: &SiteSetup) -> Result<(Client, Manifest), Error> {
    let (client, manifest) = exacta_site::probe(client(setup, account(home, setup)?)?).map_err(trouble)?;
    keep_manifest(home, setup, &manifest)?;
    Ok((client, manifest))
}

/// A client that writes addresses as the site did when it was last asked. Asks nothing.
pub(crate) fn reached(home: &Home, setup: &SiteSetup) -> Result<Client, Error> {
    let client = client(setup, account(home, setup)?)?;
    let Some(state) = home.site_state(setup)? else {
        return exacta_site::probe(client).map(|(client, _)| client).map_err(trouble);
    };
    let manifest: Manifest = serde_json::from_value(state.manifest)?;
    Ok(client.with_plain_links(manifest.plain_links).with_home(&manifest.home))
}

fn keep_manifest(home: &Home, setup: &SiteSetup, manifest: &Manifest) -> Result<(), Error> {
    let state = SiteState {
        setup: setup.subject()?,
        manifest: serde_json::to_value(manifest)?,
        sha256: manifest.sha256(),
        at: now(),
    };
    Ok(home.set_site_state(&setup.name, &state)?)
}

fn account(home: &Home, setup: &SiteSetup) -> Result<Account, Error> {
    let missing = || {
        let place = match &setup.password {
            PasswordSource::Environment(variable) => format!("the variable `{variable}` of the environment is not set"),
            PasswordSource::File(path) => format!("there is no password in `{path}`"),
            PasswordSource::Kept => "it is not kept any more".to_owned(),
        };
        Error::new(Exit::Usage, "SITE_AUTH", format!("no application password for site `{}`: {place}", setup.name))
            .hint("make one in WordPress (Users → Profile → Application Passwords), and put it there")
    };
    let password = home.site_password(setup)?.ok_or_else(missing)?;
    Ok(Account::new(&setup.user, &password))
}

fn client(setup: &SiteSetup, account: Account) -> Result<Client, Error> {
    let url = SiteUrl::parse(&setup.url).map_err(|error| unusable(error.to_string()))?;
    Client::new(url, account, Patience::default()).map_err(|error| Error::fault("SITE_UNREACHABLE", error.to_string()))
}

fn view(home: &Home, setup: &SiteSetup) -> Result<SiteView, Error> {
    let state = home.site_state(setup)?;
    let manifest: Option<Manifest> =
        state.as_ref().map(|state| serde_json::from_value(state.manifest.clone())).transpose()?;
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
    })
}

/// That a password's file lies in no project: whoever works there could read it.
fn outside_projects(path: &Path) -> Result<(), Error> {
    if !path.is_absolute() {
        return Err(unusable("the password's file is named by its whole path".to_owned()));
    }
    for folder in path.ancestors().skip(1) {
        if crate::app::is_recorded(folder).unwrap_or(false) {
            let message = format!("the password's file lies in the project `{}`", folder.display());
            return Err(unusable(message).hint("keep it outside every project, with mode 0600"));
        }
    }
    Ok(())
}

fn unusable(message: String) -> Error {
    Error::new(Exit::Usage, "site_unusable", message).hint("see `exacta site add --help`")
}

pub(crate) fn trouble(trouble: Trouble) -> Error {
    let exit = if trouble.code == "SITE_AUTH" { Exit::Denied } else { Exit::Fault };
    Error::new(exit, trouble.code, trouble.message).hint(trouble.hint)
}
