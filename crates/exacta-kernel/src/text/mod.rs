//! How untrusted text is shown: whatever could hide, reorder or steer is written as an escape.
//!
//! Natural right-to-left text, emoji, CJK and combining marks pass unchanged; control and ANSI characters, bidi controls,
//! zero-width and tag characters, stray variation selectors, marks of one script on letters of another and characters without
//! a glyph do not.

mod class;
mod extend;

pub(crate) use class::is_ignorable;

use crate::prelude::*;
use crate::secret;
use alloc::borrow::Cow;
use core::fmt::Write as _;
use serde::Serialize;

/// Why a character is not shown as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hidden {
    /// Steers a terminal: ESC, one of the C1 characters that stand for ESC and a letter, or a backspace, which writes over text.
    Escape,
    /// Any other control character, a lone carriage return or a line separator.
    Control,
    /// A bidirectional override or embedding: shows the text after it in another order.
    Override,
    /// A direction mark or isolate, as right-to-left text needs beside numbers and Latin words.
    Direction,
    /// Takes no room: joiners out of place, soft hyphen, word joiner, filler, a mark of one script on a letter of another.
    ZeroWidth,
    /// U+FEFF as the very first character; harmless at the start of a file.
    ByteOrderMark,
    /// A tag character: invisible text within the text.
    Tag,
    /// A variation selector that does not follow an emoji.
    Variation,
    /// Means nothing outside a private agreement.
    PrivateUse,
    /// Not a character: unassigned for good, or a noncharacter.
    Unassigned,
    /// A letter of one script among or for those of another, in a path; never found by [`hidden`].
    Lookalike,
    /// Ends a line in code for some readers and not for others; never found by [`hidden`], to which it is a control character.
    LineBreak,
}

impl Hidden {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Escape => "terminal escape",
            Self::Control => "control character",
            Self::Override => "bidirectional override",
            Self::Direction => "direction mark",
            Self::ZeroWidth => "zero-width character",
            Self::ByteOrderMark => "byte order mark",
            Self::Tag => "tag character",
            Self::Variation => "variation selector",
            Self::PrivateUse => "private-use character",
            Self::Unassigned => "unassigned character",
            Self::Lookalike => "look-alike letter",
            Self::LineBreak => "hidden line break",
        }
    }
}

/// Whether bytes are text: UTF-8 without NUL.
#[must_use]
pub fn is_text(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_none() && core::str::from_utf8(bytes).is_ok()
}

/// Text as it may be shown over several lines: line feeds, tabs and CRLF stay, anything hidden becomes `\u{…}` (INV-GLOBAL-5).
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, hidden(text))
}

/// Text as it may be shown within one line: as [`visible`], and line feeds, carriage returns and tabs become `\n`, `\r`, `\t`.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    let mut scan = Scan::new(text);
    scan.one_line = true;
    escape(text, scan)
}

/// JSON whose strings hide nothing from whoever looks at it: the same value, with hidden characters as `\u` escapes. Outside
/// of strings JSON has none.
#[must_use]
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if json.is_ascii() {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut from = 0;
    for (at, c, _) in hidden(json) {
        out.push_str(json.get(from..at).unwrap_or_default());
        out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        from = at + c.len_utf8();
    }
    out.push_str(json.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

/// The start of a text as it may be recorded and shown within one line: without secrets, and with `…` where it was cut.
#[must_use]
pub fn excerpt(text: &str, max_chars: usize) -> String {
    let (start, cut) = start(text, max_chars);
    format!("{}{}", visible_line(&start), if cut { "…" } else { "" })
}

/// The first characters of a text and whether more follow. Secrets are masked before anything is cut, since half a secret
/// would not be known for one.
pub(crate) fn start(text: &str, max_chars: usize) -> (Cow<'_, str>, bool) {
    // A secret that begins within the first characters is known by what follows within this.
    const AHEAD: usize = 32 * 1024;
    let nearest = text.char_indices().nth(max_chars).map_or(text.len(), |(at, _)| at);
    let looked_at = text.get(..text.ceil_char_boundary(nearest.saturating_add(AHEAD))).unwrap_or(text);
    let masked = secret::mask(looked_at);
    match (masked.char_indices().nth(max_chars).map(|(end, _)| end), masked) {
        (None, masked) => (masked, looked_at.len() < text.len()),
        (Some(end), Cow::Borrowed(masked)) => (Cow::Borrowed(masked.get(..end).unwrap_or(masked)), true),
        (Some(end), Cow::Owned(mut masked)) => {
            masked.truncate(end);
            (Cow::Owned(masked), true)
        }
    }
}

/// Nothing but printable ASCII, tabs and line feeds, as nearly all source is. Without a branch, so that it runs on many bytes
/// at once.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    let odd = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\t' | b'\n');
    bytes.chunks(4096).all(|chunk| !chunk.iter().fold(false, |found, byte| found | odd(byte)))
}

/// Every hidden or deceptive character with its byte offset, in order.
#[must_use]
pub fn hidden(text: &str) -> Scan<'_> {
    Scan::new(text)
}

/// Iterates over the hidden characters of a text; made by [`hidden`].
#[derive(Debug, Clone)]
pub struct Scan<'a> {
    text: &'a str,
    at: usize,
    one_line: bool,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, one_line: false }
    }

    /// Moves to the next byte that needs a look; plain ASCII is passed over at once.
    fn skip_plain(&mut self) -> Option<char> {
        const BLOCK: usize = 32;
        let odd = |byte: &u8| !(0x20..0x7f).contains(byte);
        let rest = self.text.as_bytes().get(self.at..)?;
        // Whole blocks first, without a branch, so that many bytes are looked at at once.
        let plain = |block: &&[u8; BLOCK]| !block.iter().fold(false, |found, byte| found | odd(byte));
        let passed = BLOCK * rest.as_chunks().0.iter().take_while(plain).count();
        self.at += passed + rest.iter().skip(passed).position(odd)?;
        self.text.get(self.at..)?.chars().next()
    }
}

impl Iterator for Scan<'_> {
    type Item = (usize, char, Hidden);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let c = self.skip_plain()?;
            let at = self.at;
            let (before, rest) = (self.text.get(..at)?, self.text.get(at..)?);
            let after = rest.get(c.len_utf8()..)?;
            let flag = class::flag_len(rest);
            self.at += flag.max(c.len_utf8());
            if self.one_line && matches!(c, '\n' | '\r' | '\t') {
                return Some((at, c, Hidden::Control));
            }
            if flag == 0
                && let Some(kind) = class::classify(before, c, after)
            {
                return Some((at, c, kind));
            }
        }
    }
}

fn escape<'a>(text: &'a str, hidden: Scan<'_>) -> Cow<'a, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, c, _) in hidden {
        out.push_str(text.get(copied..at).unwrap_or_default());
        copied = at + c.len_utf8();
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a string cannot fail.
            other => drop(write!(out, "\\u{{{:x}}}", u32::from(other))),
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests;
