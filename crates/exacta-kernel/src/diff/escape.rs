//! Lines as they are shown: what hides is written as an escape, and no two lines look the same.

use crate::prelude::*;
use crate::text;

/// What a diff with escapes begins with.
pub(super) const LEGEND: &str = "hidden characters are written as \\u{…}, bytes that are no text as \\xNN; a backslash that reads like that is doubled";

/// Writes a line without its line feed; whether something of it had to be escaped. A carriage return at its end is not: the line
/// feed after it says what it is. If `tell_apart`, backslashes of the line before an escape, or before what reads like one, are
/// doubled.
pub(super) fn write(line: &[u8], tell_apart: bool, out: &mut Vec<u8>) -> bool {
    let (line, end) = match line.strip_suffix(b"\r") {
        Some(line) => (line, &b"\r"[..]),
        None => (line, &[][..]),
    };
    let start = out.len();
    let mut escaped = false;
    for chunk in line.utf8_chunks() {
        let valid = chunk.valid();
        let mut copied = 0;
        for (at, c, _) in text::hidden(valid) {
            copy(valid.get(copied..at).unwrap_or_default(), tell_apart, start, out);
            push(format!("\\u{{{:x}}}", u32::from(c)).as_bytes(), tell_apart, start, out);
            copied = at + c.len_utf8();
            escaped = true;
        }
        copy(valid.get(copied..).unwrap_or_default(), tell_apart, start, out);
        for byte in chunk.invalid() {
            push(format!("\\x{byte:02x}").as_bytes(), tell_apart, start, out);
            escaped = true;
        }
    }
    out.extend_from_slice(end);
    escaped
}

/// Writes an escape, with the backslashes before it doubled.
fn push(escape: &[u8], tell_apart: bool, start: usize, out: &mut Vec<u8>) {
    if tell_apart {
        double(start, out);
    }
    out.extend_from_slice(escape);
}

/// Writes text, with the backslashes before what reads like an escape doubled.
fn copy(text: &str, tell_apart: bool, start: usize, out: &mut Vec<u8>) {
    if !tell_apart {
        return out.extend_from_slice(text.as_bytes());
    }
    for (at, piece) in text.split('\\').enumerate() {
        if at > 0 {
            out.push(b'\\');
            if reads_like_an_escape(piece.as_bytes()) {
                double(start, out);
            }
        }
        out.extend_from_slice(piece.as_bytes());
    }
}

/// Doubles the backslashes at the end of what was written of a line.
fn double(start: usize, out: &mut Vec<u8>) {
    let line = out.get(start..).unwrap_or_default();
    let count = line.iter().rev().take_while(|byte| **byte == b'\\').count();
    out.resize(out.len() + count, b'\\');
}

/// Whether what follows a backslash makes an escape of it.
fn reads_like_an_escape(rest: &[u8]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    match rest {
        [b'u', b'{', rest @ ..] => {
            let digits = rest.iter().take_while(|byte| is_digit(byte)).count();
            (1..=6).contains(&digits) && rest.get(digits) == Some(&b'}')
        }
        [b'x', b'8'..=b'9' | b'a'..=b'f', low, ..] => is_digit(low),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &[u8]) -> String {
        let mut out = b"before \\".to_vec();
        write(line, true, &mut out);
        String::from_utf8(out.split_off(8)).unwrap()
    }

    #[test]
    fn what_reads_like_an_escape_is_told_apart() {
        for (line, expected) in [
            (&b"plain \\n \\x1b \\u{} text\t\r"[..], "plain \\n \\x1b \\u{} text\t\r"),
            (b"\xe2\x80\xae", "\\u{202e}"),
            (b"\\u{202e}", "\\\\u{202e}"),
            (b"\\\\u{202e}", "\\\\\\\\u{202e}"),
            (b"\\\xe2\x80\xae", "\\\\\\u{202e}"),
            (b"a\xffb", "a\\xffb"),
            (b"a\\xffb", "a\\\\xffb"),
            (b"\\x\xff", "\\x\\xff"),
            (b"a\rb\r\r", "a\\u{d}b\\u{d}\r"),
        ] {
            assert_eq!(shown(line), expected, "{}", String::from_utf8_lossy(line));
        }
    }
}
