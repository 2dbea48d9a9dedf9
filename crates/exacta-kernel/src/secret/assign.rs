//! Values given to names that promise a secret: `password = "…"`, `api_key: …`, `Authorization: Bearer …`.

use super::Found;
use super::value::{classes, entropy, is_placeholder, is_random, is_words, may_run};
use crate::prelude::*;

/// The longest value that is looked at, in bytes.
const LONGEST: usize = 512;

/// What a name ends with, separators left out, when its value is a password chosen by a person.
const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "pwd"];
/// The same for values that a machine made.
const KEYS: &[&str] = &[
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "accountkey",
    "credential",
    "credentials",
    "webhookkey",
    "licensekey",
    "secretkeybase",
];

/// The secret that is assigned to the name at `start..end`, if there is one.
pub(super) fn value(text: &[u8], start: usize, end: usize) -> Option<Found> {
    let (from, quote) = value_start(text, end).or_else(|| argument_start(text, start, end))?;
    let name = squashed(text.get(start..end)?);
    let kind = Kind::of(&name)?;
    let rest = text.get(from..)?;
    let value = if name.ends_with("accountkey") { base64_run(rest) } else { take_value(rest, quote)? };
    if kind == Kind::Header {
        return bearer(value, from);
    }
    let found = |what, certain| Some(Found { start: from, end: from + value.len(), what, certain });
    if name.ends_with("secretaccesskey") && is_aws_secret(value) {
        return found("AWS secret access key", true);
    }
    if name.ends_with("accountkey") && value.len() == 88 && value.ends_with(b"==") && is_random(value) {
        return found("Azure account key", true);
    }
    if !kind.accepts(value, quote.is_some()) {
        return None;
    }
    found(if kind == Kind::Password { "password" } else { "secret value" }, false)
}

/// Forty characters of base 64 that look random: the second half of an AWS key pair.
pub(super) fn is_aws_secret(value: &[u8]) -> bool {
    value.len() == 40
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        && classes(value) >= 3
        && entropy(value) >= 400
        && !is_placeholder(value)
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Kind {
    Password,
    Key,
    Header,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        if name.ends_with("authorization") {
            Some(Self::Header)
        } else if PASSWORDS.iter().any(|ending| name.ends_with(ending)) {
            Some(Self::Password)
        } else if KEYS.iter().any(|ending| name.ends_with(ending)) {
            Some(Self::Key)
        } else {
            None
        }
    }

    /// Whether a value looks like the real thing. A bare one must look it more than a quoted one: code is bare, too.
    fn accepts(self, value: &[u8], quoted: bool) -> bool {
        let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
        // In quotes `$` alone runs nothing, and generated keys have it.
        let runs = value.split(|byte| quoted && *byte == b'$').any(may_run);
        let spoken = runs || is_words(value) || is_placeholder(value) || is_address(value);
        if spoken || classes(value) < 2 {
            return false;
        }
        match (self, quoted) {
            (Self::Password, true) => value.len() >= 8 && entropy(value) >= 275,
            (Self::Password, false) => value.len() >= 10 && digits >= 2 && is_bare(value) && entropy(value) >= 300,
            (_, true) => value.len() >= 16 && digits >= 1 && is_random(value),
            (_, false) => value.len() >= 16 && digits >= 2 && is_bare(value) && is_random(value),
        }
    }
}

/// The public address of an account or contract: `0x` and forty digits.
fn is_address(value: &[u8]) -> bool {
    value.strip_prefix(b"0x").is_some_and(|digits| digits.len() == 40 && digits.iter().all(u8::is_ascii_hexdigit))
}

/// Lower case, without separators; at most the last 32 characters, which is all that is compared.
fn squashed(name: &[u8]) -> String {
    let name = name.get(name.len().saturating_sub(48)..).unwrap_or(name);
    name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// What can stand between a name and the value it is given, right after the name.
pub(super) const fn may_follow(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b']' | b' ' | b'\t' | b'=' | b':')
}

/// Where the value begins after a name, and its quote; `None` where nothing is assigned.
fn value_start(text: &[u8], name_end: usize) -> Option<(usize, Option<u8>)> {
    if !may_follow(*text.get(name_end)?) {
        return None;
    }
    let mut at = skip(text, name_end, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b']'));
    at = skip(text, at, |byte| matches!(byte, b' ' | b'\t'));
    let sign = at;
    at = skip(text, at, |byte| matches!(byte, b'=' | b':' | b'>'));
    if at == sign || at - sign > 3 || text.get(sign..at)? == b"==" || text.get(sign..at)? == b"::" {
        return None;
    }
    at = skip(text, at, |byte| matches!(byte, b' ' | b'\t'));
    at = skip(text, at, |byte| byte == b'\\');
    match text.get(at)? {
        quote @ (b'"' | b'\'') => Some((at + 1, Some(*quote))),
        _ => Some((at, None)),
    }
}

/// Where the value begins after a name that a command is told: `--password VALUE`, `set password VALUE`.
fn argument_start(text: &[u8], start: usize, end: usize) -> Option<(usize, Option<u8>)> {
    let told = text.get(start..end)?.starts_with(b"--") || text.get(..start)?.ends_with(b"set ");
    let at = skip(text, end, |byte| byte == b' ');
    if !told || at == end {
        return None;
    }
    match text.get(at)? {
        quote @ (b'"' | b'\'') => Some((at + 1, Some(*quote))),
        _ => None,
    }
}

/// The characters of base 64 that a text begins with, as in a connection string.
fn base64_run(text: &[u8]) -> &[u8] {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let length = text.iter().take(LONGEST).take_while(|byte| is_base64(byte)).count();
    text.get(..length).unwrap_or_default()
}

fn skip(text: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    from + text.get(from..).unwrap_or_default().iter().take(16).take_while(|byte| wanted(**byte)).count()
}

/// A quoted value up to its quote; a bare one if it is all that is left of the line but a comment or comma.
fn take_value(rest: &[u8], quote: Option<u8>) -> Option<&[u8]> {
    let window = rest.get(..rest.len().min(LONGEST))?;
    if let Some(quote) = quote {
        let end = window.iter().position(|byte| *byte == quote || *byte == b'\n')?;
        let value = window.get(..end)?;
        return Some(value.strip_suffix(b"\\").unwrap_or(value));
    }
    let end = window.iter().position(|byte| *byte == b'\n').unwrap_or(window.len());
    let line = window.get(..end)?.trim_ascii_end();
    let comment = line.windows(2).position(|pair| pair == b" #").unwrap_or(line.len());
    Some(line.get(..comment)?.trim_ascii_end().strip_suffix(b",").unwrap_or(line.get(..comment)?.trim_ascii_end()))
}

/// Nothing that code would have: no call, no index, no member access.
fn is_bare(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-~!@#%^*".contains(byte))
        && !value.ends_with(b"=") | value.ends_with(b"==")
}

/// The credential of an `Authorization` header.
fn bearer(value: &[u8], from: usize) -> Option<Found> {
    let credential =
        [&b"Bearer "[..], b"Basic ", b"token ", b"bearer "].iter().find_map(|word| value.strip_prefix(*word))?;
    let length = credential.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=_-.~".contains(byte)).count();
    let credential = credential.get(..length)?;
    if length < 20 || !is_random(credential) || is_words(credential) {
        return None;
    }
    let start = from + value.iter().position(|byte| *byte == b' ')? + 1;
    Some(Found { start, end: start + length, what: "authorization header", certain: false })
}
