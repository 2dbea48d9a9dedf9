//! Code complexity: how many ways the changed code can go, and how many more than before.

use super::reason;
use crate::assess::Reason;
use crate::assess::source::{branches, code, is_test, language};
use crate::diff::ChangeKind;
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::lexicon::BRANCH;

/// In each source file outside tests: +1 for every 8 branches in added lines, +1 for every 8 more than were removed.
pub(super) fn reasons(changes: &[FileChange<'_>]) -> Vec<Reason> {
    changes.iter().filter(|change| !is_test(change.path)).filter_map(in_file).collect()
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
