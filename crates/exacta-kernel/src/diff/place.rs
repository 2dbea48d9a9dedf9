//! Where the hunks of a diff belong in a file.
//!
//! Either every line number is right: all hunks fit exactly where they say. Or the numbers count for nothing, and every hunk
//! must fit in exactly one place of the whole file. There is nothing between, so a hunk never lands in the nearest of two
//! places that look alike.
//!
//! A hunk that adds lines at its very beginning or end has no context there to tell whether the file has them already. Where it
//! has, the change was made before, unless the file is known to be the one that the diff was made from.

use super::error::{DiffError, Misfit};
use super::locate;
use super::parse::{Hunk, Line, Side};
use crate::prelude::*;
use core::ops::Range;

/// What is known of the file that a diff is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Base {
    /// It may have changed since the diff was made.
    #[default]
    Unknown,
    /// It is the very one that the diff was made from.
    Seen,
}

/// The bytes that each hunk replaces: in order, without overlap, whole lines.
pub(super) fn places(hunks: &[Hunk<'_>], before: &[u8], base: Base) -> Result<Vec<Range<usize>>, DiffError> {
    let (found, numbered) = match as_numbered(hunks, before) {
        Some(found) => (found, true),
        None => (anywhere(hunks, before)?, false),
    };
    let mut free = 0;
    for (index, (hunk, place)) in hunks.iter().zip(&found).enumerate() {
        // Only an empty file has an empty place, and room for one hunk.
        if place.start < free || (place.is_empty() && index > 0) {
            return Err(misfit(hunk, Misfit::Overlap));
        }
        if hunk.new_lines().next_back().is_some_and(|last| !last.feed) && place.end != before.len() {
            return Err(misfit(hunk, Misfit::Newline));
        }
        if base == Base::Unknown && is_there(hunk, place, before, numbered) {
            return Err(DiffError::Applied);
        }
        free = place.end;
    }
    Ok(found)
}

/// Whether the file is already as the hunks would leave it.
pub(super) fn is_applied(hunks: &[Hunk<'_>], before: &[u8]) -> bool {
    let reversed: Vec<Hunk<'_>> = hunks.iter().map(Hunk::reversed).collect();
    places(&reversed, before, Base::Seen).is_ok()
}

/// Whether the old lines of one hunk are where its old line number says.
pub(super) fn is_as_numbered(hunk: &Hunk<'_>, before: &[u8]) -> bool {
    let mut walk = Walk { file: before, offset: 0, line: 0 };
    let start = walk.go_to(first_line(hunk.old_start, hunk.old_count));
    hunk.old_count > 0 && start.and_then(|start| fits(hunk, before.get(start..)?)).is_some()
}

/// Whether the lines that the hunk adds at its beginning or its end are there already, beside its place. Added at the beginning,
/// they would have moved the place: then right numbers tell that they are others.
fn is_there(hunk: &Hunk<'_>, place: &Range<usize>, before: &[u8], numbered: bool) -> bool {
    let adds = |line: Option<&Line<'_>>| line.is_some_and(|line| line.side == Side::New);
    let (first, last) = (adds(hunk.lines.first()) && !numbered, adds(hunk.lines.last()));
    let mut new = Vec::new();
    hunk.new_lines().filter(|_| first || last).for_each(|line| line.push_to(&mut new));
    if new.len() <= place.len() {
        return false;
    }
    let from = before.get(place.start..).unwrap_or_default();
    let up_to = before.get(..place.end).and_then(|file| file.strip_suffix(new.as_slice()));
    (last && from.starts_with(&new)) || (first && up_to.is_some_and(|file| file.is_empty() || file.ends_with(b"\n")))
}

fn misfit(hunk: &Hunk<'_>, misfit: Misfit) -> DiffError {
    DiffError::Context { line: hunk.line, misfit }
}

/// The places that the line numbers name, if all numbers agree with each other and all hunks fit there.
fn as_numbered(hunks: &[Hunk<'_>], before: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut walk = Walk { file: before, offset: 0, line: 0 };
    // How far new numbers are ahead of old ones, kept as two counts.
    let (mut old_lines, mut new_lines) = (0, 0);
    let mut places = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        let old = first_line(hunk.old_start, hunk.old_count);
        let new = first_line(hunk.new_start, hunk.new_count);
        if old + new_lines != new + old_lines || (hunk.old_count == 0 && !before.is_empty()) {
            return None;
        }
        let start = walk.go_to(old)?;
        let end = start + fits(hunk, before.get(start..)?)?;
        (walk.offset, walk.line) = (end, old + hunk.old_count);
        (old_lines, new_lines) = (old_lines + hunk.old_count, new_lines + hunk.new_count);
        places.push(start..end);
    }
    Some(places)
}

/// How many lines come before the hunk: a hunk without lines on a side names the line before it.
const fn first_line(start: usize, count: usize) -> usize {
    if count == 0 { start } else { start.saturating_sub(1) }
}

/// The length of the hunk's old lines, if the file begins with them.
fn fits(hunk: &Hunk<'_>, file: &[u8]) -> Option<usize> {
    let rest = hunk.old_lines().try_fold(file, |file, line| line.strip(file))?;
    Some(file.len() - rest.len())
}

/// A way through a file, forward only.
struct Walk<'f> {
    file: &'f [u8],
    offset: usize,
    /// Lines before `offset`.
    line: usize,
}

impl Walk<'_> {
    /// Where the line begins that has this many before it.
    fn go_to(&mut self, line: usize) -> Option<usize> {
        let Some(back) = line.checked_sub(self.line)?.checked_sub(1) else { return Some(self.offset) };
        let rest = self.file.get(self.offset..)?;
        self.offset += memchr::memchr_iter(b'\n', rest).nth(back)? + 1;
        self.line = line;
        Some(self.offset)
    }
}

