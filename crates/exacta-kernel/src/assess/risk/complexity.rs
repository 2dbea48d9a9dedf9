//! Code complexity: how many ways the changed code can go, and how many more than before.

use super::reason;
use crate::assess::Reason;
use crate::assess::source::{Language, branches, code, is_test, language};
use crate::diff::LineChange;
use crate::prelude::*;
use crate::scan::change::FileChange;

/// In each source file outside tests: +1 for every 8 branches in added lines, +1 for every 8 more than were removed.
pub(super) fn reasons(changes: &[FileChange<'_>]) -> Vec<Reason> {
    changes.iter().filter(|change| !is_test(change.path)).filter_map(in_file).collect()
}

fn in_file(change: &FileChange<'_>) -> Option<Reason> {
    let language = language(change.path.name())?;
    let added = count(change.added_lines(), language);
    let removed = count(change.removed_lines(), language);
    let growth = added.saturating_sub(removed);
    let points = added / 8 + growth / 8;
    let first = change.added_lines().find(|line| branches(&code(line.bytes, language)) > 0).map(|line| line.line);
    (points > 0)
        .then(|| reason(points, format!("adds {added} branches, {growth} more than before"), change.place(first)))
}

fn count<'a>(lines: impl Iterator<Item = &'a LineChange<'a>>, language: Language) -> u32 {
    lines.map(|line| branches(&code(line.bytes, language))).fold(0, u32::saturating_add)
}
