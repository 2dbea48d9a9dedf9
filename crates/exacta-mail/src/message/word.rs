//! Encoded words in headers (RFC 2047).

use super::charset::decode;
use super::doubt::{Doubt, Doubts};
use super::transfer::{base64, escapes};

/// A header's text, decoded. Nothing of it is inert yet.
pub(super) fn decoded(value: &[u8], doubts: &mut Doubts) -> String {
    let (mut text, mut plain, mut at) = (String::new(), Vec::new(), 0);
    let mut run: Option<(String, Vec<u8>)> = None;
    while at < value.len() {
        let rest = value.get(at..).unwrap_or_default();
        match rest.starts_with(b"=?").then(|| word(rest)).flatten() {
            Some((charset, bytes, length)) => {
                // White space between two encoded words is none.
                if run.is_none() || !plain.iter().all(u8::is_ascii_whitespace) {
                    flush_run(&mut run, &mut text, doubts);
                    flush(&mut plain, &mut text, doubts);
                }
                plain.clear();
                match &mut run {
                    // A character may go across two words.
                    Some((same, held)) if *same == charset => held.extend(bytes),
                    _ => {
                        flush_run(&mut run, &mut text, doubts);
                        run = Some((charset, bytes));
                    }
                }
                at += length;
            }
            None => {
                plain.extend(rest.first());
                at += 1;
            }
        }
        if run.is_some() && plain.last().is_some_and(|byte| !byte.is_ascii_whitespace()) {
            flush_run(&mut run, &mut text, doubts);
        }
    }
    flush_run(&mut run, &mut text, doubts);
    flush(&mut plain, &mut text, doubts);
    text.trim().to_owned()
}

fn flush(plain: &mut Vec<u8>, text: &mut String, doubts: &mut Doubts) {
    let (decoded, doubt) = decode(None, plain);
    doubts.extend(doubt);
    text.push_str(&decoded);
    plain.clear();
}

fn flush_run(run: &mut Option<(String, Vec<u8>)>, text: &mut String, doubts: &mut Doubts) {
    let Some((charset, bytes)) = run.take() else { return };
    let (decoded, doubt) = decode(Some(&charset), &bytes);
    doubts.extend(doubt);
    if decoded.chars().any(char::is_control) {
        doubts.add(Doubt::ControlInHeader);
    }
    text.push_str(&decoded);
}

/// An encoded word at the beginning: its charset, its bytes, and its length.
fn word(text: &[u8]) -> Option<(String, Vec<u8>, usize)> {
    let mut parts = text.get(2..)?.splitn(4, |byte| *byte == b'?');
    let (charset, way, coded, rest) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    if charset.is_empty() || charset.len() > 64 || rest.first() != Some(&b'=') || coded.contains(&b' ') {
        return None;
    }
    let bytes = match way {
        b"B" | b"b" => base64(coded).0,
        b"Q" | b"q" => {
            let spaced: Vec<u8> = coded.iter().map(|byte| if *byte == b'_' { b' ' } else { *byte }).collect();
            let mut out = Vec::new();
            escapes(&spaced, b'=', &mut out);
            out
        }
        _ => return None,
    };
    // A language may follow the charset (RFC 2231).
    let charset = String::from_utf8_lossy(charset).split('*').next().unwrap_or_default().to_ascii_lowercase();
    Some((charset, bytes, 2 + charset_length(text) + way.len() + coded.len() + 4))
}

fn charset_length(text: &[u8]) -> usize {
    text.get(2..).and_then(|text| text.iter().position(|byte| *byte == b'?')).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_decoded() {
        for (value, text) in [
            ("plain", "plain"),
            ("=?utf-8?Q?Gr=C3=BC=C3=9Fe?= an alle", "Grüße an alle"),
            ("a =?utf-8?B?w7w=?= b", "a ü b"),
            ("=?utf-8?Q?=C3?= =?utf-8?Q?=BC?=", "ü"),
            ("=?utf-8?Q?a?= =?utf-8?Q?b?=", "ab"),
            ("=?utf-8?Q?a?= =?iso-8859-1?Q?=FC?=", "aü"),
            ("=?utf-8?Q?a_b?= c", "a b c"),
            ("=?utf-8?X?a?=", "=?utf-8?X?a?="),
            ("=?utf-8?Q?a", "=?utf-8?Q?a"),
            ("=?=?=?=?=?", "=?=?=?=?=?"),
            ("=?utf-8*en?Q?a?=", "a"),
        ] {
            assert_eq!(decoded(value.as_bytes(), &mut Doubts::default()), text, "{value}");
        }
        let mut doubts = Doubts::default();
        assert_eq!(decoded(b"=?utf-8?Q?a=0D=0ABcc:_x?=", &mut doubts), "a\r\nBcc: x");
        assert_eq!(doubts.into_list(), [Doubt::ControlInHeader]);
    }
}
