//! Secrets with an inner structure: private key blocks and JSON web tokens.

use super::Found;
use super::value::{contains, entropy, is_placeholder};
use crate::prelude::*;

/// How every key block begins, up to the first space.
pub(super) const OPENING: &[u8] = b"-----BEGIN";
/// How far a key block is followed, in bytes.
const LONGEST_KEY: usize = 16_384;
/// Every line of a key but the last is longer than this; hardly a word of a program is.
const LONG_LINE: usize = 32;
/// What stands between a header and its key in older formats.
const HEADS: &[&[u8]] = &[b"Proc-Type", b"DEK-Info", b"Version", b"Comment", b"Hash", b"Charset", b"MessageID"];
/// The longest part of a web token, in bytes.
const LONGEST_PART: usize = 8192;

/// The private key block that begins at `start`: a header with at least some lines of key under it. A header alone, as a
/// program that reads keys has it, is none.
pub(super) fn private_key(text: &[u8], start: usize) -> Option<Found> {
    let rest = text.get(start..)?;
    let rest = rest.get(..rest.len().min(LONGEST_KEY))?;
    let label = rest.strip_prefix(b"-----BEGIN ")?;
    let label_end = label.windows(5).take(60).position(|window| window == b"-----")?;
    let name = label.get(..label_end)?;
    if !contains(name, b"PRIVATE KEY") {
        return None;
    }
    let body_at = 11 + label_end + 5;
    let body = rest.get(body_at..)?;
    let (key, body_end) = key_lines(body);
    // In a long key any short word turns up by chance.
    let stands_in = if key.len() < 100 { is_placeholder(&key) } else { entropy(&key) < 400 };
    if key.len() < 40 || stands_in {
        return None;
    }
    // Another block may begin where this one should have ended.
    let closing = body.get(body_end..).and_then(|end| end.strip_prefix(b"-----END")).unwrap_or_default();
    let closing = closing.windows(5).take(60).position(|window| window == b"-----").map_or(0, |at| 8 + at + 5);
    Some(Found { start, end: start + body_at + body_end + closing, what: "private key", certain: true })
}

/// The base-64 characters of a key's lines, and where the key ends: at its closing line, or where something else stands than such
/// lines, as they are written in files, texts and comments.
fn key_lines(body: &[u8]) -> (Vec<u8>, usize) {
    let (mut key, mut end, mut at) = (Vec::new(), 0, 0);
    let from = |at: usize| body.get(at..).unwrap_or_default();
    loop {
        at += skipped(from(at));
        let rest = from(at);
        if closes(rest) {
            return (key, at);
        }
        if let Some(head) = head(rest).filter(|_| key.is_empty()) {
            at += head;
            continue;
        }
        let is_end = |length: &usize| closes(from(at + length)) || between(from(at + length)) > 0;
        let length = (0..rest.len()).find(is_end).unwrap_or(rest.len());
        let line = without_end(rest.get(..length).unwrap_or_default());
        // The last line of a key may be short; no word of a program is taken for one.
        let next = || from(at + length + skipped(from(at + length)));
        let is_last = || next().is_empty() || closes(next());
        if line.is_empty() || !is_key_line(line) || (line.len() < LONG_LINE && !is_last()) {
            return (key, end);
        }
        key.extend(line.iter().filter(|byte| **byte != b'\\'));
        end = at + line.len();
        at += length;
        if from(at).trim_ascii().is_empty() {
            return (key, body.len());
        }
    }
}

/// Whether a key's last line follows, or the first line of another.
fn closes(text: &[u8]) -> bool {
    text.starts_with(b"-----")
}

/// The length of the line that names something about the key, such as `DEK-Info: …`.
fn head(text: &[u8]) -> Option<usize> {
    HEADS.iter().find(|name| text.strip_prefix(**name).is_some_and(|rest| rest.starts_with(b": ")))?;
    let length = text.iter().take(200).position(|byte| matches!(byte, b'\n' | b'\\'))?;
    let harmless = !text.get(..length)?.iter().any(|byte| b";|&`$".contains(byte));
    harmless.then_some(length)
}

/// The length of what separates two lines of a key: white space, or an escape for it.
fn between(text: &[u8]) -> usize {
    match text {
        [b' ' | b'\t' | b'\r' | b'\n', ..] => 1,
        [b'\\', b'n' | b'r' | b't', ..] => 2,
        _ => 0,
    }
}

/// What texts and comments put before a line of a key.
const fn opens_line(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'\\' | b'#' | b'*' | b'/' | b'+' | b'>' | b'|' | b',')
}

/// How much of a text is only between lines.
fn skipped(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        match (between(rest), rest.first()) {
            (0, Some(byte)) if opens_line(*byte) => at += 1,
            (0, _) => break,
            (length, _) => at += length,
        }
    }
    at
}

/// Without the quote, comma or full stop that ends a text.
fn without_end(piece: &[u8]) -> &[u8] {
    let kept = piece.iter().rposition(|byte| !matches!(byte, b'"' | b'\'' | b'\\' | b',' | b';' | b'.' | b')'));
    piece.get(..kept.map_or(0, |at| at + 1)).unwrap_or_default()
}

/// Only base 64; JSON may escape its slashes.
fn is_key_line(line: &[u8]) -> bool {
    let mut bytes = line.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = byte == b'\\' && bytes.peek() == Some(&b'/');
        if !escaped && !byte.is_ascii_alphanumeric() && !matches!(byte, b'+' | b'/' | b'=') {
            return false;
        }
    }
    true
}

/// The JSON web token that begins at `start`: three parts, of which two decode to objects.
pub(super) fn web_token(text: &[u8], start: usize) -> Option<Found> {
    let rest = text.get(start..)?;
    if !rest.starts_with(b"eyJ") {
        return None;
    }
    let header_end = part_end(rest, 0)?;
    let payload_end = part_end(rest, header_end + 1)?;
    let signature = rest.get(payload_end + 1..)?;
    let signature_length = signature.iter().take(LONGEST_PART).take_while(|byte| is_base64url(**byte)).count();
    let header = decode(rest.get(..header_end)?)?;
    let payload = decode(rest.get(header_end + 1..payload_end)?)?;
    let is_object = |json: &[u8]| json.starts_with(b"{") && json.trim_ascii_end().ends_with(b"}");
    if !is_object(&header) || !is_object(&payload) || !contains(&header, b"\"alg\"") || signature_length < 16 {
        return None;
    }
    let documented =
        contains(&payload, b"1234567890") || contains(&payload, b"John Doe") || contains(&payload, b"example");
    let end = start + payload_end + 1 + signature_length;
    Some(Found { start, end, what: "JSON web token", certain: !documented })
}

/// Where the part that begins at `from` ends, if a dot follows it.
fn part_end(text: &[u8], from: usize) -> Option<usize> {
    let part = text.get(from..)?;
    let length = part.iter().take(LONGEST_PART).take_while(|byte| is_base64url(**byte)).count();
    (length >= 4 && part.get(length) == Some(&b'.')).then_some(from + length)
}

fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Base 64 without padding, in either alphabet.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let mut bits = 0_u32;
    let mut count = 0_u32;
    for byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(bytes)
}
