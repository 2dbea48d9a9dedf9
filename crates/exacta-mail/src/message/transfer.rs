//! Transfer encodings undone, however broken.

use super::charset::sextet;
use super::head::{end_off, hex};

/// How the bytes of a part are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    Plain,
    Base64,
    QuotedPrintable,
    Unknown,
}

impl Transfer {
    pub(super) fn of(word: Option<&str>) -> Self {
        match word.unwrap_or_default() {
            "" | "7bit" | "8bit" | "binary" => Self::Plain,
            "base64" => Self::Base64,
            "quoted-printable" => Self::QuotedPrintable,
            _ => Self::Unknown,
        }
    }

    /// The bytes, and whether they were written as they should be.
    pub(super) fn decode(self, bytes: &[u8]) -> (Vec<u8>, bool) {
        match self {
            Self::Base64 => base64(bytes),
            Self::QuotedPrintable => quoted_printable(bytes),
            Self::Plain => (bytes.to_vec(), true),
            Self::Unknown => (bytes.to_vec(), false),
        }
    }

    /// How many bytes it makes of these.
    pub(super) fn size(self, bytes: &[u8]) -> u64 {
        let size = match self {
            Self::Base64 => bytes.iter().filter(|byte| sextet(**byte).is_some()).count() * 3 / 4,
            _ => bytes.len(),
        };
        size as u64
    }
}

/// Base64 up to its first padding; what is neither of its characters nor white space is left out.
pub(super) fn base64(bytes: &[u8]) -> (Vec<u8>, bool) {
    let (mut out, mut good, mut bits, mut held) = (Vec::with_capacity(bytes.len() / 4 * 3), true, 0_u32, 0_u32);
    let mut count = 0_usize;
    for byte in bytes {
        if *byte == b'=' {
            break;
        }
        let Some(value) = sextet(*byte) else {
            good &= byte.is_ascii_whitespace();
            continue;
        };
        count += 1;
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).unwrap_or_default());
            bits &= (1 << held) - 1;
        }
    }
    (out, good && count % 4 != 1)
}

fn quoted_printable(bytes: &[u8]) -> (Vec<u8>, bool) {
    let (mut out, mut good) = (Vec::with_capacity(bytes.len()), true);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = end_off(line).trim_ascii_end();
        let (text, soft) = text.strip_suffix(b"=").map_or((text, false), |text| (text, true));
        good &= escapes(text, b'=', &mut out);
        if !soft && line.ends_with(b"\n") {
            out.push(b'\n');
        }
    }
    (out, good)
}

/// Writes bytes with their escapes undone, and says whether all of them were such.
pub(super) fn escapes(text: &[u8], mark: u8, out: &mut Vec<u8>) -> bool {
    let (mut good, mut at) = (true, 0);
    while let Some(byte) = text.get(at) {
        at += 1;
        if *byte != mark {
            out.push(*byte);
            continue;
        }
        match text.get(at).zip(text.get(at + 1)).and_then(|(high, low)| hex(*high, *low)) {
            Some(value) => {
                out.push(value);
                at += 2;
            }
            None => {
                good = false;
                out.push(*byte);
            }
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_is_said() {
        for (transfer, text, decoded, good) in [
            ("base64", "aGVs\r\nbG8=", "hello", true),
            ("base64", "aGVs*bG8=", "hello", false),
            ("base64", "aGVsbG8", "hello", true),
            ("base64", "aGVsb", "hel", false),
            ("base64", "aGVsbG8=aGVsbG8=", "hello", true),
            ("quoted-printable", "a=3Db=\r\nc \r\nd", "a=bc\nd", true),
            ("quoted-printable", "a=zz=4", "a=zz=4", false),
            ("x-uuencode", "abc", "abc", false),
            ("8bit", "abc", "abc", true),
        ] {
            let (bytes, whole) = Transfer::of(Some(transfer)).decode(text.as_bytes());
            assert_eq!((String::from_utf8(bytes).unwrap().as_str(), whole), (decoded, good), "{transfer} {text}");
        }
    }
}
