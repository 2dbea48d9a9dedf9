//! Secrets in addresses: `scheme://user:password@host`, and addresses that are themselves a key.

use super::Found;
use super::value::{entropy, is_placeholder, is_template, may_run};
use crate::prelude::*;

/// The longest user, password and host that is looked at, in bytes.
const LONGEST: usize = 512;

/// Hosts that mean this machine or nobody's.
const LOCAL_ENDINGS: &[&str] = &[
    "localhost",
    ".local",
    ".test",
    ".example",
    ".invalid",
    ".internal",
    ".lan",
    "example.com",
    "example.org",
    "example.net",
];

/// The password of the address whose `://` begins at `at`.
pub(super) fn password(text: &[u8], at: usize) -> Option<Found> {
    let from = at + 3;
    let rest = text.get(from..)?;
    let rest = rest.get(..rest.len().min(LONGEST))?;
    let end = rest.iter().position(|byte| is_end(*byte)).unwrap_or(rest.len());
    let authority = rest.get(..end)?;
    let at_sign = authority.iter().rposition(|byte| *byte == b'@')?;
    let (login, host) = (authority.get(..at_sign)?, authority.get(at_sign + 1..)?);
    let colon = login.iter().position(|byte| *byte == b':')?;
    let (user, password) = (login.get(..colon)?, login.get(colon + 1..)?);
    if password.is_empty() || host.is_empty() || is_template(password) || is_template(host) || is_masked(password) {
        return None;
    }
    if may_run(password) {
        return None;
    }
    let weak = password == user || is_placeholder(password) || password.len() < 6;
    let local = is_local(host);
    if local && weak {
        return None;
    }
    let start = from + colon + 1;
    Some(Found { start, end: start + password.len(), what: "password in a URL", certain: !local && !weak })
}

/// Addresses whose last part lets whoever knows it write: how they begin after the scheme, and how long that part is at least.
const HOOKS: &[(&[u8], &str, usize)] = &[
    (b"hooks.slack.com/services/", "Slack webhook", 20),
    (b"hooks.slack.com/workflows/", "Slack webhook", 20),
    (b"discord.com/api/webhooks/", "Discord webhook", 40),
    (b"discordapp.com/api/webhooks/", "Discord webhook", 40),
];
/// The host of Teams' webhooks, and how their path begins.
const TEAMS: (&[u8], &[u8]) = (b".webhook.office.com", b"/webhookb2/");

/// The webhook whose `://` begins at `at`.
pub(super) fn webhook(text: &[u8], at: usize) -> Option<Found> {
    let from = at + 3;
    let rest = text.get(from..)?;
    let rest = rest.get(..rest.len().min(LONGEST))?;
    let ends = |byte: &u8| (is_end(*byte) && *byte != b'/') || may_run(&[*byte]);
    let address = rest.get(..rest.iter().position(ends).unwrap_or(rest.len()))?;
    let (what, shortest) = hook(address)?;
    let key = address.rsplit(|byte| *byte == b'/').next()?;
    if key.len() < shortest || is_placeholder(key) || is_template(key) || entropy(key) < 300 {
        return None;
    }
    Some(Found { start: from, end: from + address.len(), what, certain: true })
}

fn hook(address: &[u8]) -> Option<(&'static str, usize)> {
    let named =
        HOOKS.iter().find(|(start, ..)| address.starts_with(start)).map(|(_, what, shortest)| (*what, *shortest));
    let host = address.split(|byte| *byte == b'/').next().unwrap_or_default();
    let teams = host.ends_with(TEAMS.0) && address.get(host.len()..).is_some_and(|path| path.starts_with(TEAMS.1));
    named.or_else(|| teams.then_some(("Teams webhook", 32)))
}

fn is_end(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'?' | b'#' | b')' | b',')
}

fn is_masked(password: &[u8]) -> bool {
    password.iter().all(|byte| matches!(byte, b'*' | b'x' | b'X' | b'.'))
}

fn is_local(host: &[u8]) -> bool {
    let host = host.strip_prefix(b"[").unwrap_or(host);
    let end = host.iter().position(|byte| matches!(byte, b']')).or_else(|| host.iter().position(|byte| *byte == b':'));
    let host: Vec<u8> = host.get(..end.unwrap_or(host.len())).unwrap_or(host).to_ascii_lowercase();
    let numeric = [&b"127."[..], b"10.", b"192.168.", b"0.0.0.0", b"::1"];
    let named = host.contains(&b'.') || host.contains(&b':');
    !named
        || numeric.iter().any(|start| host.starts_with(start))
        || LOCAL_ENDINGS.iter().any(|ending| host.ends_with(ending.as_bytes()))
}
