//! Plans as a table.

use super::plan::status_tone;
use super::row::{Row, Tone};
use exacta_app::view::PlanLine;

/// One line a plan, newest first, under a heading.
#[must_use]
pub fn plans(plans: &[PlanLine]) -> Vec<Row> {
    if plans.is_empty() {
        return vec![Row::new().faint("no plans")];
    }
    let mut rows = vec![heading()];
    rows.extend(plans.iter().map(line));
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

fn line(plan: &PlanLine) -> Row {
    let summary = &plan.summary;
    let risk = summary.risk_score.map_or_else(|| "-".to_owned(), |risk| risk.to_string());
    let quality = summary.quality_score.map_or_else(|| "-".to_owned(), |quality| quality.to_string());
    let what = summary.text.as_deref().or(summary.intent.as_deref()).unwrap_or_default();
    let tone = if plan.outcome.is_some() { run_tone(plan.word()) } else { status_tone(plan.status) };
    Row::new()
        .column(Tone::Strong, &plan.short_id, 8)
        .column(tone, plan.word(), 16)
        .column(if summary.system_level { Tone::Bad } else { Tone::Plain }, &risk, 6)
        .column(Tone::Plain, &quality, 9)
        .column(Tone::Plain, what, 41)
}

/// How alarming a run's state is.
#[must_use]
pub fn run_tone(state: &str) -> Tone {
    match state {
        "completed" => Tone::Good,
        "running" => Tone::Warn,
        "undone" => Tone::Faint,
        _ => Tone::Bad,
    }
}
