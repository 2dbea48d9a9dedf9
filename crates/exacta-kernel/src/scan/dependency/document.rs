//! Documents of every syntax as one kind of tree, and how a reader takes its parts out.

use super::manifest::Manifest;
use super::yaml;
use crate::prelude::*;
use serde_json::{Map, Value};

/// JSON, as strict as proposals are read: a key that occurs twice means one thing to one tool and another to the next.
pub(super) fn json(text: &str) -> Option<Value> {
    crate::json::read(text).ok().filter(Value::is_object)
}

/// JSON with comments and trailing commas.
pub(super) fn jsonc(text: &str) -> Option<Value> {
    json(&plain_json(text)?)
}

/// TOML.
pub(super) fn toml(text: &str) -> Option<Value> {
    ::toml::from_str(text).ok().filter(Value::is_object)
}

/// One YAML document; an empty one has nothing in it.
pub(super) fn yaml(text: &str) -> Option<Value> {
    let mut documents = yaml::read(text)?;
    let first = documents.pop().unwrap_or(Value::Null);
    match first {
        Value::Null if documents.is_empty() => Some(Value::Object(Map::new())),
        Value::Object(_) if documents.is_empty() => Some(first),
        _ => None,
    }
}

/// What is at these keys, taken out.
pub(super) fn take(document: &mut Value, keys: &[&str]) -> Option<Value> {
    let (last, parents) = keys.split_last()?;
    let parent = parents.iter().try_fold(document, |value, key| value.get_mut(*key))?;
    parent.as_object_mut()?.remove(*last)
}

/// The object at these keys, taken out. What is there but is no object stays where it is.
pub(super) fn take_map(document: &mut Value, keys: &[&str]) -> Map<String, Value> {
    take_if(document, keys, Value::is_object).and_then(into_map).unwrap_or_default()
}

/// The list at these keys, taken out. What is there but is no list stays where it is.
pub(super) fn take_list(document: &mut Value, keys: &[&str]) -> Vec<Value> {
    match take_if(document, keys, Value::is_array) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// The text at these keys, taken out. What is there but is no text stays where it is.
pub(super) fn take_text(document: &mut Value, keys: &[&str]) -> Option<String> {
    match take_if(document, keys, Value::is_string) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn take_if(document: &mut Value, keys: &[&str], fits: fn(&Value) -> bool) -> Option<Value> {
    let found = keys.iter().try_fold(&*document, |value, key| value.get(*key))?;
    if fits(found) { take(document, keys) } else { None }
}

fn into_map(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

/// Drops what only describes the project itself.
pub(super) fn drop_own(document: &mut Value, keys: &[&str], own: &[&str]) {
    let table = keys.iter().try_fold(document, |value, key| value.get_mut(*key)).and_then(Value::as_object_mut);
    if let Some(table) = table {
        table.retain(|key, _| !own.contains(&key.as_str()));
    }
}

/// The texts in a value: itself, or those of its list.
pub(super) fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        value => core::slice::from_ref(value),
    };
    items.iter().filter_map(Value::as_str)
}

/// The tables in a table or a list.
pub(super) fn tables(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(items) => items.iter_mut().filter(|item| item.is_object()).collect(),
        Value::Object(map) => map.values_mut().filter(|item| item.is_object()).collect(),
        _ => Vec::new(),
    }
}

/// Takes the addresses at `key` out of a list or table of sources.
pub(super) fn take_registries(sources: Option<&mut Value>, key: &str, own: &[&str], manifest: &mut Manifest) {
    for source in sources.map(tables).unwrap_or_default() {
        if let Some(address) = take_text(source, &[key])
            && !own.iter().any(|own| address.starts_with(own))
        {
            manifest.registries.insert(address);
        }
    }
}

/// JSON without comments and trailing commas; `None` if a string or comment does not end.
fn plain_json(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('"', _) => {
                plain.push(c);
                loop {
                    let inner = rest.next()?;
                    plain.push(inner);
                    match inner {
                        '\\' => plain.push(rest.next()?),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => while rest.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                rest.next();
                let mut last = ' ';
                loop {
                    let inner = rest.next()?;
                    if last == '*' && inner == '/' {
                        break;
                    }
                    last = inner;
                }
                plain.push(' ');
            }
            ('}' | ']', _) => {
                let end = plain.trim_end().len();
                if plain.get(..end).is_some_and(|before| before.ends_with(',')) {
                    plain.truncate(end - 1);
                }
                plain.push(c);
            }
            _ => plain.push(c),
        }
    }
    Some(plain)
}
