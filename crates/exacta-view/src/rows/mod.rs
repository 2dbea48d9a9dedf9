//! Views as rows: the sentences that every surface shows, in the order that every surface shows them in.

pub mod answer;
pub mod ask;
pub mod background;
pub mod brief;
pub mod checks;
pub mod decision;
pub mod detail;
pub mod list;
pub mod plan;
pub mod run;
pub mod score;
pub mod tone;
pub mod waiting;

use crate::row::{Row, Tone};

/// A label and its text.
fn labelled(label: &str, text: &str) -> Row {
    labelled_as(Tone::Strong, label, text)
}

/// The same with the label in this tone.
fn labelled_as(tone: Tone, label: &str, text: &str) -> Row {
    Row::new().column(tone, label, 16).hanging(16).plain(text)
}

/// Adds what is not empty after an empty line.
pub fn section(rows: &mut Vec<Row>, section: Vec<Row>) {
    if !section.is_empty() {
        rows.push(Row::new());
        rows.extend(section);
    }
}
