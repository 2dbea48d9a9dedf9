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
    if text.starts_with(b"\"") {
        let (old, rest) = unquote(text)?;
        return pair(&old, rest);
    }
    // Names may have spaces. Mostly both are equally long; else there must be only one cut that gives two like names.
    let middle = text.split_at_checked(text.len() / 2).and_then(|(old, rest)| pair(old, rest));
    middle.or_else(|| {
        let cuts = memchr::memchr_iter(b' ', text).filter_map(|at| text.split_at_checked(at));
        let mut names = cuts.filter_map(|(old, rest)| pair(old, rest));
        let name = names.next()?;
        names.all(|other| other == name).then_some(name)
    })
}

/// What the old name and the new one, after a space, agree on.
fn pair(old: &[u8], rest: &[u8]) -> Option<Vec<u8>> {
    let rest = rest.strip_prefix(b" ")?;
    if !rest.starts_with(b"\"") {
        return agreed(old, rest).map(<[u8]>::to_vec);
    }
    let (new, end) = unquote(rest)?;
    agreed(old, &new).filter(|_| end.is_empty()).map(<[u8]>::to_vec)
}

/// The file that two names mean: with git's prefixes, without any, or with one other folder before each, as `git apply` reads
/// them.
pub(crate) fn agreed<'n>(old: &'n [u8], new: &[u8]) -> Option<&'n [u8]> {
    let usual = old.strip_prefix(b"a/").filter(|old| new.strip_prefix(b"b/") == Some(old));
    let same = || (old == new).then_some(old);
    usual.or_else(same).or_else(|| after_slash(old).filter(|old| after_slash(new) == Some(old)))
}

/// A name without its first folder.
pub(crate) fn after_slash(name: &[u8]) -> Option<&[u8]> {
    name.get(memchr::memchr(b'/', name)? + 1..).filter(|rest| !rest.is_empty())
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
pub(crate) fn quoted(name: &str) -> Cow<'_, str> {
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
