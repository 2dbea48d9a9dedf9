//! Words that somebody else wrote: secrets in them are masked, and nothing in them is hidden. Done once, for every surface.

use exacta_kernel::secret::mask;
use exacta_kernel::text::{visible, visible_line};
use exacta_kernel::time::Timestamp;
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

/// How much time is left until a moment.
#[must_use]
pub fn left(at: &str, now: Timestamp) -> String {
    let Ok(then) = Timestamp::try_from(at.to_owned()) else { return at.to_owned() };
    let left = then.as_millis().saturating_sub(now.as_millis());
    if left <= 0 { "time is over".to_owned() } else { format!("{} left", span(left)) }
}

/// How long ago a moment was.
#[must_use]
pub fn ago(at: &str, now: Timestamp) -> String {
    let Ok(then) = Timestamp::try_from(at.to_owned()) else { return at.to_owned() };
    format!("{} ago", span(now.as_millis().saturating_sub(then.as_millis())))
}

/// A length of time in its largest unit, or two where that says more.
fn span(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{} d", seconds / 86_400),
    }
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

    #[test]
    fn spans_read_well() {
        let cases = [(-5, "0 s"), (59_999, "59 s"), (61_000, "1 min"), (3_725_000, "1 h 2 min"), (200_000_000, "2 d")];
        for (millis, words) in cases {
            assert_eq!(span(millis), words);
        }
        let at = |millis: i64| Timestamp::from_millis(millis).to_string();
        let now = Timestamp::from_millis(600_000);
        assert_eq!([left(&at(661_000), now), left(&at(600_000), now)], ["1 min left", "time is over"]);
        assert_eq!(ago(&at(0), now), "10 min ago");
    }
}
