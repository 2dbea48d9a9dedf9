//! A plan as rows: everything a person sees before deciding.

use super::background::background;
use super::list::agent;
use super::tone::{grade, grade_tone, level, level_tone, status_tone, verdict_tone, word};
use super::{checks, score, section};
use crate::plan::{ConstraintView, PlanView, StepView};
use crate::row::{Row, Tone};
use crate::score::{FindingView, GateView};
use exacta_kernel::gate::Verdict;

/// Everything but the diffs.
#[must_use]
pub fn facts(view: &PlanView) -> Vec<Row> {
    let mut rows = head(view);
    section(&mut rows, findings(view));
    section(&mut rows, checks::all(view));
    section(&mut rows, gates(view));
    section(&mut rows, capabilities(view));
    section(&mut rows, view.risk.as_ref().map(score::risk).unwrap_or_default());
    section(&mut rows, view.quality.as_ref().map(score::quality).unwrap_or_default());
    section(&mut rows, steps(view));
    section(&mut rows, constraints(view));
    section(&mut rows, background(view));
    rows
}

/// Whether it adopts what lies in the work tree already.
#[must_use]
pub fn adopts(view: &PlanView) -> bool {
    view.detail.as_ref().is_some_and(|detail| detail.adopts)
}

/// What that means, if it does.
#[must_use]
pub fn adoption(view: &PlanView) -> Option<Row> {
    adopts(view)
        .then(|| Row::new().with(Tone::Strong, "adopts").plain(" what is already in the work tree: nothing is written"))
}

/// The scores alone, or one of them: every point with its reason. A plan without scores tells why it has none.
#[must_use]
pub fn scores(view: &PlanView, risk: bool, quality: bool) -> Vec<Row> {
    let mut rows = head(view);
    section(&mut rows, findings(view));
    section(&mut rows, view.risk.as_ref().filter(|_| risk).map(score::risk).unwrap_or_default());
    section(&mut rows, view.quality.as_ref().filter(|_| quality).map(score::quality).unwrap_or_default());
    rows
}

/// The heading of a step's diff.
#[must_use]
pub fn diff_head(step: &StepView) -> Row {
    Row::new().with(Tone::Strong, &format!("step {}: {}", step.id, step.target)).faint(&format!(" ({})", step.kind))
}

/// What it is and what was decided.
#[must_use]
pub fn head(view: &PlanView) -> Vec<Row> {
    let mut rows = vec![title(view)];
    if let Some(detail) = &view.detail
        && !detail.intent_text.is_empty()
    {
        rows.push(Row::indented(2).faint("the proposer says: ").plain(&detail.intent_text));
    }
    if view.withheld {
        let why = "the proposal holds a secret: nothing of its text is shown or kept, only where the secret is";
        rows.push(Row::indented(2).with(Tone::Bad, "withheld: ").plain(why));
    }
    rows.extend(adoption(view));
    rows.push(verdict(view));
    if let Some(asked) = &view.changes_requested {
        rows.push(Row::indented(2).with(Tone::Warn, &format!("{} asks for changes: ", asked.by)).plain(&asked.text));
    }
    rows
}

/// One line that names the plan.
#[must_use]
pub fn title(view: &PlanView) -> Row {
    named(view, view.plan_id.as_deref())
}

/// The same with a short id.
#[must_use]
pub fn short_title(view: &PlanView) -> Row {
    named(view, view.short_id.as_deref().or(view.plan_id.as_deref()))
}

fn named(view: &PlanView, id: Option<&str>) -> Row {
    let row = match (id, &view.content_hash) {
        (Some(id), _) => Row::heading("plan ").with(Tone::Strong, id),
        (None, Some(_)) => Row::heading("proposal"),
        (None, None) => Row::heading("refused text"),
    };
    let row = match &view.detail {
        Some(detail) if detail.version > 1 => row.plain(&format!("  {} version {}", detail.intent, detail.version)),
        Some(detail) => row.plain(&format!("  {}", detail.intent)),
        None => row,
    };
    let row = match view.detail.as_ref().and_then(|detail| agent(detail.by.as_deref()?)) {
        Some(agent) => row.plain(&format!(", by {agent}")),
        None => row,
    };
    match view.status {
        Some(status) => row.plain("  ").with(status_tone(status), status.name()),
        None => row,
    }
}

/// The decision in one line, with both scores.
#[must_use]
pub fn verdict(view: &PlanView) -> Row {
    let mut row =
        Row::indented(2).plain("decision ").with(verdict_tone(view.decision), &word(view.decision).to_uppercase());
    if view.notice {
        row = row.with(Tone::Warn, ", with notice");
    }
    if view.system_level {
        row = row.with(Tone::Bad, "  SYSTEM-LEVEL");
    }
    if let Some(risk) = &view.risk {
        let text = format!("{} {}", risk.score, level(risk.level));
        row = row.plain("  risk ").with(level_tone(risk.level), &text);
    }
    if let Some(quality) = &view.quality {
        let text = format!("{} {}", quality.score, grade(quality.level));
        row = row.plain("  quality ").with(grade_tone(quality.level), &text);
    }
    row
}

