//! Bytes into text: by the byte order mark, else by what the site says, else by what the page says of itself, else UTF-8, else Windows-1252.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Where a page may say what its character set is.
const PRESCAN: usize = 2_048;

/// The text. Bytes that are none become `U+FFFD`.
pub(crate) fn decode(body: &[u8], content_type: &str) -> String {
    if let Some((encoding, length)) = Encoding::for_bom(body) {
        return encoding.decode_without_bom_handling(body.get(length..).unwrap_or_default()).0.into_owned();
    }
    if let Some(encoding) = named(content_type, "charset=").or_else(|| unmarked_utf16(body)).or_else(|| said(body)) {
        let (text, wrong) = encoding.decode_without_bom_handling(body);
        // A page that is UTF-8 is read as such, whatever its site says: that is never by chance.
        let honest =
            !wrong && (encoding == UTF_8 || body.is_ascii() || std::str::from_utf8(body).is_err() || wide(encoding));
        if honest {
            return text.into_owned();
        }
    }
    match std::str::from_utf8(body) {
        Ok(text) => text.to_owned(),
        Err(error) if error.valid_up_to() * 10 > body.len() * 9 && error.error_len().is_none() => {
            String::from_utf8_lossy(body).into_owned()
        }
        Err(_) => {
            let encoding = named(content_type, "charset=").or_else(|| said(body)).filter(|found| *found != UTF_8);
            encoding.unwrap_or(WINDOWS_1252).decode_without_bom_handling(body).0.into_owned()
        }
    }
}

/// Sets whose bytes can be plain ASCII and mean something else.
fn wide(encoding: &'static Encoding) -> bool {
    encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE || encoding == encoding_rs::ISO_2022_JP
}

fn named(text: &str, before: &str) -> Option<&'static Encoding> {
    let lower = text.to_ascii_lowercase();
    let (_, after) = lower.split_once(before)?;
    let name: String = after
        .trim_start_matches([' ', '"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "-_:.+".contains(*c))
        .collect();
    Encoding::for_label(name.as_bytes())
}

/// UTF-16 without a mark: half of the bytes of markup are zero.
fn unmarked_utf16(body: &[u8]) -> Option<&'static Encoding> {
    match body {
        [b'<' | b'{' | b'[', 0, _, 0, ..] => Some(encoding_rs::UTF_16LE),
        [0, b'<' | b'{' | b'[', 0, _, ..] => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}

/// What the page says: `<meta charset=…>`, `<meta … content="…; charset=…">`, `<?xml … encoding="…"?>`.
fn said(body: &[u8]) -> Option<&'static Encoding> {
    let head = body.get(..PRESCAN).unwrap_or(body);
    let head: String = head.iter().map(|byte| char::from(*byte)).collect();
    let found = named(&head, "charset=").or_else(|| named(&head, "encoding="));
    // A page whose ASCII could be read is not UTF-16, whatever it says.
    found.map(|encoding| if wide(encoding) && encoding != encoding_rs::ISO_2022_JP { UTF_8 } else { encoding })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_say_it() {
        let utf16: Vec<u8> = "<p>é".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (body, kind, text) in [
            (&b"<p>\xe9"[..], "text/html; charset=ISO-8859-1", "<p>é"),
            (b"<p>\xc3\xa9", "text/html", "<p>é"),
            (b"<p>\xc3\xa9", "text/html; charset=iso-8859-1", "<p>é"),
            (b"<p>\xe9", "text/html; charset=utf-8", "<p>é"),
            (b"<p>\xe9", "text/html", "<p>é"),
            (b"<meta charset=koi8-r><p>\xc1", "text/html", "<meta charset=koi8-r><p>а"),
            (b"\xef\xbb\xbf<p>\xc3\xa9", "text/html; charset=latin1", "<p>é"),
            (b"\xff\xfe<\0p\0>\0\xe9\0", "text/html", "<p>é"),
            (&utf16, "text/html; charset=utf-16le", "<p>é"),
            (&utf16, "text/html", "<p>é"),
            (b"<p>x", "text/html; charset=nonsense", "<p>x"),
            (b"<p>+ADw-", "text/html; charset=utf-7", "<p>+ADw-"),
            (b"\x1b$B$\"\x1b(B", "text/plain; charset=iso-2022-jp", "あ"),
        ] {
            assert_eq!(decode(body, kind), text, "{kind} {body:?}");
        }
    }
}
