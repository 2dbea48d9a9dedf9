//! The way to a site: its password, its client, and what it offers, which is kept when it is asked.

use crate::clock::now;
use crate::error::{Error, ErrorCode, Exit};
use exacta_home::{Home, SiteState};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::site::{PasswordSource, SiteSetup};
use exacta_site::{Account, Client, Manifest, Patience, SiteUrl, Trouble};

/// A site that was asked just now: a client of it, and what its user can do there, which is kept.
pub(super) fn probed(home: &Home, setup: &SiteSetup) -> Result<(Client, Manifest), Error> {
    let (client, manifest) = exacta_site::probe(client(setup, account(home, setup)?)?).map_err(trouble)?;
    keep_manifest(home, setup, &manifest)?;
    Ok((client, manifest))
}

/// What the user of a site can do there now, as it has to be known before a run. It is kept.
pub(super) fn probed_again(home: &Home, setup: &SiteSetup) -> Result<Manifest, Error> {
    let Some(state) = home.site_state(setup)? else { return probed(home, setup).map(|(_, manifest)| manifest) };
    let then: Manifest = serde_json::from_value(state.manifest)?;
    let client = client(setup, account(home, setup)?)?.with_plain_links(then.plain_links).with_home(&then.home);
    let manifest = exacta_site::probe_again(&client, &then).map_err(trouble)?;
    keep_manifest(home, setup, &manifest)?;
    Ok(manifest)
}

/// A client that writes addresses as the site did when it was last asked. Asks nothing.
pub(super) fn reached(home: &Home, setup: &SiteSetup) -> Result<Client, Error> {
    let client = client(setup, account(home, setup)?)?;
    let Some(state) = home.site_state(setup)? else {
        return exacta_site::probe(client).map(|(client, _)| client).map_err(trouble);
    };
    let manifest: Manifest = serde_json::from_value(state.manifest)?;
    Ok(client.with_plain_links(manifest.plain_links).with_home(&manifest.home))
}

/// Remembers what a site offers.
pub(super) fn keep_manifest(home: &Home, setup: &SiteSetup, manifest: &Manifest) -> Result<(), Error> {
    let state = SiteState {
        setup: setup.subject()?,
        manifest: serde_json::to_value(manifest)?,
        sha256: manifest.sha256(),
        at: now(),
    };
    Ok(home.set_site_state(&setup.name, &state)?)
}

pub(super) fn account(home: &Home, setup: &SiteSetup) -> Result<Account, Error> {
    let missing = || {
        let place = match &setup.password {
            PasswordSource::Environment(variable) => format!("the variable `{variable}` of the environment is not set"),
            PasswordSource::File(path) => format!("there is no password in `{path}`"),
            PasswordSource::Kept => "it is not kept any more".to_owned(),
            PasswordSource::Keyring => {
                "it is not in the keyring, which is empty once the machine was switched off".to_owned()
            }
        };
        Error::new(Exit::Usage, "SITE_AUTH", format!("no application password for site `{}`: {place}", setup.name))
            .hint("make one in WordPress (Users → Profile → Application Passwords), and put it there")
    };
    let password = home.site_password(setup)?.ok_or_else(missing)?;
    Ok(Account::new(&setup.user, &password))
}

pub(super) fn client(setup: &SiteSetup, account: Account) -> Result<Client, Error> {
    let url = SiteUrl::parse(&setup.url).map_err(|error| unusable(error.to_string()))?;
    Client::new(url, account, Patience::default()).map_err(|error| Error::fault("SITE_UNREACHABLE", error.to_string()))
}

pub(super) fn unusable(message: String) -> Error {
    Error::new(Exit::Usage, "site_unusable", message).hint(hint!["see ", Remedy::SiteAddHelp])
}

pub(super) fn trouble(trouble: Trouble) -> Error {
    let code = ErrorCode::from(trouble.code);
    let exit = if code == ErrorCode::SITE_AUTH { Exit::Denied } else { Exit::Fault };
    Error::new(exit, code, trouble.message).hint(trouble.hint)
}
