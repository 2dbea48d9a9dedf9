//! File operations: what is deleted, how many files change at once, and how much of the code that is there.

use super::size::{Gain, largest};
use super::{doublings, reason};
use crate::assess::Reason;
use crate::plan::is_emptied;
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::source::Role;

/// The most that lines in existing code count.
const MOST_FOR_LINES: u32 = 20;

/// +10 a delete (a file that is emptied, or nearly, counts as one); modifies: more than 2 +5, more than 5 +15; +2 for every
/// doubling of the lines that existing code gains, at most 20.
pub(super) fn reasons(changes: &[FileChange<'_>], gains: &[Gain<'_>]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut modifies = Vec::new();
    for change in changes {
        match (change.before, change.after) {
            (_, None) => reasons.push(reason(10, "deletes a file", change.place(None))),
            (Some(_), Some(_)) => {
                modifies.push(change);
                if is_emptied(change.before, change.after) {
                    reasons.push(reason(
                        10,
                        "leaves almost nothing of a file: as good as a deletion",
                        change.place(None),
                    ));
                }
            }
            (None, Some(_)) => {}
        }
    }
    reasons.extend(bulk(&modifies));
    reasons.extend(rewritten(gains));
    reasons
}

/// Code that others rely on already breaks more often than new code.
fn rewritten(gains: &[Gain<'_>]) -> Option<Reason> {
    let existing = |gain: &&Gain<'_>| gain.change.role == Role::Source && gain.change.before.is_some();
    let gains: Vec<Gain<'_>> = gains.iter().filter(existing).copied().collect();
    let lines = gains.iter().map(|gain| gain.lines).sum();
    let points = doublings(lines, 2).min(MOST_FOR_LINES);
    let message = match lines {
        1 => "changes existing code: a line".to_owned(),
        _ => format!("changes existing code: {lines} lines, most of them here"),
    };
    let place = largest(&gains).filter(|_| points > 0)?.place(None);
    Some(reason(points, message, place))
}

fn bulk(modifies: &[&FileChange<'_>]) -> Option<Reason> {
    let (points, from) = match modifies.len() {
        0..=2 => return None,
        3..=5 => (5, 2),
        _ => (15, 5),
    };
    let place = modifies.get(from)?.place(None);
    Some(reason(points, format!("modifies {} files: more than {from}", modifies.len()), place))
}
