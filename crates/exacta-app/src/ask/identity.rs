//! Who a provider's model is now: its configuration, and what its newest answer said. Looking makes no call unless the operator wants one.

use crate::error::Error;
use exacta_home::{Home, ServedBy};
use exacta_kernel::binding::ModelIdentity;
use exacta_kernel::provider::{ProviderName, WeightsFile};
use exacta_kernel::time::Timestamp;
use exacta_provider::{Cancel, Fault, FaultKind, Model as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often somebody who waits for a provider looks whether to stop.
const LOOK: Duration = Duration::from_millis(20);

/// A model as it is known now.
#[derive(Debug, Clone)]
pub(crate) struct ModelNow {
    pub identity: ModelIdentity,
    /// When it was last seen; none where only the configuration is known.
    pub at: Option<Timestamp>,
}

/// The current identity of the model of a provider; `None` where there is no such provider any more.
pub(crate) fn model_now(home: &Home, provider: &str) -> Result<Option<ModelNow>, Error> {
    let Ok(name) = ProviderName::parse(provider) else { return Ok(None) };
    if let Some(ServedBy { identity, at }) = crate::provider::served_last(home, &name)? {
        return Ok(Some(ModelNow { identity, at: Some(at) }));
    }
    // Nothing answered since it was set up: only the configuration is known.
    let open = crate::provider::open(home, &name).ok();
    Ok(open.map(|(_, provider)| ModelNow { identity: provider.identity(), at: None }))
}

/// Asks a provider who answers there, and remembers it as its newest answer.
///
/// # Errors
/// If it is not there any more or does not answer, and if the wait is cancelled.
pub(crate) fn verify_model(home: &Home, provider: &str, cancel: &AtomicBool) -> Result<(), Error> {
    let unknown = |error: &dyn std::fmt::Display| Error::fault("provider_unknown", error.to_string());
    let name = ProviderName::parse(provider).map_err(|error| unknown(&error))?;
    let (setup, mut provider) = crate::provider::open(home, &name)?;
    match relayed(cancel, |cancel| provider.identify(cancel)) {
        // Another model than the configured one answers: that is what was to be found out.
        Ok(_) | Err(Fault { kind: FaultKind::ModelChanged { .. }, .. }) => {
            crate::provider::remember(home, &setup, &provider)
        }
        Err(fault) => {
            let error = Error::from(fault);
            let message = format!("the model cannot be verified before the run: {}", error.message);
            Err(Error { message, ..error }
                .hint("the Safety Policy wants it (`verify_model_at_execution`): execute it once the provider answers"))
        }
    }
}

/// Does something that can be cancelled, for as long as a flag of somebody else's is not set.
fn relayed<T>(flag: &AtomicBool, act: impl FnOnce(&Cancel) -> T) -> T {
    let (cancel, over) = (Cancel::new(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if flag.load(Ordering::Relaxed) {
                    cancel.cancel();
                }
                std::thread::sleep(LOOK);
            }
        });
        let done = act(&cancel);
        over.store(true, Ordering::Relaxed);
        done
    })
}

/// Remembers what a provider's answer said of its model.
pub(crate) fn note_served(
    home: &Home,
    provider: &str,
    model: &ModelIdentity,
    weights: Option<&WeightsFile>,
) -> Result<(), Error> {
    let list = home.providers()?;
    let setup = ProviderName::parse(provider).ok().and_then(|name| list.get(&name).cloned());
    let Some(setup) = setup else { return Ok(()) };
    crate::provider::note(home, &setup, model.clone(), weights)
}
