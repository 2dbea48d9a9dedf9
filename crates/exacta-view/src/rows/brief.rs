//! A plan in the few lines that say what it is and how it was decided: everything else is in [`super::plan::facts`].

use super::{ask, checks, decision, plan, score, section};
use crate::plan::PlanView;
use crate::row::{Row, Tone};
use exacta_kernel::gate::Verdict;

/// Above its diff: what it is, the decision with what a denial rests on, and each file with what it gains and loses.
#[must_use]
pub fn above(view: &PlanView) -> Vec<Row> {
    let mut rows = plan::head(view);
    rows.extend(denials(view));
    rows.extend(decision::files(view));
    section(&mut rows, plan::findings(view));
    section(&mut rows, lost_points(view));
    section(&mut rows, plan::capabilities(view));
    section(&mut rows, plan::constraints(view));
    section(&mut rows, checks::all(view));
    rows
}

/// Below its diff: what cannot be undone, and why a person is asked.
#[must_use]
pub fn below(view: &PlanView) -> Vec<Row> {
    let mut rows = vec![Row::new()];
    rows.extend(view.detail.iter().flat_map(|detail| &detail.partial_of).map(ask::partial));
    rows.extend(ask::irreversible(view));
    if view.decision != Verdict::Deny {
        rows.extend(ask::reasons(view));
    }
    if rows.len() == 1 { Vec::new() } else { rows }
}

/// The gates that deny it. What is wrong with it as a plan is told by its findings.
fn denials(view: &PlanView) -> impl Iterator<Item = Row> {
    let denies = view.gates.iter().filter(|gate| gate.verdict == Verdict::Deny);
    denies.map(|gate| {
        let rule = gate.rule.as_ref().map(|rule| format!(", rule {rule}")).unwrap_or_default();
        let by = format!(" ({}{rule})", gate.gate);
        Row::indented(2).with(Tone::Bad, "denied because ").plain(&gate.reason).faint(&by).hanging(4)
    })
}

/// Where quality alone stands in the way, each lost point and what would fix it.
fn lost_points(view: &PlanView) -> Vec<Row> {
    let is_low = view.gates.iter().any(|gate| gate.gate == "quality" && gate.verdict != Verdict::Allow);
    view.quality.as_ref().filter(|_| is_low).map(score::quality).unwrap_or_default()
}
