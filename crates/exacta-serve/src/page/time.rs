//! Times for people: how long ago, and how much is left.

use crate::html::Html;
use exacta_kernel::time::Timestamp;
use exacta_view::words;

/// A moment, shown as how long ago it was; the script keeps it right.
pub fn ago(html: &mut Html, at: &str, now: Timestamp) {
    html.leaf("time", &[("datetime", at), ("data-kind", "ago"), ("title", at)], &words::ago(at, now));
}

/// A moment, shown as how much time is left until then.
pub fn left(html: &mut Html, at: &str, now: Timestamp) {
    html.leaf("time", &[("datetime", at), ("data-kind", "left"), ("title", at)], &words::left(at, now));
}
