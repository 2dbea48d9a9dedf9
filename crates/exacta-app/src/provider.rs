//! The user's AI providers: adding one is signed, and so is changing one; removing and choosing are free. All are in the log.

use crate::caller::Act;
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::in_force::safety_policy;
use crate::pick::{Picked, picked};
use crate::settings::{Settings, SigningKey, entry, signed_setting};
use exacta_home::{Home, ProviderState, Providers, ServedBy, TestedAt};
use exacta_kernel::approval::setting::SettingVerb;
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::binding::{Limits, ModelIdentity, ProviderClass};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::provider::{Capability, KeySource, ProviderKind, ProviderName, ProviderSetup, WeightsFile};
pub use exacta_provider::{Cancel, Key, KeyError, Offer, offers};
use exacta_provider::{Endpoint, Fault, FaultKind, Model as _, Provider};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;

/// A provider, as people and scripts see it. No key is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProviderView {
    /// What the user calls it.
    pub name: ProviderName,
    /// What it speaks.
    pub kind: ProviderKind,
    /// The model that is asked for.
    pub model: String,
    /// Where it is.
    pub url: String,
    /// Where its key is looked for.
    pub key: KeySource,
    /// Whether a key is there.
    pub key_present: bool,
    /// How far it is trusted.
    pub class: ProviderClass,
    /// What the model can do, as the user said or a test found out.
    pub capabilities: BTreeSet<Capability>,
    /// How much it can take and give, likewise.
    pub limits: Limits,
    /// How long the quicker of the test's two short answers took, in milliseconds.
    pub latency_ms: Option<u64>,
    /// When it was last tested.
    pub tested_at: Option<String>,
    /// What answered last.
    pub served: Option<ServedView>,
    /// What it is asked for: `plan`, `intent`.
    pub used_for: Vec<&'static str>,
}

/// What answered last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServedView {
    /// The model.
    pub model: String,
    /// Its version.
    pub version: Option<String>,
    /// Its weights, by hash.
    pub local_sha256: Option<String>,
    /// When.
    pub at: String,
}

