//! How a run ended.

use crate::record::{Outcome, ReceiptView, RunView};
use crate::row::{Row, Tone};

/// The run and what it did to each file. The surface says how a run that nobody was asked about is announced: it knows how it is undone
/// there.
#[must_use]
pub fn ended(run: &RunView, notice: impl Fn(&RunView) -> Option<Row>) -> Vec<Row> {
    let what = if run.undoes.is_some() { "undo " } else { "run " };
    let mut rows = vec![Row::heading(what).plain(&run.run_id).plain("  ").with(run.tone(), run.word())];
    if let Some(pid) = run.pid {
        rows.push(Row::indented(2).faint(&format!("process {pid}")));
    }
    if run.outcome == Outcome::Running {
        rows.extend(notice(run));
        return rows;
    }
    if run.outcome == Outcome::Cancelled {
        rows.push(Row::indented(2).plain("every file is as it was"));
        return rows;
    }
    let step = |step: &ReceiptView| Row::indented(2).column(Tone::Plain, step.verb(), 10).plain(&step.path);
    rows.extend(run.steps.iter().map(step));
    rows.extend(notice(run));
    rows.extend(run.kept.iter().map(|path| Row::indented(2).column(Tone::Warn, "kept", 10).plain(path)));
    rows
}

/// That no person was asked, and why that is announced.
#[must_use]
pub fn notice(run: &RunView) -> Option<Row> {
    let why = run.notice.as_ref()?;
    Some(Row::indented(2).column(Tone::Warn, "notice", 10).hanging(12).plain(why))
}
