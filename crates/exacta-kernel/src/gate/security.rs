//! The security gate: secrets, hidden characters, dangerous operations, deceptive names.

use super::group::Grouped;
use super::matter::{Matter, quoted};
use super::{Gate, GateVerdict, Verdict};
use crate::prelude::*;
use crate::scan::{HiddenText, Place};
use crate::text::Hidden;

/// What is certain is denied; what a person can judge is confirmed.
pub(super) fn security(matter: &Matter) -> Vec<GateVerdict> {
    let mut found = Grouped::default();
    for error in &matter.errors {
        found.add(Verdict::Deny, None, error, "");
    }
    for secret in &matter.signals.secrets {
        let (verdict, word) = certainty(secret.certain, "secret", "possible secret");
        found.add(verdict, None, &format!("{word} ({})", secret.what), &place(&secret.place));
    }
    for hidden in &matter.signals.hidden {
        found.add(of_hidden(hidden), None, &format!("hidden text ({})", hidden.kind.name()), &place(&hidden.place));
    }
    for danger in &matter.signals.dangers {
        let (verdict, word) = certainty(danger.certain, "dangerous operation", "possibly dangerous operation");
        let what = crate::text::visible_line(&danger.what);
        found.add(verdict, None, &format!("{word} ({what})"), &place(&danger.place));
    }
    for (path, name) in &matter.lookalikes {
        let what = "the name differs from another only by case or spelling";
        found.add(Verdict::Confirm, None, what, &format!("{} and {}", quoted(path), quoted(name)));
    }
    found.verdicts(Gate::Security, "nothing found")
}

fn certainty(certain: bool, yes: &'static str, perhaps: &'static str) -> (Verdict, &'static str) {
    if certain { (Verdict::Deny, yes) } else { (Verdict::Confirm, perhaps) }
}

/// What reorders, steers or smuggles text has no place in a file or its name. In words about the plan, which are always shown
/// with escapes, a person can judge it.
fn of_hidden(hidden: &HiddenText) -> Verdict {
    match hidden.kind {
        Hidden::Control | Hidden::Bidi | Hidden::Tag if hidden.place.path.is_some() => Verdict::Deny,
        _ => Verdict::Confirm,
    }
}

fn place(place: &Place) -> String {
    match (&place.path, place.line, &place.step) {
        (Some(path), Some(line), _) => format!("{}, line {line}", quoted(path)),
        (Some(path), None, _) => quoted(path),
        (None, _, Some(step)) => format!("the words of step {}", quoted(step)),
        (None, _, None) => "the words of the proposal".to_owned(),
    }
}
