//! The log as lines.

use super::layout::fit;
use exacta_app::Error;
use exacta_kernel::audit::{Actor, Entry};
use exacta_kernel::id::PlanId;
use exacta_kernel::text::visible_line;
use exacta_view::rows::list::agent;
use exacta_view::{Row, Tone};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Columns of a reason in a list; `audit show` shows all of it.
const REASON: usize = 37;

/// The fewest columns of it, however long an agent's name is.
const SHORTEST: usize = 12;

/// One line an entry, its plan by its short id.
#[must_use]
pub fn entries(entries: &[Entry], short: &BTreeMap<PlanId, String>) -> Vec<Row> {
    if entries.is_empty() {
        return vec![Row::new().faint("no entries")];
    }
    entries.iter().map(|entry| line(entry, short)).collect()
}

fn line(entry: &Entry, short: &BTreeMap<PlanId, String>) -> Row {
    let (at, by) = (entry.at.to_string(), by(entry));
    let plan = entry.plan_id.as_ref().and_then(|id| short.get(id)).map(String::as_str).unwrap_or_default();
    Row::new()
        .column(Tone::Faint, &entry.seq.to_string(), 5)
        .column(Tone::Faint, at.get(11..19).unwrap_or(&at), 10)
        .column(Tone::Strong, &word(&entry.event), 20)
        .column(Tone::Plain, plan, 8)
        .plain(&fit(&visible_line(&entry.reason), REASON.saturating_sub(by.len()).max(SHORTEST)))
        .faint(&by)
}

/// Which agent did it, where it has a name.
fn by(entry: &Entry) -> String {
    match &entry.actor {
        Actor::Agent(credential) => agent(credential).map_or_else(String::new, |name| format!("  by {name}")),
        Actor::Person(_) | Actor::Policy | Actor::System => String::new(),
    }
}

/// Everything in one entry.
///
/// # Errors
/// If it cannot be written as JSON, which the types rule out.
pub fn entry(entry: &Entry) -> Result<Vec<Row>, Error> {
    let Value::Object(fields) = serde_json::to_value(entry)? else { return Ok(Vec::new()) };
    let mut rows = Vec::new();
    for (name, value) in &fields {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        rows.push(Row::new().column(Tone::Strong, name, 16).hanging(16).plain(&text));
    }
    Ok(rows)
}

/// What verification established, field by field.
///
/// # Errors
/// As [`entry`].
pub fn report(report: &impl Serialize) -> Result<Vec<Row>, Error> {
    let mut rows = vec![Row::new().with(Tone::Good, "the record verifies")];
    if let Value::Object(fields) = serde_json::to_value(report)? {
        for (name, value) in &fields {
            rows.extend(fact(&name.replace('_', " "), value));
        }
    }
    Ok(rows)
}

fn fact(name: &str, value: &Value) -> Vec<Row> {
    let row = |text: &str| Row::indented(2).column(Tone::Plain, name, 20).hanging(22).plain(text);
    match value {
        Value::Null => vec![row("none")],
        Value::String(text) => vec![row(text)],
        Value::Array(items) => {
            let text = |item: &Value| item.as_str().map_or_else(|| item.to_string(), str::to_owned);
            items.iter().map(|item| row(&text(item))).collect()
        }
        other => vec![row(&other.to_string())],
    }
}

/// The word for an event, as it is written in the log.
fn word(event: &impl Serialize) -> String {
    match serde_json::to_value(event) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}
