//! Dependency changes: other people's code that comes, goes or changes.

use super::reason;
use crate::assess::Reason;
use crate::path::RelPath;
use crate::prelude::*;
use crate::scan::dependency::format_of;
use crate::scan::{DependencyChange, DependencyKind};

/// In a manifest +8 added, +6 removed, +4 another version, +8 another source; in a lock file +1 each, +8 for other content of the same
/// version.
/// On top +10 for a source that was not used before, +10 for a name that resembles a well-known one, +5 for a script that runs
/// when it is installed.
pub(super) fn reasons(changes: &[DependencyChange]) -> Vec<Reason> {
    changes.iter().map(one).collect()
}

fn one(change: &DependencyChange) -> Reason {
    let path = RelPath::parse(&change.manifest).ok();
    let locked = path.and_then(|path| format_of(&path)).is_some_and(|format| format.is_lock());
    let (points, verb) = match change.change {
        DependencyKind::Added => (8, "adds"),
        DependencyKind::Removed => (6, "removes"),
        DependencyKind::Version => (4, "changes the version of"),
        DependencyKind::Source => (8, "changes where a package comes from:"),
        DependencyKind::Content => (8, "changes what is taken for a version of"),
    };
    let other = change.content.is_some();
    let mut points = if locked && !other { 1 } else { points };
    let mut message = format!("{verb} `{}`{}", change.name, if locked { " in a lock file" } else { "" });
    if let Some(source) = &change.new_source {
        points += 10;
        message.push_str(&format!("; from a source that was not used before: {source}"));
    }
    if let Some(content) = &change.content {
        message.push_str(&format!("; {content}"));
    }
    if let Some(known) = &change.resembles {
        points += 10;
        message.push_str(&format!("; its name resembles the well-known `{known}`"));
    }
    if change.runs_script {
        points += 5;
        message.push_str("; it runs a script of its own when it is installed");
    }
    reason(points, message, change.place.clone())
}
