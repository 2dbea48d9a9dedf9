//! The pages of the review, and what is on each.

use crate::render::diff::{self, MAX_HIGHLIGHTED};
use exacta_view::rows::{background, checks, plan, score, section};
use exacta_view::{PlanView, Row};

/// One page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The steps and the diff of one.
    Diff,
    /// Risk by factor.
    Risk,
    /// Quality by dimension.
    Quality,
    /// Every gate's verdict.
    Gates,
    /// Constraints and how each is met.
    Constraints,
    /// Everything that is wrong.
    Findings,
    /// The proposer's words, files, estimates, binding.
    About,
}

impl Pane {
    /// All, in the order of their number keys.
    pub const ALL: [Self; 7] =
        [Self::Diff, Self::Risk, Self::Quality, Self::Gates, Self::Constraints, Self::Findings, Self::About];

    /// Its name in the row of pages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Diff => "steps",
            Self::Risk => "risk",
            Self::Quality => "quality",
            Self::Gates => "gates",
            Self::Constraints => "constraints",
            Self::Findings => "findings",
            Self::About => "about",
        }
    }

    /// The page that many places further, around the end.
    pub fn turned(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|pane| *pane == self).unwrap_or_default();
        Self::ALL.get((at + by) % Self::ALL.len()).copied().unwrap_or(self)
    }

    /// What is on it, unfolded.
    pub fn rows(self, view: &PlanView, step: usize, highlight: bool) -> Vec<Row> {
        let rows = match self {
            Self::Diff => return step_rows(view, step, highlight),
            Self::Risk => view.risk.as_ref().map(score::risk).unwrap_or_default(),
            Self::Quality => view.quality.as_ref().map(score::quality).unwrap_or_default(),
            Self::Gates => plan::gates(view),
            Self::Constraints => plan::constraints(view),
            Self::Findings => plan::findings(view),
            Self::About => about(view),
        };
        if rows.is_empty() { vec![Row::new().faint(&format!("no {}", self.name()))] } else { rows }
    }
}

fn step_rows(view: &PlanView, step: usize, highlight: bool) -> Vec<Row> {
    let Some(step) = view.detail.as_ref().and_then(|detail| detail.steps.get(step)) else {
        return vec![Row::new().faint("no steps")];
    };
    let mut rows = Vec::new();
    if !step.description.is_empty() {
        rows.push(Row::new().faint("the proposer says: ").plain(&step.description));
    }
    if !step.dependencies.is_empty() {
        rows.push(Row::new().faint("after ").plain(&step.dependencies.join(", ")));
    }
    if step.diff.as_ref().is_some_and(|diff| diff.len() > MAX_HIGHLIGHTED) {
        // The diff itself is laid out where it is looked at.
        rows.push(plan::diff_head(step));
        return rows;
    }
    match diff::of_step(step, highlight) {
        diff if diff.is_empty() => rows.push(Row::new().faint("no file is changed by this step")),
        diff => rows.extend(diff),
    }
    rows
}

fn about(view: &PlanView) -> Vec<Row> {
    let mut rows = plan::head(view);
    section(&mut rows, checks::all(view));
    rows.push(Row::new());
    rows.extend(plan::steps(view));
    rows.push(Row::new());
    rows.extend(background::background(view));
    rows
}
