//! From a sentence to a plan, with models on the wire that err, refuse, lie and break.

mod checked;
mod faults;
mod injection;
mod model;
mod own_tests;
mod refusals;
mod requests;
mod stages;

use crate::place::Place;
use exacta_app::ask::{AskEnd, AskEvent, Asking, Until, Wish};
use exacta_kernel::binding::{Limits, ProviderClass};
use exacta_kernel::provider::{KeySource, ProviderKind, ProviderName, ProviderSetup};
use exacta_provider::{Cancel, Key, Patience, Provider};
use exacta_testkit::ModelServer;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

/// What must never be seen again outside a request.
pub const KEY: &str = "sk-canary-0a1b2c3d4e5f";

/// Short, so that faults are found soon.
const PATIENCE: Patience = Patience {
    connect: Duration::from_millis(500),
    first_byte: Duration::from_secs(5),
    idle: Duration::from_secs(2),
    event: Duration::from_secs(2),
    whole: Duration::from_secs(20),
};

pub fn setup(server: &ModelServer) -> ProviderSetup {
    ProviderSetup {
        name: ProviderName::parse("local").unwrap(),
        kind: ProviderKind::OpenaiCompatible,
        api: None,
        model: model::MODEL.to_owned(),
        url: server.url(),
        key: KeySource::None,
        class: ProviderClass::LocalOnly,
        limits: Limits { context: Some(32_768), ..Limits::default() },
        capabilities: None,
        timeout_seconds: None,
        price: None,
    }
}

/// Sets a provider up as an approver would.
pub fn register(place: &Place, setup: &ProviderSetup) {
    let list = json!({ "schema": "exacta.providers/1", "record": { "providers": [setup], "chosen": setup.name, "for_intent": null } });
    let file = place.options.home.as_ref().unwrap().join("providers.json");
    std::fs::write(&file, list.to_string()).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

pub fn provider(server: &ModelServer) -> Provider {
    let setup = setup(server);
    let key = Key::new(KEY.to_owned().into()).unwrap();
    Provider::with_key(&setup, Some(key)).unwrap_or_else(|fault| panic!("{fault}")).with_patience(PATIENCE)
}

/// A place with the files of a project.
pub fn place_of(tree: &Value) -> Place {
    let place = Place::new();
    for path in ["src/greet.py", "README.md"] {
        std::fs::remove_file(place.options.project.as_ref().unwrap().join(path)).unwrap();
    }
    for (path, text) in tree.as_object().unwrap() {
        place.write(path, text.as_str().unwrap());
    }
    place
}

/// Asks, and tells what happened on the way.
pub fn ask(place: &Place, server: &ModelServer, wish: Wish, until: Until) -> (AskEnd, Vec<AskEvent>) {
    register(place, &setup(server));
    let (cancel, mut told) = (Cancel::new(), Vec::new());
    let mut observer = |event: &AskEvent| told.push(event.clone());
    let mut maker = provider(server);
    let asking = Asking {
        wish,
        until,
        resume: None,
        revision: None,
        maker: &mut maker,
        reader: None,
        price: None,
        cancel: &cancel,
        observer: &mut observer,
        transcript: None,
    };
    let end = place.app().ask(asking);
    (end, told)
}

pub fn wish(text: &str) -> Wish {
    Wish { text: text.to_owned(), ..Wish::default() }
}

/// Every file beneath a folder with its bytes, but for what is left out.
pub fn files(folder: &std::path::Path, without: &[&str]) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().path()) {
            if without.iter().any(|name| entry.ends_with(name)) {
                continue;
            }
            if entry.is_dir() {
                open.push(entry);
            } else {
                found.push((entry.strip_prefix(folder).unwrap().display().to_string(), std::fs::read(&entry).unwrap()));
            }
        }
    }
    found.sort();
    found
}
