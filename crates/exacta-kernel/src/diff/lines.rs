//! What changes between two contents, line by line.

use super::compare::{compare, replaced};
use crate::facts::FileContent;
use crate::prelude::*;
use core::ops::Range;
use similar::DiffOp;

/// Lines of context around a change, as git shows it.
pub(super) const CONTEXT: usize = 3;

/// The most lines of both sides that are compared one by one. Beyond, what lies between the first and the last change counts
/// as replaced: right, if not the shortest, and the memory stays in proportion to the contents.
const MOST_LINES: usize = 1 << 21;

/// Whether a line came or went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// In the new content only.
    Added,
    /// In the old content only.
    Removed,
}

/// One line that came or went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineChange<'a> {
    /// Whether it came or went.
    pub kind: ChangeKind,
    /// Its number, from 1: in the new file if it was added, in the old one if it was removed.
    pub line: u64,
    /// The line without its line feed. A carriage return before it is part of the line.
    pub bytes: &'a [u8],
}

/// The lines that came and went, in the order of the file, at each place the removed before the added ones.
#[must_use]
pub fn line_changes<'a>(before: Option<&'a FileContent>, after: Option<&'a FileContent>) -> Vec<LineChange<'a>> {
    Comparison::of(before, after).line_changes(before, after, usize::MAX)
}

/// How many lines came and went.
#[must_use]
pub fn stat(before: Option<&FileContent>, after: Option<&FileContent>) -> (u64, u64) {
    Comparison::of(before, after).stat()
}

/// A part of a new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Bytes of the old content.
    Kept(Range<usize>),
    /// Bytes of the new content that the old one does not give.
    New(Range<usize>),
}

impl Piece {
    fn is_empty(&self) -> bool {
        let (Self::Kept(range) | Self::New(range)) = self;
        range.is_empty()
    }
}

/// How the lines of one content become those of another: worked out once, used by everything that shows or judges them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// Equal lines before the first that is looked at.
    pub(super) skipped: usize,
    old: Lines,
    new: Lines,
    /// How the old lines that are looked at become the new ones.
    pub(super) ops: Vec<DiffOp>,
}

impl Comparison {
    pub(crate) fn of(before: Option<&FileContent>, after: Option<&FileContent>) -> Self {
        let (before, after) = (bytes(before), bytes(after));
        if before == after {
            return Self::default();
        }
        let (start, end) = trim(before, after);
        let comparison = Self::between(before, after, start, end);
        // A line that comes or goes among others like it can move, and so to where lines were left out.
        let has_context = |op: Option<&DiffOp>| matches!(op, Some(DiffOp::Equal { len, .. }) if *len >= CONTEXT);
        let starts = start == 0 || has_context(comparison.ops.first());
        let ends = end == 0 || has_context(comparison.ops.last());
        if starts && ends { comparison } else { Self::between(before, after, 0, 0) }
    }

    fn between(before: &[u8], after: &[u8], start: usize, end: usize) -> Self {
        let (old, new) = (Lines::between(before, start, end), Lines::between(after, start, end));
        let ops = if old.count == 0 || new.count == 0 || old.count + new.count > MOST_LINES {
            let same = old.all(before).zip(new.all(after)).take_while(|(old, new)| old == new).count();
            replaced(old.count, new.count, same, if end == 0 { 0 } else { CONTEXT })
        } else {
            compare(old.all(before), new.all(after))
        };
        Self { skipped: lines_in(before.get(..start).unwrap_or_default()), old, new, ops }
    }

