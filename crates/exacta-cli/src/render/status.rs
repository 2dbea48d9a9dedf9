//! How a project stands.

use super::run::notice;
use exacta_view::rows::list::plans;
use exacta_view::{Recovery, Row, RunView, StatusView, Tone};

/// Profile, plans that wait, runs, and what needs attention.
#[must_use]
pub fn status(status: &StatusView) -> Vec<Row> {
    let mut rows = vec![labelled("project", &status.project)];
    if let (Some(profile), Some(ceiling)) = (status.profile, status.ceiling) {
        rows.push(labelled("profile", &format!("{profile}, ceiling {ceiling}")));
    }
    if let Some(error) = &status.policy_error {
        rows.push(Row::new().column(Tone::Bad, "policy", 12).hanging(12).plain(error));
        rows.push(
            Row::indented(12)
                .faint("hint: nothing is decided or done until it is fixed; `exacta policy check` looks again"),
        );
    }
    if let Some(fell) = &status.fell {
        rows.push(Row::new().column(Tone::Bad, "fell", 12).hanging(12).plain(fell));
    }
    rows.push(labelled("approvers", &status.approvers.to_string()));
    rows.push(labelled("log", &format!("{} entries", status.log_size)));
    for damage in &status.damage {
        rows.push(Row::new().column(Tone::Bad, "damaged", 12).hanging(12).plain(damage));
        rows.push(Row::indented(12).faint("hint: `exacta audit verify` shows every place"));
    }
    for notice in &status.notices {
        rows.push(Row::new().column(Tone::Bad, "notice", 12).hanging(12).plain(notice));
    }
    let (asked, waiting): (Vec<_>, Vec<_>) =
        status.pending.iter().cloned().partition(|plan| plan.changes_requested.is_some());
    section(&mut rows, "waiting for a person", plans(&waiting), waiting.is_empty());
    section(&mut rows, "waiting for the proposer", plans(&asked), asked.is_empty());
    section(&mut rows, "approved, not run", plans(&status.approved), status.approved.is_empty());
    section(&mut rows, "newest runs", status.runs.iter().flat_map(run).collect(), status.runs.is_empty());
    section(&mut rows, "left unfinished", recoveries(&status.unfinished), status.unfinished.is_empty());
    rows
}

/// Unfinished runs and what became of them.
#[must_use]
pub fn recoveries(recovered: &[Recovery]) -> Vec<Row> {
    if recovered.is_empty() {
        return vec![Row::new().plain("nothing was left unfinished")];
    }
    let mut rows = Vec::new();
    for recovery in recovered {
        let head = Row::new().plain("run ").plain(&recovery.run_id).plain("  ");
        rows.push(head.with(recovery.outcome.tone(false), recovery.outcome.name()));
        rows.push(Row::indented(2).plain(&recovery.reason));
        rows.extend(kept(&recovery.kept));
    }
    rows
}

fn run(run: &RunView) -> Vec<Row> {
    let mut rows = vec![line(run)];
    rows.extend(run.pid.map(|pid| Row::indented(2).faint(&format!("process {pid}"))));
    rows.extend(notice(run));
    rows.extend(run.reason.iter().map(|reason| Row::indented(2).plain(reason)));
    if run.outcome.waits_for_a_person() {
        rows.extend(kept(&run.kept));
        rows.push(Row::indented(2).faint("hint: look at what is there; the next completed run ends this notice"));
    }
    rows
}

fn kept(paths: &[String]) -> impl Iterator<Item = Row> {
    paths.iter().map(|path| {
        Row::indented(2).with(Tone::Warn, "kept").plain(" a change to `").plain(path).plain("` made meanwhile")
    })
}

fn line(run: &RunView) -> Row {
    let what = if run.undoes.is_some() { "undo" } else { "run" };
    let at = run.ended_at.as_deref().unwrap_or(&run.started_at);
    Row::new()
        .column(Tone::Strong, &run.run_id, 38)
        .column(Tone::Plain, what, 6)
        .column(run.tone(), run.word(), 16)
        .faint(at.get(..19).unwrap_or(at))
}

fn section(rows: &mut Vec<Row>, title: &str, section: Vec<Row>, empty: bool) {
    if !empty {
        rows.push(Row::new());
        rows.push(Row::heading(title));
        rows.extend(section);
    }
}

fn labelled(label: &str, text: &str) -> Row {
    Row::new().column(Tone::Strong, label, 12).hanging(12).plain(text)
}
