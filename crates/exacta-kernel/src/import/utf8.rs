//! A diff of a file that is not UTF-8, without the lines that are not.
//!
//! A proposal is UTF-8, so such lines cannot stand in it. Where they are only context, a hunk is cut there: the rest still
//! says exactly what changes, and the file's own bytes are never touched.

use super::ImportError;
use crate::diff::parse::{self, Hunk, Line, Reader, Side};
use crate::prelude::*;

/// The same diff of one file as text. `line` is where it begins in the patch.
pub(super) fn text(diff: &[u8], line: usize) -> Result<String, ImportError> {
    if let Ok(text) = core::str::from_utf8(diff) {
        return Ok(text.to_owned());
    }
    let patch = parse::one_file(&mut Reader::new(diff)).map_err(ImportError::Malformed)?;
    let header = core::str::from_utf8(header(diff, patch.hunks.first()));
    let mut out = header.map_err(|_| ImportError::NotUtf8 { line })?.to_owned();
    for hunk in &patch.hunks {
        let (mut old, mut new) = (before(hunk.old_start, hunk.old_count), before(hunk.new_start, hunk.new_count));
        for piece in hunk.lines.split_inclusive(|line| line.side == Side::Both && !is_utf8(line)) {
            write_piece(piece, old, new, &mut out).ok_or(ImportError::NotUtf8 { line: line + hunk.line - 1 })?;
            old += piece.iter().filter(|line| line.side.is_old()).count();
            new += piece.iter().filter(|line| line.side.is_new()).count();
        }
    }
    Ok(out)
}

/// The part of a file's diff before its first hunk.
fn header<'t>(diff: &'t [u8], hunk: Option<&Hunk<'_>>) -> &'t [u8] {
    let lines = hunk.map_or(0, |hunk| hunk.line - 1);
    let end = memchr::memchr_iter(b'\n', diff).nth(lines.saturating_sub(1)).map_or(diff.len(), |at| at + 1);
    diff.get(..end).unwrap_or_default()
}

/// How many lines come before a hunk.
const fn before(start: usize, count: usize) -> usize {
    if count == 0 { start } else { start.saturating_sub(1) }
}

fn is_utf8(line: &Line<'_>) -> bool {
    core::str::from_utf8(line.text).is_ok()
}

/// Writes one piece as a hunk of its own, without the line that ends it; nothing where nothing changes.
fn write_piece(piece: &[Line<'_>], old: usize, new: usize, out: &mut String) -> Option<()> {
    let lines = match piece {
        [lines @ .., last] if last.side == Side::Both && !is_utf8(last) => lines,
        lines => lines,
    };
    if lines.iter().all(|line| line.side == Side::Both) {
        return Some(());
    }
    let count = |belongs: fn(Side) -> bool| lines.iter().filter(|line| belongs(line.side)).count();
    let (old, new) = (extent(old, count(Side::is_old)), extent(new, count(Side::is_new)));
    out.push_str(&format!("@@ -{old} +{new} @@\n"));
    for line in lines {
        out.push(match line.side {
            Side::Both => ' ',
            Side::Old => '-',
            Side::New => '+',
        });
        out.push_str(core::str::from_utf8(line.text).ok()?);
        out.push_str(if line.feed { "\n" } else { "\n\\ No newline at end of file\n" });
    }
    Some(())
}

fn extent(before: usize, count: usize) -> String {
    if count == 0 { format!("{before},0") } else { format!("{},{count}", before + 1) }
}