impl Settings {
    /// Every provider.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn providers(&self) -> Result<Vec<ProviderView>, Error> {
        self.authorize(Act::ReadAll)?;
        let list = self.home.providers()?;
        let policy = safety_policy(&self.home)?;
        // Nobody at all is asked where nobody can be chosen; the list says so by naming none.
        let picked = picked(&self.home, &list, |class| policy.provider_classes.contains(&class)).ok();
        let shown = |setup| view(setup, picked.as_ref(), self.home.provider_state(setup)?.as_ref());
        list.providers.iter().map(shown).collect()
    }

    /// One provider.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn provider(&self, name: &ProviderName) -> Result<ProviderView, Error> {
        self.authorize(Act::ReadAll)?;
        self.providers()?.into_iter().find(|known| known.name == *name).ok_or_else(|| unknown(name))
    }

    /// Adds a provider or changes it, for which an approver signs.
    ///
    /// # Errors
    /// If it cannot be used, or the key is not an approver's.
    pub fn set_provider(&mut self, setup: &ProviderSetup, key: &SigningKey) -> Result<ProviderView, Error> {
        self.authorize(Act::Configure)?;
        usable(setup)?;
        let by = signed_setting(&self.home, SettingVerb::ProviderSet, None, setup.subject()?, key)?;
        let at = by.statement().at;
        let reason =
            format!("provider `{}`: {} at {}, {}", setup.name, setup.kind.name(), setup.url, setup.class.name());
        let entry = entry(Event::ProviderChanged, &by, reason, data(json!({ "provider": setup })));
        self.enter(entry, |home| home.set_provider(setup, at, &by))?;
        self.provider(&setup.name)
    }

    /// Removes a provider, and its key from the keyring.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn remove_provider(&mut self, name: &ProviderName) -> Result<(), Error> {
        self.authorize(Act::Adjust)?;
        let setup = known(&self.home, name)?;
        self.enter(changed(self.actor(), format!("provider `{name}` removed")), |home| home.remove_provider(name))?;
        if setup.key == KeySource::Keyring {
            Key::forget(name.as_str());
        }
        Ok(())
    }

    /// Chooses who is asked.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn use_provider(&mut self, name: &ProviderName, for_intent: Option<&ProviderName>) -> Result<(), Error> {
        self.authorize(Act::Adjust)?;
        known(&self.home, name)?;
        let also = for_intent.map_or_else(String::new, |other| format!(", `{other}` for the intent"));
        let reason = format!("provider `{name}` is asked{also}");
        self.enter(changed(self.actor(), reason), |home| home.use_provider(name, for_intent))
    }

    /// Leaves the choice to what tests found: each stage is given to the provider that fits it best.
    ///
    /// # Errors
    /// If too little is known of every provider.
    pub fn use_best_providers(&mut self) -> Result<(), Error> {
        self.authorize(Act::Adjust)?;
        let list = Providers { best: true, ..self.home.providers()? };
        let policy = safety_policy(&self.home)?;
        let Picked { plan, intent } = picked(&self.home, &list, |class| policy.provider_classes.contains(&class))?;
        let reason =
            format!("each stage asks the provider that fits best, now `{plan}` for plans, `{intent}` for the intent");
        self.enter(changed(self.actor(), reason), Home::use_best_providers)
    }

    /// Asks a provider what it can do, and remembers the answer with its date.
    ///
    /// # Errors
    /// If it cannot be asked.
    pub fn test_provider(&self, name: &ProviderName, cancel: &Cancel) -> Result<ProviderView, Error> {
        self.authorize(Act::Adjust)?;
        let setup = known(&self.home, name)?;
        let mut provider = Provider::open(&setup)?;
        let probed = provider.probe(cancel)?;
        let provider = provider.knowing(&probed);
        let at = now();
        self.home.update_provider_state(&setup, |state| state.tested = Some(TestedAt { probed, at }))?;
        remember(&self.home, &setup, &provider)?;
        self.provider(name)
    }
}

/// A provider that is ready to be asked, with all that is known of it.
///
/// # Errors
/// If there is none of that name, or its key is missing.
pub fn open(home: &Home, name: &ProviderName) -> Result<(ProviderSetup, Provider), Error> {
    let setup = known(home, name)?;
    let provider = Provider::open(&setup)?;
    let Some(ProviderState { tested, weights_file, .. }) = home.provider_state(&setup)? else {
        return Ok((setup, provider));
    };
    let provider = provider.knowing_weights(weights_file);
    let provider = match tested {
        Some(tested) => provider.knowing(&tested.probed),
        None => provider,
    };
    Ok((setup, provider))
}

/// Keeps the identity that the newest answer gave, with its time.
///
/// # Errors
/// If it cannot be written.
pub fn remember(home: &Home, setup: &ProviderSetup, provider: &Provider) -> Result<(), Error> {
    note(home, setup, provider.identity(), provider.weights_file())
}

/// Keeps an identity that an answer gave just now, and the file of weights that was hashed for it.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn note(
    home: &Home,
    setup: &ProviderSetup,
    identity: ModelIdentity,
    weights: Option<&WeightsFile>,
) -> Result<(), Error> {
    let served = ServedBy { identity, at: now() };
    Ok(home.update_provider_state(setup, |state| {
        state.served = Some(served);
        state.weights_file = weights.cloned();
    })?)
}

/// The newest identity that any answer of a provider gave, as it is configured now. No call is made.
///
/// # Errors
/// If the user's folder cannot be read.
pub(crate) fn served_last(home: &Home, name: &ProviderName) -> Result<Option<ServedBy>, Error> {
    let list = home.providers()?;
    let Some(setup) = list.get(name) else { return Ok(None) };
    Ok(home.provider_state(setup)?.and_then(|state| state.served))
}

