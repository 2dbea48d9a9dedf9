//! Policy boundaries: what runs by itself, what steers tools and agents, who may do what. Touching one makes a plan
//! SYSTEM-LEVEL.

mod content;
mod program;
mod table;

use super::reason;
use crate::assess::Reason;
use crate::prelude::*;
use crate::scan::change::FileChange;
use content::Contents;
use table::Table;

/// Why the plan is SYSTEM-LEVEL, file by file: by name, and by what changes in it.
pub(super) fn reasons(changes: &[FileChange<'_>]) -> Vec<Reason> {
    let (table, contents) = (Table::new(), Contents::new());
    let mut reasons = Vec::new();
    for change in changes {
        if let Some(boundary) = table.find(change.path).filter(|_| !program::is_module(change)) {
            reasons.push(reason(0, format!("{}: {}", boundary.what, boundary.why), change.place(None)));
        }
        reasons.extend(contents.crossed(change).into_iter().map(|(why, line)| reason(0, why, change.place(line))));
    }
    reasons
}