    /// The lines that came and went between the contents it was made from: of each kind the first, up to a number.
    pub(crate) fn line_changes<'a>(
        &self,
        before: Option<&'a FileContent>,
        after: Option<&'a FileContent>,
        most: usize,
    ) -> Vec<LineChange<'a>> {
        let mut changes = Vec::new();
        let (mut come, mut gone) = (most, most);
        for op in self.changed() {
            let (old, new) = (self.old_lines(bytes(before), op), self.new_lines(bytes(after), op));
            changes.extend(self.changes(ChangeKind::Removed, old, op.old_range()).take(gone));
            changes.extend(self.changes(ChangeKind::Added, new, op.new_range()).take(come));
            gone = gone.saturating_sub(op.old_range().len());
            come = come.saturating_sub(op.new_range().len());
        }
        changes
    }

    /// The added lines in runs: the number of the first, and where they are in the new content, line feeds included.
    pub(crate) fn added_runs(&self, after: &[u8]) -> Vec<(u64, Range<usize>)> {
        let mut runs: Vec<(u64, Range<usize>)> = Vec::new();
        for lines in self.changed().map(DiffOp::new_range).filter(|lines| !lines.is_empty()) {
            let place = self.new.start_of(after, lines.start)..self.new.start_of(after, lines.end);
            match runs.last_mut() {
                Some((_, last)) if last.end == place.start => last.end = place.end,
                _ => runs.push(((self.skipped + lines.start + 1) as u64, place)),
            }
        }
        runs
    }

    /// How the new content is put together: what stays of the old one, by its place there, and what comes.
    pub(crate) fn pieces(&self, before: Option<&FileContent>, after: Option<&FileContent>) -> Vec<Piece> {
        let (before, after) = (bytes(before), bytes(after));
        let mut pieces = Vec::new();
        let mut kept = 0;
        for op in self.changed() {
            let (old, new) = self.places(before, after, op);
            let (gone, come) =
                (before.get(old.clone()).unwrap_or_default(), after.get(new.clone()).unwrap_or_default());
            let start = common_prefix(gone, come);
            let end = common_suffix(gone, come).min(gone.len().min(come.len()) - start);
            pieces.push(Piece::Kept(kept..old.start + start));
            pieces.push(Piece::New(new.start + start..new.end - end));
            kept = old.end - end;
        }
        pieces.push(Piece::Kept(kept..before.len()));
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    /// Where an operation's lines are in the old content and in the new one.
    pub(super) fn places(&self, before: &[u8], after: &[u8], op: &DiffOp) -> (Range<usize>, Range<usize>) {
        let old = self.old.start_of(before, op.old_range().start)..self.old.start_of(before, op.old_range().end);
        let new = self.new.start_of(after, op.new_range().start)..self.new.start_of(after, op.new_range().end);
        (old, new)
    }

    /// The same comparison over contents that have other bytes in the same lines.
    pub(super) fn over(&self, before: &[u8], after: &[u8]) -> Self {
        let lines = |bytes: &[u8], count: usize| {
            let start = if self.skipped == 0 { 0 } else { nth_line(bytes, self.skipped) };
            let rest = bytes.get(start..).unwrap_or_default();
            let length = if count == 0 { 0 } else { nth_line(rest, count) };
            Lines::between(bytes, start, rest.len() - length)
        };
        let (old, new) = (lines(before, self.old.count), lines(after, self.new.count));
        Self { skipped: self.skipped, old, new, ops: self.ops.clone() }
    }

    /// How many lines came and went.
    pub(crate) fn stat(&self) -> (u64, u64) {
        self.changed().fold((0, 0), |(added, removed), op| {
            (added + op.new_range().len() as u64, removed + op.old_range().len() as u64)
        })
    }

    /// An operation's old lines with their line feeds; the last one of a content may have none.
    pub(super) fn old_lines<'a>(&self, before: &'a [u8], op: &DiffOp) -> impl Iterator<Item = &'a [u8]> {
        self.old.of(before, op.old_range())
    }

    /// Its new lines.
    pub(super) fn new_lines<'a>(&self, after: &'a [u8], op: &DiffOp) -> impl Iterator<Item = &'a [u8]> {
        self.new.of(after, op.new_range())
    }

    fn changed(&self) -> impl Iterator<Item = &DiffOp> {
        self.ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }))
    }

    fn changes<'a>(
        &self,
        kind: ChangeKind,
        lines: impl Iterator<Item = &'a [u8]>,
        range: Range<usize>,
    ) -> impl Iterator<Item = LineChange<'a>> {
        let first = (self.skipped + range.start + 1) as u64;
        (first..).zip(lines).map(move |(line, bytes)| LineChange { kind, line, bytes: without_feed(bytes) })
    }
}

/// Where the lines of a piece of a content are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Lines {
    /// How many there are.
    count: usize,
    /// Where the last one ends.
    end: usize,
    /// Of how many lines one place is kept.
    stride: usize,
    /// Where the first begins, and so on.
    starts: Vec<usize>,
}

