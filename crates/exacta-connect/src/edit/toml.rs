//! TOML as people keep it: `toml_edit` keeps what is not changed.

use super::{EditError, Kind, parts};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

/// Puts a value at a place, whatever was there. An object of objects becomes tables of their own.
pub fn set(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let Some((name, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    let table = enter(document.as_table_mut(), parents, path)?;
    match table.get_mut(name) {
        // What stood behind and above it stays there.
        Some(Item::Value(there)) if !value.is_object() => {
            let decor = there.decor().clone();
            *there = plain(value);
            *there.decor_mut() = decor;
        }
        _ => drop(table.insert(name, item(value))),
    }
    Ok(document.to_string())
}

/// Puts a value at the end of the list at a place, if it is not in it.
pub fn push(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    match get(text, path)? {
        None => set(text, path, &Value::Array(vec![value.clone()])),
        Some(Value::Array(items)) if items.contains(value) => Ok(text.to_owned()),
        Some(Value::Array(items)) => set(text, path, &Value::Array(items.into_iter().chain([value.clone()]).collect())),
        Some(_) => Err(EditError::Kind(Kind { place: parts(path), wanted: "a list" })),
    }
}

/// Takes away what is at a place.
pub fn remove(text: &str, path: &[&str]) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let Some((name, parents)) = path.split_last() else { return Ok(String::new()) };
    if let Some(table) = reach(document.as_table_mut(), parents) {
        table.remove(name);
    }
    Ok(document.to_string())
}

/// Takes a value out of the list at a place.
pub fn pull(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    match get(text, path)? {
        Some(Value::Array(items)) if items.contains(value) => {
            let left = items.into_iter().filter(|item| item != value).collect();
            set(text, path, &Value::Array(left))
        }
        _ => Ok(text.to_owned()),
    }
}

/// What is at a place.
pub fn get(text: &str, path: &[&str]) -> Result<Option<Value>, EditError> {
    let document = parse(text)?;
    let mut item = document.as_item();
    for key in path {
        match item.get(key) {
            Some(inner) => item = inner,
            None => return Ok(None),
        }
    }
    Ok(value_of(item))
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start);
        let before = text.get(..at.min(text.len())).unwrap_or(text);
        let why = error.message().lines().next().unwrap_or_default().to_owned();
        EditError::Broken { line: before.matches('\n').count() + 1, why }
    })
}

/// The table at a place; what is missing on the way is made.
fn enter<'t>(root: &'t mut Table, path: &[&str], whole: &[&str]) -> Result<&'t mut dyn TableLike, EditError> {
    let mut table: &mut dyn TableLike = root;
    for (depth, key) in path.iter().enumerate() {
        if table.get(key).is_none() {
            let mut made = Table::new();
            made.set_implicit(true);
            table.insert(key, Item::Table(made));
        }
        let place = whole.get(..=depth).unwrap_or_default();
        table = table
            .get_mut(key)
            .and_then(Item::as_table_like_mut)
            .ok_or_else(|| EditError::Kind(Kind { place: parts(place), wanted: "a table" }))?;
    }
    Ok(table)
}

fn reach<'t>(root: &'t mut Table, path: &[&str]) -> Option<&'t mut dyn TableLike> {
    let mut table: &mut dyn TableLike = root;
    for key in path {
        table = table.get_mut(key)?.as_table_like_mut()?;
    }
    Some(table)
}

/// An object as a table of its own, anything else as a value.
fn item(value: &Value) -> Item {
    let Value::Object(members) = value else { return Item::Value(plain(value)) };
    let mut table = Table::new();
    for (key, value) in members {
        table.insert(key, Item::Value(plain(value)));
    }
    Item::Table(table)
}

fn plain(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => number.as_i64().map_or_else(|| number.as_f64().unwrap_or_default().into(), Into::into),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => toml_edit::Value::Array(items.iter().map(plain).collect::<Array>()),
        Value::Object(members) => {
            let pairs = members.iter().map(|(key, value)| (key.clone(), plain(value)));
            toml_edit::Value::InlineTable(pairs.collect::<InlineTable>())
        }
        Value::Null => "".into(),
    }
}

fn value_of(item: &Item) -> Option<Value> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(value_in(value)),
        Item::Table(table) => Some(Value::Object(
            table.iter().filter_map(|(key, item)| Some((key.to_owned(), value_of(item)?))).collect(),
        )),
        Item::ArrayOfTables(tables) => {
            let tables = tables.iter().filter_map(|table| value_of(&Item::Table(table.clone())));
            Some(Value::Array(tables.collect()))
        }
    }
}

fn value_in(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(flag) => Value::from(*flag.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::Array(items) => Value::Array(items.iter().map(value_in).collect()),
        toml_edit::Value::InlineTable(table) => {
            Value::Object(table.iter().map(|(key, value)| (key.to_owned(), value_in(value))).collect())
        }
    }
}
