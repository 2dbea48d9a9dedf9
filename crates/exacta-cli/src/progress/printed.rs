//! What a check prints, as it may be shown: line by line, each with a mark of ours, so that nobody takes it for what Exacta says.

use exacta_kernel::text::visible_line;
use unicode_width::UnicodeWidthChar as _;

/// Stands before each line that a check printed, and before what it is folded to.
pub(super) const MARK: &str = "  \u{2502} ";

/// How long a line may become before its start is shown, in bytes.
const LONGEST: usize = 4096;

/// How wide a blank a tab becomes: no terminal's own, which nobody could fold.
const TAB: &str = "    ";

/// The lines of an output that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Lines {
    rest: Vec<u8>,
    /// Whether the last byte was a carriage return: with a line feed it is one line end.
    returned: bool,
}

impl Lines {
    /// The lines that these bytes complete, with nothing hidden in them.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for byte in bytes {
            let returned = std::mem::replace(&mut self.returned, *byte == b'\r');
            match byte {
                b'\n' if returned => {}
                b'\n' => lines.push(self.take()),
                // Alone it is what a progress bar draws over itself with.
                b'\r' => lines.push(self.take()),
                byte => {
                    // A character is not cut.
                    if self.rest.len() >= LONGEST && byte & 0xc0 != 0x80 {
                        lines.push(self.take());
                    }
                    self.rest.push(*byte);
                }
            }
        }
        lines
    }

    /// What came after the last line end.
    pub fn end(&mut self) -> Option<String> {
        (!self.rest.is_empty()).then(|| self.take())
    }

    fn take(&mut self) -> String {
        let line = std::mem::take(&mut self.rest);
        visible_line(&String::from_utf8_lossy(&line).replace('\t', TAB)).into_owned()
    }
}

/// A line for a terminal of this many columns, or for a file: every row of it begins with the mark.
pub(super) fn marked(line: &str, columns: Option<usize>) -> String {
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(MARK.len()).max(1));
    let (mut out, mut used) = (String::from(MARK), 0_usize);
    for c in line.chars() {
        let width = c.width().unwrap_or(1);
        if used.saturating_add(width) > room && used > 0 {
            out.push('\n');
            out.push_str(MARK);
            used = 0;
        }
        out.push(c);
        used = used.saturating_add(width);
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut all: Vec<String> = pieces.iter().flat_map(|piece| lines.feed(piece)).collect();
        all.extend(lines.end());
        all
    }

    #[test]
    fn attack_18_whatever_a_check_prints_comes_as_lines_that_hide_nothing() {
        let cases: [(&[&[u8]], &[&str]); 8] = [
            (&[b"a\nb\n"], &["a", "b"]),
            (&[b"a", b"b", b"\nc"], &["ab", "c"]),
            (&[b"a\r\nb"], &["a", "b"]),
            (&[b"10%\r20%\r\n"], &["10%", "20%"]),
            (&[b"\n\n"], &["", ""]),
            (&[b"\x1b[2J\x1b[1;1H  done     x"], &["\\u{1b}[2J\\u{1b}[1;1H  done     x"]),
            (&[b"\xc3", b"\xa9\tx\n"], &["\u{e9}    x"]),
            (&["a\u{202e}b\u{2028}c".as_bytes()], &["a\\u{202e}b\\u{2028}c"]),
        ];
        for (pieces, expected) in cases {
            assert_eq!(all(pieces), expected, "{pieces:?}");
        }
        let long = all(&[&[b'x'; LONGEST * 2 + 1]]);
        assert_eq!(long.iter().map(String::len).collect::<Vec<_>>(), [LONGEST, LONGEST, 1]);
    }

    /// Also where a terminal would begin a new row by itself.
    #[test]
    fn attack_18_every_row_is_marked() {
        let line = format!("{}  done     src/main.rs", " ".repeat(16));
        for (columns, rows) in [(None, 1), (Some(20), 3), (Some(1), line.len()), (Some(80), 1)] {
            let text = marked(&line, columns);
            assert_eq!(text.lines().count(), rows, "{columns:?}");
            assert!(text.lines().all(|row| row.starts_with(MARK)), "{text}");
        }
        assert_eq!(marked("", Some(80)), "  \u{2502} \n");
        assert!(marked("\u{6f22}\u{6f22}\u{6f22}", Some(8)).lines().all(|row| row.chars().count() <= 6));
    }
}
