//! How a run ended, and the command that undoes it.

use exacta_view::rows::run;
use exacta_view::{Outcome, Row, RunView};

/// The run and what it did to each file.
#[must_use]
pub fn ended(view: &RunView) -> Vec<Row> {
    run::ended(view, notice)
}

/// That no person was asked, and what undoes it.
pub(super) fn notice(view: &RunView) -> Option<Row> {
    let row = run::notice(view)?;
    let undoable = view.outcome == Outcome::Completed && !view.undone;
    Some(if undoable { row.faint(&format!("; `exacta undo {}` undoes it", view.run_id)) } else { row })
}
