//! What was answered to a plan, in one row.

use crate::answer::{Answer, AnswerView};
use crate::row::{Row, Tone};

/// Who answered what, and why.
#[must_use]
pub fn answer(view: &AnswerView) -> Vec<Row> {
    let (tone, word) = match view.answer {
        Answer::Approved => (Tone::Good, "approved"),
        Answer::Rejected => (Tone::Bad, "rejected"),
        Answer::ChangesRequested => (Tone::Warn, "sent back"),
        Answer::Expired if withdrawn(view).is_some() => (Tone::Faint, "withdrawn"),
        Answer::Expired => (Tone::Faint, "expired"),
        Answer::Waiting => (Tone::Warn, "waiting for a decision"),
    };
    let by = view.by.as_ref().map_or_else(String::new, |by| format!(" by {by}"));
    let why =
        view.changes_requested.as_ref().map(|asked| asked.text.as_str()).or(withdrawn(view)).or(view.reason.as_deref());
    let why = why.filter(|why| !why.is_empty()).map_or_else(String::new, |why| format!(": {why}"));
    let mut rows = vec![
        Row::heading("plan ")
            .with(Tone::Strong, &view.short_id)
            .plain("  ")
            .with(tone, word)
            .plain(&by)
            .plain(&why)
            .hanging(2),
    ];
    rows.extend(view.run.as_ref().map(|run| {
        Row::indented(2).plain("its run is ").with(run.tone(), run.word()).faint(&format!("  {}", run.run_id))
    }));
    rows
}

/// Why it was withdrawn, if it was; empty where nobody said why.
fn withdrawn(view: &AnswerView) -> Option<&str> {
    let rest = view.reason.as_deref()?.strip_prefix(AnswerView::WITHDRAWN)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(": ") }
}
