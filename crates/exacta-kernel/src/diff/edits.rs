//! Replacements: each text is found exactly once in the content before all of them.

use super::error::{DiffError, Misfit};
use super::locate;
use super::place::line_at;
use crate::prelude::*;
use crate::proposal::Edit;

/// The content with all edits made.
pub(super) fn apply(edits: &[Edit], before: &[u8]) -> Result<Vec<u8>, DiffError> {
    let error = |index: usize, misfit| DiffError::Edit { number: index + 1, misfit };
    if let Some(index) = edits.iter().position(|edit| edit.find.is_empty()) {
        return Err(error(index, Misfit::NoContext));
    }
    let finds: Vec<&str> = edits.iter().map(|edit| edit.find.as_str()).collect();
    let found = locate::each_once(&finds, before).map_err(|twice| {
        let (first, second) = (line_at(before, twice.first), line_at(before, twice.second));
        error(twice.index, Misfit::Ambiguous { first, second })
    })?;
    let mut places = Vec::with_capacity(edits.len());
    for (index, (edit, place)) in edits.iter().zip(found).enumerate() {
        places.push((place.ok_or_else(|| error(index, Misfit::Absent))?, index, edit));
    }
    places.sort_by_key(|(start, index, _)| (*start, *index));
    let mut after = Vec::with_capacity(before.len());
    let mut copied = 0;
    for (start, index, edit) in places {
        let kept = before.get(copied..start).ok_or_else(|| error(index, Misfit::Overlap))?;
        after.extend_from_slice(kept);
        after.extend_from_slice(edit.replace.as_bytes());
        copied = start + edit.find.len();
    }
    after.extend_from_slice(before.get(copied..).unwrap_or_default());
    Ok(after)
}
