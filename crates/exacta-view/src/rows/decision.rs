//! A plan on the screen where a person decides: above the diff what it is, below it what the decision hangs on.

use super::tone::{grade, grade_tone, level, level_tone};
use super::{ask, checks, list};
use crate::plan::{PlanView, StepView};
use crate::row::{Row, Tone};
use crate::words::{counted, left};
use exacta_kernel::assess::Level;
use exacta_kernel::text::excerpt;
use exacta_kernel::time::Timestamp;
use std::collections::BTreeMap;

/// How much of the proposer's words is shown, in characters.
const SAID: usize = 300;

/// Whether a single key is too little to approve it: the word has to be typed.
#[must_use]
pub fn is_grave(view: &PlanView) -> bool {
    view.system_level || view.risk.as_ref().is_some_and(|risk| risk.level == Level::High)
}

/// What it is, who proposes it, and each file with what it gains and loses.
#[must_use]
pub fn above(view: &PlanView) -> Vec<Row> {
    let mut rows = vec![what(view)];
    rows.extend(view.detail.as_ref().and_then(ask::proposed_by));
    rows.extend(files(view));
    rows
}

/// Right above the question: scores and time left, what cannot be undone, and last the reason for asking. Where what is
/// [`above`] has scrolled away, it begins with the gist of that.
#[must_use]
pub fn below(view: &PlanView, now: Timestamp, scrolled: bool) -> Vec<Row> {
    let mut rows = vec![Row::new()];
    if scrolled {
        rows.push(what(view));
        rows.extend(view.detail.as_ref().and_then(ask::proposed_by));
        rows.extend([ask::changes(view), ask::largest(view)].into_iter().flatten().map(|text| Row::new().plain(&text)));
    }
    rows.extend(view.detail.iter().flat_map(|detail| &detail.partial_of).map(ask::partial));
    rows.extend(checks::brief(view));
    rows.push(scores(view, Some(now)));
    rows.extend(ask::irreversible(view));
    rows.extend(super::plan::adoption(view));
    rows.extend(ask::reasons(view));
    rows
}

/// The proposer's words, and what kind of change that is.
#[must_use]
pub fn what(view: &PlanView) -> Row {
    let Some(detail) = &view.detail else { return super::plan::short_title(view) };
    let said = excerpt(&detail.intent_text, SAID);
    let version = if detail.version > 1 { format!(", version {}", detail.version) } else { String::new() };
    let by = detail.by.as_deref().and_then(list::agent).map_or_else(String::new, |agent| format!(", by {agent}"));
    let kind = format!("{}{version}{by}", detail.intent);
    if said.is_empty() { Row::heading(&kind) } else { Row::heading(&said).faint(&format!("  ({kind})")) }
}

/// As `git diff --stat`: what happens to each file, and how many lines come and go.
pub(super) fn files(view: &PlanView) -> Vec<Row> {
    let mut order: Vec<&str> = Vec::new();
    let mut sums: BTreeMap<&str, (char, u64, u64)> = BTreeMap::new();
    for step in view.detail.iter().flat_map(|detail| &detail.steps) {
        let (sign, added, removed) = sums.entry(&step.target).or_insert_with(|| {
            order.push(&step.target);
            (letter(step), 0, 0)
        });
        // A file that one step makes and another changes is new; whatever ends in a deletion is one.
        *sign = if letter(step) == 'D' { 'D' } else { *sign };
        *added += step.added;
        *removed += step.removed;
    }
    let line = |target: &&str| {
        let (sign, added, removed) = sums.get(target).copied().unwrap_or((' ', 0, 0));
        let row = Row::indented(2).plain(&format!("{sign} ")).with(Tone::Strong, target).plain("  ");
        row.with(Tone::Added, &format!("+{added}")).plain(" ").with(Tone::Removed, &format!("-{removed}"))
    };
    let mut rows: Vec<Row> = order.iter().map(line).collect();
    if order.len() > 1 {
        let (added, removed) = sums.values().fold((0, 0), |sum, (_, added, removed)| (sum.0 + added, sum.1 + removed));
        let thing = if is_all_files(view) { "file" } else { "target" };
        rows.push(Row::indented(2).plain(&format!("{}, +{added} -{removed}", counted(order.len(), thing))));
    }
    rows
}

fn letter(step: &StepView) -> char {
    match step.kind.as_str() {
        "file_create" => 'A',
        "file_modify" => 'M',
        "file_delete" => 'D',
        _ => '*',
    }
}

/// Risk, quality, whether it can be undone, the time left where it is known what time it is, and its name, in a line.
#[must_use]
pub fn scores(view: &PlanView, now: Option<Timestamp>) -> Row {
    let mut row = Row::new();
    if view.system_level {
        row = row.with(Tone::Bad, "SYSTEM-LEVEL").plain(" · ");
    }
    if let Some(risk) = &view.risk {
        row = row.plain("risk ").with(level_tone(risk.level), &format!("{} {}", risk.score, level(risk.level)));
    }
    if let Some(quality) = &view.quality {
        let text = format!("{} {}", quality.score, grade(quality.level));
        row = row.plain(" · quality ").with(grade_tone(quality.level), &text);
    }
    if is_undoable(view) {
        row = row.plain(" · undo: exact");
    }
    if let (Some(at), Some(now)) = (&view.expires_at, now) {
        row = row.plain(&format!(" · {}", left(at, now)));
    }
    match view.short_id.as_ref().or(view.plan_id.as_ref()) {
        Some(id) => row.plain(&format!(" · plan {id}")),
        None => row,
    }
}

/// Whether nothing but files changes, all of which can be put back to the byte.
fn is_undoable(view: &PlanView) -> bool {
    is_all_files(view) && view.detail.as_ref().is_some_and(|detail| detail.irreversible.is_empty())
}

fn is_all_files(view: &PlanView) -> bool {
    view.detail.iter().flat_map(|detail| &detail.steps).all(|step| step.kind.starts_with("file_"))
}
