//! Who a provider's model is now: its configuration, and what its newest answer said. Looking makes no call.

use super::session::Session;
use crate::clock::now;
use crate::error::Error;
use exacta_home::{Home, ServedBy};
use exacta_kernel::binding::ModelIdentity;
use exacta_kernel::provider::ProviderName;
use exacta_provider::Model as _;

/// The current identity of the model of a provider; `None` where there is no such provider any more.
pub(crate) fn model_now(home: &Home, provider: &str) -> Result<Option<ModelIdentity>, Error> {
    let Ok(name) = ProviderName::parse(provider) else { return Ok(None) };
    if let Some(identity) = crate::provider::identity_now(home, &name)? {
        return Ok(Some(identity));
    }
    // Set up anew since: only the configuration is known.
    Ok(crate::provider::open(home, &name).ok().map(|(_, provider)| provider.identity()))
}

impl Session<'_> {
    /// Remembers what a provider's answer said of its model.
    pub fn note_model(&self, provider: &str, model: &ModelIdentity) -> Result<(), Error> {
        let list = self.app.home.providers()?;
        let setup = ProviderName::parse(provider).ok().and_then(|name| list.get(&name).cloned());
        let Some(setup) = setup else { return Ok(()) };
        let served = ServedBy { identity: model.clone(), at: now() };
        Ok(self.app.home.update_provider_state(&setup, |state| state.served = Some(served))?)
    }
}
