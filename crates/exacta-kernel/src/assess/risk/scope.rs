//! Refactoring scope: how far a change reaches across the project.

use super::size::{Gain, LIGHT, largest};
use super::{doublings, reason};
use crate::assess::Reason;
use crate::path::RelPath;
use crate::prelude::*;
use crate::scan::change::FileChange;

/// Folders that hold one component each.
const CONTAINERS: &[&str] = &[
    "crates", "packages", "apps", "libs", "services", "modules", "src", "projects", "plugins", "cmd", "internal", "pkg",
];

/// Existing files: +1 each after the fifth, +1 for each folder after the first. All files: +2 for each component after
/// the first, +3 a move. Lines: +3 for every doubling of those that are added.
pub(super) fn reasons(changes: &[FileChange<'_>], gains: &[Gain<'_>]) -> Vec<Reason> {
    let existing: Vec<_> = changes.iter().filter(|change| change.before.is_some()).collect();
    let mut reasons = Vec::new();
    reasons.extend(beyond(&existing, 5, 1, "one more existing file", |path| path.to_string()));
    reasons.extend(beyond(&existing, 1, 1, "another folder", |path| {
        path.parent().map_or_else(String::new, |folder| folder.to_string())
    }));
    reasons.extend(beyond(&changes.iter().collect::<Vec<_>>(), 1, 2, "another component", component));
    reasons.extend(moves(changes));
    reasons.extend(spread(changes, gains));
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

/// The logarithm of the lines that are added: of all that can be counted, it tells most about what will break later. Tests and
/// what tools write break hardly anything.
fn spread(changes: &[FileChange<'_>], gains: &[Gain<'_>]) -> Option<Reason> {
    let lines = |light: bool| gains.iter().filter(move |gain| gain.light == light).map(|gain| gain.lines).sum::<u64>();
    let (code, light) = (lines(false), lines(true));
    let points = doublings(code + light / LIGHT, 3);
    let besides = if light > 0 { format!(" and {light} of tests or generated") } else { String::new() };
    let moved = match changes.iter().map(|change| change.moved_lines).sum::<u64>() {
        0 => String::new(),
        moved => format!(", {moved} of them moved"),
    };
    let message = match (code, light) {
        (1, 0) => "adds a line".to_owned(),
        _ => format!("adds {code} lines{besides}{moved}, most of them here"),
    };
    let place = largest(gains).filter(|_| points > 0)?.place(None);
    Some(reason(points, message, place))
}
