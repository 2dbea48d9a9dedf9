//! Before and after → a diff in git's form: one for people, one for `git apply`.

use super::header::Mode;
use super::lines::{CONTEXT, Comparison, bytes, common_prefix, common_suffix, without_feed};
use super::name;
use crate::facts::FileContent;
use crate::path::RelPath;
use crate::prelude::*;
use crate::text;
use alloc::borrow::Cow;
use core::ops::Range;
use similar::{DiffOp, group_diff_ops};

/// The most bytes of old text, removed or kept, that people are shown of a changed file.
const MOST_OLD: usize = 1 << 20;
/// The most that they are shown of a deleted one.
const MOST_DELETED: usize = 1 << 16;
/// The most bytes of new text. No proposal can say as much in one step, so only what it copies within a file is left out.
const MOST_NEW: usize = 1 << 21;
/// The longest line that is shown whole; of a longer one what changes in it.
const LONGEST: usize = 1 << 16;
/// How much of such a line is shown on either side of what changes.
const NEAR: usize = 200;

/// The change as people read it: nothing in it is hidden. Control and invisible characters and bytes that are not UTF-8
/// are written as escapes, carriage returns too unless every line of both contents ends with one. Of huge files a part is
/// shown; lines that begin with a backslash, as no line of a file does here, say what is left out.
#[must_use]
pub fn render(path: &RelPath, before: Option<&FileContent>, after: Option<&FileContent>) -> String {
    rendered(path, before, after, || Cow::Owned(Comparison::of(before, after)))
}

/// The same, from a comparison made before.
pub(crate) fn render_compared<'c>(
    path: &RelPath,
    before: Option<&FileContent>,
    after: Option<&FileContent>,
    comparison: impl FnOnce() -> &'c Comparison,
) -> String {
    rendered(path, before, after, || Cow::Borrowed(comparison()))
}

