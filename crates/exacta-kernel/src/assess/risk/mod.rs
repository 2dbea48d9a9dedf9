//! How dangerous a plan is: six factors, boundaries, tiers.
//!
//! Every factor is a sum over files and steps, or a count that cannot fall, so that a step on a new target never lowers the
//! score. What each point is for is written in `docs/scores.md`.

mod boundary;
mod breaking;
mod complexity;
mod dependencies;
mod operations;
mod scope;
mod security;
mod size;

use super::{Factor, Level, Reason, Risk};
use crate::action::Tier;
use crate::action::tool::Tool;
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::Action;
use crate::scan::change::FileChange;
use crate::scan::{Place, Signals};

/// The least score of a plan that touches a boundary.
const BOUNDARY_FLOOR: u32 = 66;

/// The risk of a plan, by its steps and, where steps share a file, by what they do together: of each factor the higher one.
pub(super) fn risk(plan: &Plan, steps: &[FileChange<'_>], whole: Option<&[FileChange<'_>]>, signals: &Signals) -> Risk {
    let mut factors = factors(steps, signals);
    let mut boundaries = boundary::reasons(steps);
    if let Some(whole) = whole {
        for (factor, other) in factors.iter_mut().zip(self::factors(whole, signals)) {
            if other.score > factor.score {
                *factor = other;
            }
        }
        for reason in boundary::reasons(whole) {
            let known = |other: &Reason| (&other.message, &other.path) == (&reason.message, &reason.path);
            if !boundaries.iter().any(known) {
                boundaries.push(reason);
            }
        }
    }
    let counted = factors.iter().map(|factor| factor.score).sum::<u32>().min(100);
    if let Some(first) = boundaries.first_mut() {
        first.points = BOUNDARY_FLOOR.saturating_sub(counted);
    }
    let score = if boundaries.is_empty() { counted } else { counted.max(BOUNDARY_FLOOR) };
    Risk { score, level: level(score).max(tier(plan)), factors, boundaries }
}

fn factors(changes: &[FileChange<'_>], signals: &Signals) -> Vec<Factor> {
    let gains = size::gains(changes);
    vec![
        factor("file_operations", 35, operations::reasons(changes, &gains)),
        factor("dependency_changes", 25, dependencies::reasons(&signals.dependencies)),
        factor("refactoring_scope", 20, scope::reasons(changes, &gains)),
        factor("breaking_changes", 15, breaking::reasons(changes)),
        factor("security_impact", 15, security::reasons(changes, signals)),
        factor("code_complexity", 10, complexity::reasons(changes)),
    ]
}

fn factor(name: &'static str, max: u32, reasons: Vec<Reason>) -> Factor {
    let score = reasons.iter().fold(0_u32, |sum, reason| sum.saturating_add(reason.points)).min(max);
    Factor { name, score, max, reasons }
}

/// The level of a score alone.
const fn level(score: u32) -> Level {
    match score {
        0..=30 => Level::Low,
        31..=65 => Level::Medium,
        _ => Level::High,
    }
}

/// The highest tier of the plan's primitives and tools; what the catalogue does not know is high.
fn tier(plan: &Plan) -> Level {
    let tiers = plan.proposal().steps.iter().filter_map(|step| match &step.action {
        Action::Primitive { id, .. } => Some(id.tier()),
        Action::ToolCall { tool, arguments } => Some(Tool::tier_of(tool, arguments)),
        _ => None,
    });
    let levels = tiers.map(|tier| match tier {
        Tier::Low => Level::Low,
        Tier::Medium => Level::Medium,
        Tier::High => Level::High,
    });
    levels.max().unwrap_or(Level::Low)
}

/// How often one thing must be doubled, in parts, to have that many more: `parts` times the logarithm of `1 + count` to the base
/// of 2, rounded down.
fn doublings(count: u64, parts: u32) -> u32 {
    (u128::from(count) + 1).saturating_pow(parts).ilog2()
}

/// Points with their reason and place.
fn reason(points: u32, message: impl Into<String>, place: Place) -> Reason {
    Reason { message: message.into(), path: place.path, line: place.line, step: place.step, points }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doublings_are_logarithms() {
        for (count, parts, expected) in
            [(0, 2, 0), (1, 2, 2), (2, 2, 3), (3, 2, 4), (100, 1, 6), (100, 2, 13), (1023, 2, 20), (u64::MAX, 1, 64)]
        {
            assert_eq!(doublings(count, parts), expected, "{count}");
        }
        assert!((0..5000).all(|count| doublings(count, 2) <= doublings(count + 1, 2)));
    }
}
