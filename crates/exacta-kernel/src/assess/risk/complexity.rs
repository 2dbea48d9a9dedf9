//! Code complexity: how many ways the changed code can go, and how many more than before.

use super::reason;
use crate::assess::Reason;
use crate::assess::source::{branches, code, is_test, language};
use crate::diff::ChangeKind;
use crate::facts::source::CodeFacts;
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::lexicon::BRANCH;

/// A changed function beyond this is hard to follow.
const HARD: u32 = 15;

/// In each source file outside tests, as parsed: +1 for every 8 of growth in its functions' cyclomatic complexity, +1 a
/// changed function above 15. Where it was not parsed: +1 for every 8 branches in added lines, +1 for every 8 more than were
/// removed.
pub(super) fn reasons(changes: &[FileChange<'_>]) -> Vec<Reason> {
    let changes = changes.iter().filter(|change| !is_test(change.path));
    changes
        .flat_map(|change| {
            change.code.map_or_else(|| in_file(change).into_iter().collect(), |code| parsed(change, code))
        })
        .collect()
}

fn parsed(change: &FileChange<'_>, code: &CodeFacts) -> Vec<Reason> {
    let functions = || code.functions.iter().filter(|function| !function.test);
    let growth = functions().fold(0_u32, |sum, function| sum.saturating_add(function.growth()));
    let most = functions().max_by_key(|function| function.growth());
    let grows = most.filter(|_| growth >= 8).map(|most| {
        let message = format!("its functions grow by {growth} branches, most in `{}`", most.name);
        reason(growth / 8, message, change.place(most.line))
    });
    let hard = functions().filter_map(|function| {
        let complexity = function.after.filter(|after| *after > HARD)?;
        let message = format!("changes `{}`, which has {complexity} ways through it", function.name);
        Some(reason(1, message, change.place(function.line)))
    });
    grows.into_iter().chain(hard).collect()
}

fn in_file(change: &FileChange<'_>) -> Option<Reason> {
    let language = language(change.path.name())?;
    let (mut added, mut removed, mut first) = (0_u32, 0_u32, None);
    for line in change.marked(BRANCH) {
        let branches = branches(&code(line.bytes, language));
        match line.kind {
            ChangeKind::Added => added = added.saturating_add(branches),
            ChangeKind::Removed => removed = removed.saturating_add(branches),
        }
        if branches > 0 && line.kind == ChangeKind::Added {
            first = first.or(Some(line.line));
        }
    }
    let growth = added.saturating_sub(removed);
    let points = added / 8 + growth / 8;
    (points > 0)
        .then(|| reason(points, format!("adds {added} branches, {growth} more than before"), change.place(first)))
}
