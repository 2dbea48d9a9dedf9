//! File names as diffs write them: plain, or quoted the way git does.

use crate::path::RelPath;
use crate::prelude::*;
use alloc::borrow::Cow;

/// Reads what follows `--- ` or `+++ `: a name, and perhaps a tab and a time.
pub(super) fn read(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    let (name, rest) = if text.starts_with(b"\"") {
        let (name, rest) = unquote(text)?;
        (Cow::Owned(name), rest)
    } else {
        let (name, rest) = text.split_at(memchr::memchr(b'\t', text).unwrap_or(text.len()));
        (Cow::Borrowed(name), rest)
    };
    (!name.is_empty() && (rest.is_empty() || rest.starts_with(b"\t"))).then_some(name)
}

/// Whether a name is the target, with or without git's prefix.
pub(super) fn matches(name: &[u8], prefix: &str, target: &RelPath) -> bool {
    let target = target.as_str().as_bytes();
    name == target || name.strip_prefix(prefix.as_bytes()) == Some(target)
}

/// Whether both names after `diff --git ` are the target.
pub(super) fn git_line_names(text: &[u8], target: &RelPath) -> bool {
    if text.starts_with(b"\"") {
        return unquote(text).is_some_and(|(old, rest)| matches(&old, "a/", target) && second(rest, target));
    }
    let rest_after = |old: &[u8]| text.strip_prefix(old).is_some_and(|rest| second(rest, target));
    let name = target.as_str().as_bytes();
    rest_after(name) || rest_after(&[b"a/", name].concat())
}

fn second(text: &[u8], target: &RelPath) -> bool {
    let Some(text) = text.strip_prefix(b" ") else { return false };
    if text.starts_with(b"\"") {
        return unquote(text).is_some_and(|(new, rest)| rest.is_empty() && matches(&new, "b/", target));
    }
    matches(text, "b/", target)
}

/// The name after `diff --git `, where it is said twice.
pub(crate) fn of_git_line(text: &[u8]) -> Option<Vec<u8>> {
    let (old, new) = if text.starts_with(b"\"") {
        let (old, rest) = unquote(text)?;
        let rest = rest.strip_prefix(b" ")?;
        let new = if rest.starts_with(b"\"") { unquote(rest)?.0 } else { rest.to_vec() };
        (old, new)
    } else {
        // Names may have spaces, so the only safe place to cut is the middle.
        let (old, rest) = text.split_at_checked(text.len() / 2)?;
        (old.to_vec(), rest.strip_prefix(b" ")?.to_vec())
    };
    match (old.strip_prefix(b"a/"), new.strip_prefix(b"b/")) {
        (Some(old), Some(new)) if old == new => Some(old.to_vec()),
        _ if old == new => Some(old),
        _ => None,
    }
}

/// Reads a name in C's quotes; gives the name and what follows the closing quote.
pub(super) fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (byte, after) = match rest {
            [b'"', after @ ..] => return Some((name, after)),
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..] => {
                (((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0'), after)
            }
            [b'\\', escaped, after @ ..] => (unescape(*escaped)?, after),
            [byte, after @ ..] => (*byte, after),
            [] => return None,
        };
        name.push(byte);
        rest = after;
    }
}

const fn unescape(escaped: u8) -> Option<u8> {
    Some(match escaped {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        b'"' | b'\\' => escaped,
        _ => return None,
    })
}

/// A name as git writes it: in quotes if it has a quote, a backslash, a control character or a byte beyond ASCII.
pub(super) fn quoted(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| matches!(byte, 0x20..0x7f) && !matches!(byte, b'"' | b'\\')) {
        return Cow::Borrowed(name);
    }
    let mut out = String::from("\"");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            0x20..0x7f => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    Cow::Owned(out)
}
