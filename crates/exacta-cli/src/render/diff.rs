//! A step's diff as rows.

use super::ansi::Paint;
use super::mark::{self, Marks};
use super::row::{Row, Tone};
use super::syntax::Highlighter;

/// Longer diffs are shown without syntax colours: they would take seconds.
pub const MAX_HIGHLIGHTED: usize = 200_000;

/// A unified diff as rows; the code in it in the colours of its language if asked.
#[must_use]
pub fn rows(path: &str, diff: &str, highlight: bool) -> Vec<Row> {
    let mut painter = Painter::new(path, diff, highlight);
    diff.split_terminator('\n').flat_map(|line| painter.rows(line)).collect()
}

/// A unified diff as text: the rows of it, each with its line end, line by line, since a diff can be long.
pub fn write(path: &str, diff: &str, paint: Paint, out: &mut String) {
    if !paint.0 && is_plain(diff) {
        out.push_str(diff);
        if !diff.is_empty() && !diff.ends_with('\n') {
            out.push('\n');
        }
        return;
    }
    let mut painter = Painter::new(path, diff, paint.0);
    for row in diff.split_terminator('\n').flat_map(|line| painter.rows(line)) {
        paint.write_row(&row, out);
        out.push('\n');
    }
}

/// Nothing but printable ASCII and line feeds, and no blank before one of these. Without a branch, so that it runs on many
/// bytes at once.
fn is_plain(diff: &str) -> bool {
    let odd = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\n');
    let printable =
        diff.as_bytes().chunks(4096).all(|chunk| !chunk.iter().fold(false, |found, byte| found | odd(byte)));
    printable && !diff.contains(" \n") && !diff.ends_with(' ')
}

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It comes.
    Added,
    /// It goes.
    Removed,
    /// It stays.
    Kept,
    /// Where a hunk begins.
    Hunk,
    /// Of the header.
    Header,
    /// None of the file's.
    Note,
}

impl Kind {
    /// Of this line, given whether a hunk has begun.
    #[must_use]
    pub fn of(line: &str, in_hunk: bool) -> Self {
        match line.as_bytes().first() {
            Some(b'@') if line.starts_with("@@") => Self::Hunk,
            Some(b'\\') => Self::Note,
            _ if !in_hunk => Self::Header,
            Some(b'+') => Self::Added,
            Some(b'-') => Self::Removed,
            Some(b' ') => Self::Kept,
            _ => Self::Note,
        }
    }

    /// Its tone, code apart.
    #[must_use]
    pub const fn tone(self) -> Tone {
        match self {
            Self::Added => Tone::Added,
            Self::Removed => Tone::Removed,
            Self::Kept => Tone::Plain,
            Self::Hunk => Tone::Hunk,
            Self::Header => Tone::Strong,
            Self::Note => Tone::Faint,
        }
    }
}

/// Keeps the state of both sides of the diff, so that a string or comment over several lines is seen as one.
struct Painter {
    marks: Marks,
    old: Option<Highlighter>,
    new: Option<Highlighter>,
    in_hunk: bool,
}

impl Painter {
    fn new(path: &str, diff: &str, highlight: bool) -> Self {
        let highlighter = (highlight && diff.len() <= MAX_HIGHLIGHTED).then(|| Highlighter::for_path(path)).flatten();
        Self { marks: Marks::of(diff), old: highlighter.clone(), new: highlighter, in_hunk: false }
    }

    /// A line of the diff; before the first hunk also what the marks in it mean.
    fn rows(&mut self, line: &str) -> impl Iterator<Item = Row> + use<> {
        let begins = !self.in_hunk && Kind::of(line, false) == Kind::Hunk;
        let legend = if begins { self.marks.legend() } else { None };
        let legend = legend.map(|words| Row::code().with(Kind::Note.tone(), &words));
        legend.into_iter().chain([self.row(line)])
    }

    fn row(&mut self, line: &str) -> Row {
        let kind = Kind::of(line, self.in_hunk);
        let code = line.get(1..).unwrap_or_default();
        match kind {
            Kind::Hunk => {
                self.in_hunk = true;
                self.restart();
            }
            Kind::Added => return code_row(self.marks, kind, code, &mut self.new),
            Kind::Removed => return code_row(self.marks, kind, code, &mut self.old),
            Kind::Kept => {
                if let Some(old) = &mut self.old {
                    old.line(code);
                }
                return code_row(self.marks, kind, code, &mut self.new);
            }
            Kind::Header | Kind::Note => {}
        }
        Row::code().with(kind.tone(), line)
    }

    fn restart(&mut self) {
        for side in [&mut self.old, &mut self.new].into_iter().flatten() {
            side.restart();
        }
    }
}

fn code_row(marks: Marks, kind: Kind, code: &str, highlighter: &mut Option<Highlighter>) -> Row {
    let (tone, sign) = match kind {
        Kind::Added => (Tone::Added, "+"),
        Kind::Removed => (Tone::Removed, "-"),
        _ => (Tone::Plain, " "),
    };
    let changed = kind != Kind::Kept;
    let mut row = Row::code().with(tone, sign);
    let pieces = match highlighter {
        Some(highlighter) => highlighter.line(code),
        None => vec![(tone, code)],
    };
    let (mut at, mut column) = (0, 0);
    for (tone, piece) in pieces {
        let shown;
        (shown, column) = mark::shown(marks, code, at..at + piece.len(), changed, column);
        at += piece.len();
        row = row.with(tone, &shown);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@\n-let a = 1;\r\n+\tlet a\u{202e} = \"2\";\n }\n";

    #[test]
    fn signs_tabs_and_hidden_characters() {
        let rows = rows("x.rs", DIFF, false);
        let text: Vec<String> = rows.iter().map(Row::text).collect();
        assert_eq!(text[2], "\\ in changed lines → is a tab, ␍ is a carriage return");
        assert_eq!(text[4], "-let a = 1;␍");
        assert_eq!(text[5], "+→   let a\\u{202e} = \"2\";");
        assert_eq!(rows[5].spans()[0].tone, Tone::Added);
    }

    #[test]
    fn as_text_it_is_the_same() {
        for diff in [DIFF, "--- a/x\n@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@\n-a\n+b", "{\n  \"url\": \"x\"\n}", "", "\n"]
        {
            let mut text = String::new();
            write("x.rs", diff, Paint(false), &mut text);
            let rows: String = rows("x.rs", diff, false).iter().map(|row| format!("{}\n", row.text())).collect();
            assert_eq!(text, rows);
        }
    }

    #[test]
    fn highlighting_changes_tones_and_not_text() {
        let plain: Vec<String> = rows("x.rs", DIFF, false).iter().map(Row::text).collect();
        let coloured = rows("x.rs", DIFF, true);
        assert_eq!(coloured.iter().map(Row::text).collect::<Vec<_>>(), plain);
        assert!(coloured[5].spans().iter().any(|span| span.tone == Tone::Keyword));
    }

    #[test]
    fn a_removed_line_that_looks_like_a_header_is_a_removed_line() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n--- old\n";
        assert_eq!(rows("x", diff, false)[3].spans()[0].tone, Tone::Removed);
    }
}
