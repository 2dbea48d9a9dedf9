//! Bytes into text, whatever they claim to be.

use super::doubt::Doubt;

/// Decodes bytes, and says where they are not what they claim to be.
pub(super) fn decode(charset: Option<&str>, bytes: &[u8]) -> (String, Option<Doubt>) {
    let label = charset.map(|label| label.trim().to_ascii_lowercase()).filter(|label| !label.is_empty());
    let lying = |label: &str| Some(Doubt::LyingCharset(short(label)));
    let Some(label) = label else { return (guess(bytes), None) };
    if ["us-ascii", "ascii", "ansi_x3.4-1968"].contains(&label.as_str()) {
        return (guess(bytes), if bytes.is_ascii() { None } else { lying(&label) });
    }
    if ["utf-7", "utf7", "unicode-1-1-utf-7", "csutf7"].contains(&label.as_str()) {
        let (text, whole) = utf7(bytes);
        return (text, if whole { None } else { lying(&label) });
    }
    let encoding =
        encoding_rs::Encoding::for_label(label.as_bytes()).filter(|known| *known != encoding_rs::REPLACEMENT);
    let Some(encoding) = encoding else {
        return (String::from_utf8_lossy(bytes).into_owned(), Some(Doubt::UnknownCharset(short(&label))));
    };
    let (text, wrong) = encoding.decode_with_bom_removal(bytes);
    (text.into_owned(), if wrong { lying(&label) } else { None })
}

/// Text that does not say what it is.
fn guess(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}

fn short(label: &str) -> String {
    exacta_kernel::text::excerpt(label, 40)
}

/// UTF-7 (RFC 2152), and whether all of it was.
fn utf7(bytes: &[u8]) -> (String, bool) {
    let (mut text, mut whole, mut at) = (String::new(), true, 0);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if *byte != b'+' {
            whole &= byte.is_ascii();
            text.push(if byte.is_ascii() { char::from(*byte) } else { char::REPLACEMENT_CHARACTER });
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| sextet(**byte).is_some()).count();
        let ends = rest.get(length) == Some(&b'-');
        if length == 0 {
            whole &= ends;
            text.push('+');
        } else {
            let units = units(rest.get(..length).unwrap_or_default());
            for unit in char::decode_utf16(units) {
                whole &= unit.is_ok();
                text.push(unit.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        at += length + usize::from(ends);
    }
    (text, whole)
}

fn units(sextets: &[u8]) -> Vec<u16> {
    let (mut units, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for value in sextets.iter().filter_map(|byte| sextet(*byte)) {
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 16 {
            held -= 16;
            units.push(u16::try_from((bits >> held) & 0xffff).unwrap_or_default());
            bits &= (1 << held) - 1;
        }
    }
    units
}

/// The six bits that a character of base64 means.
pub(super) const fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_as_far_as_it_can_be() {
        for (charset, bytes, text, doubts) in [
            (None, &b"plain"[..], "plain", false),
            (None, "grün".as_bytes(), "grün", false),
            (None, b"gr\xfcn", "grün", false),
            (Some("UTF-8"), b"gr\xfcn", "gr\u{fffd}n", true),
            (Some("us-ascii"), "grün".as_bytes(), "grün", true),
            (Some("iso-8859-1"), b"gr\xfcn", "grün", false),
            (Some("iso-2022-jp"), b"\x1b$B$3$s\x1b(B", "こん", false),
            (Some("utf-7"), b"+ADw-script+AD4- a+-b", "<script> a+b", false),
            (Some("utf-7"), b"+2AA-\xff", "\u{fffd}\u{fffd}", true),
            (Some("klingon"), b"abc", "abc", true),
            (Some("iso-2022-kr"), b"abc", "abc", true),
            (Some("utf-16le"), b"a\0b\0", "ab", false),
        ] {
            let (decoded, doubt) = decode(charset, bytes);
            assert_eq!((decoded.as_str(), doubt.is_some()), (text, doubts), "{charset:?} {bytes:?}");
        }
    }
}
