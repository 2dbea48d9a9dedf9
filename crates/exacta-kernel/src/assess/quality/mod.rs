//! How well made a plan is: five dimensions, each lost point with its place and what would win it back.
//!
//! The scale is fair to short work: a dimension starts full and only what is wrong or missing takes from it, in shares of the
//! steps it concerns. What each criterion costs is written in `docs/scores.md`.

mod asked;
mod clarity;
mod completeness;
mod elision;
mod feasibility;
mod grave;
mod safety;
mod specificity;
mod stub;
mod words;

use super::{BasisPoints, Dimension, Extent, Grade, Issue, Quality};
use crate::assess::SUFFICIENT_QUALITY;
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::Step;
use crate::scan::change::FileChange;
use crate::scan::dependency::format_of;
use crate::scan::source::Role;
use crate::scan::{Place, Signals};
use words::{Worth, every, worth};

/// What the dimensions look at.
pub(super) struct View<'a> {
    pub plan: &'a Plan,
    pub changes: &'a [FileChange<'a>],
    pub signals: &'a Signals,
    pub extent: Extent,
}

/// The quality of a plan.
pub(super) fn quality(view: &View<'_>) -> Quality {
    let grave = grave::costs(view);
    let missing = match view.extent {
        Extent::Whole => both(completeness::issues(view), grave.completeness),
        Extent::Selection => Vec::new(),
    };
    let dimensions = vec![
        dimension("completeness", 30, missing),
        dimension("specificity", 25, both(specificity::issues(view), grave.specificity)),
        dimension("feasibility", 20, both(feasibility::issues(view), grave.feasibility)),
        dimension("safety", 15, both(safety::issues(view), grave.safety)),
        dimension("clarity", 10, clarity::issues(view).into_iter().map(worded).collect()),
    ];
    let score = weighed(&dimensions, |dimension| dimension.score);
    // How the request and the descriptions are written never takes a plan below the edge; what changes does.
    let sound = weighed(&dimensions, |dimension| left(dimension.issues.iter().filter(|issue| !issue.wording)));
    let score = score.max(sound.min(SUFFICIENT_QUALITY));
    Quality { score, level: grade(score), dimensions }
}

fn dimension(name: &'static str, weight: u32, issues: Vec<Issue>) -> Dimension {
    Dimension { name, score: left(issues.iter()), weight, issues }
}

fn both(mut issues: Vec<Issue>, more: Vec<Issue>) -> Vec<Issue> {
    issues.extend(more);
    issues
}

/// What these issues leave of a dimension.
fn left<'i>(issues: impl Iterator<Item = &'i Issue>) -> BasisPoints {
    let lost = issues.fold(0_u32, |sum, issue| sum.saturating_add(issue.points));
    BasisPoints(BasisPoints::ONE.0.saturating_sub(lost))
}

/// The dimensions together, each by its weight.
fn weighed(dimensions: &[Dimension], score: impl Fn(&Dimension) -> BasisPoints) -> BasisPoints {
    BasisPoints(dimensions.iter().map(|dimension| dimension.weight * score(dimension).0).sum::<u32>() / 100)
}

/// The same lost points, for how the words are written: vague, short, shouted, repeated. What the change lacks, and where it is
/// another one than the words tell of, is no matter of words, even where words could explain it.
fn worded(issue: Issue) -> Issue {
    Issue { wording: true, ..issue }
}

const fn grade(score: BasisPoints) -> Grade {
    match score.0 {
        0..=5999 => Grade::Insufficient,
        6000..=7499 => Grade::Moderate,
        _ => Grade::Good,
    }
}

impl View<'_> {
    /// The steps of the proposal, as listed.
    fn steps(&self) -> &[Step] {
        &self.plan.proposal().steps
    }

    /// How much a step's description says. Of a file that a tool writes, its name says enough.
    fn worth(&self, step: &Step) -> Worth {
        let written = || self.changes.iter().any(|change| change.step.id == step.id && is_written(change));
        match worth(step) {
            Worth::Thin | Worth::Vague if every(&step.description).count() > 1 && written() => Worth::Good,
            worth => worth,
        }
    }

    /// A step's part of a loss that all steps share.
    fn share(&self, points: u32) -> u32 {
        points / u32::try_from(self.steps().len().max(1)).unwrap_or(u32::MAX)
    }
}

/// Whether a tool wrote the file, or it was taken over from elsewhere.
fn is_written(change: &FileChange<'_>) -> bool {
    change.role == Role::Foreign || format_of(change.path).is_some_and(|format| format.is_lock())
}

/// Lost points about the request.
fn issue(points: u32, message: impl Into<String>, hint: impl Into<String>) -> Issue {
    issue_of("/intent/text", points, message, hint)
}

/// Lost points about what the steps together lack.
fn lack(points: u32, message: impl Into<String>, hint: impl Into<String>) -> Issue {
    issue_of("/steps", points, message, hint)
}

/// Lost points about a part of the proposal.
fn issue_of(pointer: &str, points: u32, message: impl Into<String>, hint: impl Into<String>) -> Issue {
    Issue { pointer: Some(pointer.to_owned()), ..issue_at(points, message, hint, Place::default()) }
}

/// Lost points at one place.
fn issue_at(points: u32, message: impl Into<String>, hint: impl Into<String>, place: Place) -> Issue {
    Issue {
        message: message.into(),
        hint: hint.into(),
        path: place.path,
        line: place.line,
        step: place.step,
        pointer: None,
        points,
        wording: false,
    }
}

/// A place in a step's words.
fn in_step(step: &Step) -> Place {
    Place { step: Some(step.id.clone()), ..Place::default() }
}
