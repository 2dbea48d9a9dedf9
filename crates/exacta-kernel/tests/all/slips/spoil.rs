//! From the right plan to what a model sent: the operations of a row of the table.

use serde_json::{Map, Value, json};

/// The object that is sent.
pub fn document(right: &Value, row: &Value) -> Value {
    let mut document = right.clone();
    for (from, to) in fields(&row["move"]) {
        let value = document.pointer(from).unwrap().clone();
        put(&mut document, to.as_str().unwrap(), value);
    }
    for pointer in row["remove"].as_array().into_iter().flatten() {
        remove(&mut document, pointer.as_str().unwrap());
    }
    for (pointer, key) in fields(&row["rename"]) {
        let value = remove(&mut document, pointer);
        let (parent, _) = pointer.rsplit_once('/').unwrap();
        put(&mut document, &format!("{parent}/{}", key.as_str().unwrap()), value);
    }
    set(&mut document, &row["set"]);
    for (pointer, around) in fields(&row["wrap"]) {
        let inner = around[1].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        let inner: Map<String, Value> =
            inner.map(|name| (name.to_owned(), remove(&mut document, &format!("{pointer}/{name}")))).collect();
        put(&mut document, &format!("{pointer}/{}", around[0].as_str().unwrap()), Value::Object(inner));
    }
    for pointer in row["unlist"].as_array().into_iter().flatten() {
        let list = document.pointer_mut(pointer.as_str().unwrap()).unwrap();
        *list = list[0].take();
    }
    for pointer in row["lines"].as_array().into_iter().flatten() {
        let text = document.pointer_mut(pointer.as_str().unwrap()).unwrap();
        *text = text.as_str().unwrap().lines().map(Value::from).collect();
    }
    for (pointer, pairs) in fields(&row["sub"]) {
        let text = document.pointer_mut(pointer).unwrap();
        *text = json!(replaced(text.as_str().unwrap(), pairs, false));
    }
    document
}

/// The text that is sent.
pub fn text(document: &Value, row: &Value) -> String {
    let mut text = replaced(&document.to_string(), &row["replace"], row["once"] == true);
    match row["cut"].as_i64() {
        Some(-1) => drop(text.pop()),
        Some(percent) => text.truncate(text.len() * usize::try_from(percent).unwrap() / 100),
        None => {}
    }
    format!("{}{text}{}", row["before"].as_str().unwrap_or_default(), row["after"].as_str().unwrap_or_default())
}

/// Sets every field of a table of pointers.
pub fn set(document: &mut Value, values: &Value) {
    for (pointer, value) in fields(values) {
        put(document, pointer, value.clone());
    }
}

/// Sets what a pointer names; at the end of a list, adds it.
pub fn put(document: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}")) {
        Value::Array(items) if key.parse() == Ok(items.len()) => items.push(value),
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        parent => parent[key] = value,
    }
}

/// Takes out what a pointer names.
pub fn remove(document: &mut Value, pointer: &str) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match document.pointer_mut(parent) {
        Some(Value::Object(fields)) => fields.remove(key).unwrap_or_default(),
        Some(Value::Array(items)) => items.remove(key.parse().unwrap()),
        _ => Value::Null,
    }
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn replaced(text: &str, pairs: &Value, once: bool) -> String {
    let mut text = text.to_owned();
    for pair in pairs.as_array().into_iter().flatten() {
        let (from, to) = (pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
        text = if once { text.replacen(from, to, 1) } else { text.replace(from, to) };
    }
    text
}