fn rendered<'c>(
    path: &RelPath,
    before: Option<&FileContent>,
    after: Option<&FileContent>,
    comparison: impl FnOnce() -> Cow<'c, Comparison>,
) -> String {
    let mut out = header(path, before, after, &shown_name);
    let names = names(path, before, after, &shown_name);
    if is_binary(before) || is_binary(after) {
        out.push_str(&format!("Binary files {} and {} differ\n", names.0, names.1));
        return out;
    }
    let (before, after) = (bytes(before), bytes(after));
    let comparison = comparison();
    let hunks = Hunks { comparison: &comparison, before, after };
    let mut room =
        Room { old: if after.is_empty() { MOST_DELETED } else { MOST_OLD }, new: MOST_NEW, longest: LONGEST };
    let mut out = out.into_bytes();
    if text::is_plain(before) && text::is_plain(after) {
        hunks.write(&names, &mut room, &mut out, |line, out| out.extend_from_slice(line));
    } else {
        let crlf = all_crlf(before) && all_crlf(after);
        hunks.write(&names, &mut room, &mut out, |line, out| {
            let line = if crlf { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
            out.extend_from_slice(visible(line).as_bytes());
        });
    }
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The change as a patch that `git apply` takes, byte for byte.
#[must_use]
pub fn render_exact(path: &RelPath, before: Option<&FileContent>, after: Option<&FileContent>) -> Vec<u8> {
    let mut out = header(path, before, after, &exact_name).into_bytes();
    let names = names(path, before, after, &exact_file_name);
    let comparison = Comparison::of(before, after);
    let hunks = Hunks { comparison: &comparison, before: bytes(before), after: bytes(after) };
    let mut room = Room { old: usize::MAX, new: usize::MAX, longest: usize::MAX };
    hunks.write(&names, &mut room, &mut out, |line, out| out.extend_from_slice(line));
    out
}

fn is_binary(content: Option<&FileContent>) -> bool {
    content.is_some_and(FileContent::is_binary)
}

fn all_crlf(content: &[u8]) -> bool {
    content.split_inclusive(|byte| *byte == b'\n').all(|line| line.ends_with(b"\r\n"))
}

/// Text for people. What is not UTF-8 becomes `\xNN`.
fn visible(line: &[u8]) -> String {
    let mut out = String::new();
    for chunk in line.utf8_chunks() {
        out.push_str(&text::visible(chunk.valid()));
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out
}

type Naming<'f> = &'f dyn Fn(&str) -> String;

fn shown_name(name: &str) -> String {
    if name.contains('"') { name::quoted(name).into_owned() } else { text::visible_line(name).into_owned() }
}

fn exact_name(name: &str) -> String {
    name::quoted(name).into_owned()
}

/// After `---` and `+++` git ends a name that has a space with a tab.
fn exact_file_name(name: &str) -> String {
    let tab = if name.contains(' ') { "\t" } else { "" };
    format!("{}{tab}", name::quoted(name))
}

fn names(
    path: &RelPath,
    before: Option<&FileContent>,
    after: Option<&FileContent>,
    naming: Naming<'_>,
) -> (String, String) {
    let name = |content: Option<&FileContent>, prefix: &str| match content {
        Some(_) => naming(&format!("{prefix}{path}")),
        None => "/dev/null".to_owned(),
    };
    (name(before, "a/"), name(after, "b/"))
}

/// The `diff --git` line and what it says about modes; empty where nothing changes.
fn header(path: &RelPath, before: Option<&FileContent>, after: Option<&FileContent>, naming: Naming<'_>) -> String {
    let mode = |content: &FileContent| Mode::of(content.is_executable()).as_str();
    let modes = match (before, after) {
        (None, None) => return String::new(),
        (None, Some(after)) => format!("new file mode {}\n", mode(after)),
        (Some(before), None) => format!("deleted file mode {}\n", mode(before)),
        (Some(before), Some(after)) if mode(before) != mode(after) => {
            format!("old mode {}\nnew mode {}\n", mode(before), mode(after))
        }
        (Some(before), Some(after)) if before.bytes() == after.bytes() => return String::new(),
        (Some(_), Some(_)) => String::new(),
    };
    format!("diff --git {} {}\n{modes}", naming(&format!("a/{path}")), naming(&format!("b/{path}")))
}

/// A change, to be written hunk by hunk.
struct Hunks<'c> {
    comparison: &'c Comparison,
    before: &'c [u8],
    after: &'c [u8],
}

/// How many bytes may still be written.
struct Room {
    old: usize,
    new: usize,
    /// Of one line.
    longest: usize,
}

impl Hunks<'_> {
    fn write(
        &self,
        (old, new): &(String, String),
        room: &mut Room,
        out: &mut Vec<u8>,
        write_line: impl Fn(&[u8], &mut Vec<u8>),
    ) {
        let Comparison { ops, skipped, .. } = self.comparison;
        if ops.is_empty() {
            return;
        }
        out.extend_from_slice(format!("--- {old}\n+++ {new}\n").as_bytes());
        for group in group_diff_ops(ops.clone(), CONTEXT) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            let old = Extent::of(*skipped, first.old_range().start..last.old_range().end);
            let new = Extent::of(*skipped, first.new_range().start..last.new_range().end);
            out.extend_from_slice(format!("@@ -{old} +{new} @@\n").as_bytes());
            for op in &group {
                self.write_op(op, room, out, &write_line);
            }
        }
    }

    fn write_op(&self, op: &DiffOp, room: &mut Room, out: &mut Vec<u8>, write_line: &impl Fn(&[u8], &mut Vec<u8>)) {
        let old = || self.comparison.old_lines(self.before, op);
        let new = || self.comparison.new_lines(self.after, op);
        // Where as many lines come as go, each takes the place of another.
        let pairs = op.old_range().len() == op.new_range().len();
        if matches!(op, DiffOp::Equal { .. }) {
            let mut side = Written { sign: b' ', room: &mut room.old, longest: room.longest, out, write_line };
            return side.lines(old().map(|line| (line, None)));
        }
        let mut side = Written { sign: b'-', room: &mut room.old, longest: room.longest, out, write_line };
        if pairs {
            side.lines(old().zip(new().map(Some)));
        } else {
            side.lines(old().map(|line| (line, None)));
        }
        let mut side = Written { sign: b'+', room: &mut room.new, longest: room.longest, out, write_line };
        if pairs {
            side.lines(new().zip(old().map(Some)));
        } else {
            side.lines(new().map(|line| (line, None)));
        }
    }
}

