//! How a run ended.

use super::list::run_tone;
use super::row::Row;
use exacta_app::view::RunView;
use serde_json::Value;

/// The run and what it did to each file.
#[must_use]
pub fn ended(run: &RunView) -> Vec<Row> {
    let what = if run.undoes.is_some() { "undo " } else { "run " };
    let mut rows = vec![Row::heading(what).plain(&run.run_id).plain("  ").with(run_tone(&run.state), &run.state)];
    if let Value::Object(changes) = &run.changes {
        rows.extend(
            changes
                .iter()
                .map(|(path, change)| Row::indented(2).column(super::row::Tone::Plain, verb(change), 10).plain(path)),
        );
    }
    rows
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
