//! The security gate: secrets, hidden characters, dangerous operations, deceptive names.

use super::evidence::{Act, Evidence, plain, quoted};
use super::grouped::Grouped;
use super::{Gate, GateVerdict, Verdict};
use crate::policy::rule::Operation;
use crate::prelude::*;
use crate::scan::{Place, Secret};
use crate::text::Hidden;

/// What is certain is denied; what a person can judge is confirmed.
pub(super) fn security(evidence: &Evidence<'_>) -> Vec<GateVerdict> {
    let mut found = Grouped::default();
    for error in &evidence.errors {
        found.add(Verdict::Deny, None, error, "");
    }
    for secret in &evidence.signals.secrets {
        add_secret(secret, &mut found);
    }
    for hidden in &evidence.signals.hidden {
        found.add(of_kind(hidden.kind), None, &format!("hidden text ({})", hidden.kind.name()), &place(&hidden.place));
    }
    for act in &evidence.acts {
        names(act, &mut found);
    }
    for danger in &evidence.signals.dangers {
        let (verdict, word) = certainty(danger.certain, "dangerous operation", "possibly dangerous operation");
        found.add(verdict, None, &format!("{word} ({})", plain(&danger.what)), &place(&danger.place));
    }
    for (path, name) in &evidence.lookalikes {
        let what = "the name differs from another only by case or spelling";
        found.add(Verdict::Confirm, None, what, &format!("{} and {}", quoted(path), quoted(name)));
    }
    for path in &evidence.overlong {
        let what = "more lines change than are looked at one by one";
        found.add(Verdict::Confirm, None, what, path);
    }
    for (length, place) in &evidence.long_lines {
        let what = format!("a line of {length} bytes is too long to be read as code");
        found.add(Verdict::Confirm, None, &what, place);
    }
    for path in &evidence.bytes {
        found.add(Verdict::Confirm, None, "a new file that is no text", path);
    }
    found.verdicts(Gate::Security, "nothing found")
}

/// A secret with its place.
pub(super) fn add_secret(secret: &Secret, found: &mut Grouped) {
    let (verdict, word) = certainty(secret.certain, "secret", "possible secret");
    found.add(verdict, None, &format!("{word} ({})", secret.what), &place(&secret.place));
}

fn certainty(certain: bool, yes: &'static str, perhaps: &'static str) -> (Verdict, &'static str) {
    if certain { (Verdict::Deny, yes) } else { (Verdict::Confirm, perhaps) }
}

/// What a step's target is called.
fn names(act: &Act, found: &mut Grouped) {
    let Some(path) = &act.subject.path else { return };
    let does = |operation| act.subject.operations.contains(&operation);
    for (_, _, kind) in crate::text::hidden(path.as_str()) {
        let verdict = if does(Operation::FILE_DELETE) { of_kind(kind) } else { in_a_name(kind) };
        found.add(verdict, None, &format!("hidden text in a name ({})", kind.name()), &act.label);
    }
    if does(Operation::FILE_CREATE)
        && let Some(what) = path.unusual()
    {
        found.add(Verdict::Confirm, None, what, &act.label);
    }
}

/// Terminal escapes steer, overrides reorder, tags smuggle, and hidden line breaks end comments: no honest text has them, in a
/// file or in words about it. All the rest is shown as escapes, and a person can judge it.
const fn of_kind(kind: Hidden) -> Verdict {
    match kind {
        Hidden::Escape | Hidden::Override | Hidden::Tag | Hidden::LineBreak => Verdict::Deny,
        _ => Verdict::Confirm,
    }
}

/// Nothing in a name may be invisible: it would be taken for another name. A file that has such a name can still be deleted.
const fn in_a_name(kind: Hidden) -> Verdict {
    match kind {
        Hidden::PrivateUse | Hidden::Unassigned | Hidden::Lookalike => Verdict::Confirm,
        _ => Verdict::Deny,
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
