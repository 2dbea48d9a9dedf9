//! Risk and quality as bars, with a reason for every point.

use super::tone::{grade, grade_tone, level, level_tone};
use crate::row::{Row, Tone};
use crate::score::{DimensionView, FactorView, IssueView, QualityView, ReasonView, RiskView};
use exacta_kernel::assess::BasisPoints;

/// Cells of a bar.
const CELLS: u32 = 10;

/// The risk, its factors, and why.
#[must_use]
pub fn risk(risk: &RiskView) -> Vec<Row> {
    let mut rows = vec![
        Row::heading("risk")
            .plain("     ")
            .with(level_tone(risk.level), &format!("{}/100 {}", risk.score, level(risk.level))),
    ];
    for factor in &risk.factors {
        rows.push(factor_row(factor));
        rows.extend(factor.reasons.iter().map(|reason| reason_row(reason, &format!("+{}", reason.points))));
    }
    if !risk.boundaries.is_empty() {
        rows.push(Row::indented(2).with(Tone::Bad, "SYSTEM-LEVEL").plain(": needs a person in every profile"));
        rows.extend(risk.boundaries.iter().map(|reason| reason_row(reason, "!")));
    }
    rows
}

/// The quality, its dimensions, and what is missing.
#[must_use]
pub fn quality(quality: &QualityView) -> Vec<Row> {
    let mut rows = vec![
        Row::heading("quality")
            .plain("  ")
            .with(grade_tone(quality.level), &format!("{} {}", quality.score, grade(quality.level))),
    ];
    for dimension in &quality.dimensions {
        rows.push(dimension_row(dimension));
        rows.extend(dimension.issues.iter().flat_map(issue_rows));
    }
    rows
}

fn factor_row(factor: &FactorView) -> Row {
    let tone = if factor.score == 0 { Tone::Faint } else { Tone::Warn };
    Row::indented(2)
        .column(Tone::Plain, &factor.name.replace('_', " "), 21)
        .with(tone, &bar(factor.score, factor.max))
        .plain(&format!(" {:>3}/{}", factor.score, factor.max))
}

fn dimension_row(dimension: &DimensionView) -> Row {
    let tone = if dimension.issues.is_empty() { Tone::Good } else { Tone::Warn };
    Row::indented(2)
        .column(Tone::Plain, &dimension.name.replace('_', " "), 21)
        .with(tone, &bar(dimension.score.0, BasisPoints::ONE.0))
        .plain(&format!(" {} of {} %", dimension.score, dimension.weight))
}

fn reason_row(reason: &ReasonView, points: &str) -> Row {
    let place = place(reason.path.as_deref(), reason.line, reason.step.as_deref());
    Row::indented(4).column(Tone::Plain, points, 4).hanging(8).plain(&reason.message).faint(&place)
}

fn issue_rows(issue: &IssueView) -> [Row; 2] {
    let place = issue_place(issue);
    let lost = format!("-{}", BasisPoints(issue.points));
    let what = Row::indented(4).column(Tone::Plain, &lost, 7).hanging(11).plain(&issue.message).faint(&place);
    [what, Row::indented(11).faint("hint: ").faint(&issue.hint)]
}

/// Where an issue is, in parentheses: in a file, a step or a part of the proposal.
#[must_use]
pub fn issue_place(issue: &IssueView) -> String {
    let place = place(issue.path.as_deref(), issue.line, issue.step.as_deref());
    match &issue.pointer {
        Some(pointer) if place.is_empty() => format!(" ({pointer})"),
        _ => place,
    }
}

/// Where something is, in parentheses; empty if nowhere.
#[must_use]
pub fn place(path: Option<&str>, line: Option<u64>, step: Option<&str>) -> String {
    let file = match (path, line) {
        (Some(path), Some(line)) => Some(format!("{path}:{line}")),
        (Some(path), None) => Some(path.to_owned()),
        (None, _) => None,
    };
    match (file, step) {
        (Some(file), Some(step)) => format!(" ({file}, step {step})"),
        (Some(file), None) => format!(" ({file})"),
        (None, Some(step)) => format!(" (step {step})"),
        (None, None) => String::new(),
    }
}

/// Ten cells; any part of a cell counts as the whole.
fn bar(value: u32, max: u32) -> String {
    let filled = value.saturating_mul(CELLS).div_ceil(max.max(1)).min(CELLS);
    let full = usize::try_from(filled).unwrap_or_default();
    let empty = usize::try_from(CELLS - filled).unwrap_or_default();
    format!("{}{}", "█".repeat(full), "░".repeat(empty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_part_of_a_cell_counts() {
        assert_eq!(bar(0, 35), "░░░░░░░░░░");
        assert_eq!(bar(1, 35), "█░░░░░░░░░");
        assert_eq!(bar(35, 35), "██████████");
        assert_eq!(bar(9_000, 10_000), "█████████░");
    }
}
