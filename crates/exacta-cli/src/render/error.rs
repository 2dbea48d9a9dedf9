//! Errors as people read them: what happened, and apart from it what helps.

use super::ansi::Paint;
use super::row::{Row, Tone};

/// `error:` and `hint:` lines.
#[must_use]
pub fn error(paint: Paint, message: &str, hint: Option<&str>) -> String {
    let mut out = labelled(paint, Tone::Bad, "error", message);
    if let Some(hint) = hint {
        out.push_str(&labelled(paint, Tone::Good, "hint", hint));
    }
    out
}

/// A line about something that happened on the way.
#[must_use]
pub fn note(paint: Paint, message: &str) -> String {
    labelled(paint, Tone::Warn, "note", message)
}

/// Not folded: paths and commands are to be copied.
fn labelled(paint: Paint, tone: Tone, label: &str, message: &str) -> String {
    let mut out = String::new();
    for (index, line) in message.lines().enumerate() {
        let row = if index == 0 {
            Row::new().with(tone, &format!("{label}:")).plain(" ").plain(line)
        } else {
            Row::indented(label.len() + 2).plain(line)
        };
        out.push_str(&paint.row(&row));
        out.push('\n');
    }
    out
}
