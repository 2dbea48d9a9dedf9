//! Refactoring scope: how far a change reaches across the project.

use super::{doublings, reason};
use crate::assess::Reason;
use crate::assess::source::Role;
use crate::path::RelPath;
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::dependency::{Kind, kind_of};

/// Folders that hold one component each.
const CONTAINERS: &[&str] = &[
    "crates", "packages", "apps", "libs", "services", "modules", "src", "projects", "plugins", "cmd", "internal", "pkg",
];

/// Folders whose files are for people, unless they are code.
const PROSE: &[&str] = &["doc", "docs", "documentation", "man"];
/// So many lines of tests, and of what nobody wrote here, count as one of code.
const TESTS: u64 = 4;

/// Existing files: +1 each after the second, +1 for each folder after the first. All files: +2 for each component after
/// the first, +3 a move. Lines: +2 for every doubling of those that are added.
pub(super) fn reasons(changes: &[FileChange<'_>]) -> Vec<Reason> {
    let existing: Vec<_> = changes.iter().filter(|change| change.before.is_some()).collect();
    let mut reasons = Vec::new();
    reasons.extend(beyond(&existing, 2, 1, "one more existing file", |path| path.to_string()));
    reasons.extend(beyond(&existing, 1, 1, "another folder", |path| {
        path.parent().map_or_else(String::new, |folder| folder.to_string())
    }));
    reasons.extend(beyond(&changes.iter().collect::<Vec<_>>(), 1, 2, "another component", component));
    reasons.extend(moves(changes));
    reasons.extend(spread(changes));
    reasons
}

/// A reason for each distinct key after the first `free` ones.
fn beyond(
    changes: &[&FileChange<'_>],
    free: usize,
    points: u32,
    what: &str,
    key: fn(&RelPath) -> String,
) -> Vec<Reason> {
    let mut seen = BTreeSet::new();
    let mut reasons = Vec::new();
    for change in changes {
        let key = key(change.path);
        let shown = if key.is_empty() { "the top folder".to_owned() } else { format!("`{key}`") };
        if seen.insert(key) && seen.len() > free {
            reasons.push(reason(points, format!("reaches into {what}: {shown}"), change.place(None)));
        }
    }
    reasons
}

/// The part of the project that a file belongs to: its first folder, or the first two where that only holds others.
fn component(path: &RelPath) -> String {
    let folders: Vec<&str> = path.parts().rev().skip(1).collect();
    let mut folders = folders.into_iter().rev();
    match (folders.next(), folders.next()) {
        (Some(first), Some(second)) if CONTAINERS.contains(&first) => format!("{first}/{second}"),
        (Some(first), _) => first.to_owned(),
        (None, _) => String::new(),
    }
}

/// Created files whose content was that of a deleted one, mostly.
fn moves(changes: &[FileChange<'_>]) -> Vec<Reason> {
    let deleted: Vec<_> = changes.iter().filter(|change| change.after.is_none()).collect();
    let created = changes.iter().filter(|change| change.before.is_none());
    let moved = created.filter_map(|change| Some((change, deleted.iter().find(|from| is_like(from, change))?)));
    moved.map(|(to, from)| reason(3, format!("moves `{}` here", from.path), to.place(None))).collect()
}

/// At least two thirds of the lines are the same.
fn is_like(deleted: &FileChange<'_>, created: &FileChange<'_>) -> bool {
    let mut lines: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut total = 0;
    for line in deleted.removed_lines().filter(|line| !line.bytes.trim_ascii().is_empty()) {
        *lines.entry(line.bytes).or_default() += 1;
        total += 1;
    }
    let mut common = 0;
    for line in created.added_lines() {
        if let Some(count) = lines.get_mut(line.bytes).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    total > 0 && common * 3 >= total * 2
}

/// The logarithm of the lines that are added: of all that can be counted, it tells most about what will break later. Blank
/// lines and documentation break nothing, tests and what tools write hardly anything.
fn spread(changes: &[FileChange<'_>]) -> Option<Reason> {
    let counted: Vec<(u64, &FileChange<'_>)> = changes.iter().map(|change| (weight(change), change)).collect();
    let total = counted.iter().map(|(weight, _)| weight).sum::<u64>() / TESTS;
    // Of equals the first, so that the place does not change.
    let (_, largest) = counted.iter().rev().max_by_key(|(weight, _)| *weight)?;
    let points = doublings(total, 2);
    let moved = match changes.iter().map(|change| change.moved_lines).sum::<u64>() {
        0 => String::new(),
        moved => format!(", {moved} of them moved"),
    };
    let message = match total {
        1 => "adds a line".to_owned(),
        _ => format!("adds {total} lines (of tests a quarter){moved}, most of them here"),
    };
    (points > 0).then(|| reason(points, message, largest.place(None)))
}

/// The lines that a file adds, in quarters.
fn weight(change: &FileChange<'_>) -> u64 {
    let prose = || change.path.parts().rev().skip(1).any(|part| PROSE.contains(&part.to_ascii_lowercase().as_str()));
    let locks = || kind_of(change.path.name()).is_some_and(Kind::is_lock);
    let worth = match change.role {
        Role::Docs => return 0,
        Role::Test | Role::Foreign => 1,
        Role::Manifest if locks() => 1,
        Role::Source => TESTS,
        _ if prose() => return 0,
        _ => TESTS,
    };
    worth * change.added_lines().filter(|line| !line.bytes.trim_ascii().is_empty()).count() as u64
}
