//! Rows laid out for a terminal: cells filled with blanks to their columns, long rows folded to a width.

use exacta_view::row::Fold;
use exacta_view::{Row, Span, Tone};
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What a row becomes where letters have a width.
pub trait Layout: Sized {
    /// Columns it takes unfolded.
    fn width(&self) -> usize;

    /// The text without tones.
    fn text(&self) -> String;

    /// The start of it that fits into a width, with `…` where it was cut.
    #[must_use]
    fn cut(self, width: usize) -> Self;

    /// The lines it becomes at this width. Nothing is left out.
    #[must_use]
    fn folded(self, width: usize) -> Vec<Self>;
}

impl Layout for Row {
    fn width(&self) -> usize {
        pieces(self).map(|(_, text)| text.width()).sum()
    }

    fn text(&self) -> String {
        pieces(self).map(|(_, text)| text).collect()
    }

    fn cut(self, width: usize) -> Self {
        let (mut room, mut spans) = (width, Vec::new());
        for (tone, text) in pieces(&self) {
            if room == 0 {
                break;
            }
            let whole = text.width();
            let text = if whole > room { fit(&text, room) } else { text.into_owned() };
            spans.push(Span { tone, text, column: None });
            room = room.saturating_sub(whole);
        }
        Self::laid_out(spans, self.fold())
    }

    fn folded(self, width: usize) -> Vec<Self> {
        let width = width.max(8);
        if self.width() <= width {
            return vec![self];
        }
        let mut folder = Folder::new(self.fold(), width);
        for (tone, text) in pieces(&self) {
            folder.span(tone, &text);
        }
        folder.finish()
    }
}

/// Its pieces as they are shown: blanks before it and after its cells, which are cut where they are too long.
pub fn pieces(row: &Row) -> impl Iterator<Item = (Tone, Cow<'_, str>)> {
    let indent = Some((Tone::Plain, Cow::from(" ".repeat(row.begins())))).filter(|_| row.begins() > 0);
    indent.into_iter().chain(row.spans().iter().flat_map(cell))
}

/// A piece, and the blanks that fill its column.
fn cell(span: &Span) -> impl Iterator<Item = (Tone, Cow<'_, str>)> {
    let text = match span.column {
        Some(width) if span.text.width() >= width => Cow::from(fit(&span.text, width.saturating_sub(1))),
        _ => Cow::from(&span.text),
    };
    let fill = span.column.map(|width| width.saturating_sub(text.width()));
    let fill = fill.map(|fill| (Tone::Plain, Cow::from(" ".repeat(fill))));
    [(span.tone, text)].into_iter().chain(fill)
}

/// Splits after single spaces outside of backticks: names and commands in these are to be copied.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split_inclusive(move |c| {
        quoted ^= c == '`';
        c == ' ' && !quoted
    })
}

/// The start of a text that fits into a width, with `…` where it was cut.
#[must_use]
pub fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let next = c.width().unwrap_or(0);
        if used + next + 1 > width {
            break;
        }
        used += next;
        out.push(c);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// Fills lines with pieces of spans.
struct Folder {
    fold: Fold,
    width: usize,
    done: Vec<Row>,
    line: Vec<Span>,
    used: usize,
}

impl Folder {
    const fn new(fold: Fold, width: usize) -> Self {
        Self { fold, width, done: Vec::new(), line: Vec::new(), used: 0 }
    }

    fn span(&mut self, tone: Tone, text: &str) {
        match self.fold {
            Fold::Anywhere(_) => self.hard(tone, text),
            Fold::Words(_) => {
                let most = self.width.saturating_sub(self.hang());
                for word in words(text) {
                    if word.trim_end_matches(' ').width() <= most {
                        self.word(tone, word);
                    } else {
                        word.split_inclusive(' ').for_each(|word| self.word(tone, word));
                    }
                }
            }
        }
    }

    /// A word with the space after it; the space may stick out.
    fn word(&mut self, tone: Tone, word: &str) {
        let width = word.trim_end_matches(' ').width();
        if self.used + width > self.width && self.used > self.hang() {
            self.turn();
        }
        if width > self.width.saturating_sub(self.used) {
            self.hard(tone, word);
        } else {
            self.push(tone, word);
        }
    }

    fn hard(&mut self, tone: Tone, text: &str) {
        let mut piece = String::new();
        let mut room = self.width.saturating_sub(self.used);
        for c in text.chars() {
            let width = c.width().unwrap_or(0);
            if width > room {
                self.push(tone, &piece);
                piece.clear();
                self.turn();
                room = self.width.saturating_sub(self.used);
            }
            room = room.saturating_sub(width);
            piece.push(c);
        }
        self.push(tone, &piece);
    }

    fn push(&mut self, tone: Tone, text: &str) {
        self.used += text.width();
        match self.line.last_mut() {
            Some(last) if last.tone == tone => last.text.push_str(text),
            _ => self.line.push(Span { tone, text: text.to_owned(), column: None }),
        }
    }

    /// Ends the line and begins the next.
    fn turn(&mut self) {
        self.end();
        let hang = self.hang();
        if hang > 0 {
            self.push(Tone::Plain, &" ".repeat(hang));
        }
    }

    fn end(&mut self) {
        if let (Some(last), Fold::Words(_)) = (self.line.last_mut(), self.fold) {
            last.text.truncate(last.text.trim_end_matches(' ').len());
        }
        self.done.push(Row::laid_out(core::mem::take(&mut self.line), self.fold));
        self.used = 0;
    }

    fn hang(&self) -> usize {
        match self.fold {
            Fold::Words(columns) | Fold::Anywhere(columns) => columns.min(self.width / 2),
        }
    }

    fn finish(mut self) -> Vec<Row> {
        if self.used > 0 {
            self.end();
        }
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(row: Row, width: usize) -> Vec<String> {
        row.folded(width).iter().map(Layout::text).collect()
    }

    #[test]
    fn words_are_kept_whole_and_hang() {
        let row = Row::indented(2).plain("one two three four");
        assert_eq!(lines(row, 11), ["  one two", "  three", "  four"]);
    }

    #[test]
    fn names_in_backticks_are_kept_whole_where_they_fit() {
        let row = |text: &str| Row::indented(2).plain(text);
        assert_eq!(lines(row("one `two three` four"), 14), ["  one", "  `two three`", "  four"]);
        assert_eq!(lines(row("one `two three four five`"), 14), ["  one `two", "  three four", "  five`"]);
    }

    #[test]
    fn long_words_and_code_are_cut_without_loss() {
        assert_eq!(lines(Row::new().plain("abcdefghijkl"), 8), ["abcdefgh", "ijkl"]);
        assert_eq!(lines(Row::code().plain("+ab  cdefgh"), 8), ["+ab  cde", " fgh"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(lines(Row::code().plain("漢字漢字漢"), 8), ["漢字漢字", " 漢"]);
        assert_eq!(fit("漢字漢字", 5), "漢字…");
    }

    proptest::proptest! {
        #[test]
        fn folding_loses_no_visible_character_and_keeps_the_width(text in "[ a-z漢é`]{0,200}", width in 8usize..60) {
            let keep = |s: &str| s.chars().filter(|c| *c != ' ').collect::<String>();
            let folded = lines(Row::indented(3).plain(&text), width);
            proptest::prop_assert_eq!(keep(&folded.concat()), keep(&text));
            for line in &folded {
                proptest::prop_assert!(line.trim_end().width() <= width, "{:?}", line);
            }
        }
    }
}
