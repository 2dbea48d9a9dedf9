//! A step's diff as rows.

use super::row::{Row, Tone};
use super::syntax::Highlighter;
use unicode_width::UnicodeWidthStr as _;

/// Columns between tab stops.
const TAB: usize = 4;

/// Longer diffs are shown without syntax colours: they would take seconds.
const MAX_HIGHLIGHTED: usize = 200_000;

/// A unified diff as rows; the code in it in the colours of its language if asked.
#[must_use]
pub fn rows(path: &str, diff: &str, highlight: bool) -> Vec<Row> {
    let highlighter = (highlight && diff.len() <= MAX_HIGHLIGHTED).then(|| Highlighter::for_path(path)).flatten();
    let mut painter = Painter { old: highlighter.clone(), new: highlighter, in_hunk: false };
    diff.split_terminator('\n').map(|line| painter.row(line)).collect()
}

/// A unified diff as text without colours: the rows of it, each with its line end. Nearly every line is shown as it is.
pub fn write_plain(diff: &str, out: &mut String) {
    if is_plain(diff.as_bytes()) {
        out.push_str(diff);
        if !diff.is_empty() && !diff.ends_with('\n') {
            out.push('\n');
        }
        return;
    }
    let mut painter = Painter { old: None, new: None, in_hunk: false };
    for line in diff.split_terminator('\n') {
        let row = painter.row(line);
        row.spans().iter().for_each(|span| out.push_str(&span.text));
        out.push('\n');
    }
}

/// Nothing but printable ASCII and line feeds. Without a branch, so that it runs on many bytes at once.
fn is_plain(bytes: &[u8]) -> bool {
    let odd = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\n');
    bytes.chunks(4096).all(|chunk| !chunk.iter().fold(false, |found, byte| found | odd(byte)))
}

/// Keeps the state of both sides of the diff, so that a string or comment over several lines is seen as one.
struct Painter {
    old: Option<Highlighter>,
    new: Option<Highlighter>,
    in_hunk: bool,
}

impl Painter {
    fn row(&mut self, line: &str) -> Row {
        if line.starts_with("@@") {
            self.in_hunk = true;
            self.restart();
            return Row::code().with(Tone::Hunk, line);
        }
        if !self.in_hunk {
            return Row::code().with(Tone::Strong, line);
        }
        match (line.chars().next(), line.get(1..)) {
            (Some('+'), Some(code)) => code_row(Tone::Added, "+", code, &mut self.new),
            (Some('-'), Some(code)) => code_row(Tone::Removed, "-", code, &mut self.old),
            (Some(' '), Some(code)) => {
                if let Some(old) = &mut self.old {
                    old.line(code);
                }
                code_row(Tone::Plain, " ", code, &mut self.new)
            }
            _ => Row::code().with(Tone::Faint, line),
        }
    }

    fn restart(&mut self) {
        for side in [&mut self.old, &mut self.new].into_iter().flatten() {
            side.restart();
        }
    }
}

fn code_row(tone: Tone, sign: &str, code: &str, highlighter: &mut Option<Highlighter>) -> Row {
    let mut row = Row::code().with(tone, sign);
    match highlighter {
        Some(highlighter) => {
            for (tone, piece) in highlighter.line(code) {
                row = row_with_tabs(row, tone, piece);
            }
            row
        }
        None => row_with_tabs(row, tone, code),
    }
}

/// Tabs become spaces up to the next stop; what else is hidden is shown as an escape by the row.
fn row_with_tabs(mut row: Row, tone: Tone, text: &str) -> Row {
    for (index, piece) in text.split('\t').enumerate() {
        if index > 0 {
            let column = row.width().saturating_sub(1);
            row = row.plain(&" ".repeat(TAB - column % TAB));
        }
        if piece.width() > 0 || !piece.is_empty() {
            row = row.with(tone, piece);
        }
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
        assert_eq!(text[3], "-let a = 1;\\r");
        assert_eq!(text[4], "+    let a\\u{202e} = \"2\";");
        assert_eq!(rows[4].spans()[0].tone, Tone::Added);
    }

    #[test]
    fn as_text_it_is_the_same() {
        for diff in [DIFF, "--- a/x\n@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@\n-a\n+b", "{\n  \"url\": \"x\"\n}", "", "\n"]
        {
            let mut text = String::new();
            write_plain(diff, &mut text);
            let rows: String = rows("x.rs", diff, false).iter().map(|row| format!("{}\n", row.text())).collect();
            assert_eq!(text, rows);
        }
    }

    #[test]
    fn highlighting_changes_tones_and_not_text() {
        let plain: Vec<String> = rows("x.rs", DIFF, false).iter().map(Row::text).collect();
        let coloured = rows("x.rs", DIFF, true);
        assert_eq!(coloured.iter().map(Row::text).collect::<Vec<_>>(), plain);
        assert!(coloured[4].spans().iter().any(|span| span.tone == Tone::Keyword));
    }

    #[test]
    fn a_removed_line_that_looks_like_a_header_is_a_removed_line() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n--- old\n";
        assert_eq!(rows("x", diff, false)[3].spans()[0].tone, Tone::Removed);
    }
}
