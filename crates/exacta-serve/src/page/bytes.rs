//! The bytes of a file that is no text, behind a link of its step: as many at once as a browser takes easily.

use crate::html::Html;
use exacta_view::StepView;

/// How many rows of sixteen bytes are shown at once.
const ROWS: usize = 4_096;

/// Which bytes are shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bytes {
    /// Those of the step with this place, if any.
    pub step: Option<u64>,
    /// From this piece on.
    pub piece: usize,
}

impl Bytes {
    /// Of the two words of an address.
    #[must_use]
    pub fn asked(step: Option<&str>, piece: Option<&str>) -> Self {
        let number = |word: &str| word.parse().ok();
        Self { step: step.and_then(number), piece: piece.and_then(|word| word.parse().ok()).unwrap_or_default() }
    }

    /// Below a step: its bytes, or the link to them.
    pub fn write(self, html: &mut Html, step: &StepView) {
        let Some(hex) = step.binary.as_ref().and_then(|binary| binary.hex.as_ref()) else { return };
        let to = |piece: usize| format!("?hex={}&piece={piece}#step-{}", step.order, step.order);
        if self.step != Some(step.order) {
            html.tag("p", &[("class", "notes")], |html| {
                html.leaf("a", &[("href", &to(0))], "Show its bytes");
            });
            return;
        }
        let text = hex.text(16, self.piece.saturating_mul(ROWS), ROWS);
        html.tag("p", &[("class", "notes")], |html| {
            if self.piece > 0 {
                html.leaf("a", &[("href", &to(self.piece - 1))], "The bytes before").text(" ");
            }
            if (self.piece + 1).saturating_mul(ROWS) < hex.rows(16) {
                html.leaf("a", &[("href", &to(self.piece + 1))], "More bytes").text(" ");
            }
            html.leaf("a", &[("href", &format!("?#step-{}", step.order))], "Hide them");
        });
        html.leaf("pre", &[("class", "hex"), ("dir", "ltr"), ("tabindex", "0")], &text);
    }
}
