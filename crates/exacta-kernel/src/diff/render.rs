//! Before and after → a diff in git's form: one for people, one for `git apply`.

use super::header::Mode;
use super::lines::{CONTEXT, Comparison, bytes, common_prefix, common_suffix, without_feed};
use super::name;
use super::{binary, escape};
use crate::content_kind::ContentKind;
use crate::facts::FileContent;
use crate::path::RelPath;
use crate::prelude::*;
use crate::secret;
use crate::text;
use alloc::borrow::Cow;
use core::cell::Cell;
use core::ops::Range;
use similar::{DiffOp, group_diff_ops};

/// The longest line that is shown whole in any case. Of a longer one that takes the place of another, or stays, what both have
/// in common is left out.
const LONGEST: usize = 1 << 16;
/// How much of such a line is shown on either side of what changes.
const NEAR: usize = 200;

/// The change as it is shown: every byte that comes or goes is in it, and nothing in it is hidden but secrets, which are masked. Text
/// stays as it is, carriage
/// returns at the end of a line included. Other control and invisible characters become `\u{…}`, bytes that are not UTF-8
/// `\xNN`; a line above the first hunk then says so, and a backslash of the file that would read like such an escape is
/// doubled, so that no two contents look the same. Lines that begin with a backslash, as no line of a file does here, say what
/// of a long line is left out because it stays.
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
        for (content, what) in [(before, "goes"), (after, "comes")] {
            let Some(content) = content else { continue };
            let kind = ContentKind::of(path, content).name;
            out.push_str(&format!("\\ what {what}: {kind}, {} bytes, SHA-256 {}\n", content.size(), content.sha256()));
        }
        return out;
    }
    let (before, after) = (bytes(before), bytes(after));
    let mut comparison = comparison();
    // A part of a secret cannot be told from other text: what is masked is found in the whole file.
    let masked = (secret::mask_lines(before), secret::mask_lines(after));
    let (before, after) = (masked.0.as_deref().unwrap_or(before), masked.1.as_deref().unwrap_or(after));
    if masked != (None, None) {
        comparison = Cow::Owned(comparison.over(before, after));
    }
    let hunks = Hunks { comparison: &comparison, before, after, longest: LONGEST };
    let mut out = out.into_bytes();
    if text::is_plain(before) && text::is_plain(after) {
        hunks.write(&names, None, &mut out, |line, out| out.extend_from_slice(line));
    } else {
        escaped(&hunks, &names, &mut out);
    }
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Writes hunks that may hold something hidden. Only where they do are escapes explained, and what reads like one told apart.
fn escaped(hunks: &Hunks<'_>, names: &(String, String), out: &mut Vec<u8>) {
    let start = out.len();
    let hides = Cell::new(false);
    hunks.write(names, None, out, |line, out| {
        let found = escape::write(line, false, out);
        hides.set(hides.get() || found);
    });
    if hides.get() {
        out.truncate(start);
        hunks.write(names, Some(escape::LEGEND), out, |line, out| {
            escape::write(line, true, out);
        });
    }
}

/// The change as a patch that `git apply` takes, byte for byte.
#[must_use]
pub fn render_exact(path: &RelPath, before: Option<&FileContent>, after: Option<&FileContent>) -> Vec<u8> {
    let mut head = header(path, before, after, &exact_name);
    if is_binary(before) || is_binary(after) {
        let same = before.map(FileContent::bytes) == after.map(FileContent::bytes);
        if !same {
            binary::write(before, after, &mut head);
        }
        return head.into_bytes();
    }
    let mut out = head.into_bytes();
    let names = names(path, before, after, &exact_file_name);
    let comparison = Comparison::of(before, after);
    let hunks = Hunks { comparison: &comparison, before: bytes(before), after: bytes(after), longest: usize::MAX };
    hunks.write(&names, None, &mut out, |line, out| out.extend_from_slice(line));
    out
}

/// Whether the patch of [`render_exact`] would hold a secret of either side.
#[must_use]
pub fn exact_holds_secret(path: &RelPath, before: Option<&FileContent>, after: Option<&FileContent>) -> bool {
    let masked = |content: Option<&FileContent>| -> Option<FileContent> {
        let content = content?;
        let bytes = secret::mask_lines(content.bytes()).unwrap_or_else(|| content.bytes().to_vec());
        Some(FileContent::new(bytes, content.mode()))
    };
    let (masked_before, masked_after) = (masked(before), masked(after));
    render_exact(path, before, after) != render_exact(path, masked_before.as_ref(), masked_after.as_ref())
}

