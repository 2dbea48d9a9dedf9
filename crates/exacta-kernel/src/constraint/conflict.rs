//! Constraints that no plan can keep together. Only what is certain counts: two that merely overlap are a plan's business.

use super::pattern::Pattern;
use super::{Check, phrase};
use crate::prelude::*;
use crate::proposal::{Constraint, ConstraintKind, Scope};

/// Two constraints that contradict each other, by their place in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The first of them.
    pub first: usize,
    /// The second.
    pub second: usize,
    /// Why no plan can keep both.
    pub reason: String,
}

/// Every pair that contradicts each other. Advice contradicts nothing, and what is about one step or file is left to the plan.
#[must_use]
pub fn conflicts(constraints: &[&Constraint]) -> Vec<Conflict> {
    let binding = |it: &&Constraint| it.kind != ConstraintKind::Prefer && it.scope == Scope::Global;
    let compiled: Vec<(usize, Check)> = constraints
        .iter()
        .enumerate()
        .filter(|(_, it)| binding(it))
        .filter_map(|(at, it)| Some((at, phrase::compile(it)?)))
        .collect();
    let mut found = Vec::new();
    for (place, (first, one)) in compiled.iter().enumerate() {
        for (second, other) in compiled.iter().skip(place + 1) {
            let reason = between(one, other).or_else(|| between(other, one));
            found.extend(reason.map(|reason| Conflict { first: *first, second: *second, reason }));
        }
    }
    found
}

fn between(one: &Check, other: &Check) -> Option<String> {
    match (one, other) {
        (Check::Only(only), Check::LeaveAlone(not)) if only.iter().all(|path| is_within(path, not)) => {
            Some(format!("{} may change alone, and must not be changed", names(only)))
        }
        (Check::Only(one), Check::Only(other)) if !one.iter().any(|path| meets(path, other)) => {
            Some(format!("nothing lies both in {} and in {}", names(one), names(other)))
        }
        _ => None,
    }
}

/// Whether all that a pattern names is certainly named by one of the others.
fn is_within(path: &Pattern, others: &[Pattern]) -> bool {
    others.iter().any(|other| other == path || (!path.is_glob() && other.covers(path.as_str())))
}

/// Whether something could lie in a pattern and in one of the others. Where globs are compared nobody can be sure.
fn meets(path: &Pattern, others: &[Pattern]) -> bool {
    others.iter().any(|other| {
        path.is_glob() || other.is_glob() || other.may_cover(path.as_str()) || path.may_cover(other.as_str())
    })
}

fn names(patterns: &[Pattern]) -> String {
    let names: Vec<String> = patterns.iter().map(|it| format!("`{}`", crate::text::excerpt(it.as_str(), 80))).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_certain_contradictions_count() {
        let cases = [
            ("only change `src/`", "do not touch `src/`", true),
            ("only change `src/a.rs`", "do not touch `src/`", true),
            ("only change `src/`", "do not touch `src/a.rs`", false),
            ("only change `src/a.rs`, `docs/`", "do not touch `src/`", false),
            ("only change `src/`", "only change `docs/`", true),
            ("only change `src/`", "only change `src/a.rs`", false),
            ("only change `*.md`", "only change `src/`", false),
            ("do not touch `src/`", "only change `src/a.rs`", true),
            ("no new dependencies", "only change `src/`", false),
            ("be kind", "only change `src/`", false),
        ];
        let constraint = |text: &str, kind| Constraint {
            id: text.to_owned(),
            kind,
            scope: Scope::Global,
            target: None,
            description: text.to_owned(),
        };
        for (one, other, expected) in cases {
            let (one, other) = (constraint(one, ConstraintKind::Must), constraint(other, ConstraintKind::Must));
            assert_eq!(!conflicts(&[&one, &other]).is_empty(), expected, "{} / {}", one.id, other.id);
            let advice = Constraint { kind: ConstraintKind::Prefer, ..other };
            assert!(conflicts(&[&one, &advice]).is_empty());
        }
    }
}
