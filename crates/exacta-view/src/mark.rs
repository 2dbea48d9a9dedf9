//! Whitespace that changes, made visible. No two different lines of a diff look the same.

use std::ops::Range;
use unicode_width::UnicodeWidthStr as _;

/// Columns between tab stops.
const TAB: usize = 4;

/// Which marks the changed lines of a diff need. A character of the file that looks like a mark in use is written by its number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    tab: bool,
    blank: bool,
    carriage_return: bool,
    number: bool,
}

impl Marks {
    /// Those of a unified diff.
    #[must_use]
    pub fn of(diff: &str) -> Self {
        let mut marks = Self::default();
        let (mut arrow, mut dot, mut sign) = (false, false, false);
        for line in changed_lines(diff) {
            marks.blank |= line.get(trail(line)..).is_some_and(|end| end.contains(' '));
            marks.tab |= line.contains('\t');
            marks.carriage_return |= line.contains('\r');
            if !line.is_ascii() {
                for c in line.chars() {
                    arrow |= c == '→';
                    dot |= c == '·';
                    sign |= c == '␍';
                    marks.number |= !c.is_ascii() && c.is_whitespace();
                }
            }
        }
        marks.number |= (marks.tab && arrow) || (marks.blank && dot) || (marks.carriage_return && sign);
        marks
    }

    /// What the marks mean, as a line that is none of the file's; nothing where none is used.
    #[must_use]
    pub fn legend(self) -> Option<String> {
        let used = [
            (self.tab, "→ is a tab"),
            (self.blank, "· is a blank at the end of a line"),
            (self.carriage_return, "␍ is a carriage return"),
            (self.number, "⟨…⟩ is the character of that number"),
        ];
        let words: Vec<&str> = used.iter().filter(|(used, _)| *used).map(|(_, words)| *words).collect();
        (!words.is_empty()).then(|| format!("\\ in changed lines {}", words.join(", ")))
    }

    /// Writes a character of a changed line as it is shown at a column.
    pub fn changed(self, c: char, ends_line: bool, column: usize, out: &mut String) {
        match c {
            '\t' => {
                out.push('→');
                blanks(TAB - column % TAB - 1, out);
            }
            ' ' if ends_line => out.push('·'),
            '\r' => out.push('␍'),
            '→' if self.tab => number(c, out),
            '·' if self.blank => number(c, out),
            '␍' if self.carriage_return => number(c, out),
            '⟨' if self.number => number(c, out),
            c if !c.is_ascii() && c.is_whitespace() => number(c, out),
            c => out.push(c),
        }
    }

    /// The same for a line that stays: tabs are blanks up to the next stop, and a carriage return at its end is not shown.
    pub fn kept(c: char, is_last: bool, column: usize, out: &mut String) {
        match c {
            '\t' => blanks(TAB - column % TAB, out),
            '\r' if is_last => {}
            '\r' => out.push('␍'),
            c => out.push(c),
        }
    }
}

/// A piece of a line as it is shown from a column on, and the column after it.
#[must_use]
pub fn shown(marks: Marks, line: &str, piece: Range<usize>, changed: bool, mut column: usize) -> (String, usize) {
    let ends = trail(line);
    let mut out = String::new();
    for (at, c) in line.get(piece.clone()).unwrap_or_default().char_indices() {
        let (at, written) = (piece.start + at, out.len());
        if changed {
            marks.changed(c, at >= ends, column, &mut out);
        } else {
            Marks::kept(c, at + c.len_utf8() == line.len(), column, &mut out);
        }
        column += out.get(written..).unwrap_or_default().width();
    }
    (out, column)
}

/// Where the blanks at the end of a line begin.
#[must_use]
pub fn trail(line: &str) -> usize {
    line.trim_end().len()
}

/// The lines that come and go, without their sign.
fn changed_lines(diff: &str) -> impl Iterator<Item = &str> {
    let hunks = diff.split('\n').skip_while(|line| !line.starts_with("@@"));
    hunks.filter_map(|line| line.strip_prefix(['+', '-']))
}

fn blanks(count: usize, out: &mut String) {
    out.extend(core::iter::repeat_n(' ', count));
}

fn number(c: char, out: &mut String) {
    out.push_str(&format!("⟨{:x}⟩", u32::from(c)));
}
