//! Rows as text, with or without colour.

use super::layout::{Layout as _, pieces};
use exacta_view::{Row, Tone};

/// Columns of everything that is not source code.
pub const COLUMNS: usize = 80;

/// How a terminal's commands begin.
const ESCAPE: &str = "\u{1b}[";

/// Whether colour is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint(pub bool);

impl Paint {
    /// The text in the colour of its tone.
    #[must_use]
    pub fn tone(self, tone: Tone, text: &str) -> String {
        let mut out = String::new();
        self.write(tone, text, &mut out);
        out
    }

    /// The row on one line, however long.
    #[must_use]
    pub fn row(self, row: &Row) -> String {
        let mut out = String::new();
        self.write_row(row, &mut out);
        out
    }

    /// Rows folded to [`COLUMNS`], each with its line end.
    #[must_use]
    pub fn page(self, rows: Vec<Row>) -> String {
        let mut out = String::new();
        for row in rows.into_iter().flat_map(|row| row.folded(COLUMNS)) {
            let start = out.len();
            self.write_row(&row, &mut out);
            let line = out.get(start..).unwrap_or_default();
            out.truncate(start + line.trim_end_matches(' ').len());
            out.push('\n');
        }
        out
    }

    /// Rows as they are, each with its line end: diffs.
    #[must_use]
    pub fn unfolded(self, rows: &[Row]) -> String {
        let mut out = String::new();
        for row in rows {
            self.write_row(row, &mut out);
            out.push('\n');
        }
        out
    }

    /// Writes a row on one line, without its end.
    pub fn write_row(self, row: &Row, out: &mut String) {
        pieces(row).for_each(|(tone, text)| self.write(tone, &text, out));
    }

    fn write(self, tone: Tone, text: &str, out: &mut String) {
        match code(tone).filter(|_| self.0 && !text.trim().is_empty()) {
            Some(code) => [ESCAPE, code, "m", text, ESCAPE, "0m"].iter().for_each(|piece| out.push_str(piece)),
            None => out.push_str(text),
        }
    }
}

/// The SGR parameters of a tone: the sixteen colours every terminal has.
const fn code(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Strong => Some("1"),
        Tone::Faint | Tone::Comment => Some("2"),
        Tone::Good | Tone::Added => Some("32"),
        Tone::Warn => Some("33"),
        Tone::Bad | Tone::Removed => Some("31"),
        Tone::Hunk => Some("36"),
        Tone::Keyword => Some("35"),
        Tone::Text => Some("33"),
        Tone::Number => Some("36"),
        Tone::Name => Some("34"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_only_when_asked() {
        let row = Row::new().with(Tone::Bad, "error:").plain(" x");
        assert_eq!(Paint(false).row(&row), "error: x");
        assert_eq!(Paint(true).row(&row), "\u{1b}[31merror:\u{1b}[0m x");
    }
}
