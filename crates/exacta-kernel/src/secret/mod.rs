//! Secrets in text: vendors' tokens by their shape and checksum, private keys, web tokens, passwords in addresses, and values
//! given to names that promise a secret.
//!
//! One pass over the text, with bounded looks ahead, so that hostile text costs no more than plain text. *Certain* means that
//! the shape leaves no doubt; such a text is never stored. Placeholders and the vendors' own examples are not secrets.

mod assign;
mod block;
mod token;
mod url;
mod value;

use crate::prelude::*;
use alloc::borrow::Cow;

/// One secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    /// Its first byte.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
    /// What kind of secret.
    pub what: &'static str,
    /// Whether its shape leaves no doubt.
    pub certain: bool,
}

/// The text with every secret, certain or doubtful, replaced by `‹secret:what›`. For everything that is stored or shown.
#[must_use]
pub fn mask(text: &str) -> Cow<'_, str> {
    let found = find(text.as_bytes());
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for secret in found {
        out.push_str(text.get(copied..secret.start).unwrap_or_default());
        out.push_str(&stand_in(secret));
        copied = secret.end;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The same for a file, line by line: it keeps its lines, so that what is known of their places stays true. `None` where there
/// is no secret.
pub(crate) fn mask_lines(bytes: &[u8]) -> Option<Vec<u8>> {
    let found = find(bytes);
    if found.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut copied = 0;
    for secret in found {
        out.extend_from_slice(bytes.get(copied..secret.start).unwrap_or_default());
        let lines = bytes.get(secret.start..secret.end).unwrap_or_default().split(|byte| *byte == b'\n');
        for (number, line) in lines.enumerate() {
            if number > 0 {
                out.push(b'\n');
            }
            let end = if line.ends_with(b"\r") { &b"\r"[..] } else { b"" };
            if line.len() > end.len() {
                out.extend_from_slice(stand_in(secret).as_bytes());
            }
            out.extend_from_slice(end);
        }
        copied = secret.end;
    }
    out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    Some(out)
}

fn stand_in(secret: Found) -> String {
    format!("‹secret:{}›", secret.what)
}

/// Whether a text holds a secret whose shape leaves no doubt.
#[must_use]
pub fn is_certain(text: &[u8]) -> bool {
    find(text).iter().any(|found| found.certain)
}

/// Where secrets are among bytes, for those who show them as anything but text.
#[must_use]
pub fn places(bytes: &[u8]) -> Vec<core::ops::Range<usize>> {
    find(bytes).into_iter().map(|found| found.start..found.end).collect()
}

/// Every secret in a text, in order, none overlapping another.
pub(crate) fn find(text: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = next_name(text, at) {
        let end = name_end(text, start);
        at = if is_harmless(text, start, end) { end } else { end.max(look(text, start, end, &mut found)) };
    }
    pair_aws(text, &mut found);
    without_overlaps(found)
}

/// Whether [`look`] would find nothing: nearly every name is short, and no value is given to it.
fn is_harmless(text: &[u8], start: usize, end: usize) -> bool {
    let follows = text.get(end..).unwrap_or_default();
    end - start < block::OPENING.len()
        && match follows {
            [b' ', next, ..] => is_name(*next),
            [next, ..] => !assign::may_follow(*next),
            [] => true,
        }
}

/// Looks at the name at `start..end` and returns how far it looked.
fn look(text: &[u8], start: usize, end: usize, found: &mut Vec<Found>) -> usize {
    let opens_block = text.get(start..end).is_some_and(|name| name.ends_with(block::OPENING));
    if opens_block && let Some(key) = block::private_key(text, end - block::OPENING.len()) {
        found.push(key);
        return key.end;
    }
    if end - start >= token::SHORTEST
        && let Some(token) = block::web_token(text, start)
    {
        found.push(token);
        return token.end;
    }
    if end - start >= token::SHORTEST {
        found.extend(tokens(text, start, end));
    }
    let next = text.get(end..).unwrap_or_default();
    if next.starts_with(b"://") {
        found.extend(url::password(text, end).or_else(|| url::webhook(text, end)));
    } else {
        found.extend(assign::value(text, start, end));
    }
    end
}

/// Vendors' tokens in a name; one may follow other words, as in `x-sk_live_…`.
fn tokens(text: &[u8], start: usize, end: usize) -> Option<Found> {
    let mut before = b' ';
    for at in start..end {
        let byte = *text.get(at)?;
        if !is_word(before)
            && is_word(byte)
            && let Some(token) = token::at(text, at)
        {
            return Some(token);
        }
        before = byte;
    }
    None
}

/// An AWS key id becomes certain when a secret access key stands near it, and so does that key, whatever its name.
fn pair_aws(text: &[u8], found: &mut Vec<Found>) {
    const NEAR: usize = 400;
    let mut keys = Vec::new();
    for id in found.iter_mut().filter(|found| found.what == "AWS access key id") {
        let from = id.start.saturating_sub(NEAR);
        let window = text.get(from..text.len().min(id.end + NEAR)).unwrap_or_default();
        let mut at = from;
        for run in window.split(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'+' | b'/')) {
            if assign::is_aws_secret(run) {
                id.certain = true;
                keys.push(Found { start: at, end: at + run.len(), what: "AWS secret access key", certain: true });
            }
            at += run.len() + 1;
        }
    }
    found.append(&mut keys);
}

/// Sorted; of two that overlap the certain one, else the longer one.
fn without_overlaps(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|secret| (!secret.certain, core::cmp::Reverse(secret.end - secret.start), secret.start));
    let mut kept: BTreeMap<usize, Found> = BTreeMap::new();
    for secret in found {
        let before = kept.range(..secret.end).next_back();
        if before.is_none_or(|(_, other)| other.end <= secret.start) {
            kept.insert(secret.start, secret);
        }
    }
    kept.into_values().collect()
}

/// Where the next name begins: a run of letters, digits and `_.-`.
fn next_name(text: &[u8], from: usize) -> Option<usize> {
    text.get(from..)?.iter().position(|byte| is_name(*byte)).map(|offset| from + offset)
}

fn name_end(text: &[u8], start: usize) -> usize {
    start + text.get(start..).unwrap_or_default().iter().take_while(|byte| is_name(**byte)).count()
}

/// Letters, digits and `_.-`, as a table: this is asked of every byte.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which refuses an index out of bounds")]
const NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = is_word(byte) || matches!(byte, b'-' | b'.');
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

fn is_name(byte: u8) -> bool {
    NAME.get(usize::from(byte)).copied().unwrap_or_default()
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests;
