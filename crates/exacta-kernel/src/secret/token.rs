//! Tokens that vendors give a recognisable shape, with the checks their shape allows.

use super::Found;
use super::value::{contains, entropy, is_random, is_words};

/// A vendor's token: what it starts with, what follows, and what makes it certain.
struct Shape {
    prefix: &'static str,
    what: &'static str,
    /// Which bytes may follow the prefix.
    body: fn(u8) -> bool,
    /// How many of them.
    length: core::ops::RangeInclusive<usize>,
    /// Whether a body of that length is certainly a token; what is not may still be a doubtful one.
    sure: fn(&[u8]) -> bool,
}

/// The shortest whole token below, so that shorter words are passed over at once.
pub(super) const SHORTEST: usize = 20;

/// From this length on a token is judged by its entropy alone.
const LONG: usize = 60;

const SHAPES: &[Shape] = &[
    shape("AKIA", "AWS access key id", upper, 16, 16, never),
    shape("ASIA", "AWS access key id", upper, 16, 16, never),
    shape("ghp_", "GitHub token", alnum, 36, 36, has_checksum),
    shape("gho_", "GitHub token", alnum, 36, 36, has_checksum),
    shape("ghu_", "GitHub token", alnum, 36, 36, has_checksum),
    shape("ghs_", "GitHub token", alnum, 36, 36, has_checksum),
    shape("ghr_", "GitHub token", alnum, 36, 76, has_checksum),
    shape("github_pat_", "GitHub token", word, 82, 82, always),
    shape("glpat-", "GitLab token", dotted, 20, 300, always),
    shape("gldt-", "GitLab token", dotted, 20, 300, always),
    shape("glptt-", "GitLab token", dashed, 40, 40, always),
    shape("glrt-", "GitLab token", dotted, 20, 300, always),
    shape("GR1348941", "GitLab token", dashed, 20, 20, always),
    shape("xoxb-", "Slack token", dashed, 40, 120, is_slack),
    shape("xoxp-", "Slack token", dashed, 40, 120, is_slack),
    shape("xoxa-", "Slack token", dashed, 40, 120, is_slack),
    shape("xoxr-", "Slack token", dashed, 40, 120, is_slack),
    shape("xoxs-", "Slack token", dashed, 40, 120, is_slack),
    shape("xapp-", "Slack token", dashed, 60, 200, is_slack),
    shape("sk_live_", "Stripe live key", alnum, 24, 120, always),
    shape("rk_live_", "Stripe live key", alnum, 24, 120, always),
    shape("sk_test_", "Stripe test key", alnum, 24, 120, never),
    shape("sk-ant-", "Anthropic key", dashed, 90, 120, is_anthropic),
    shape("sk-", "OpenAI key", dashed, 40, 220, is_openai),
    shape("AIza", "Google API key", dashed, 35, 35, always),
    shape("GOCSPX-", "Google client secret", dashed, 28, 28, always),
    shape("ya29.", "Google access token", dashed, 60, 300, always),
    shape("npm_", "npm token", alnum, 36, 36, has_checksum),
    shape("pypi-AgEIcHlwaS5vcmc", "PyPI token", dashed, 50, 300, always),
    shape("pypi-AgENdGVzdC5weXBpLm9yZw", "PyPI token", dashed, 50, 300, always),
    shape("SG.", "SendGrid key", dotted, 60, 72, is_sendgrid),
    shape("AC", "Twilio account", hex, 32, 32, never),
    shape("dop_v1_", "DigitalOcean token", hex, 64, 64, always),
    shape("doo_v1_", "DigitalOcean token", hex, 64, 64, always),
    shape("shpat_", "Shopify token", hex, 32, 32, always),
    shape("shpss_", "Shopify token", hex, 32, 32, always),
    shape("hf_", "Hugging Face token", alnum, 34, 40, always),
    shape("hvs.", "Vault token", dashed, 24, 300, always),
    shape("dckr_pat_", "Docker token", dashed, 27, 27, always),
    shape("PMAK-", "Postman key", dashed, 59, 59, always),
    shape("dapi", "Databricks token", hex, 32, 32, always),
    shape("lin_api_", "Linear key", alnum, 40, 40, always),
    shape("sq0atp-", "Square token", dashed, 22, 22, always),
    shape("sq0csp-", "Square secret", dashed, 43, 43, always),
    shape("cio", "crates.io token", alnum, 32, 32, never),
    shape("AGE-SECRET-KEY-1", "age secret key", upper, 58, 58, always),
    shape("EAACEdEose0cBA", "Facebook token", alnum, 20, 300, always),
    shape("key-", "Mailgun key", hex, 32, 32, never),
];

const fn shape(
    prefix: &'static str,
    what: &'static str,
    body: fn(u8) -> bool,
    shortest: usize,
    longest: usize,
    sure: fn(&[u8]) -> bool,
) -> Shape {
    Shape { prefix, what, body, length: shortest..=longest, sure }
}

/// The token that begins at `start`, if one does.
pub(super) fn at(text: &[u8], start: usize) -> Option<Found> {
    let rest = text.get(start..)?;
    SHAPES.iter().find_map(|shape| {
        let body = rest.strip_prefix(shape.prefix.as_bytes())?;
        let limit = shape.length.end() + 1;
        let length = body.iter().take(limit).take_while(|byte| (shape.body)(**byte)).count();
        let body = body.get(..length)?;
        // In a long token any short word turns up by chance.
        let random = if length < LONG { is_random(body) } else { entropy(body) >= 450 };
        if !shape.length.contains(&length) || !random || is_words(body) {
            return None;
        }
        let certain = (shape.sure)(body);
        Some(Found { start, end: start + shape.prefix.len() + length, what: shape.what, certain })
    })
}

/// GitHub's and npm's tokens end in six base-62 digits: the CRC-32 of what is before them.
fn has_checksum(body: &[u8]) -> bool {
    let Some((random, checksum)) = body.split_last_chunk::<6>() else { return false };
    base62(crc32(random)) == *checksum
}

fn base62(mut number: u32) -> [u8; 6] {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut digits = [b'0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS.get((number % 62) as usize).copied().unwrap_or_default();
        number /= 62;
    }
    digits
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg()))
    })
}

/// At least two groups, the first of digits and the last of twenty characters or more.
fn is_slack(body: &[u8]) -> bool {
    let mut groups = body.split(|byte| *byte == b'-');
    let first = groups.next().unwrap_or_default();
    let last = groups.next_back().unwrap_or_default();
    !first.is_empty() && first.iter().all(u8::is_ascii_digit) && last.len() >= 20
}

fn is_anthropic(body: &[u8]) -> bool {
    body.ends_with(b"AA") && body.iter().take(8).any(u8::is_ascii_digit)
}

/// Every key holds `OpenAI` in base 64.
fn is_openai(body: &[u8]) -> bool {
    contains(body, b"T3BlbkFJ")
}

/// Two parts of 22 and 43 characters.
fn is_sendgrid(body: &[u8]) -> bool {
    body.len() == 66 && body.get(22) == Some(&b'.') && body.iter().filter(|byte| **byte == b'.').count() == 1
}

fn always(_: &[u8]) -> bool {
    true
}

fn never(_: &[u8]) -> bool {
    false
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

fn alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn dashed(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

fn dotted(byte: u8) -> bool {
    dashed(byte) || byte == b'.'
}
