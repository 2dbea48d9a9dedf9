//! Secrets with an inner structure: private key blocks and JSON web tokens.

use super::Found;
use super::value::{contains, entropy, is_placeholder};
use crate::prelude::*;

/// How every key block begins, up to the first space.
pub(super) const OPENING: &[u8] = b"-----BEGIN";
/// How far a key block is followed, in bytes.
const LONGEST_KEY: usize = 16_384;
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
    let body_end = body.windows(5).position(|window| window == b"-----").unwrap_or(body.len());
    let body = body.get(..body_end)?;
    let key: Vec<u8> = key_bytes(body);
    // In a long key any short word turns up by chance.
    let stands_in = if key.len() < 100 { is_placeholder(&key) } else { entropy(&key) < 400 };
    if key.len() < 40 || stands_in {
        return None;
    }
    // Another block may begin where this one should have ended.
    let closing = rest.get(body_at + body_end..).and_then(|end| end.strip_prefix(b"-----END")).unwrap_or_default();
    let closing = closing.windows(5).take(60).position(|window| window == b"-----").map_or(0, |at| 8 + at + 5);
    Some(Found { start, end: start + body_at + body_end + closing, what: "private key", certain: true })
}

/// The base-64 characters of a key's lines; headers, line breaks (also written `\n`), quotes and indents left out.
fn key_bytes(body: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    for line in body.split(|byte| *byte == b'\n') {
        if contains(line, b": ") {
            continue;
        }
        let mut bytes = line.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            if byte == b'\\' {
                bytes.next();
            } else if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') {
                key.push(byte);
            }
        }
    }
    key
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
