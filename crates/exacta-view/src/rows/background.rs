//! What a plan was made against, what it costs, and what cannot be undone.

use super::{ask, labelled};
use crate::plan::{Detail, PlanView};
use crate::row::{Row, Tone};
use crate::score::EstimatesView;
use serde_json::{Map, Value};

/// Hexadecimal digits of a hash that are shown and typed back.
pub const SHORT_HASH: usize = 8;

/// Files, estimates, assumptions, binding, and what cannot be undone.
#[must_use]
pub fn background(view: &PlanView) -> Vec<Row> {
    let mut rows = Vec::new();
    if !view.target_files.is_empty() {
        rows.push(labelled("files", &view.target_files.join(", ")));
    }
    if let Some(estimates) = &view.estimates {
        rows.push(labelled("estimates", &estimate(estimates)));
    }
    if let Some(detail) = &view.detail {
        rows.extend(detail.intent_id.iter().map(|id| labelled("intent id", id)));
        rows.extend(detail.derived_from.iter().map(|id| labelled("derived from", id)));
        rows.extend(detail.edited_from.iter().map(|id| labelled("edited from", id)));
        rows.extend(detail.partial_of.iter().map(ask::partial));
        rows.extend(ask::proposer(detail));
        rows.extend(detail.assumptions.iter().map(|text| labelled("assumes", text)));
        rows.extend(binding(detail));
        rows.extend(
            detail
                .irreversible
                .iter()
                .map(|text| Row::new().column(Tone::Bad, "not undoable", 16).hanging(16).plain(text)),
        );
    }
    if let Some(hash) = view.plan_hash.as_ref().or(view.content_hash.as_ref()) {
        rows.push(labelled("hash", hash));
    }
    if let Some(at) = &view.expires_at {
        rows.push(labelled("expires", at));
    }
    rows
}

/// The start of a hash, as it is shown and typed back.
#[must_use]
pub fn short(hash: &str) -> &str {
    hash.get(..SHORT_HASH).unwrap_or(hash)
}

/// The parts of the binding that people compare: model, policy, profile, session.
fn binding(detail: &Detail) -> Vec<Row> {
    let Some(Value::Object(binding)) = &detail.binding else { return Vec::new() };
    let mut rows = Vec::new();
    for (name, value) in binding.iter().filter(|(name, _)| *name != ask::PROPOSER) {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => shortened(text),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Object(parts) => match scalars(parts) {
                Some(text) => text,
                None => continue,
            },
            Value::Array(_) => continue,
        };
        rows.push(labelled(&spaced(name), &text));
    }
    rows
}

/// An object of plain values in one line; none for states of targets and other nested things.
fn scalars(parts: &Map<String, Value>) -> Option<String> {
    let mut words = Vec::new();
    for (name, value) in parts {
        match value {
            Value::Null => {}
            Value::String(text) => words.push(format!("{} {}", spaced(name), shortened(text))),
            Value::Bool(_) | Value::Number(_) => {
                words.push(format!("{} {value}", spaced(name)));
            }
            _ => return None,
        }
    }
    (!words.is_empty()).then(|| words.join(", "))
}

/// A hash that nobody types is shown by its start.
fn shortened(text: &str) -> String {
    let hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hash { format!("{}…", short(text)) } else { text.to_owned() }
}

fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

fn estimate(estimates: &EstimatesView) -> String {
    let mut text = format!(
        "{} tokens, {}, +{} -{} lines, {} bytes written",
        estimates.tokens,
        duration(estimates.duration_ms),
        estimates.lines_added,
        estimates.lines_removed,
        estimates.bytes_written
    );
    if estimates.cost > 0 {
        text.push_str(&format!(", {}", cost(estimates.cost)));
    }
    text
}

fn duration(ms: u64) -> String {
    if ms < 1_000 { format!("{ms} ms") } else { format!("{}.{} s", ms / 1_000, ms % 1_000 / 100) }
}

/// Hundredths of a US cent, as dollars.
fn cost(hundredths: u64) -> String {
    format!("${}.{:04}", hundredths / 10_000, hundredths % 10_000)
}
