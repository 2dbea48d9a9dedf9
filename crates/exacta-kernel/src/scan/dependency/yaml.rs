//! YAML as a tree. What lets a small text mean much, or two readers differ, is not read: aliases, tags, a key twice.

use crate::prelude::*;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// How deeply lists and mappings may be nested.
const MAX_DEPTH: usize = 64;

/// A list or mapping that has not ended.
enum Open {
    List(Vec<Value>),
    /// The key that waits for its value.
    Mapping(Map<String, Value>, Option<String>),
}

/// Every document of a text.
pub(super) fn read(text: &str) -> Option<Vec<Value>> {
    let mut documents = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let done = match event.ok()?.0 {
            Event::Scalar(_, _, _, Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                return None;
            }
            Event::Alias(_) => return None,
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= MAX_DEPTH => return None,
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Mapping(Map::new(), None));
                continue;
            }
            Event::Scalar(text, style, ..) => scalar(text.into_owned(), style),
            Event::SequenceEnd => match open.pop()? {
                Open::List(items) => Value::Array(items),
                Open::Mapping(..) => return None,
            },
            Event::MappingEnd => match open.pop()? {
                Open::Mapping(map, None) => Value::Object(map),
                _ => return None,
            },
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                continue;
            }
        };
        match open.last_mut() {
            None => documents.push(done),
            Some(parent) => put(parent, done)?,
        }
    }
    Some(documents)
}

/// Puts a value into the list or mapping that it belongs to; `None` for a key that is no text, or is there twice.
fn put(parent: &mut Open, value: Value) -> Option<()> {
    match parent {
        Open::List(items) => items.push(value),
        Open::Mapping(map, waiting) => match waiting.take() {
            Some(key) => {
                if map.insert(key, value).is_some() {
                    return None;
                }
            }
            None => *waiting = Some(key(value)?),
        },
    }
    Some(())
}

fn key(value: Value) -> Option<String> {
    match value {
        // A merge key takes in another mapping.
        Value::String(text) => (text != "<<").then_some(text),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null => Some("null".to_owned()),
        _ => None,
    }
}

/// Numbers stay as they are written: a version `1.10` is not `1.1`.
fn scalar(text: String, style: ScalarStyle) -> Value {
    match text.as_str() {
        "" | "~" | "null" if style == ScalarStyle::Plain => Value::Null,
        "true" if style == ScalarStyle::Plain => Value::Bool(true),
        "false" if style == ScalarStyle::Plain => Value::Bool(false),
        _ => Value::String(text),
    }
}
