//! Code complexity: how many ways the changed code can go, and how many more than before.

use super::{doublings, reason};
use crate::assess::Reason;
use crate::diff::ChangeKind;
use crate::facts::source::{CodeFacts, FunctionChange};
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::lexicon::BRANCH;
use crate::scan::source::{Role, branches, code, language};

/// A changed function beyond this is hard to follow.
const HARD: u32 = 15;

/// In all source files outside tests that people wrote here: +1 for every doubling of the branches in added lines, +2 for every
/// doubling of their growth, +1 a changed function above 15. Growth is that of the functions' cyclomatic complexity where a
/// file was parsed, else of the branches in its changed lines.
pub(super) fn reasons(changes: &[FileChange<'_>]) -> Vec<Reason> {
    let changes = || changes.iter().filter(|change| !matches!(change.role, Role::Test | Role::Foreign));
    let files: Vec<Branches<'_>> = changes().filter_map(in_file).collect();
    let added = files.iter().map(|file| file.added).sum();
    let growth = files.iter().map(|file| file.growth).sum();
    let points = doublings(added, 1) + doublings(growth, 2);
    // Of equals the first, so that the place does not change.
    let most = files.iter().rev().max_by_key(|file| (file.added, file.growth)).filter(|_| points > 0);
    let message = told(added, growth);
    let branches = most.map(|most| reason(points, message, most.change.place(most.first)));
    branches.into_iter().chain(changes().flat_map(hard)).collect()
}

/// Where nothing was added or nothing grew, only the other half is said.
fn told(added: u64, growth: u64) -> String {
    let here = match added {
        0 => return format!("complexity grows by {growth}"),
        1 => String::from("adds a branch"),
        _ => format!("adds {added} branches, most of them here"),
    };
    match growth {
        0 => format!("{here}; as complex as before"),
        _ => format!("{here}; complexity grows by {growth}"),
    }
}

/// The branches in one file's changed lines.
struct Branches<'a> {
    change: &'a FileChange<'a>,
    added: u64,
    growth: u64,
    /// The first added line with one.
    first: Option<u64>,
}

fn in_file<'a>(change: &'a FileChange<'a>) -> Option<Branches<'a>> {
    let language = language(change.path.name())?;
    let (mut added, mut removed, mut first) = (0_u64, 0_u64, None);
    for line in change.marked(BRANCH) {
        let branches = u64::from(branches(&code(line.bytes, language)));
        match line.kind {
            ChangeKind::Added => added += branches,
            ChangeKind::Removed => removed += branches,
        }
        if branches > 0 && line.kind == ChangeKind::Added {
            first = first.or(Some(line.line));
        }
    }
    let parsed = |code| functions(code).map(|function| u64::from(function.growth())).sum();
    let growth = change.code.map_or_else(|| added.saturating_sub(removed), parsed);
    Some(Branches { change, added, growth, first })
}

/// Changed functions that are hard to follow.
fn hard(change: &FileChange<'_>) -> Vec<Reason> {
    let functions = change.code.into_iter().flat_map(functions).filter_map(|function| {
        let complexity = function.after.filter(|after| *after > HARD)?;
        let message = format!("changes `{}`, which has {complexity} ways through it", function.name);
        Some(reason(1, message, change.place(function.line)))
    });
    functions.collect()
}

fn functions(code: &CodeFacts) -> impl Iterator<Item = &FunctionChange> {
    code.functions.iter().filter(|function| !function.test)
}
