//! JSON Schema as Google takes it: a subset without references and without words about what else an object may hold.

use serde_json::{Map, Value, json};

/// The keywords that Google publishes for its `Schema`.
const KNOWN: [&str; 18] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "default",
    "propertyOrdering",
];
/// How deep references are followed; a schema that refers to itself ends there.
const DEPTH: usize = 12;

/// The schema without what Google refuses. It asks for less then; the answer is parsed strictly all the same.
pub(super) fn schema(full: &Value) -> Value {
    simplified(full, full, DEPTH)
}

fn simplified(part: &Value, root: &Value, depth: usize) -> Value {
    let Value::Object(map) = part else { return json!({}) };
    let Some(depth) = depth.checked_sub(1) else { return json!({ "type": "object" }) };
    if let Some(target) = map.get("$ref").and_then(Value::as_str).and_then(|name| root.pointer(name.strip_prefix('#')?))
    {
        return simplified(target, root, depth);
    }
    let mut plain: Map<String, Value> = Map::new();
    for (word, value) in map {
        let kept = match word.as_str() {
            "properties" => properties(value, root, depth),
            "items" => simplified(value, root, depth),
            "anyOf" | "oneOf" => {
                plain.insert("anyOf".to_owned(), each(value, root, depth));
                continue;
            }
            "const" => {
                plain.insert("enum".to_owned(), json!([value]));
                continue;
            }
            known if KNOWN.contains(&known) => value.clone(),
            _ => continue,
        };
        plain.insert(word.clone(), kept);
    }
    // Only texts are enumerated there.
    let texts = |value: &Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_string));
    if plain.get("enum").is_some_and(|value| !texts(value)) {
        plain.remove("enum");
    } else if plain.contains_key("enum") {
        plain.entry("type").or_insert_with(|| "string".into());
    }
    Value::Object(plain)
}

fn properties(value: &Value, root: &Value, depth: usize) -> Value {
    let each = value.as_object().into_iter().flatten();
    Value::Object(each.map(|(name, part)| (name.clone(), simplified(part, root, depth))).collect())
}

fn each(value: &Value, root: &Value, depth: usize) -> Value {
    let parts = value.as_array().into_iter().flatten();
    Value::Array(parts.map(|part| simplified(part, root, depth)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_followed_and_strange_words_dropped() {
        let full = json!({
            "$schema": "x",
            "type": "object",
            "additionalProperties": false,
            "properties": { "a": { "$ref": "#/$defs/A" }, "b": { "const": "x" }, "c": { "oneOf": [{ "type": "string" }] }, "n": { "enum": [1] } },
            "$defs": { "A": { "type": "array", "items": { "$ref": "#/$defs/B" } }, "B": { "type": "integer", "exclusiveMinimum": 0 } },
        });
        let plain = json!({
            "type": "object",
            "properties": {
                "a": { "type": "array", "items": { "type": "integer" } },
                "b": { "type": "string", "enum": ["x"] },
                "c": { "anyOf": [{ "type": "string" }] },
                "n": {},
            },
        });
        assert_eq!(schema(&full), plain);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let looped = json!({ "type": "object", "properties": { "next": { "$ref": "#" } } });
        assert!(schema(&looped).to_string().len() < 2000);
        assert_eq!(schema(&json!({ "$ref": "#" })), json!({ "type": "object" }));
    }
}
