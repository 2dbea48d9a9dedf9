//! Every edit and hunk of a change that does not fit, and what in the file is nearest to it.
//!
//! Only the report: whether a change fits was decided before, by [`super::materialise_on`].

use super::error::{DiffError, Misfit};
use super::near::{Near, nearest};
use super::parse::{self, Hunk};
use super::place::{self, line_at};
use crate::finding::Finding;
use crate::prelude::*;
use crate::proposal::{Edit, Payload};
use memchr::memmem;

/// How many misfits of one step are told.
const MOST: usize = 32;
/// How many bytes of the file are looked at in all; beyond that, the misfit that stopped the change is all that is told.
const BUDGET: usize = 64 << 20;

/// One edit or hunk that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misplaced {
    /// The edit's place in its list, from 0; none for a hunk.
    pub edit: Option<usize>,
    /// Why it does not fit.
    pub error: DiffError,
    /// What in the file is like it.
    pub near: Option<Near>,
}

impl Misplaced {
    /// The same as a finding; the caller adds the step and the path.
    #[must_use]
    pub fn into_finding(self) -> Finding {
        let Some(near) = self.near else { return self.error.into_finding() };
        Finding::new(self.error.code(), format!("{}; {near}", self.error), near.hint())
    }
}

/// All that does not fit of a change that failed with `error`; never empty.
#[must_use]
pub fn explain(error: DiffError, payload: Option<&Payload>, before: &[u8]) -> Vec<Misplaced> {
    let found = match (&error, payload) {
        (DiffError::Edit { .. }, Some(Payload::Edits(list))) => edits(list, before),
        (DiffError::Context { .. }, Some(Payload::Diff(diff))) => hunks(diff, before),
        _ => Vec::new(),
    };
    if found.is_empty() { vec![Misplaced { edit: error.edit(), error, near: None }] } else { found }
}

fn edits(edits: &[Edit], before: &[u8]) -> Vec<Misplaced> {
    let each = BUDGET / before.len().max(1);
    let mut found = Vec::new();
    let mut placed = Vec::new();
    for (index, edit) in edits.iter().enumerate().take(each) {
        match one_place(&edit.find, before) {
            Ok(start) => placed.push((start, start + edit.find.len(), index)),
            Err(misfit) => {
                let absent = misfit == Misfit::Absent;
                let near = absent.then(|| beside(edit, before)).flatten();
                found.push(misplaced(index, misfit, near));
            }
        }
    }
    placed.sort_unstable();
    for pair in placed.windows(2) {
        if let [(_, end, _), (start, _, later)] = pair
            && start < end
        {
            found.push(misplaced(*later, Misfit::Overlap, None));
        }
    }
    found.sort_by_key(|it| it.edit);
    found.truncate(MOST);
    found
}

fn misplaced(index: usize, misfit: Misfit, near: Option<Near>) -> Misplaced {
    Misplaced { edit: Some(index), error: DiffError::Edit { number: index + 1, misfit }, near }
}

/// Where a text begins, if that is in one place.
fn one_place(find: &str, before: &[u8]) -> Result<usize, Misfit> {
    if find.is_empty() {
        return Err(Misfit::NoContext);
    }
    let first = memmem::find(before, find.as_bytes()).ok_or(Misfit::Absent)?;
    let rest = before.get(first + 1..).unwrap_or_default();
    match memmem::find(rest, find.as_bytes()) {
        None => Ok(first),
        Some(next) => {
            Err(Misfit::Ambiguous { first: line_at(before, first), second: line_at(before, first + 1 + next) })
        }
    }
}

/// What the file has instead of the text to find: the replacement, or something like it.
fn beside(edit: &Edit, before: &[u8]) -> Option<Near> {
    let made = memmem::find(before, edit.replace.as_bytes()).filter(|_| edit.replace.trim().len() > 8);
    let lines: Vec<&[u8]> = edit.find.lines().map(str::as_bytes).collect();
    made.map(|at| Near::Made { line: line_at(before, at) }).or_else(|| nearest(&lines, before))
}

fn hunks(diff: &str, before: &[u8]) -> Vec<Misplaced> {
    let Ok(patch) = parse::parse(diff.as_bytes()) else { return Vec::new() };
    let each = BUDGET / before.len().max(1);
    // A hunk that fits where it says has nothing wrong with it, even if it fits elsewhere, too.
    let astray = patch.hunks.iter().take(each).filter(|hunk| !place::is_as_numbered(hunk, before));
    let wrong = astray.filter_map(|hunk| {
        let error = place::places(core::slice::from_ref(hunk), before, place::Base::Seen).err()?;
        Some(in_hunk(hunk, error, before))
    });
    wrong.take(MOST).collect()
}

fn in_hunk(hunk: &Hunk<'_>, error: DiffError, before: &[u8]) -> Misplaced {
    let differs = matches!(error, DiffError::Context { misfit: Misfit::Differs { .. }, .. });
    let lines: Vec<&[u8]> = hunk.old_lines().map(|line| line.text).collect();
    Misplaced { edit: None, error, near: differs.then(|| nearest(&lines, before)).flatten() }
}

impl DiffError {
    /// The place of the edit that it is about.
    const fn edit(&self) -> Option<usize> {
        match self {
            Self::Edit { number, .. } => Some(number.saturating_sub(1)),
            _ => None,
        }
    }
}