/// The one place of each hunk in the whole file.
fn anywhere(hunks: &[Hunk<'_>], before: &[u8]) -> Result<Vec<Range<usize>>, DiffError> {
    if let Some(hunk) = hunks.iter().find(|hunk| hunk.old_count == 0 && !before.is_empty()) {
        return Err(misfit(hunk, Misfit::NoContext));
    }
    let texts: Vec<Vec<u8>> = hunks.iter().map(old_text).collect();
    let mut later = after_a_line(hunks, &texts, before)?.into_iter();
    let mut places = Vec::with_capacity(hunks.len());
    for (hunk, text) in hunks.iter().zip(&texts) {
        let text = text.strip_prefix(b"\n").unwrap_or_default();
        let start = if is_open(hunk) {
            at_end(text, before)
        } else {
            match (before.starts_with(text), later.next().flatten()) {
                (true, Some(second)) => return Err(ambiguous(hunk, before, 0, second)),
                (true, None) => Some(0),
                (false, later) => later,
            }
        };
        let start = start.ok_or_else(|| misfit(hunk, difference(hunk, before)))?;
        places.push(start..start + text.len());
    }
    Ok(places)
}

/// The hunk's old lines, after the line feed that precedes them everywhere but at the start of a file: so that they are
/// found at the beginning of lines only.
fn old_text(hunk: &Hunk<'_>) -> Vec<u8> {
    let mut text = vec![b'\n'];
    hunk.old_lines().for_each(|line| line.push_to(&mut text));
    text
}

/// Whether the hunk's old lines end with one that has no line feed, and so can only be the end of a file.
fn is_open(hunk: &Hunk<'_>) -> bool {
    hunk.old_lines().next_back().is_some_and(|last| !last.feed)
}

fn at_end(text: &[u8], before: &[u8]) -> Option<usize> {
    let rest = before.strip_suffix(text)?;
    (rest.is_empty() || rest.ends_with(b"\n")).then_some(rest.len())
}

/// The one place of each hunk that is not open, but for the very start of the file.
fn after_a_line(hunks: &[Hunk<'_>], texts: &[Vec<u8>], before: &[u8]) -> Result<Vec<Option<usize>>, DiffError> {
    let (hunks, texts): (Vec<_>, Vec<_>) = hunks.iter().zip(texts).filter(|(hunk, _)| !is_open(hunk)).unzip();
    match locate::each_once(&texts, before) {
        Ok(places) => Ok(places.into_iter().map(|place| place.map(|feed| feed + 1)).collect()),
        Err(twice) => match hunks.get(twice.index) {
            Some(hunk) => Err(ambiguous(hunk, before, twice.first + 1, twice.second + 1)),
            None => Ok(Vec::new()),
        },
    }
}

fn ambiguous(hunk: &Hunk<'_>, before: &[u8], first: usize, second: usize) -> DiffError {
    misfit(hunk, Misfit::Ambiguous { first: line_at(before, first), second: line_at(before, second) })
}

/// The number of the line that begins at this offset.
pub(super) fn line_at(file: &[u8], offset: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', file.get(..offset).unwrap_or_default()).count()
}

/// The first difference between the hunk's old lines and the file, where the hunk says it belongs.
fn difference(hunk: &Hunk<'_>, before: &[u8]) -> Misfit {
    let first = first_line(hunk.old_start, hunk.old_count);
    let mut walk = Walk { file: before, offset: 0, line: 0 };
    let mut rest = walk.go_to(first).and_then(|start| before.get(start..)).unwrap_or_default();
    for (line, file_line) in hunk.old_lines().zip(first + 1..) {
        match line.strip(rest) {
            Some(after) => rest = after,
            None if line.feed && rest == line.text => return Misfit::NoNewline,
            None if !line.feed && rest.strip_suffix(b"\n") == Some(line.text) => return Misfit::Newline,
            None => return Misfit::Differs { diff_line: line.number, file_line },
        }
    }
    // Everything fits there, so the numbers of another hunk are wrong and this one has no other place.
    Misfit::Overlap
}
