//! A line of text with tones.
//!
//! Every piece of text enters a row through [`visible_line`], so nothing that is shown can hide, reorder or steer.

use exacta_kernel::text::visible_line;
use schemars::JsonSchema;
use serde::Serialize;

/// What a piece of text is, not what colour it has: each surface decides that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Span {
    /// What it is.
    pub tone: Tone,
    /// Safe to show.
    pub text: String,
    /// As a cell of a table: how many letters its column has room for, the gap after it included. The text is whole; a surface
    /// that cannot show all of it cuts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

/// How a row that is too long goes on, as letters from its left edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    /// Between words.
    Words(usize),
    /// Anywhere: source code.
    Anywhere(usize),
}

/// One line, as long as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Row {
    /// How far right it begins, in letters.
    indent: usize,
    fold: Fold,
    spans: Vec<Span>,
}

impl Row {
    /// An empty row.
    #[must_use]
    pub const fn new() -> Self {
        Self { indent: 0, spans: Vec::new(), fold: Fold::Words(0) }
    }

    /// A row that begins this far right, and goes on below its beginning.
    #[must_use]
    pub const fn indented(letters: usize) -> Self {
        Self { indent: letters, spans: Vec::new(), fold: Fold::Words(letters) }
    }

    /// A heading.
    #[must_use]
    pub fn heading(text: &str) -> Self {
        Self::new().with(Tone::Strong, text)
    }

    /// A row of source code: folded anywhere.
    #[must_use]
    pub const fn code() -> Self {
        Self { indent: 0, spans: Vec::new(), fold: Fold::Anywhere(1) }
    }

    /// A row of these pieces, of text in which nothing is hidden: what a surface that laid a row out made of it.
    #[must_use]
    pub const fn laid_out(spans: Vec<Span>, fold: Fold) -> Self {
        Self { indent: 0, spans, fold }
    }

    /// The same, with further lines beginning at this letter.
    #[must_use]
    pub const fn hanging(mut self, letters: usize) -> Self {
        self.fold = Fold::Words(letters);
        self
    }

    /// The same, this much further right.
    #[must_use]
    pub const fn indent(mut self, letters: usize) -> Self {
        self.indent += letters;
        self.fold = match self.fold {
            Fold::Words(hang) => Fold::Words(hang + letters),
            Fold::Anywhere(hang) => Fold::Anywhere(hang + letters),
        };
        self
    }

    /// The same with more text of this tone. Line breaks and tabs are shown as escapes.
    #[must_use]
    pub fn with(mut self, tone: Tone, text: &str) -> Self {
        self.spans.push(Span { tone, text: visible_line(text).into_owned(), column: None });
        self
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

    /// The same with a cell of a table: a column with room for this many letters, of which the last stays empty.
    #[must_use]
    pub fn column(mut self, tone: Tone, text: &str, letters: usize) -> Self {
        self.spans.push(Span { tone, text: visible_line(text).into_owned(), column: Some(letters) });
        self
    }

    /// How far right it begins.
    #[must_use]
    pub const fn begins(&self) -> usize {
        self.indent
    }

    /// How it goes on where it is too long.
    #[must_use]
    pub const fn fold(&self) -> Fold {
        self.fold
    }

    /// Its pieces.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }
}

impl Default for Row {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_text_is_shown() {
        let row = Row::new().plain("a\u{202e}b\n").column(Tone::Bad, "\u{1b}[31m", 4);
        let texts: Vec<&str> = row.spans().iter().map(|span| span.text.as_str()).collect();
        assert_eq!(texts, ["a\\u{202e}b\\n", "\\u{1b}[31m"]);
    }
}
