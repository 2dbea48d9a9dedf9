//! Errors as people read them: what happened, and apart from it what helps.

use super::ansi::Paint;
use super::layout::words;
use exacta_kernel::text::visible_line;
use exacta_view::{Row, Tone};
use unicode_width::UnicodeWidthStr as _;

/// `error:` and `hint:` lines; every place it is about on a line of its own.
#[must_use]
pub fn error(paint: Paint, width: usize, message: &str, places: &[String], hint: Option<&str>) -> String {
    let mut out = labelled(paint, width, Tone::Bad, "error", message);
    for place in places {
        out.push_str(&folded(paint, width, Row::indented(2), 2, 4, place));
    }
    if let Some(hint) = hint {
        out.push_str(&labelled(paint, width, Tone::Good, "hint", hint));
    }
    out
}

/// A line about something that happened on the way.
#[must_use]
pub fn note(paint: Paint, width: usize, message: &str) -> String {
    labelled(paint, width, Tone::Warn, "note", message)
}

fn labelled(paint: Paint, width: usize, tone: Tone, label: &str, message: &str) -> String {
    let mut out = String::new();
    let hang = label.len() + 2;
    for (index, line) in message.lines().enumerate() {
        let row = if index == 0 { Row::new().with(tone, &format!("{label}:")).plain(" ") } else { Row::indented(hang) };
        out.push_str(&folded(paint, width, row, hang, hang, line));
    }
    out
}

/// The text after the beginning of its first row, which takes this many columns. Names in backticks, and words longer than a line, are never cut: paths and
/// commands are to be copied.
fn folded(paint: Paint, width: usize, mut row: Row, mut used: usize, hang: usize, text: &str) -> String {
    let (mut out, mut empty) = (String::new(), true);
    for word in words(&visible_line(text)).map(|word| word.strip_suffix(' ').unwrap_or(word)) {
        let columns = word.width();
        if !empty && used + 1 + columns > width {
            out.push_str(&paint.row(&row));
            out.push('\n');
            (row, used, empty) = (Row::indented(hang), hang, true);
        }
        if !empty {
            row = row.plain(" ");
            used += 1;
        }
        row = row.plain(word);
        used += columns;
        empty = false;
    }
    out.push_str(&paint.row(&row));
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_kept_whole_and_the_rest_is_folded() {
        let text =
            error(Paint(false), 30, "nothing is recorded for `/a`", &[], Some("give `exacta init --profile SAFE`"));
        assert_eq!(
            text,
            "error: nothing is recorded for\n       `/a`\nhint: give\n      `exacta init --profile SAFE`\n"
        );
    }

    #[test]
    fn every_place_has_its_line() {
        let places = ["audit log, line 3: the line was changed".to_owned(), "plan `x`: changed".to_owned()];
        let text = error(Paint(false), 80, "changed", &places, None);
        assert_eq!(text, "error: changed\n  audit log, line 3: the line was changed\n  plan `x`: changed\n");
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_lost_and_lines_fit(text in "[a-z` ]{0,200}", width in 20usize..90) {
            let shown = note(Paint(false), width, &text);
            let keep = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            proptest::prop_assert_eq!(keep(&shown), if text.is_empty() { String::new() } else { format!("note:{}", keep(&text)) });
            for line in shown.lines() {
                let words = words(line.trim()).count();
                proptest::prop_assert!(line.width() <= width || words <= 2, "{:?}", line);
            }
        }
    }
}