/// Everything that is wrong.
#[must_use]
pub fn findings(view: &PlanView) -> Vec<Row> {
    if view.findings.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![Row::heading("findings")];
    rows.extend(view.findings.iter().flat_map(finding));
    rows
}

/// Every gate's verdict and its reason.
#[must_use]
pub fn gates(view: &PlanView) -> Vec<Row> {
    if view.gates.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![Row::heading("gates")];
    rows.extend(view.gates.iter().map(gate));
    rows
}

/// What the plan would give or use, each with its first reason and how many more there are.
#[must_use]
pub fn capabilities(view: &PlanView) -> Vec<Row> {
    let mut rows = Vec::new();
    for alike in view.capabilities.chunk_by(|one, next| one.capability == next.capability) {
        let Some(first) = alike.first() else { continue };
        let place = score::place(first.path.as_deref(), first.line, first.step.as_deref());
        let more = if alike.len() > 1 { format!(", and {} more", alike.len() - 1) } else { String::new() };
        rows.push(
            Row::indented(2)
                .column(Tone::Strong, first.capability.name(), 21)
                .hanging(23)
                .plain(&first.reason)
                .faint(&place)
                .plain(&more),
        );
    }
    if !rows.is_empty() {
        rows.insert(0, Row::heading("gives or uses"));
    }
    rows
}

/// What gates say of something that is no plan.
#[must_use]
pub fn verdicts(verdict: Verdict, notice: bool, gates: &[GateView]) -> Vec<Row> {
    let mut head = Row::heading("decision ").with(verdict_tone(verdict), &word(verdict).to_uppercase());
    if notice {
        head = head.with(Tone::Warn, ", with notice");
    }
    let mut rows = vec![head];
    rows.extend(gates.iter().map(gate));
    rows
}

/// The steps in order.
#[must_use]
pub fn steps(view: &PlanView) -> Vec<Row> {
    let Some(detail) = view.detail.as_ref().filter(|detail| !detail.steps.is_empty()) else { return Vec::new() };
    let mut rows = vec![Row::heading("steps")];
    rows.extend(detail.steps.iter().flat_map(step));
    rows
}

/// Each constraint and how it is met.
#[must_use]
pub fn constraints(view: &PlanView) -> Vec<Row> {
    let Some(detail) = view.detail.as_ref().filter(|detail| !detail.constraints.is_empty()) else { return Vec::new() };
    let mut rows = vec![Row::heading("constraints")];
    rows.extend(detail.constraints.iter().flat_map(constraint));
    rows
}

/// One finding with its hint.
fn finding(finding: &FindingView) -> [Row; 2] {
    let place = score::place(finding.path.as_deref(), None, finding.step.as_deref());
    let rule = finding.rule.as_ref().map(|rule| format!(" {rule}")).unwrap_or_default();
    let pointer = finding.pointer.as_ref().map(|pointer| format!(" at {pointer}")).unwrap_or_default();
    let what = Row::indented(2)
        .with(Tone::Bad, &finding.code)
        .faint(&rule)
        .plain(": ")
        .plain(&finding.message)
        .faint(&place)
        .faint(&pointer)
        .hanging(4);
    [what, Row::indented(4).faint("hint: ").faint(&finding.hint)]
}

fn gate(gate: &GateView) -> Row {
    let rule = gate.rule.as_ref().map(|rule| format!(" (rule {rule})")).unwrap_or_default();
    Row::indented(2)
        .column(Tone::Plain, &gate.gate, 10)
        .column(verdict_tone(gate.verdict), word(gate.verdict), 9)
        .hanging(21)
        .plain(&gate.reason)
        .faint(&rule)
}

fn step(step: &StepView) -> Vec<Row> {
    let mut row = Row::indented(2)
        .plain(&format!("{:>2} ", step.order))
        .with(Tone::Strong, &step.id)
        .plain(&format!("  {}  ", step.kind))
        .with(Tone::Strong, &step.target);
    if step.added + step.removed > 0 {
        row = row
            .plain("  ")
            .with(Tone::Added, &format!("+{}", step.added))
            .plain(" ")
            .with(Tone::Removed, &format!("-{}", step.removed));
    }
    if !step.dependencies.is_empty() {
        row = row.faint(&format!("  after {}", step.dependencies.join(", ")));
    }
    let mut rows = vec![row.hanging(5)];
    if !step.description.is_empty() {
        rows.push(Row::indented(5).faint(&step.description));
    }
    rows
}

fn constraint(constraint: &ConstraintView) -> [Row; 2] {
    let tone = match constraint.state.as_str() {
        "met" => Tone::Good,
        "violated" => Tone::Bad,
        "unchecked" => Tone::Warn,
        _ => Tone::Faint,
    };
    let what = Row::indented(2)
        .column(tone, &constraint.state, 10)
        .with(Tone::Strong, &format!("{} ", constraint.kind))
        .plain(&constraint.description)
        .faint(&format!(" ({}, {})", constraint.id, constraint.source))
        .hanging(12);
    [what, Row::indented(12).faint(&constraint.reason)]
}
