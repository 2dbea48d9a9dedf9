//! How random a value is, and whether it is only a stand-in for one.

use crate::prelude::*;

/// Words that stand where a real value would be.
const STAND_INS: &[&str] = &[
    "example",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "dummy",
    "fake",
    "sample",
    "redacted",
    "replace",
    "your",
    "insert",
    "todo",
    "xxxx",
    "****",
    "....",
    "password",
    "passw0rd",
    "p@ssw",
    "pa$$w",
    "passwd",
    "hunter2",
    "letmein",
    "qwerty",
    "secret",
    "notreal",
    "not-real",
    "not_real",
    "testing",
    "test_",
    "test-",
    "-test",
    "_test",
    "foobar",
    "deadbeef",
    "123456789",
    "987654321",
    "abcdefgh",
    "00000000",
    "token",
    "mypass",
    "my_pass",
    "my-pass",
    "enter",
];

/// Shannon's entropy in hundredths of a bit per character.
pub(super) fn entropy(text: &[u8]) -> u64 {
    let mut counts = [0_u64; 256];
    for byte in text {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let length = text.len() as u64;
    if length == 0 {
        return 0;
    }
    let repeated: u64 = counts.iter().filter(|count| **count > 0).map(|count| count * log2(*count)).sum();
    (log2(length).saturating_sub(repeated / length)) * 100 / 256
}

/// Whether a value is long on surprise and short on words: what a generator makes, not a person.
pub(super) fn is_random(text: &[u8]) -> bool {
    let wanted = if text.len() < 20 { 290 } else { 320 };
    entropy(text) >= wanted && !is_placeholder(text)
}

/// Whether a value only shows where the real one goes: `<token>`, `${VAR}`, `changeme`, `xxxx`, documentation's examples.
pub(super) fn is_placeholder(text: &[u8]) -> bool {
    let lower: Vec<u8> = text.iter().map(u8::to_ascii_lowercase).collect();
    is_template(text) || is_monotone(text) || STAND_INS.iter().any(|word| contains(&lower, word.as_bytes()))
}

/// Whether a value holds what a shell or a program would run, or run into: white space, `;`, `|`, `&`, a back quote, `$`, `<`, `>`
/// or brackets. Such a text is no secret: a mask over it would hide code from whoever approves it.
pub(super) fn may_run(text: &[u8]) -> bool {
    text.iter().any(|byte| *byte <= b' ' || b";|&`$<>()".contains(byte))
}

/// A variable that something else fills in: `${VAR}`, `$VAR`, `{{ var }}`, `{var}`, `%(var)s`, `%s`, `<var>`, `process.env`.
pub(super) fn is_template(text: &[u8]) -> bool {
    let starts = [&b"$"[..], b"{", b"%", b"<", b"[", b"@", b"#{", b"\\(", b"..."];
    let within = [&b"${"[..], b"{{", b"$(", b"%(", b"#{", b"<%", b"process.env", b"os.environ", b"\xe2\x80\xa6"];
    starts.iter().any(|start| text.starts_with(start)) || within.iter().any(|part| contains(text, part))
}

/// More than half of it is one character.
fn is_monotone(text: &[u8]) -> bool {
    let Some(first) = text.first() else { return true };
    let commonest = text.iter().filter(|byte| *byte == first).count();
    let last = text.last().map_or(0, |last| text.iter().filter(|byte| *byte == last).count());
    commonest.max(last) * 2 > text.len()
}

/// How many of lower case, upper case, digits and symbols occur.
pub(super) fn classes(text: &[u8]) -> usize {
    let kinds: [fn(&u8) -> bool; 4] =
        [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit, |byte| !byte.is_ascii_alphanumeric()];
    kinds.iter().filter(|kind| text.iter().any(**kind)).count()
}

/// Only words of letters, joined by punctuation: a name, a path or a sentence.
pub(super) fn is_words(text: &[u8]) -> bool {
    !text.iter().any(u8::is_ascii_digit)
        && text.split(|byte| !byte.is_ascii_alphabetic()).all(|word| {
            let inner = word.get(1..).unwrap_or_default();
            inner.iter().all(u8::is_ascii_lowercase) || word.iter().all(u8::is_ascii_uppercase) || is_camel(word)
        })
}

/// `camelCase` of at least three letters a hump on average.
fn is_camel(word: &[u8]) -> bool {
    let humps = word.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    word.len() >= 4 * (humps + 1)
}

/// Whether `part` occurs in `text`.
pub(super) fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len().max(1)).any(|window| window == part)
}

/// The binary logarithm in 256ths, rounded down; 0 for 0.
fn log2(number: u64) -> u64 {
    let Some(whole) = number.checked_ilog2() else { return 0 };
    let mut mantissa = if whole >= 31 { number >> (whole - 31) } else { number << (31 - whole) };
    let mut fraction = 0;
    for _ in 0..8 {
        mantissa = (mantissa * mantissa) >> 31;
        fraction <<= 1;
        if mantissa >= 1 << 32 {
            mantissa >>= 1;
            fraction |= 1;
        }
    }
    u64::from(whole) * 256 + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_in_hundredths_of_a_bit() {
        for (text, bits) in [("", 0), ("aaaa", 0), ("abab", 100), ("abcd", 200), ("abcdefgh", 300), ("aab", 91)] {
            assert_eq!(entropy(text.as_bytes()), bits, "{text}");
        }
    }

    #[test]
    fn stand_ins_are_not_values() {
        for text in [
            "changeme",
            "<token>",
            "${VAR}",
            "xxxxxxxxxxxx",
            "AKIAIOSFODNN7EXAMPLE",
            "YOUR_KEY_HERE",
            "{{ key }}",
            "p@ssw0rd",
        ] {
            assert!(is_placeholder(text.as_bytes()), "{text}");
        }
        for text in ["q9Zr7Lp2Xw4Tn8Vb", "Hk3!vQz9#Lm2"] {
            assert!(!is_placeholder(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn words_are_not_random() {
        for text in ["user-profile-page", "application/json", "refreshTokenName", "Enter a value", "BEARER"] {
            assert!(is_words(text.as_bytes()), "{text}");
        }
        for text in ["q9Zr7Lp2", "aBcDeFgHiJ"] {
            assert!(!is_words(text.as_bytes()), "{text}");
        }
    }
}
