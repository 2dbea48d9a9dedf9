//! The bytes of a new file that is no text, as base64.
//!
//! One text for the same bytes, and no other: the standard alphabet, padded, without line breaks, no bit left over. What could have
//! been sent as text is refused, so that nothing is hidden from those who read the JSON.

use crate::limit::BINARY;
use crate::prelude::*;
use crate::text;
use base64ct::{Base64, Encoding as _};

/// Why a text is no such file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unusable {
    #[error("is not base64: the character at byte {0} does not belong there")]
    Stray(usize),
    #[error("is not base64 as it is written: its length or its last characters are not those of any bytes")]
    Padding,
    #[error("holds {0} bytes; at most {BINARY} are allowed")]
    TooLarge(usize),
    #[error("holds text")]
    Text,
}

impl Unusable {
    pub(super) const fn hint(self) -> &'static str {
        match self {
            Self::Stray(_) | Self::Padding => {
                "write standard base64 with its padding and without line breaks, as `base64 -w0` does"
            }
            Self::TooLarge(_) => "put the file there by hand, or make it smaller",
            Self::Text => "send text as `content`, so that it can be read",
        }
    }
}

/// The bytes that a text stands for.
pub(super) fn bytes(encoded: &str) -> Result<Vec<u8>, Unusable> {
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let signs = encoded.bytes().take_while(is_sign).count();
    let padding = encoded.get(signs..).unwrap_or_default();
    if let Some(at) = padding.bytes().position(|byte| byte != b'=') {
        return Err(Unusable::Stray(signs + at));
    }
    let size = signs / 4 * 3 + (signs % 4).saturating_sub(1);
    if size > BINARY {
        return Err(Unusable::TooLarge(size));
    }
    let mut bytes = vec![0; size];
    let decoded = Base64::decode(encoded, &mut bytes).map_err(|_| Unusable::Padding)?.len();
    bytes.truncate(decoded);
    if text::is_text(&bytes) { Err(Unusable::Text) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_for_the_same_bytes() {
        let cases: [(&str, Result<&[u8], Unusable>); 18] = [
            ("AA==", Ok(b"\0")),
            ("AAE=", Ok(b"\0\x01")),
            ("/+8A", Ok(b"\xff\xef\0")),
            // Latin-1, and UTF-16 with and without a NUL: no UTF-8, so no text.
            ("Y2Fm6Q==", Ok(b"caf\xe9")),
            ("//5oAGkA", Ok(b"\xff\xfeh\0i\0")),
            ("//4ATg==", Ok(b"\xff\xfe\0N")),
            ("", Err(Unusable::Text)),
            ("aGVsbG8K", Err(Unusable::Text)),
            ("w6k=", Err(Unusable::Text)),
            // Unpadded, padded too much, padded where nothing is missing, a bit left over, one sign alone.
            ("AA", Err(Unusable::Padding)),
            ("AA=", Err(Unusable::Padding)),
            ("AAAA====", Err(Unusable::Padding)),
            ("AB==", Err(Unusable::Padding)),
            ("A===", Err(Unusable::Padding)),
            ("AAAA\nAAAA", Err(Unusable::Stray(4))),
            ("AA==AAAA", Err(Unusable::Stray(4))),
            ("_-8A", Err(Unusable::Stray(0))),
            ("AAA\u{41f}", Err(Unusable::Stray(3))),
        ];
        for (encoded, expected) in cases {
            assert_eq!(bytes(encoded), expected.map(<[u8]>::to_vec), "{encoded:?}");
        }
    }

    fn encoded(size: usize) -> String {
        let mut out = vec![0; size.div_ceil(3) * 4];
        Base64::encode(&vec![0; size], &mut out).unwrap().to_owned()
    }

    #[test]
    fn five_mebibytes_and_no_more() {
        let most = encoded(BINARY);
        assert_eq!(bytes(&most).map(|bytes| bytes.len()), Ok(BINARY));
        for more in 1..4 {
            assert_eq!(bytes(&encoded(BINARY + more)), Err(Unusable::TooLarge(BINARY + more)));
        }
    }
}
