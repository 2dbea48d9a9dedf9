//! Times for people: how long ago, and how much is left.

use crate::html::Html;
use exacta_kernel::time::Timestamp;

/// A moment, shown as how long ago it was; the script keeps it right.
pub fn ago(html: &mut Html, at: &str, now: Timestamp) {
    let words = Timestamp::try_from(at.to_owned()).map_or_else(
        |_| at.to_owned(),
        |then| format!("{} ago", span(now.as_millis().saturating_sub(then.as_millis()))),
    );
    html.leaf("time", &[("datetime", at), ("data-kind", "ago"), ("title", at)], &words);
}

/// A moment, shown as how much time is left until then.
pub fn left(html: &mut Html, at: &str, now: Timestamp) {
    let words = Timestamp::try_from(at.to_owned()).map_or_else(
        |_| at.to_owned(),
        |then| {
            let left = then.as_millis().saturating_sub(now.as_millis());
            if left <= 0 { "time is over".to_owned() } else { format!("{} left", span(left)) }
        },
    );
    html.leaf("time", &[("datetime", at), ("data-kind", "left"), ("title", at)], &words);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_well() {
        let cases = [(-5, "0 s"), (59_999, "59 s"), (61_000, "1 min"), (3_725_000, "1 h 2 min"), (200_000_000, "2 d")];
        for (millis, words) in cases {
            assert_eq!(span(millis), words);
        }
    }
}