/// The largest piece of which the place of every line is kept. They can take eight times the piece.
const DENSE: usize = 1 << 20;
/// Of how many lines one place is kept in a larger one.
const STRIDE: usize = 64;

impl Lines {
    /// The lines without a number of bytes at the start and at the end.
    fn between(bytes: &[u8], start: usize, end: usize) -> Self {
        let end = bytes.len().saturating_sub(end);
        let piece = bytes.get(start..end).unwrap_or_default();
        let open = piece.last().is_some_and(|byte| *byte != b'\n');
        let stride = if piece.len() <= DENSE { 1 } else { STRIDE };
        let mut starts = Vec::with_capacity(1 + piece.len() / (32 * stride));
        let mut count = 0;
        starts.push(start);
        for feed in memchr::memchr_iter(b'\n', piece) {
            count += 1;
            if stride == 1 || count % STRIDE == 0 {
                starts.push(start + feed + 1);
            }
        }
        Self { count: count + usize::from(open), end, stride, starts }
    }

    /// Where a line begins, or where all end.
    fn start_of(&self, bytes: &[u8], line: usize) -> usize {
        if line >= self.count {
            return self.end;
        }
        if self.stride == 1 {
            return self.starts.get(line).copied().unwrap_or(self.end);
        }
        let start = self.starts.get(line / STRIDE).copied().unwrap_or(self.end);
        let rest = bytes.get(start..self.end).unwrap_or_default();
        match (line % STRIDE).checked_sub(1) {
            None => start,
            Some(passed) => memchr::memchr_iter(b'\n', rest).nth(passed).map_or(self.end, |feed| start + feed + 1),
        }
    }

    fn all<'a>(&self, bytes: &'a [u8]) -> LineIter<'a> {
        self.of(bytes, 0..self.count)
    }

    fn of<'a>(&self, bytes: &'a [u8], range: Range<usize>) -> LineIter<'a> {
        let piece = bytes.get(self.start_of(bytes, range.start)..self.end).unwrap_or_default();
        LineIter { piece, feeds: memchr::memchr_iter(b'\n', piece), start: 0, left: range.len() }
    }
}

/// Lines with their line feeds; the last one may have none.
#[derive(Clone)]
struct LineIter<'a> {
    piece: &'a [u8],
    feeds: memchr::Memchr<'a>,
    start: usize,
    left: usize,
}

impl<'a> Iterator for LineIter<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let end = self.feeds.next().map_or(self.piece.len(), |feed| feed + 1);
        let line = self.piece.get(self.start..end);
        self.start = end;
        line
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

pub(super) fn bytes(content: Option<&FileContent>) -> &[u8] {
    content.map_or(&[], FileContent::bytes)
}

/// A line without its line feed.
pub(super) fn without_feed(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The bytes of whole lines that both contents begin and end with, less some context.
fn trim(before: &[u8], after: &[u8]) -> (usize, usize) {
    let prefix = common_prefix(before, after);
    let start = nth_line_back(before.get(..prefix).unwrap_or_default(), CONTEXT);
    let (before, after) = (before.get(start..).unwrap_or_default(), after.get(start..).unwrap_or_default());
    let shorter = before.len().min(after.len());
    let suffix = common_suffix(before, after).min(shorter);
    let tail = before.get(before.len() - suffix..).unwrap_or_default();
    // The first line of the common end may begin differently; then come the lines of context.
    let end = tail.len() - nth_line(tail, CONTEXT + 1);
    (start, end)
}

pub(super) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    blocks + a.iter().skip(blocks).zip(b.iter().skip(blocks)).take_while(|(a, b)| a == b).count()
}

pub(super) fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Where the line begins that is `count` whole lines before the last, unfinished one.
fn nth_line_back(bytes: &[u8], count: usize) -> usize {
    memchr::memrchr_iter(b'\n', bytes).nth(count).map_or(0, |at| at + 1)
}

/// Where the line after the first `count` lines begins, or the end.
fn nth_line(bytes: &[u8], count: usize) -> usize {
    memchr::memchr_iter(b'\n', bytes).nth(count.saturating_sub(1)).map_or(bytes.len(), |at| at + 1)
}

fn lines_in(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}
