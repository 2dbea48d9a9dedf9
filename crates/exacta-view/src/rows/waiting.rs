//! What waits for a person: of each plan what it is, how large, how risky, why a person is asked, and for how long.

use super::{ask, decision, list};
use crate::plan::PlanView;
use crate::row::{Row, Tone};
use crate::words::{ago, counted, left};
use exacta_kernel::text::excerpt;
use exacta_kernel::time::Timestamp;

/// How much of the proposer's words is shown, in characters.
const TITLE: usize = 66;

/// Where the rows below a plan's name begin.
const HANG: usize = 8;

/// Three rows a plan, newest first.
#[must_use]
pub fn waiting(plans: &[PlanView], now: Timestamp) -> Vec<Row> {
    if plans.is_empty() {
        return vec![Row::new().plain("nothing waits for you")];
    }
    plans.iter().flat_map(|view| of(view, now)).collect()
}

fn of(view: &PlanView, now: Timestamp) -> Vec<Row> {
    let name = view.short_id.as_ref().or(view.plan_id.as_ref()).map(String::as_str).unwrap_or_default();
    let title = view.detail.as_ref().map(|detail| match detail.intent_text.as_str() {
        "" => detail.intent.clone(),
        words => excerpt(words, TITLE),
    });
    let mut rows =
        vec![Row::new().column(Tone::Strong, name, HANG).hanging(HANG).with(Tone::Strong, &title.unwrap_or_default())];
    rows.push(Row::indented(HANG).plain(&size(view)).with(grave_tone(view), &risk(view)).plain(&times(view, now)));
    rows.extend(ask::reason(view).map(|(row, more)| {
        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        row.plain(&more).indent(HANG)
    }));
    rows
}

fn size(view: &PlanView) -> String {
    let steps = || view.detail.iter().flat_map(|detail| &detail.steps);
    let added: u64 = steps().map(|step| step.added).sum();
    let removed: u64 = steps().map(|step| step.removed).sum();
    format!("{}, +{added} -{removed} · ", counted(view.target_files.len(), "file"))
}

fn risk(view: &PlanView) -> String {
    let system = if view.system_level { ", SYSTEM-LEVEL" } else { "" };
    let risk = view.risk.as_ref();
    risk.map_or_else(String::new, |risk| format!("risk {} {}{system}", risk.score, super::tone::level(risk.level)))
}

fn grave_tone(view: &PlanView) -> Tone {
    if decision::is_grave(view) { Tone::Bad } else { Tone::Plain }
}

fn times(view: &PlanView, now: Timestamp) -> String {
    let detail = view.detail.as_ref();
    let made = detail.and_then(|detail| detail.created_at.as_deref()).map(|at| format!(" · {}", ago(at, now)));
    let until = view.expires_at.as_deref().map(|at| format!(" · {}", left(at, now)));
    let by = detail.and_then(|detail| list::agent(detail.by.as_deref()?)).map(|agent| format!(" · by {agent}"));
    [made, until, by].into_iter().flatten().collect()
}
