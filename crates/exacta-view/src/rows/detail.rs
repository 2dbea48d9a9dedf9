//! What happened to a plan.

use super::labelled_as as labelled;
use crate::record::{ApprovalView, PlanDetail};
use crate::row::{Row, Tone};
use crate::words::word;

/// Decisions, requests, drift and the run; nothing for a plan to which nothing happened.
#[must_use]
pub fn rows(detail: &PlanDetail) -> Vec<Row> {
    let mut rows = Vec::new();
    let over = detail.plan.status.zip(detail.reason.as_deref());
    rows.extend(over.map(|(status, why)| labelled(Tone::Bad, status.name(), why)));
    rows.extend(detail.drifts.iter().map(|drift| labelled(Tone::Warn, "changed", &drift.message)));
    rows.extend(detail.approvals.iter().map(approval));
    rows.extend(detail.feedback.iter().map(|asked| {
        let text = format!("{} (by {} at {})", asked.text, asked.by, asked.at);
        labelled(Tone::Warn, "asked for", &text)
    }));
    if let Some(run) = &detail.run {
        let text = format!("{} {}", run.run_id, run.word());
        rows.push(labelled(run.tone(), "run", &text));
        rows.extend(run.pid.map(|pid| labelled(Tone::Faint, "", &format!("process {pid}"))));
        rows.extend(run.notice.iter().map(|notice| labelled(Tone::Warn, "notice", notice)));
        rows.extend(run.reason.iter().map(|reason| labelled(Tone::Plain, "", reason)));
    }
    if !rows.is_empty() {
        rows.insert(0, Row::new());
    }
    rows
}

fn approval(approval: &ApprovalView) -> Row {
    let text = format!("by {} at {}", approval.approver, approval.at);
    let verb = word(&approval.verb).replace('_', " ");
    match &approval.invalid {
        None => labelled(Tone::Good, &verb, &text),
        Some(why) => labelled(Tone::Bad, &verb, &format!("{text}, does not count: {why}")),
    }
}
