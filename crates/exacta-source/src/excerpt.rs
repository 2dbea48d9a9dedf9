//! What of a file must be parsed: most of a file stays as it is, and what stays tells nothing.
//!
//! Both versions are cut into items (a function, a type, a member of a class) by their lines, indentation and brackets. Items
//! that both have, unchanged and in the same place, are blanked in both; lines keep their numbers. What is needed to understand
//! the rest stays: see [`Cut::keep`]. [`crate::compare`] finds the same differences with or without an item that both have.
//! Whoever parses an excerpt must look whether it parses without an error and says as much as the whole would; where in doubt,
//! the whole is parsed. A test compares both on real files; they differ where most of a file is not in its language but what
//! changes is, which then counts.

mod cut;
mod lex;

use crate::language::Language;
use cut::{Cut, Item};
use exacta_kernel::diff::{ChangeKind, LineChange};
use lex::{Line, lines};
use std::ops::Range;

/// If more than this part of a file must be parsed, all of it is.
const WORTH: (usize, usize) = (2, 3);

/// Both versions of a file without what both have unchanged; none if that cannot be told, or is not worth it.
pub(crate) fn excerpt(
    language: Language,
    before: &[u8],
    after: &[u8],
    changes: &[LineChange<'_>],
) -> Option<(Vec<u8>, Vec<u8>)> {
    let cut = Cut::of(language)?;
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let (old, new) = (lines(cut.syntax, before)?, lines(cut.syntax, after)?);
    let pairs = Pairs::new(old.len(), new.len(), changes);
    let (mut gone, mut gone_new) = (Vec::new(), Vec::new());
    let old = Version { cut, text: before, lines: &old };
    let new = Version { cut, text: after, lines: &new };
    let mut levels = vec![(old.top(), new.top())];
    while let Some((old_level, new_level)) = levels.pop() {
        let (old_items, new_items) = (old.items(&old_level), new.items(&new_level));
        let mut others = new_items.iter().peekable();
        for item in &old_items {
            let Some(start) = pairs.new_line(item.lines.start) else { continue };
            while others.next_if(|other| other.lines.start < start).is_some() {}
            let Some(other) = others.next_if(|other| other.lines.start == start) else { continue };
            if other.lines.len() == item.lines.len() && pairs.is_kept(&item.lines, start) {
                if !old.keeps(item, &old_level) {
                    gone.push(item.lines.clone());
                    gone_new.push(other.lines.clone());
                }
            } else if let (Some(inner), Some(other)) = (old.inside(item), new.inside(other))
                && pairs.new_line(inner.lines.start - 1) == Some(other.lines.start - 1)
            {
                levels.push((inner, other));
            }
        }
    }
    let saved: usize = gone.iter().map(|lines| old.bytes(lines).len()).sum();
    let worth = (before.len() - saved.min(before.len())) * WORTH.1 <= before.len() * WORTH.0;
    worth.then(|| (old.without(gone), new.without(gone_new)))
}

/// Which line became which.
struct Pairs {
    /// For each old line its number in the new file.
    new: Vec<Option<usize>>,
}

impl Pairs {
    fn new(old: usize, new: usize, changes: &[LineChange<'_>]) -> Self {
        let mut was_removed = vec![false; old];
        let mut is_added = vec![false; new];
        for change in changes {
            let side = if change.kind == ChangeKind::Removed { &mut was_removed } else { &mut is_added };
            let line = usize::try_from(change.line).ok().and_then(|line| side.get_mut(line.checked_sub(1)?));
            if let Some(line) = line {
                *line = true;
            }
        }
        let mut kept = (0..new).filter(|line| is_added.get(*line) == Some(&false));
        let new = was_removed.iter().map(|removed| if *removed { None } else { kept.next() }).collect();
        Self { new }
    }

    fn new_line(&self, old: usize) -> Option<usize> {
        self.new.get(old).copied().flatten()
    }

    /// Whether these old lines stand together in the new file, from this line on.
    fn is_kept(&self, old: &Range<usize>, start: usize) -> bool {
        old.clone().zip(start..).all(|(old, new)| self.new_line(old) == Some(new))
    }
}

/// Items side by side: the lines they are in, how deep their brackets, how far they are indented.
struct Level {
    lines: Range<usize>,
    depth: u32,
    indent: u32,
}

/// One version of a file.
#[derive(Clone, Copy)]
struct Version<'a> {
    cut: &'static Cut,
    text: &'a [u8],
    lines: &'a [Line],
}

impl Version<'_> {
    fn top(&self) -> Level {
        Level { lines: 0..self.lines.len(), depth: 0, indent: 0 }
    }

    fn bytes(&self, lines: &Range<usize>) -> &[u8] {
        let start = |line: usize| self.lines.get(line).map_or(self.text.len(), |line| line.start);
        self.text.get(start(lines.start)..start(lines.end)).unwrap_or_default()
    }

    fn line(&self, line: usize) -> &[u8] {
        self.bytes(&(line..line + 1))
    }

    /// The items of a level, in order.
    fn items(&self, level: &Level) -> Vec<Item> {
        let (mut items, mut note): (Vec<Item>, bool) = (Vec::new(), false);
        for at in level.lines.clone() {
            let Some(line) = self.lines.get(at) else { continue };
            let here = line.clean && line.depth == level.depth && line.indent == level.indent && line.first != 0;
            if !here || !(self.cut.starts)(line, self.line(at)) {
                note &= !here || line.is_comment;
                continue;
            }
            // What stands before a declaration belongs to it.
            if !note {
                if let Some(last) = items.last_mut() {
                    last.lines.end = at;
                }
                items.push(Item { lines: at..level.lines.end });
            }
            note = line.first == b'@' || note && line.is_comment;
        }
        items
    }

    /// What an item holds, if it only holds other items.
    fn inside(&self, item: &Item) -> Option<Level> {
        let opening = (self.cut.opens)(self, item)?;
        let first = self.lines.get(item.lines.start)?;
        let inside = |line: &&Line| line.clean && line.first != 0 && !line.is_comment;
        let body = self.lines.get(opening + 1..item.lines.end)?;
        let inner = body.iter().find(inside)?;
        let end =
            item.lines.end - body.iter().rev().take_while(|line| line.clean && line.indent <= first.indent).count();
        let deeper = inner.indent > first.indent && end > opening;
        deeper.then(|| Level { lines: opening + 1..end, depth: inner.depth, indent: inner.indent })
    }

    /// Whether an item is needed to understand others.
    fn keeps(&self, item: &Item, level: &Level) -> bool {
        let first = level.lines.start > 0 && self.cut.keep_first && {
            let mut before = self.lines.get(level.lines.start..item.lines.start).unwrap_or_default().iter();
            before.all(|line| line.first == 0 || line.is_comment)
        };
        first || (self.cut.keep)(self.bytes(&item.lines))
    }

    /// The text with these lines blank.
    fn without(&self, mut gone: Vec<Range<usize>>) -> Vec<u8> {
        gone.sort_by_key(|lines| lines.start);
        let mut text = Vec::with_capacity(self.text.len());
        let mut at = 0;
        for lines in gone {
            text.extend_from_slice(self.bytes(&(at..lines.start)));
            text.resize(text.len() + lines.len(), b'\n');
            at = lines.end;
        }
        text.extend_from_slice(self.bytes(&(at..self.lines.len())));
        text
    }
}