fn is_binary(content: Option<&FileContent>) -> bool {
    content.is_some_and(FileContent::is_binary)
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
    /// The longest line that is written whole in any case.
    longest: usize,
}

impl Hunks<'_> {
    fn write(
        &self,
        (old, new): &(String, String),
        legend: Option<&str>,
        out: &mut Vec<u8>,
        write_line: impl Fn(&[u8], &mut Vec<u8>),
    ) {
        let Comparison { ops, skipped, .. } = self.comparison;
        if ops.is_empty() {
            return;
        }
        out.extend_from_slice(format!("--- {old}\n+++ {new}\n").as_bytes());
        if let Some(legend) = legend {
            note(legend, out);
        }
        for group in group_diff_ops(ops.clone(), CONTEXT) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            let old = Extent::of(*skipped, first.old_range().start..last.old_range().end);
            let new = Extent::of(*skipped, first.new_range().start..last.new_range().end);
            out.extend_from_slice(format!("@@ -{old} +{new} @@\n").as_bytes());
            for op in &group {
                self.write_op(op, out, &write_line);
            }
        }
    }

    fn write_op(&self, op: &DiffOp, out: &mut Vec<u8>, write_line: &impl Fn(&[u8], &mut Vec<u8>)) {
        let old = || self.comparison.old_lines(self.before, op);
        let new = || self.comparison.new_lines(self.after, op);
        let mut written = Written { sign: b' ', longest: self.longest, out, write_line };
        if matches!(op, DiffOp::Equal { .. }) {
            return old().for_each(|line| written.line(line, Some(line)));
        }
        // Where as many lines come as go, each takes the place of another.
        let pairs = op.old_range().len() == op.new_range().len();
        written.sign = b'-';
        old().zip(counterparts(pairs, new())).for_each(|(line, other)| written.line(line, other));
        written.sign = b'+';
        new().zip(counterparts(pairs, old())).for_each(|(line, other)| written.line(line, other));
    }
}

/// The lines whose places others take, in order; none for as many as are wanted if they do not pair.
fn counterparts<'l>(pairs: bool, lines: impl Iterator<Item = &'l [u8]>) -> impl Iterator<Item = Option<&'l [u8]>> {
    let none = core::iter::repeat_n(None, if pairs { 0 } else { usize::MAX });
    lines.take(if pairs { usize::MAX } else { 0 }).map(Some).chain(none)
}

/// One side of a change as it is written.
struct Written<'w, W> {
    sign: u8,
    longest: usize,
    out: &'w mut Vec<u8>,
    write_line: &'w W,
}

impl<W: Fn(&[u8], &mut Vec<u8>)> Written<'_, W> {
    /// Writes a line, given the one whose place it takes, or itself if it stays.
    fn line(&mut self, line: &[u8], other: Option<&[u8]>) {
        let text = without_feed(line);
        let shown = match other {
            Some(other) if text.len() > self.longest => differing(text, without_feed(other)),
            _ => 0..text.len(),
        };
        self.out.push(self.sign);
        (self.write_line)(text.get(shown.clone()).unwrap_or_default(), self.out);
        self.out.push(b'\n');
        if shown.len() < text.len() {
            let (from, to) = (shown.start + 1, shown.end);
            note(&format!("bytes {from} to {to} of this line of {} are shown; the others stay", text.len()), self.out);
        }
        if !line.ends_with(b"\n") {
            note("No newline at end of file", self.out);
        }
    }
}

/// The part of a long line that differs from another, with what is near it. Of one that does not differ its beginning.
fn differing(text: &[u8], other: &[u8]) -> Range<usize> {
    let start = if text == other { 0 } else { common_prefix(text, other) };
    let left = text.len().min(other.len()) - start;
    let end = text.len() - common_suffix(text, other).min(left);
    let (start, end) = (start.saturating_sub(NEAR), (end + NEAR).min(text.len()));
    // Characters are not cut.
    let inside = |at: &usize| text.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let start = (start.saturating_sub(3)..=start).rev().find(|at| !inside(at)).unwrap_or(start);
    start..(end..text.len().min(end + 3)).find(|at| !inside(at)).unwrap_or(end)
}

/// Writes a line that is none of the file's.
fn note(words: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\\ {words}\n").as_bytes());
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
