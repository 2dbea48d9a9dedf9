//! The security gate: secrets, hidden characters, dangerous operations, deceptive names.

use super::group::Grouped;
use super::matter::{Matter, plain, quoted};
use super::{Gate, GateVerdict, Verdict};
use crate::prelude::*;
use crate::scan::{HiddenText, Place};
use crate::text::Hidden;

/// What is certain is denied; what a person can judge is confirmed.
pub(super) fn security(matter: &Matter<'_>) -> Vec<GateVerdict> {
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
    for deed in &matter.deeds {
        for kind in
            deed.subject.path.iter().flat_map(|path| crate::text::hidden(path.as_str())).map(|(_, _, kind)| kind)
        {
            found.add(in_a_file(kind), None, &format!("hidden text in a name ({})", kind.name()), &deed.label);
        }
    }
    for danger in &matter.signals.dangers {
        let (verdict, word) = certainty(danger.certain, "dangerous operation", "possibly dangerous operation");
        found.add(verdict, None, &format!("{word} ({})", plain(&danger.what)), &place(&danger.place));
    }
    for (path, name) in &matter.lookalikes {
        let what = "the name differs from another only by case or spelling";
        found.add(Verdict::Confirm, None, what, &format!("{} and {}", quoted(path), quoted(name)));
    }
    for path in &matter.overlong {
        let what = "more lines change than are looked at one by one";
        found.add(Verdict::Confirm, None, what, path);
    }
    found.verdicts(Gate::Security, "nothing found")
}

fn certainty(certain: bool, yes: &'static str, perhaps: &'static str) -> (Verdict, &'static str) {
    if certain { (Verdict::Deny, yes) } else { (Verdict::Confirm, perhaps) }
}

/// In words about the plan, which are always shown with escapes, a person can judge hidden text.
fn of_hidden(hidden: &HiddenText) -> Verdict {
    if hidden.place.path.is_some() { in_a_file(hidden.kind) } else { Verdict::Confirm }
}

/// What reorders, steers or smuggles text has no place in a file or its name.
const fn in_a_file(kind: Hidden) -> Verdict {
    match kind {
        Hidden::Control | Hidden::Bidi | Hidden::Tag => Verdict::Deny,
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
