//! The published formats, one file each: how a request is written, and how an answer is read.

mod chat;
mod gemini;
mod messages;
mod ollama;
mod plain;
mod responses;

use crate::draft::Draft;
use crate::fault::FaultKind;
use crate::frame::Framing;
use crate::key::Key;
use crate::request::Request;
use exacta_kernel::provider::{Api, ProviderKind, ProviderSetup};
use serde_json::Value;

/// One published format. It knows nothing of connections.
pub(crate) trait Wire {
    /// The path below the provider's address, and a query.
    fn path(&self, setup: &ProviderSetup) -> (Vec<String>, Option<&'static str>);

    /// The headers: names with values that may be the key.
    fn headers(&self, key: Option<&Key>) -> Vec<(&'static str, String)>;

    /// The body of a request.
    fn body(&self, setup: &ProviderSetup, request: &Request) -> Value;

    /// How a stream is framed.
    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// Reads one event of a stream.
    fn event(&self, event: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind>;

    /// Reads a whole answer, from servers that do not stream though they were asked to.
    fn whole(&self, body: &Value, draft: &mut Draft<'_>) -> Result<(), FaultKind>;
}

/// What a provider speaks.
pub(crate) fn of(setup: &ProviderSetup) -> Result<&'static dyn Wire, FaultKind> {
    match (setup.kind, setup.api) {
        (ProviderKind::OpenaiCompatible, None)
        | (ProviderKind::Openai | ProviderKind::OpenaiCompatible, Some(Api::Chat)) => Ok(&chat::Chat),
        (ProviderKind::Openai, None)
        | (ProviderKind::Openai | ProviderKind::OpenaiCompatible, Some(Api::Responses)) => Ok(&responses::Responses),
        (ProviderKind::Anthropic, None) => Ok(&messages::Messages),
        (ProviderKind::Gemini, None) => Ok(&gemini::Gemini),
        (ProviderKind::Ollama, None) => Ok(&ollama::Ollama),
        (kind, Some(_)) => Err(FaultKind::Setup { why: format!("`{}` has only one interface", kind.name()) }),
    }
}

/// The key as OpenAI and those like it want it.
fn bearer(key: Option<&Key>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {}", key.expose()))).into_iter().collect()
}

/// Whether OpenAI's strict mode takes a schema: every object names all its properties as required and allows no others.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let object = !map.contains_key("properties") || names_all(map);
            object && map.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}

fn names_all(map: &serde_json::Map<String, Value>) -> bool {
    let Some(Value::Object(properties)) = map.get("properties") else { return false };
    let required = map.get("required").and_then(Value::as_array);
    let names = |name: &String| required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)));
    map.get("additionalProperties") == Some(&Value::Bool(false)) && properties.keys().all(names)
}

/// Takes the bounds on lengths and numbers out of a schema: strict modes of services refuse a schema that has them. A property that
/// is called so stays.
pub(crate) fn drop_bounds(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            for bound in ["maxLength", "minLength", "maxItems", "minItems", "minimum", "maximum"] {
                if map.get(bound).is_some_and(Value::is_number) {
                    map.remove(bound);
                }
            }
            map.values_mut().for_each(drop_bounds);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_bounds),
        _ => {}
    }
}

/// A number in an object in an object.
fn number(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_u64()
}

/// A text in an object in an object.
fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

/// The items of an array in an object; none where there is no array.
fn items<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
