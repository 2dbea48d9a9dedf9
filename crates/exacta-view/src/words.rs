//! Words that somebody else wrote: secrets in them are masked, and nothing in them is hidden. Done once, for every surface.

use exacta_kernel::secret::mask;
use exacta_kernel::text::{visible, visible_line};
use serde::Serialize;
use serde_json::Value;

/// Untrusted words over several lines.
#[must_use]
pub fn text(words: &str) -> String {
    visible(&mask(words)).into_owned()
}

/// Untrusted words within one line.
#[must_use]
pub fn line(words: &str) -> String {
    visible_line(&mask(words)).into_owned()
}

/// A number of things in words: `1 file`, `2 files`.
#[must_use]
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A value with every word of it masked and visible.
pub(crate) fn value(given: Value) -> Value {
    match given {
        Value::String(words) => Value::String(line(&words)),
        Value::Array(items) => Value::Array(items.into_iter().map(value).collect()),
        Value::Object(map) => Value::Object(map.into_iter().map(|(key, item)| (line(&key), value(item))).collect()),
        other => other,
    }
}

/// The word that serialisation gives a variant without data.
pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_many() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "file")), ["0 files", "1 file", "2 files"]);
    }
}