/// One side of a change as it is written.
struct Written<'w, W> {
    sign: u8,
    /// How many bytes may still be.
    room: &'w mut usize,
    longest: usize,
    out: &'w mut Vec<u8>,
    write_line: &'w W,
}

impl<W: Fn(&[u8], &mut Vec<u8>)> Written<'_, W> {
    /// Writes lines, each with the one whose place it takes, as far as there is room; says how much is left out.
    fn lines<'l>(&mut self, lines: impl Iterator<Item = (&'l [u8], Option<&'l [u8]>)>) {
        let (mut count, mut size) = (0_u64, 0_usize);
        for (line, other) in lines {
            if *self.room == 0 {
                (count, size) = (count + 1, size + line.len());
            } else {
                self.line(line, other);
            }
        }
        if count > 0 {
            let what = match self.sign {
                b'-' => "that go",
                b'+' => "that come",
                _ => "that stay",
            };
            self.note(&format!("{count} more lines {what}, {size} bytes, are not shown"));
        }
    }

    fn line(&mut self, line: &[u8], other: Option<&[u8]>) {
        let text = without_feed(line);
        let shown = if text.len() <= self.longest { 0..text.len() } else { self.part(text, other.map(without_feed)) };
        *self.room = self.room.saturating_sub(shown.len() + 1);
        self.out.push(self.sign);
        (self.write_line)(text.get(shown.clone()).unwrap_or_default(), self.out);
        self.out.push(b'\n');
        if shown.len() < text.len() {
            self.note(&format!("bytes {} to {} of this line of {} are shown", shown.start + 1, shown.end, text.len()));
        }
        if !line.ends_with(b"\n") {
            self.note("No newline at end of file");
        }
    }

    /// The part of a long line that differs from the one whose place it takes, with what is near it; else its beginning.
    fn part(&self, text: &[u8], other: Option<&[u8]>) -> Range<usize> {
        let (start, end) = match other {
            None => (0, self.longest),
            Some(other) => {
                let start = common_prefix(text, other);
                let left = text.len().min(other.len()) - start;
                let end = text.len() - common_suffix(text, other).min(left);
                (start.saturating_sub(NEAR), (end + NEAR).min(text.len()))
            }
        };
        let end = end.min(start.saturating_add((*self.room).max(self.longest)));
        // Characters are not cut.
        let inside = |at: &usize| text.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
        let start = (start.saturating_sub(3)..=start).rev().find(|at| !inside(at)).unwrap_or(start);
        start..(end..text.len().min(end + 3)).find(|at| !inside(at)).unwrap_or(end)
    }

    /// A line that is none of the file's.
    fn note(&mut self, words: &str) {
        self.out.extend_from_slice(format!("\\ {words}\n").as_bytes());
    }
}

/// One side of a hunk's header: without a count if it is 1, with the line before if there is none.
struct Extent {
    start: usize,
    count: usize,
}

impl Extent {
    fn of(skipped: usize, lines: Range<usize>) -> Self {
        Self { start: skipped + lines.start, count: lines.len() }
    }
}

impl core::fmt::Display for Extent {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.count {
            0 => write!(f, "{},0", self.start),
            1 => write!(f, "{}", self.start + 1),
            count => write!(f, "{},{count}", self.start + 1),
        }
    }
}
