//! Breaking changes: public signatures that go or change, file by file.

use super::reason;
use crate::assess::Reason;
use crate::facts::FileContent;
use crate::facts::source::{CodeFacts, SignatureChange};
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::source::{Signature, is_test, language, signatures};

/// +3 a public signature removed, +2 one changed; none in tests. As parsed, or else as far as lines tell; removed ones are
/// placed in the old file.
pub(super) fn reasons(changes: &[FileChange<'_>]) -> Vec<Reason> {
    let changes = changes.iter().filter(|change| !is_test(change.path));
    changes.flat_map(|change| change.code.map_or_else(|| in_file(change), |code| parsed(change, code))).collect()
}

fn parsed(change: &FileChange<'_>, code: &CodeFacts) -> Vec<Reason> {
    let broken = code.public.iter().filter_map(|it| {
        let (points, message) = match (it.change, &it.moved_to) {
            (SignatureChange::Added, _) => return None,
            (SignatureChange::Changed, _) => (2, format!("changes the signature of public `{}`", it.name)),
            (SignatureChange::Removed, None) => (3, format!("removes public `{}` (old line)", it.name)),
            (SignatureChange::Removed, Some(to)) => (3, format!("moves public `{}` to `{to}` (old line)", it.name)),
        };
        Some(reason(points, message, change.place(it.line)))
    });
    broken.collect()
}

fn in_file(change: &FileChange<'_>) -> Vec<Reason> {
    let Some(before) = surface(change, change.before).filter(|before| !before.is_empty()) else { return Vec::new() };
    let after = surface(change, change.after).unwrap_or_default();
    let mut reasons = Vec::new();
    for (key, was) in before {
        let line = was.first().map(|signature| signature.line);
        let texts = |signatures: &[Signature]| {
            let mut texts: Vec<String> = signatures.iter().map(|signature| signature.text.clone()).collect();
            texts.sort();
            texts
        };
        match after.get(&key) {
            None => reasons.push(reason(3, format!("removes public `{key}` (old line)"), change.place(line))),
            Some(now) if now.len() < was.len() => {
                reasons.push(reason(
                    3,
                    format!("removes one public `{key}` of several (old line)"),
                    change.place(line),
                ));
            }
            Some(now) if now.len() == was.len() && texts(now) != texts(&was) => {
                reasons.push(reason(
                    2,
                    format!("changes the signature of public `{key}` (old line)"),
                    change.place(line),
                ));
            }
            Some(_) => {}
        }
    }
    reasons
}

/// The public signatures of one state of a file, by what and name.
fn surface(change: &FileChange<'_>, content: Option<&FileContent>) -> Option<BTreeMap<String, Vec<Signature>>> {
    let language = language(change.path.name())?;
    let text = core::str::from_utf8(content?.bytes()).ok()?;
    let mut surface: BTreeMap<String, Vec<Signature>> = BTreeMap::new();
    for signature in signatures(language, change.path.name(), text) {
        surface.entry(signature.key.clone()).or_default().push(signature);
    }
    Some(surface)
}
