//! What could be added here: keys in the environment, and model servers on this machine.

use crate::cancel::Cancel;
use crate::limits::Patience;
use crate::provider::Provider;
use exacta_kernel::binding::{Limits, ProviderClass};
use exacta_kernel::provider::{KeySource, ProviderKind, ProviderName, ProviderSetup};
use serde_json::Value;
use std::time::Duration;

/// Long enough for a server on this machine.
const PATIENCE: Patience = Patience {
    connect: Duration::from_millis(300),
    first_byte: Duration::from_millis(1500),
    idle: Duration::from_millis(1500),
    event: Duration::from_millis(1500),
    whole: Duration::from_secs(2),
};
/// The most models of one server that are offered.
const MOST: usize = 20;

/// Where well-known servers listen when nobody says otherwise: Ollama, llama.cpp, LM Studio, vLLM.
const SERVERS: [(ProviderKind, &str); 4] = [
    (ProviderKind::Ollama, "http://127.0.0.1:11434"),
    (ProviderKind::OpenaiCompatible, "http://127.0.0.1:8080"),
    (ProviderKind::OpenaiCompatible, "http://127.0.0.1:1234"),
    (ProviderKind::OpenaiCompatible, "http://127.0.0.1:8000"),
];

/// Something that could be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What it speaks.
    pub kind: ProviderKind,
    /// Where it is.
    pub url: String,
    /// The variable with its key.
    pub key_env: Option<&'static str>,
    /// Its models, where it tells.
    pub models: Vec<String>,
}

/// What could be added here, local first. Only this machine is asked.
#[must_use]
pub fn offers(cancel: &Cancel) -> Vec<Offer> {
    let local = SERVERS.into_iter().filter_map(|(kind, url)| {
        let models = models(kind, url, cancel)?;
        Some(Offer { kind, url: url.to_owned(), key_env: None, models })
    });
    let keys = ProviderKind::ALL.into_iter().filter_map(|kind| {
        let variable = kind.usual_key()?;
        let set = std::env::var_os(variable).is_some_and(|value| !value.is_empty());
        let url = kind.usual_url()?.to_owned();
        set.then_some(Offer { kind, url, key_env: Some(variable), models: Vec::new() })
    });
    local.chain(keys).collect()
}

/// The models of a server on this machine; none where nothing answers in its format.
fn models(kind: ProviderKind, url: &str, cancel: &Cancel) -> Option<Vec<String>> {
    let setup = ProviderSetup {
        name: ProviderName::parse("local").ok()?,
        kind,
        api: None,
        model: String::new(),
        url: url.to_owned(),
        key: KeySource::None,
        class: ProviderClass::LocalOnly,
        limits: Limits::default(),
        capabilities: None,
        timeout_seconds: None,
        price: None,
    };
    let provider = Provider::with_key(&setup, None).ok()?.with_patience(PATIENCE);
    let (parts, list, name): (&[&str], _, _) = match kind {
        ProviderKind::Ollama => (&["api", "tags"], "models", "name"),
        _ => (&["models"], "data", "id"),
    };
    let told = provider.look_up(provider.endpoint().below(kind, parts), None, cancel).ok()?;
    let cards = told.get(list)?.as_array()?;
    let names = cards.iter().filter_map(|card| card.get(name).and_then(Value::as_str)).map(crate::draft::shown);
    Some(names.take(MOST).collect())
}
