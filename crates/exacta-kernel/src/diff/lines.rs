//! What changes between two contents, line by line.

use super::compare::compare;
use crate::facts::FileContent;
use crate::prelude::*;
use core::ops::Range;
use similar::DiffOp;

/// Lines of context around a change, as git shows it.
pub(super) const CONTEXT: usize = 3;

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
    Script::new(bytes(before), bytes(after)).line_changes()
}

/// How the lines of one content become those of another: worked out once, used by everything that shows or judges them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// Bytes at the beginning and the end that both have and nobody looks at.
    trimmed: (usize, usize),
    ops: Vec<DiffOp>,
}

impl Comparison {
    pub(crate) fn of(before: Option<&FileContent>, after: Option<&FileContent>) -> Self {
        let (before, after) = (bytes(before), bytes(after));
        let trimmed = trim(before, after);
        let (_, old, new) = differing(before, after, trimmed);
        Self { trimmed, ops: compare(&old, &new) }
    }

    /// The lines that came and went between the contents it was made from.
    pub(crate) fn line_changes<'a>(
        &self,
        before: Option<&'a FileContent>,
        after: Option<&'a FileContent>,
    ) -> Vec<LineChange<'a>> {
        self.script(before, after).line_changes()
    }

    pub(super) fn script<'a>(&self, before: Option<&'a FileContent>, after: Option<&'a FileContent>) -> Script<'a> {
        let (skipped, old, new) = differing(bytes(before), bytes(after), self.trimmed);
        Script { skipped, old, new, ops: self.ops.clone() }
    }
}

/// How many lines came and went.
#[must_use]
pub fn stat(before: Option<&FileContent>, after: Option<&FileContent>) -> (u64, u64) {
    let script = Script::new(bytes(before), bytes(after));
    let changed = script.ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changed.fold((0, 0), |(added, removed), op| {
        (added + op.new_range().len() as u64, removed + op.old_range().len() as u64)
    })
}

pub(super) fn bytes(content: Option<&FileContent>) -> &[u8] {
    content.map_or(&[], FileContent::bytes)
}

/// The lines that differ, a little of what surrounds them, and how the old ones become the new ones.
pub(super) struct Script<'a> {
    /// Equal lines before the first of `old` and `new`.
    pub(super) skipped: usize,
    /// With their line feeds; the last one may have none.
    pub(super) old: Vec<&'a [u8]>,
    /// With their line feeds; the last one may have none.
    pub(super) new: Vec<&'a [u8]>,
    /// Indices into `old` and `new`.
    pub(super) ops: Vec<DiffOp>,
}

impl<'a> Script<'a> {
    pub(super) fn new(before: &'a [u8], after: &'a [u8]) -> Self {
        if before == after {
            return Self { skipped: 0, old: Vec::new(), new: Vec::new(), ops: Vec::new() };
        }
        let (skipped, old, new) = differing(before, after, trim(before, after));
        let ops = compare(&old, &new);
        Self { skipped, old, new, ops }
    }

    fn line_changes(&self) -> Vec<LineChange<'a>> {
        let mut changes = Vec::new();
        for op in self.ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
            changes.extend(self.removed(op).chain(self.added(op)));
        }
        changes
    }

    fn removed(&self, op: &DiffOp) -> impl Iterator<Item = LineChange<'a>> {
        self.changes(ChangeKind::Removed, &self.old, op.old_range())
    }

    fn added(&self, op: &DiffOp) -> impl Iterator<Item = LineChange<'a>> {
        self.changes(ChangeKind::Added, &self.new, op.new_range())
    }

    fn changes(
        &self,
        kind: ChangeKind,
        lines: &[&'a [u8]],
        range: Range<usize>,
    ) -> impl Iterator<Item = LineChange<'a>> {
        let first = (self.skipped + range.start + 1) as u64;
        let lines = lines.get(range).unwrap_or_default().iter();
        (first..).zip(lines).map(move |(line, bytes)| LineChange { kind, line, bytes: without_feed(bytes) })
    }
}

/// The lines between what is trimmed, and how many come before them.
fn differing<'a>(
    before: &'a [u8],
    after: &'a [u8],
    (start, end): (usize, usize),
) -> (usize, Vec<&'a [u8]>, Vec<&'a [u8]>) {
    if before == after {
        return (0, Vec::new(), Vec::new());
    }
    let between = |bytes: &'a [u8]| bytes.get(start..bytes.len().saturating_sub(end)).unwrap_or_default();
    (lines_in(before.get(..start).unwrap_or_default()), split(between(before)), split(between(after)))
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

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    blocks + a.iter().skip(blocks).zip(b.iter().skip(blocks)).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
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

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes).map(|at| at + 1).chain([bytes.len()]) {
        lines.extend(bytes.get(start..end).filter(|line| !line.is_empty()));
        start = end;
    }
    lines
}
