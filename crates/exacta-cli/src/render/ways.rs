//! What would have to change for a plan to be allowed without asking.

use exacta_kernel::gate::Verdict;
use exacta_view::rows::tone::{verdict_tone, word};
use exacta_view::rows::{plan, score, section};
use exacta_view::{Explained, Obstacle, PlanView, ProfileAnswer, Row, StepName, Tone, Ways, Without};

/// The decision, every gate's verdict, and what would change those that do not allow.
#[must_use]
pub fn page(explained: &Explained) -> Vec<Row> {
    let Explained { plan: view, ways } = explained;
    let mut rows = plan::head(view);
    section(&mut rows, profiles(&ways.profiles));
    if view.decision == Verdict::Allow {
        section(&mut rows, plan::gates(view));
        section(&mut rows, vec![Row::heading("nothing has to change").plain(": it is allowed without asking")]);
    } else {
        section(&mut rows, obstacles(ways));
        section(&mut rows, without(view, ways));
    }
    rows
}

fn profiles(answers: &[ProfileAnswer]) -> Vec<Row> {
    let mut rows = vec![Row::heading("profiles within the ceiling")];
    for answer in answers {
        let mut row = Row::indented(2)
            .column(Tone::Plain, answer.profile.name(), 10)
            .with(verdict_tone(answer.decision), word(answer.decision));
        if answer.notice {
            row = row.with(Tone::Warn, ", with notice");
        }
        rows.push(if answer.in_force { row.faint(" (in force)") } else { row });
    }
    rows
}

fn obstacles(ways: &Ways) -> Vec<Row> {
    let mut rows = vec![Row::heading("what stands in the way").faint(&format!(" (profile {})", ways.profile.name()))];
    for obstacle in &ways.obstacles {
        rows.extend(obstacle_rows(obstacle));
    }
    rows
}

fn obstacle_rows(obstacle: &Obstacle) -> Vec<Row> {
    let rule = obstacle.rule.as_ref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    let head = Row::indented(2)
        .column(Tone::Plain, &obstacle.gate, 11)
        .column(verdict_tone(obstacle.verdict), word(obstacle.verdict), 8)
        .hanging(21)
        .plain(&obstacle.reason)
        .faint(&rule);
    let mut rows = vec![head];
    rows.extend(obstacle.ways.iter().map(|way| item(way)));
    rows.extend(obstacle.steps.iter().map(|step| item(&format!("without {} it would be gone", named(step)))));
    for reason in &obstacle.reasons {
        let place = score::place(reason.path.as_deref(), reason.line, reason.step.as_deref());
        rows.push(
            Row::indented(6)
                .column(Tone::Plain, &format!("+{}", reason.points), 7)
                .hanging(13)
                .plain(&reason.message)
                .faint(&place),
        );
    }
    for loss in &obstacle.issues {
        let place = score::issue_place(&loss.issue);
        let lost = Row::indented(6).column(Tone::Plain, &format!("-{}", loss.lost), 8).hanging(14);
        rows.push(lost.faint(&format!("{}: ", loss.dimension)).plain(&loss.issue.message).faint(&place));
        rows.push(Row::indented(14).faint("hint: ").faint(&loss.issue.hint));
    }
    rows
}

/// The sets of steps that would have to go.
fn without(view: &PlanView, ways: &Ways) -> Vec<Row> {
    let tried = ways.profiles.iter().any(|it| it.profile == ways.profile && it.decision > Verdict::Allow);
    let several = view.detail.as_ref().is_some_and(|detail| detail.steps.len() > 1);
    if ways.without.is_empty() && tried && several {
        return vec![Row::new().plain("no way was found by leaving steps out alone")];
    }
    ways.without.iter().map(|without| without_row(without, ways)).collect()
}

fn without_row(without: &Without, ways: &Ways) -> Row {
    let names = match &without.steps[..] {
        [step] => named(step),
        steps => format!("steps {}", steps.iter().map(target).collect::<Vec<_>>().join(", ")),
    };
    let in_force = ways.profiles.iter().any(|answer| answer.in_force && answer.profile == ways.profile);
    let under = if in_force { String::new() } else { format!(" under {}", ways.profile.name()) };
    Row::new()
        .with(Tone::Strong, &format!("without {names}"))
        .plain(" the decision would be ")
        .with(Tone::Good, "ALLOW")
        .plain(&format!("{under} (risk {}, quality {})", without.risk, without.quality))
        .hanging(2)
}

fn named(step: &StepName) -> String {
    format!("step {}", target(step))
}

fn target(step: &StepName) -> String {
    if step.target.is_empty() { step.id.clone() } else { format!("{} ({})", step.id, step.target) }
}

fn item(text: &str) -> Row {
    Row::indented(4).plain("- ").plain(text).hanging(6)
}
