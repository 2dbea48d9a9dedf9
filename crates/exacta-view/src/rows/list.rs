//! Plans as a table.

use super::tone::status_tone;
use crate::changes::ChangesRequested;
use crate::record::PlanLine;
use crate::row::{Row, Tone};

/// One line a plan, newest first, under a heading.
#[must_use]
pub fn plans(plans: &[PlanLine]) -> Vec<Row> {
    if plans.is_empty() {
        return vec![Row::new().faint("no plans")];
    }
    let mut rows = vec![heading()];
    for plan in plans {
        rows.push(line(plan));
        rows.extend(plan.changes_requested.as_ref().map(asked));
    }
    rows
}

fn heading() -> Row {
    Row::new()
        .column(Tone::Faint, "PLAN", 8)
        .column(Tone::Faint, "STATUS", 16)
        .column(Tone::Faint, "RISK", 6)
        .column(Tone::Faint, "QUALITY", 9)
        .faint("WHAT")
}

/// What a person asked to be changed, under the plan that waits for it.
fn asked(asked: &ChangesRequested) -> Row {
    Row::indented(2).with(Tone::Warn, &format!("{} asks for changes: ", asked.by)).plain(&asked.text)
}

fn line(plan: &PlanLine) -> Row {
    let summary = &plan.summary;
    let risk = summary.risk_score.map_or_else(|| "-".to_owned(), |risk| risk.to_string());
    let quality = summary.quality_score.map_or_else(|| "-".to_owned(), |quality| quality.to_string());
    let what = summary.text.as_deref().or(summary.intent.as_deref()).unwrap_or_default();
    let by = summary.by.as_deref().and_then(agent).map_or_else(String::new, |agent| format!("  by {agent}"));
    let tone = plan.outcome.map_or(status_tone(plan.status), |outcome| outcome.tone(plan.undone));
    Row::new()
        .column(Tone::Strong, &plan.short_id, 8)
        .column(tone, plan.word(), 16)
        .column(if summary.system_level { Tone::Bad } else { Tone::Plain }, &risk, 6)
        .column(Tone::Plain, &quality, 9)
        .column(Tone::Plain, what, 41_usize.saturating_sub(by.len()).max(12))
        .faint(&by)
}

/// The name of the agent in a credential; none for the user's own.
#[must_use]
pub fn agent(credential: &str) -> Option<&str> {
    credential.strip_prefix("cli:")?.split_once(':').map(|(_, name)| name)
}
