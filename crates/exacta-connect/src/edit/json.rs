//! JSON as people keep it: changed in the text, so that order, spacing and comments stay.

use super::tree::{Member, Node, parse};
use super::{EditError, Kind, parts};
use serde_json::Value;

/// What one step inward looks like in a file that has none yet.
const INDENT: &str = "  ";

/// Puts a value at a place, whatever was there.
pub fn set(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let text = begun(text);
    let root = parse(&text)?;
    let (node, depth) = deepest(&root, path);
    let rest = path.get(depth..).unwrap_or_default();
    if rest.is_empty() {
        return Ok(splice(&text, node.span(), &rendered(value, &line_indent(&text, node.span().start))));
    }
    let Node::Object { members, .. } = node else { return Err(wrong(path, depth, "an object")) };
    let (name, inner) = rest.split_first().unwrap_or((&"", &[]));
    let value = inner.iter().rev().fold(value.clone(), |value, key| serde_json::json!({ *key: value }));
    Ok(add_member(&text, node, members, name, &value))
}

/// Puts a value at the end of the list at a place, if it is not in it.
pub fn push(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let text = begun(text);
    let root = parse(&text)?;
    let Some(node) = root.at(path) else { return set(&text, path, &Value::Array(vec![value.clone()])) };
    let Node::Array { items, .. } = node else { return Err(wrong(path, path.len(), "a list")) };
    if items.iter().any(|item| item.value(&text).as_ref() == Some(value)) {
        return Ok(text);
    }
    let ends: Vec<(usize, usize)> = items.iter().map(|item| (item.span().start, item.span().end)).collect();
    Ok(append(&text, node, &ends, |indent| rendered(value, indent)))
}

/// Takes away what is at a place.
pub fn remove(text: &str, path: &[&str]) -> Result<String, EditError> {
    let root = parse(text)?;
    let Some((name, parent)) = path.split_last() else { return Ok(String::new()) };
    let Some(node @ Node::Object { members, .. }) = root.at(parent) else { return Ok(text.to_owned()) };
    let Some(at) = members.iter().position(|member| member.key == **name) else { return Ok(text.to_owned()) };
    let spans: Vec<(usize, usize)> = members.iter().map(|member| (member.start, member.value.span().end)).collect();
    Ok(cut(text, node, &spans, at))
}

/// Takes a value out of the list at a place.
pub fn pull(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let root = parse(text)?;
    let Some(node @ Node::Array { items, .. }) = root.at(path) else { return Ok(text.to_owned()) };
    let Some(at) = items.iter().position(|item| item.value(text).as_ref() == Some(value)) else {
        return Ok(text.to_owned());
    };
    let spans: Vec<(usize, usize)> = items.iter().map(|item| (item.span().start, item.span().end)).collect();
    Ok(cut(text, node, &spans, at))
}

/// What is at a place.
pub fn get(text: &str, path: &[&str]) -> Result<Option<Value>, EditError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    Ok(parse(text)?.at(path).and_then(|node| node.value(text)))
}

/// A file with nothing in it is one with an empty object.
fn begun(text: &str) -> String {
    if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() }
}

/// The node that is farthest on the way, and how many steps lead to it.
fn deepest<'n>(root: &'n Node, path: &[&str]) -> (&'n Node, usize) {
    let mut node = root;
    for (depth, key) in path.iter().enumerate() {
        match node.member(key) {
            Some(member) => node = &member.value,
            None => return (node, depth),
        }
    }
    (node, path.len())
}

fn add_member(text: &str, node: &Node, members: &[Member], name: &str, value: &Value) -> String {
    let spans: Vec<(usize, usize)> = members.iter().map(|member| (member.start, member.value.span().end)).collect();
    append(text, node, &spans, |indent| format!("{}: {}", Value::from(name), rendered(value, indent)))
}

/// One more child behind the last, on a line of its own unless all of them share one.
fn append(text: &str, node: &Node, children: &[(usize, usize)], child: impl Fn(&str) -> String) -> String {
    let (open, close) = (node.span().start + 1, node.span().end - 1);
    let outer = line_indent(text, node.span().start);
    let Some((start, end)) = children.last().copied() else {
        let inner = format!("{outer}{}", step(text));
        let body = format!("\n{inner}{}\n{outer}", child(&inner));
        // A comment in an otherwise empty object stays in it.
        let kept = part(text, open, close).trim_end();
        return format!("{}{kept}{body}{}", part(text, 0, open), part(text, close, text.len()));
    };
    let own_line = part(text, open, start).contains('\n');
    let body = if own_line {
        let indent = line_indent(text, start);
        format!(",\n{indent}{}", child(&indent))
    } else {
        format!(", {}", child(&outer))
    };
    format!("{}{body}{}", part(text, 0, end), part(text, end, text.len()))
}

/// Without one child, and without the comma that parted it from its neighbour.
fn cut(text: &str, node: &Node, children: &[(usize, usize)], at: usize) -> String {
    let (open, close) = (node.span().start + 1, node.span().end - 1);
    let end_before = at.checked_sub(1).and_then(|before| children.get(before)).map(|child| child.1);
    let (start, end) = children.get(at).copied().unwrap_or((open, open));
    let start_after = children.get(at + 1).map(|child| child.0);
    let (from, to) = match (end_before, start_after) {
        (Some(before), _) => (before, end),
        (None, Some(after)) => (start, after),
        (None, None) => (open, close),
    };
    format!("{}{}", part(text, 0, from), part(text, to, text.len()))
}

fn splice(text: &str, span: std::ops::Range<usize>, new: &str) -> String {
    format!("{}{new}{}", part(text, 0, span.start), part(text, span.end, text.len()))
}

/// A value as text whose later lines begin where its first line does.
fn rendered(value: &Value, indent: &str) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{indent}"))
}

/// The blanks that the line of a place begins with.
fn line_indent(text: &str, at: usize) -> String {
    let line = part(text, 0, at).rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

/// One step inward, as this file has it.
fn step(text: &str) -> String {
    let blank = |line: &&str| line.starts_with([' ', '\t']) && !line.trim().is_empty();
    let first = text.lines().find(blank).map(|line| line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect());
    first.unwrap_or_else(|| INDENT.to_owned())
}

fn part(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

fn wrong(path: &[&str], depth: usize, wanted: &'static str) -> EditError {
    EditError::Kind(Kind { place: parts(path.get(..depth).unwrap_or_default()), wanted })
}
