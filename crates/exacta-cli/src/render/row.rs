//! A line of text with tones, and how it is folded to a width.
//!
//! Every piece of text enters a row through [`visible_line`], so nothing that is shown can hide, reorder or steer.

use exacta_kernel::text::visible_line;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What a piece of text is, not what colour it has: each surface decides that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// A name or heading.
    Strong,
    /// Less important.
    Faint,
    /// Allowed, met, done.
    Good,
    /// Confirm, notice.
    Warn,
    /// Denied, violated, failed.
    Bad,
    /// An added line's sign.
    Added,
    /// A removed line's sign.
    Removed,
    /// A hunk's header.
    Hunk,
    /// Source code: a keyword.
    Keyword,
    /// Source code: a string.
    Text,
    /// Source code: a number or constant.
    Number,
    /// Source code: a comment.
    Comment,
    /// Source code: the name of a function or type.
    Name,
}

/// A piece of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// What it is.
    pub tone: Tone,
    /// Safe to show.
    pub text: String,
}

/// How a row that is too long goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fold {
    /// Between words, with so many columns before each further line.
    Words(usize),
    /// Anywhere, with so many columns before each further line: source code.
    Anywhere(usize),
}

/// One line, before it is folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    spans: Vec<Span>,
    fold: Fold,
}

impl Row {
    /// An empty row.
    #[must_use]
    pub const fn new() -> Self {
        Self { spans: Vec::new(), fold: Fold::Words(0) }
    }

    /// A row that begins with so many spaces and goes on below them.
    #[must_use]
    pub fn indented(columns: usize) -> Self {
        let row = Self { spans: Vec::new(), fold: Fold::Words(columns) };
        if columns == 0 { row } else { row.plain(&" ".repeat(columns)) }
    }

    /// A heading.
    #[must_use]
    pub fn heading(text: &str) -> Self {
        Self::new().with(Tone::Strong, text)
    }

    /// A row of source code: folded anywhere.
    #[must_use]
    pub const fn code() -> Self {
        Self { spans: Vec::new(), fold: Fold::Anywhere(1) }
    }

    /// The same, with further lines beginning at this column.
    #[must_use]
    pub const fn hanging(mut self, columns: usize) -> Self {
        self.fold = Fold::Words(columns);
        self
    }

    /// The same, so many columns further right.
    #[must_use]
    pub fn indent(mut self, columns: usize) -> Self {
        self.spans.insert(0, Span { tone: Tone::Plain, text: " ".repeat(columns) });
        self.fold = match self.fold {
            Fold::Words(hang) => Fold::Words(hang + columns),
            Fold::Anywhere(hang) => Fold::Anywhere(hang + columns),
        };
        self
    }

    /// The same with more text of this tone. Line breaks and tabs are shown as escapes.
    #[must_use]
    pub fn with(mut self, tone: Tone, text: &str) -> Self {
        self.spans.push(Span { tone, text: visible_line(text).into_owned() });
        self
    }

    /// A line of code that was folded already, of text in which nothing is hidden.
    #[must_use]
    pub(crate) fn folded_code(tone: Tone, text: String) -> Self {
        Self { spans: vec![Span { tone, text }], fold: Fold::Anywhere(1) }
    }

    /// The same with more plain text.
    #[must_use]
    pub fn plain(self, text: &str) -> Self {
        self.with(Tone::Plain, text)
    }

    /// The same with more faint text.
    #[must_use]
    pub fn faint(self, text: &str) -> Self {
        self.with(Tone::Faint, text)
    }

    /// The same with text of this tone, filled with spaces to a width, and cut if it is longer; the last column stays empty.
    #[must_use]
    pub fn column(self, tone: Tone, text: &str, width: usize) -> Self {
        let text = fit(&visible_line(text), width.saturating_sub(1));
        let fill = width.saturating_sub(text.width());
        self.with(tone, &text).plain(&" ".repeat(fill))
    }

    /// The start of it that fits into a width, with `…` where it was cut.
    #[must_use]
    pub fn cut(mut self, width: usize) -> Self {
        let mut room = width;
        self.spans.retain_mut(|span| {
            let whole = span.text.width();
            if room > 0 && whole > room {
                span.text = fit(&span.text, room);
            }
            let is_seen = room > 0;
            room = room.saturating_sub(whole);
            is_seen
        });
        self
    }

    /// Its pieces.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Columns it takes unfolded.
    #[must_use]
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| span.text.width()).sum()
    }

    /// The text without tones.
    #[must_use]
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// The lines it becomes at this width. Nothing is left out.
    #[must_use]
    pub fn folded(self, width: usize) -> Vec<Self> {
        let width = width.max(8);
        if self.width() <= width {
            return vec![self];
        }
        let mut folder = Folder::new(self.fold, width);
        for span in &self.spans {
            folder.span(span);
        }
        folder.finish()
    }
}

impl Default for Row {
    fn default() -> Self {
        Self::new()
    }
}

/// A number of things in words: `1 file`, `2 files`.
#[must_use]
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
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

    fn span(&mut self, span: &Span) {
        match self.fold {
            Fold::Anywhere(_) => self.hard(span.tone, &span.text),
            Fold::Words(_) => {
                let most = self.width.saturating_sub(self.hang());
                for word in words(&span.text) {
                    if word.trim_end_matches(' ').width() <= most {
                        self.word(span.tone, word);
                    } else {
                        word.split_inclusive(' ').for_each(|word| self.word(span.tone, word));
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
            _ => self.line.push(Span { tone, text: text.to_owned() }),
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
        self.done.push(Row { spans: core::mem::take(&mut self.line), fold: self.fold });
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
        row.folded(width).iter().map(Row::text).collect()
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

    #[test]
    fn one_thing_is_not_many() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "file")), ["0 files", "1 file", "2 files"]);
    }

    #[test]
    fn hidden_text_is_shown() {
        assert_eq!(Row::new().plain("a\u{202e}b\n\u{1b}[31m").text(), "a\\u{202e}b\\n\\u{1b}[31m");
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
