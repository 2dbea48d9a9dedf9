//! JSON into a tree: keys are places, in the order of their names; what is in a list keeps its order.

use super::node::{MAX_DEPTH, MAX_NODES, Node};
use crate::text::normal;
use serde_json::Value;

/// The tree, or none for what is no JSON.
pub(crate) fn json(text: &str) -> Option<(Node, Value)> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let mut made = 0;
    let mut page = Node::place("page");
    add(&value, "", 0, &mut made, &mut page);
    Some((page, value))
}

fn add(value: &Value, key: &str, depth: usize, made: &mut usize, into: &mut Node) {
    *made += 1;
    let flat = depth + 4 > MAX_DEPTH || *made > MAX_NODES;
    match value {
        Value::Object(map) if !flat => {
            let mut keys: Vec<(&String, &Value)> = map.iter().collect();
            keys.sort_unstable_by_key(|(key, _)| *key);
            for (key, value) in keys {
                let mut place = Node::place(name(key));
                add(value, key, depth + 1, made, &mut place);
                into.children.push(place);
            }
        }
        Value::Array(items) if !flat => {
            for item in items {
                let mut place = Node::place("item");
                add(item, if item.is_object() { "" } else { key }, depth + 1, made, &mut place);
                into.children.push(place);
            }
        }
        value => {
            let text = if key.is_empty() { scalar(value) } else { format!("{key}: {}", scalar(value)) };
            into.children.push(Node::text(&normal(&text)));
        }
    }
}

fn name(key: &str) -> String {
    let name: String = normal(key).chars().filter(|c| !c.is_whitespace()).take(60).collect();
    if name.is_empty() { "item".to_owned() } else { name }
}

/// A value in one form: `1.0` is `1`.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => format!("{float:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}
