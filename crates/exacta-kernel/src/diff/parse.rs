//! A unified diff of exactly one file, read strictly.
//!
//! Line ends of the header lines may be LF or CRLF; in hunks every byte counts. The text must be the diff and nothing
//! else, and the counts in each hunk's header must be right.

use super::error::{DiffError, Form};
use super::header::{self, Header};
use crate::prelude::*;

/// A diff as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Patch<'a> {
    pub(crate) header: Header<'a>,
    pub(crate) hunks: Vec<Hunk<'a>>,
}

/// One place of the file that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk<'a> {
    /// Of its header in the diff, from 1.
    pub(crate) line: usize,
    /// Where its old lines begin in the old file.
    pub(crate) old_start: usize,
    /// How many there are.
    pub(crate) old_count: usize,
    /// Where its new lines begin in the new file.
    pub(crate) new_start: usize,
    /// How many there are.
    pub(crate) new_count: usize,
    pub(crate) lines: Vec<Line<'a>>,
}

/// One line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// In the diff, from 1.
    pub(crate) number: usize,
    pub(crate) side: Side,
    /// Without the line feed.
    pub(crate) text: &'a [u8],
    /// Whether a line feed follows in the file.
    pub(crate) feed: bool,
}

/// Which of the two contents a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Both,
    Old,
    New,
}

impl Side {
    pub(crate) const fn is_old(self) -> bool {
        matches!(self, Self::Both | Self::Old)
    }

    pub(crate) const fn is_new(self) -> bool {
        matches!(self, Self::Both | Self::New)
    }

    const fn reversed(self) -> Self {
        match self {
            Self::Both => Self::Both,
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }
}

impl<'a> Hunk<'a> {
    pub(crate) fn old_lines(&self) -> impl DoubleEndedIterator<Item = &Line<'a>> {
        self.lines.iter().filter(|line| line.side.is_old())
    }

    pub(crate) fn new_lines(&self) -> impl DoubleEndedIterator<Item = &Line<'a>> {
        self.lines.iter().filter(|line| line.side.is_new())
    }

    /// The hunk that takes this one back.
    pub(crate) fn reversed(&self) -> Self {
        let reversed = |line: &Line<'a>| Line { side: line.side.reversed(), ..*line };
        Self {
            line: self.line,
            old_start: self.new_start,
            old_count: self.new_count,
            new_start: self.old_start,
            new_count: self.old_count,
            lines: self.lines.iter().map(reversed).collect(),
        }
    }
}

impl Line<'_> {
    /// Of the line in the file, its line feed included.
    pub(crate) fn size(&self) -> usize {
        self.text.len() + usize::from(self.feed)
    }

    pub(crate) fn push_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.text);
        if self.feed {
            out.push(b'\n');
        }
    }

    /// What of the file follows this line, if the file begins with it.
    pub(crate) fn strip<'f>(&self, file: &'f [u8]) -> Option<&'f [u8]> {
        let rest = file.strip_prefix(self.text)?;
        if self.feed { rest.strip_prefix(b"\n") } else { rest.is_empty().then_some(rest) }
    }
}

/// Reads a diff of one file, and nothing else.
pub(crate) fn parse(text: &[u8]) -> Result<Patch<'_>, DiffError> {
    let mut reader = Reader::new(text);
    if text.is_empty() {
        return Err(reader.invalid("the diff is empty"));
    }
    let patch = one_file(&mut reader)?;
    match reader.peek() {
        None => Ok(patch),
        Some(line) => Err(stray(&reader, line, !patch.hunks.is_empty())),
    }
}

/// Reads the header and the hunks of one file; more may follow.
pub(crate) fn one_file<'a>(reader: &mut Reader<'a>) -> Result<Patch<'a>, DiffError> {
    let header = header::read(reader)?;
    let mut hunks = Vec::new();
    while reader.peek().is_some_and(|line| line.starts_with(b"@@")) {
        hunks.push(hunk(reader)?);
    }
    if hunks.is_empty()
        && let Some(line) = reader.peek()
        && is_binary_mark(line)
    {
        return Err(reader.refused(Form::Binary));
    }
    let whole = header.names.is_none() && (header.changes_mode() || header.moved.is_some());
    match (hunks.is_empty(), header.names.is_some()) {
        (true, _) if !whole => Err(match reader.peek() {
            Some(line) => stray(reader, line, false),
            None => reader.invalid("there is no hunk"),
        }),
        (false, false) => Err(reader.invalid("there is no `---` and `+++` line before the hunks")),
        _ => Ok(Patch { header, hunks }),
    }
}

