//! A model that does what findings say, and nothing else.

use super::spoil::{put, remove};
use exacta_kernel::finding::Finding;
use serde_json::{Map, Value, json};

/// Corrects what each finding names. What the hint tells exactly is done so; else the place that the pointer names is written
/// again as it was meant. A finding about the text around the object is obeyed by sending the object alone.
pub fn correct(document: &mut Value, findings: &[Finding], right: &Value) {
    // The last first, so that taking something out moves no other place.
    let mut findings: Vec<&Finding> = findings.iter().filter(|finding| finding.pointer.is_some()).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.pointer.clone()));
    for finding in findings {
        let pointer = finding.pointer.as_deref().unwrap_or_default();
        if !by_hint(document, pointer, &finding.hint) {
            again(document, pointer, right);
        }
    }
}

/// What stands in the first pair of backticks after a word of the hint.
fn quoted<'h>(hint: &'h str, after: &str) -> Option<&'h str> {
    let (_, rest) = hint.split_once(after)?;
    rest.strip_prefix('`')?.split('`').next()
}

fn by_hint(document: &mut Value, pointer: &str, hint: &str) -> bool {
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
    if let (Some(_), Some(to)) = (quoted(hint, "rename "), quoted(hint, " to ")) {
        let value = remove(document, pointer);
        put(document, &format!("{parent}/{to}"), value);
    } else if hint.starts_with("take what is in ") {
        let inner = remove(document, pointer);
        for (name, value) in inner.as_object().cloned().unwrap_or_default() {
            put(document, &format!("{parent}/{name}"), value);
        }
    } else if hint.starts_with("leave the step out") {
        remove(document, &parent);
    } else if hint.starts_with("leave `order` out of every step") {
        for step in document["steps"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            step.remove("order");
        }
    } else if hint.starts_with("leave this edit out") || hint.starts_with("leave `") {
        remove(document, pointer);
    } else if hint.starts_with("put the pair into a list") {
        loose_pair(document, &parent);
    } else if hint.starts_with("put it into a list") {
        let value = remove(document, pointer);
        put(document, pointer, json!([value]));
    } else if let Some(word) = quoted(hint, "write ").filter(|word| !word.contains(['{', '['])) {
        put(document, pointer, json!(word));
    } else {
        return false;
    }
    true
}

/// Collects the two texts of one edit, under whatever names, into a list.
fn loose_pair(document: &mut Value, step: &str) {
    let Some(step) = document.pointer_mut(step).and_then(Value::as_object_mut) else { return };
    let mut edit = Map::new();
    for (name, field) in [("find", "find"), ("old_string", "find"), ("replace", "replace"), ("new_string", "replace")] {
        if let Some(text) = step.remove(name) {
            edit.insert(field.to_owned(), text);
        }
    }
    if !edit.is_empty() {
        step.insert("edits".to_owned(), json!([edit]));
    }
}

/// Writes the place again as it was meant; what was not meant goes.
fn again(document: &mut Value, pointer: &str, right: &Value) {
    match right.pointer(pointer) {
        Some(meant) if !pointer.is_empty() => put(document, pointer, meant.clone()),
        Some(_) => {}
        None => drop(remove(document, pointer)),
    }
}
