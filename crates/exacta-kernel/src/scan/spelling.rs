//! Other spellings of the same code: what a language reads as one name, though it is written in other characters.
//!
//! Python folds compatibility letters, JavaScript and Java read `\u0061` in a name as `a`, C joins a line that ends in `\` with
//! the next, and nearly every language lets blanks stand around a dot.

use crate::prelude::*;
use unicode_normalization::UnicodeNormalization;

/// A line in its plainest spelling; none if that is how it is written.
pub(crate) fn plain(line: &[u8]) -> Option<String> {
    let dotted = memchr::memchr_iter(b'.', line).any(|at| {
        let blank = |at: Option<usize>| at.and_then(|at| line.get(at)).is_some_and(|byte| is_blank(*byte));
        blank(at.checked_sub(1)) || blank(Some(at + 1))
    });
    let escaped = memchr::memmem::find(line, b"\\u").is_some();
    if line.is_ascii() && !dotted && !escaped {
        return None;
    }
    let text = String::from_utf8_lossy(line);
    let text = if escaped { unescaped(&text) } else { text.into_owned() };
    let text: String = if text.is_ascii() { text } else { text.nfkc().collect() };
    let text = without_blanks(&text);
    (text.as_bytes() != line).then_some(text)
}

/// The lines of a text in their plainest spelling, those left out that are written so; lines that a language joins as one.
pub(crate) fn plain_lines(text: &[u8]) -> Vec<String> {
    let mut plains = Vec::new();
    let mut joined: Vec<u8> = Vec::new();
    let mut parts = 0_usize;
    let mut lines = text.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let spliced = line.strip_suffix(b"\\");
        joined.extend_from_slice(spliced.unwrap_or(line));
        parts += 1;
        let next = lines.peek().map(|next| next.trim_ascii_start());
        if next.is_some() && spliced.is_some() || next.is_some_and(begins_with_member) {
            continue;
        }
        let text = plain(&joined);
        if let Some(text) = text.or_else(|| (parts > 1).then(|| String::from_utf8_lossy(&joined).into_owned())) {
            plains.push(text.trim().to_owned());
        }
        joined.clear();
        parts = 0;
    }
    plains
}

/// Whether a line goes on with a member of what stands at the end of the line before it.
fn begins_with_member(line: &[u8]) -> bool {
    matches!(line, [b'.', rest @ ..] if rest.trim_ascii_start().first().is_some_and(|byte| is_name(*byte)))
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// With `\u0061` and `\u{61}` as the letter or digit they stand for.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split("\\u");
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (digits, rest) = match piece.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
            Some((digits, rest)) => (digits, rest),
            // Java allows any number of `u`, of which the others ended a piece of their own or stand here.
            None => piece.trim_start_matches('u').split_at_checked(4).unwrap_or(("", piece)),
        };
        let letter = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        match letter.filter(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) {
            Some(letter) => {
                out.push(letter);
                out.push_str(rest);
            }
            None => {
                out.push_str("\\u");
                out.push_str(piece);
            }
        }
    }
    out
}

/// Without the blanks around a dot between two names.
fn without_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('.').peekable();
    let mut opened = false;
    while let Some(piece) = pieces.next() {
        let ends =
            |text: &str| text.bytes().next_back().is_some_and(|byte| is_name(byte) || matches!(byte, b')' | b']'));
        let starts = |text: &str| text.bytes().next().is_some_and(is_name);
        let start = if opened { piece.trim_start_matches([' ', '\t']) } else { piece };
        let next = pieces.peek().map(|next| next.trim_start_matches([' ', '\t']));
        opened = ends(start.trim_end_matches([' ', '\t'])) && next.is_some_and(starts);
        out.push_str(if opened { start.trim_end_matches([' ', '\t']) } else { start });
        if next.is_some() {
            out.push('.');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// attack 58: what a language reads as the same name is spelled the same.
    #[test]
    fn attack_58_other_spellings_become_plain() {
        for (line, expected) in [
            ("return \u{1D41E}\u{1D42F}\u{1D41A}\u{1D425}(x)", "return eval(x)"),
            ("\u{FF45}\u{FF56}\u{FF41}\u{FF4C}(x)", "eval(x)"),
            ("f = ev\\u0061l(x)", "f = eval(x)"),
            ("f = ev\\u{61}l(x)", "f = eval(x)"),
            ("f = ev\\uuu0061l(x)", "f = eval(x)"),
            ("os . system(x)", "os.system(x)"),
            ("a() .\tb . c", "a().b.c"),
        ] {
            assert_eq!(plain(line.as_bytes()).as_deref(), Some(expected), "{line}");
        }
        for line in ["eval(x)", "a.b(c)", "\"\\u0000\\u200b\"", "rm -rf . /", "caf\u{E9}", "1. ", ". ./env", "\\u12"] {
            assert_eq!(plain(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn attack_58_lines_that_are_joined() {
        assert_eq!(plain_lines(b"x = ev\\\nal(y);\nz\n"), ["x = eval(y);"]);
        assert_eq!(plain_lines(b"x = ev\\\r\nal(y);\r\n"), ["x = eval(y);"]);
        assert_eq!(plain_lines(b"os\n  .system(y)\n  . b\n"), ["os.system(y).b"]);
        assert_eq!(plain_lines(b"a\nb.c\n... d\n\\"), [""; 0]);
    }
}