/// The lines of a diff, with their numbers.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    /// What has not been read.
    pub(crate) rest: &'a [u8],
    /// Of the line that comes next, from 1.
    pub(crate) number: usize,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(text: &'a [u8]) -> Self {
        Self { rest: text, number: 1 }
    }

    /// The next line without its line feed.
    pub(crate) fn peek(&self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        if self.rest.is_empty() { None } else { self.rest.get(..end) }
    }

    /// The next line without its line end, LF or CRLF: for lines that are not the file's own.
    pub(crate) fn peek_header(&self) -> Option<&'a [u8]> {
        self.peek().map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }

    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.peek()?;
        self.pass(line);
        Some(line)
    }

    /// Goes past the line that was just looked at.
    fn pass(&mut self, line: &[u8]) {
        self.rest = self.rest.get(line.len() + 1..).unwrap_or_default();
        self.number += 1;
    }

    pub(crate) fn invalid(&self, problem: impl Into<String>) -> DiffError {
        DiffError::Invalid { line: self.number, problem: problem.into() }
    }

    pub(crate) const fn refused(&self, form: Form) -> DiffError {
        DiffError::Refused { line: self.number, form }
    }
}

pub(crate) fn is_binary_mark(line: &[u8]) -> bool {
    line.starts_with(b"GIT binary patch") || line.starts_with(b"Binary files ")
}

fn stray(reader: &Reader<'_>, line: &[u8], after_hunk: bool) -> DiffError {
    let problem = match line {
        _ if line.starts_with(b"diff --git ") || (after_hunk && line.starts_with(b"--- ")) => {
            "another file begins, or the hunk is longer than its header says"
        }
        [] | [b' ' | b'+' | b'-', ..] if after_hunk => "the hunk is longer than its header says",
        _ => "this is no part of a diff",
    };
    reader.invalid(problem)
}

fn hunk<'a>(reader: &mut Reader<'a>) -> Result<Hunk<'a>, DiffError> {
    let line = reader.number;
    let Some((old, new)) = reader.peek_header().and_then(hunk_header) else {
        return Err(reader.invalid("a hunk begins with `@@ -line,count +line,count @@`"));
    };
    if (old.count > 0 && old.start == 0) || (new.count > 0 && new.start == 0) {
        return Err(reader.invalid("lines are counted from 1"));
    }
    if old.count + new.count == 0 {
        return Err(reader.invalid("the hunk has no lines"));
    }
    reader.next();
    let lines = hunk_lines(reader, old.count, new.count)?;
    let (old_start, old_count, new_start, new_count) = (old.start, old.count, new.start, new.count);
    Ok(Hunk { line, old_start, old_count, new_start, new_count, lines })
}

fn hunk_lines<'a>(reader: &mut Reader<'a>, mut old: usize, mut new: usize) -> Result<Vec<Line<'a>>, DiffError> {
    // The header may say more than there is.
    let mut lines: Vec<Line<'a>> = Vec::with_capacity((old + new).min(64));
    let (mut old_ended, mut new_ended) = (false, false);
    while let Some(line) = reader.peek() {
        if line.starts_with(b"\\ ") {
            let last = lines.last_mut().filter(|last| last.feed);
            let Some(last) = last else { return Err(reader.invalid("no line precedes this mark")) };
            last.feed = false;
            old_ended |= last.side.is_old();
            new_ended |= last.side.is_new();
            reader.pass(line);
            continue;
        }
        if old == 0 && new == 0 {
            break;
        }
        let (side, text) = match line {
            [] => (Side::Both, line),
            [b' ', text @ ..] => (Side::Both, text),
            [b'-', text @ ..] => (Side::Old, text),
            [b'+', text @ ..] => (Side::New, text),
            _ => return Err(reader.invalid("the hunk is shorter than its header says, or this is no line of a hunk")),
        };
        let counted = take(&mut old, side.is_old()) && take(&mut new, side.is_new());
        if !counted {
            return Err(reader.invalid("the hunk does not have the lines that its header says"));
        }
        if (side.is_old() && old_ended) || (side.is_new() && new_ended) {
            return Err(reader.invalid("a line follows the one that has no newline at the end of the file"));
        }
        lines.push(Line { number: reader.number, side, text, feed: true });
        reader.pass(line);
    }
    if old + new > 0 {
        return Err(reader.invalid("the hunk is shorter than its header says"));
    }
    Ok(lines)
}

/// Counts one line, if it is to be counted and one is left.
const fn take(left: &mut usize, counts: bool) -> bool {
    if !counts {
        return true;
    }
    let some = *left > 0;
    *left = left.saturating_sub(1);
    some
}

/// A side of a hunk's header.
struct Extent {
    start: usize,
    count: usize,
}

/// `@@ -1,3 +1,4 @@`, with anything after a space.
fn hunk_header(line: &[u8]) -> Option<(Extent, Extent)> {
    let (old, rest) = extent(line.strip_prefix(b"@@ -")?)?;
    let (new, rest) = extent(rest.strip_prefix(b" +")?)?;
    let rest = rest.strip_prefix(b" @@")?;
    (rest.is_empty() || rest.starts_with(b" ")).then_some((old, new))
}

fn extent(text: &[u8]) -> Option<(Extent, &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        None => Some((Extent { start, count: 1 }, rest)),
        Some(rest) => number(rest).map(|(count, rest)| (Extent { start, count }, rest)),
    }
}

/// At most nine digits: no line number is longer, and sums of them cannot overflow.
fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(digits).filter(|(digits, _)| (1..=9).contains(&digits.len()))?;
    Some((digits.iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0')), rest))
}
