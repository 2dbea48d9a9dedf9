//! What the operator's checks said, as rows.

use crate::checks::{CheckState, CheckView, ChecksView};
use crate::plan::PlanView;
use crate::row::{Row, Tone};

/// How many of its last lines a failed check shows where a person decides.
const LAST: usize = 3;

/// In one line, for the screen where a person decides; with the last words of the check that failed.
#[must_use]
pub fn brief(view: &PlanView) -> Vec<Row> {
    let Some(checks) = &view.checks else { return Vec::new() };
    let mut rows = vec![head(checks)];
    rows.extend(checks.failed().into_iter().flat_map(|check| printed(check, LAST)));
    rows
}

/// All of them.
#[must_use]
pub fn all(view: &PlanView) -> Vec<Row> {
    let Some(checks) = &view.checks else { return Vec::new() };
    let mut rows = vec![head(checks)];
    for check in &checks.commands {
        let row = Row::indented(2).column(tone(check.state), check.state.words(), 9).hanging(11).plain(&check.name);
        let how = check.ended.as_ref().filter(|_| check.state == CheckState::Failed);
        rows.push(how.map_or(row.clone(), |how| row.faint(&format!(" ({how})"))));
        rows.extend(printed(check, usize::MAX));
    }
    rows
}

fn head(checks: &ChecksView) -> Row {
    let row = Row::new().plain("checks ").with(tone(checks.state), checks.state.words());
    let row = checks.failed().map_or(row.clone(), |check| {
        row.plain(&format!(": {} ({})", check.name, check.ended.as_deref().unwrap_or_default()))
    });
    match (&checks.at, &checks.reason) {
        (Some(at), _) => row.faint(&format!(" on this content, at {at}")),
        (None, Some(reason)) => row.faint(&format!(": {reason}")),
        (None, None) => row.faint(" on this content; they run before it is kept"),
    }
}

/// The last lines that a check printed, each marked as its own.
fn printed(check: &CheckView, most: usize) -> impl Iterator<Item = Row> {
    let lines: Vec<&str> = check.output.lines().collect();
    let skip = lines.len().saturating_sub(most);
    lines
        .into_iter()
        .skip(skip)
        .map(|line| Row::indented(2).faint("\u{2502} ").plain(line))
        .collect::<Vec<_>>()
        .into_iter()
}

const fn tone(state: CheckState) -> Tone {
    match state {
        CheckState::Passed => Tone::Good,
        CheckState::Failed => Tone::Bad,
        CheckState::NotRun => Tone::Warn,
    }
}
