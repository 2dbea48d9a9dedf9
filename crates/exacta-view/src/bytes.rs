//! A file that is no text, as it is shown: its kind, size and hash, and its bytes as numbers for whoever wants to see them.

use crate::row::{Row, Tone};
use exacta_kernel::content_kind::ContentKind;
use exacta_kernel::facts::FileContent;
use exacta_kernel::limit;
use exacta_kernel::plan::Effect;
use exacta_kernel::secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A file that comes, or goes, and is no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BinaryView {
    /// Such as `PNG image`, as its first bytes say.
    pub kind: String,
    /// In bytes.
    pub size: u64,
    /// Of the bytes.
    pub sha256: String,
    /// Whether it may be executed.
    pub executable: bool,
    /// Whether it goes; else it comes.
    pub goes: bool,
    /// Its bytes as hexadecimal digits, secrets as `**`. Not of a plan that is over, nor of what goes and is larger than what can
    /// come. In JSON only where asked for (`--with hex`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<Hex>,
}

/// Bytes as hexadecimal digits, two each.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(transparent)]
pub struct Hex(Arc<str>);

impl Serialize for Hex {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|digits| Self(digits.into()))
    }
}

impl BinaryView {
    /// Of what a step does, if that is no text.
    pub(crate) fn of(effect: &Effect) -> Option<Self> {
        let (content, goes) = match (effect.before.as_deref(), effect.after.as_deref()) {
            (_, Some(after)) => (after, false),
            (before, None) => (before?, true),
        };
        let view = || Self {
            kind: ContentKind::of(&effect.path, content).name.to_owned(),
            size: content.size(),
            sha256: content.sha256().to_string(),
            executable: content.is_executable(),
            goes,
            hex: (!goes || content.size() <= limit::BINARY as u64).then(|| Hex::of(content)),
        };
        content.is_binary().then(view)
    }
}

impl Hex {
    fn of(content: &FileContent) -> Self {
        let bytes = content.bytes();
        // In order, and none in another.
        let mut secrets = secret::places(bytes).into_iter().peekable();
        let mut digits = String::with_capacity(bytes.len() * 2);
        let sign = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('*');
        for (at, byte) in bytes.iter().enumerate() {
            while secrets.next_if(|secret| secret.end <= at).is_some() {}
            if secrets.peek().is_some_and(|secret| secret.contains(&at)) {
                digits.push_str("**");
            } else {
                digits.extend([sign(byte >> 4), sign(byte & 15)]);
            }
        }
        Self(digits.into())
    }

    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() / 2
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many rows they take, at this many bytes in each.
    #[must_use]
    pub fn rows(&self, each: usize) -> usize {
        self.len().div_ceil(each.max(1))
    }

    /// So many rows from one on: where each begins, its bytes, and those of them that are letters.
    pub fn window(&self, each: usize, from: usize, count: usize) -> impl Iterator<Item = Row> + '_ {
        let each = each.max(1);
        let rows = from..self.rows(each).min(from.saturating_add(count));
        rows.map(move |row| self.row(row * each, each))
    }

    /// The same as text, each row with its line end.
    #[must_use]
    pub fn text(&self, each: usize, from: usize, count: usize) -> String {
        let mut text = String::new();
        for row in self.window(each, from, count) {
            row.spans().iter().for_each(|span| text.push_str(&span.text));
            text.push('\n');
        }
        text
    }

    fn row(&self, start: usize, each: usize) -> Row {
        let end = (start + each).min(self.len());
        let (mut numbers, mut letters) = (String::new(), String::new());
        for at in start..start + each {
            let gap = if at > start && (at - start).is_multiple_of(8) { "  " } else { " " };
            let pair = self.0.get(at * 2..at * 2 + 2).filter(|_| at < end).unwrap_or("  ");
            numbers.push_str(gap);
            numbers.push_str(pair);
            if at < end {
                letters.push(letter(pair));
            }
        }
        Row::code()
            .with(Tone::Faint, &format!("{start:08x} "))
            .plain(&numbers)
            .with(Tone::Text, &format!("  {letters}"))
    }
}

/// The letter that a byte is, or a sign that it is none.
fn letter(pair: &str) -> char {
    match u8::from_str_radix(pair, 16) {
        Ok(byte @ b' '..=b'~') => char::from(byte),
        Ok(_) => '.',
        Err(_) => '*',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(hex: &Hex, each: usize) -> Vec<String> {
        hex.text(each, 0, usize::MAX).lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_byte_is_in_a_row() {
        let bytes: Vec<u8> = (0..=255).chain(*b"\0end").collect();
        let hex = Hex::of(&FileContent::new(bytes, 0o644));
        assert_eq!((hex.len(), hex.rows(16), hex.rows(8)), (260, 17, 33));
        let rows = text(&hex, 16);
        assert_eq!(rows[4], "00000040  40 41 42 43 44 45 46 47  48 49 4a 4b 4c 4d 4e 4f  @ABCDEFGHIJKLMNO");
        assert_eq!(rows[16], "00000100  00 65 6e 64                                       .end");
        assert_eq!(text(&hex, 8)[1], "00000008  08 09 0a 0b 0c 0d 0e 0f  ........");
        assert_eq!(hex.text(16, 3, 2).lines().collect::<Vec<_>>(), rows[3..5]);
        assert_eq!(hex.window(16, 17, 5).count(), 0);
    }

    #[test]
    fn a_secret_is_not_among_them() {
        let bytes = b"\0\nghp_16C7e42F292c6912E7710c838347Ae178B4a\n\0".to_vec();
        let hex = Hex::of(&FileContent::new(bytes, 0o644));
        assert!(hex.0.contains("****") && !hex.0.contains("3136433765"), "{}", hex.0);
        assert_eq!(hex.len(), 44);
        assert!(text(&hex, 16)[1].ends_with("****************"));
        let again: Hex = serde_json::from_value(serde_json::json!(hex)).unwrap();
        assert_eq!(again, hex);
    }
}