/// The class of an address, as long as nobody signs for another one.
///
/// # Errors
/// If it is no address.
pub fn class_of(url: &str) -> Result<ProviderClass, Error> {
    Endpoint::parse(url).map(|endpoint| endpoint.class()).map_err(|error| unfit(&error.to_string()))
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let exit = match fault.kind {
            FaultKind::KeyMissing { .. } | FaultKind::Setup { .. } => Exit::Usage,
            FaultKind::Refused { .. } => Exit::Denied,
            FaultKind::ModelChanged { .. } => Exit::Drifted,
            FaultKind::Cancelled => Exit::RolledBack,
            _ => Exit::Fault,
        };
        Self::new(exit, fault.code(), fault.to_string()).hint(fault.hint())
    }
}

fn usable(setup: &ProviderSetup) -> Result<(), Error> {
    Endpoint::of(setup).map_err(|error| unfit(&error.to_string()))?;
    let model = &setup.model;
    if model.is_empty() || model.len() > 128 || model.chars().any(|found| found.is_control() || found.is_whitespace()) {
        return Err(unfit("a model's name has 1 to 128 bytes and no blanks"));
    }
    Ok(())
}

fn unfit(why: &str) -> Error {
    Error::new(Exit::Usage, "PROVIDER_SETUP", format!("the provider cannot be set up: {why}"))
        .hint(hint!["see ", Remedy::ProviderAdd])
}

fn known(home: &Home, name: &ProviderName) -> Result<ProviderSetup, Error> {
    home.providers()?.get(name).cloned().ok_or_else(|| unknown(name))
}

fn unknown(name: &ProviderName) -> Error {
    Error::new(Exit::Usage, "provider_unknown", format!("no provider `{name}`"))
        .hint(hint!["see ", Remedy::ProviderList])
}

/// The entry of a change that nobody has to sign for.
fn changed(actor: Actor, reason: String) -> EntryDraft {
    EntryDraft::new(Event::ProviderChanged, actor, reason)
}

fn view(setup: &ProviderSetup, picked: Option<&Picked>, state: Option<&ProviderState>) -> Result<ProviderView, Error> {
    let tested = state.and_then(|state| state.tested.as_ref());
    let found = tested.map(|tested| tested.probed.clone()).unwrap_or_default();
    let served = state.and_then(|state| state.served.as_ref()).map(|served| ServedView {
        model: served.identity.model.clone(),
        version: served.identity.version.clone(),
        local_sha256: served.identity.local_sha256.map(|hash| hash.to_string()),
        at: served.at.to_string(),
    });
    let plans = picked.is_some_and(|picked| picked.plan == setup.name);
    let reads = picked.is_some_and(|picked| picked.intent == setup.name);
    let said = setup.limits;
    Ok(ProviderView {
        name: setup.name.clone(),
        kind: setup.kind,
        model: setup.model.clone(),
        url: setup.url.clone(),
        key: setup.key.clone(),
        key_present: has_key(setup),
        class: setup.class,
        capabilities: setup.capabilities.clone().unwrap_or(found.capabilities),
        limits: Limits {
            context: said.context.or(found.limits.context),
            input: said.input.or(found.limits.input),
            output: said.output.or(found.limits.output),
        },
        latency_ms: found.latency_ms,
        tested_at: tested.map(|tested| tested.at.to_string()),
        served,
        used_for: [(plans, "plan"), (reads, "intent")]
            .into_iter()
            .filter_map(|(is, what)| is.then_some(what))
            .collect(),
    })
}

fn has_key(setup: &ProviderSetup) -> bool {
    match &setup.key {
        KeySource::None => true,
        KeySource::Environment(variable) => Key::from_environment(variable).is_ok(),
        KeySource::Keyring => Key::from_keyring(setup.name.as_str()).is_ok(),
    }
}
