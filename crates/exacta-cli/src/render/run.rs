//! How a run ended.

use super::list::run_tone;
use super::row::{Row, Tone};
use exacta_app::view::RunView;
use serde_json::Value;

/// The run and what it did to each file.
#[must_use]
pub fn ended(run: &RunView) -> Vec<Row> {
    let what = if run.undoes.is_some() { "undo " } else { "run " };
    let mut rows = vec![Row::heading(what).plain(&run.run_id).plain("  ").with(run_tone(run.word()), run.word())];
    if let Some(pid) = run.pid {
        rows.push(Row::indented(2).faint(&format!("process {pid}")));
    }
    if run.outcome == "running" {
        rows.extend(notice(run));
        return rows;
    }
    if run.outcome == "cancelled" {
        rows.push(Row::indented(2).plain("every file is as it was"));
        return rows;
    }
    rows.extend(run.steps.iter().map(|step| {
        let path = step.get("path").and_then(Value::as_str).unwrap_or_default();
        Row::indented(2).column(Tone::Plain, verb(step), 10).plain(path)
    }));
    rows.extend(notice(run));
    rows.extend(run.kept.iter().map(|path| Row::indented(2).column(Tone::Warn, "kept", 10).plain(path)));
    rows
}

/// That no person was asked, and what undoes it.
pub(super) fn notice(run: &RunView) -> Option<Row> {
    let why = run.notice.as_ref()?;
    let row = Row::indented(2).column(Tone::Warn, "notice", 10).hanging(12).plain(why);
    let undoable = run.outcome == "completed" && !run.undone;
    Some(if undoable { row.faint(&format!("; `exacta undo {}` undoes it", run.run_id)) } else { row })
}

/// What became of a file, from its states before and after.
fn verb(change: &Value) -> &'static str {
    let absent = |side: &str| change.get(side).is_none_or(|state| state.get("sha256").is_none());
    match (absent("before"), absent("after")) {
        (true, false) => "created",
        (false, true) => "deleted",
        _ => "changed",
    }
}
