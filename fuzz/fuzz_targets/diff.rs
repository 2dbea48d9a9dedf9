//! A file and a change of it: never a panic; what is applied can be rendered and applied again; nothing hides.
//!
//! The input is a byte that chooses the kind of change, the file up to a byte 0xFF, and the change.
#![no_main]

use exacta_kernel::diff::{Kind, line_changes, materialise, render, render_exact, stat};
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::{Edit, Payload};
use exacta_kernel::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choice, rest)) = data.split_first() else { return };
    let at = rest.iter().position(|byte| *byte == 0xff).unwrap_or(rest.len());
    let (before, change) = (&rest[..at], rest.get(at + 1..).unwrap_or_default());
    let change = String::from_utf8_lossy(change).into_owned();
    let kind = [Kind::Modify, Kind::Create, Kind::Delete][usize::from(choice % 3)];
    let payload = match (choice / 3) % 4 {
        0 | 1 => Payload::Diff(change),
        2 => Payload::Edits(edits(&change)),
        _ => Payload::Content(change),
    };
    let before = (kind != Kind::Create).then(|| FileContent::new(before.to_vec(), 0o644));
    let path = RelPath::parse("f").expect("a path");
    if let Ok(after) = materialise(kind, Some(&payload), &path, before.as_ref()) {
        check(kind, &path, before.as_ref(), after.as_ref());
    }
});

fn edits(text: &str) -> Vec<Edit> {
    let edit = |line: &str| {
        let (find, replace) = line.split_once('=')?;
        Some(Edit { find: find.to_owned(), replace: replace.to_owned() })
    };
    text.lines().filter_map(edit).collect()
}

fn check(kind: Kind, path: &RelPath, before: Option<&FileContent>, after: Option<&FileContent>) {
    assert_ne!(before, after, "a step that changes nothing was taken");
    if let Ok(diff) = String::from_utf8(render_exact(path, before, after)) {
        let again = materialise(kind, Some(&Payload::Diff(diff)), path, before);
        assert_eq!(again.as_ref().map(Option::as_ref), Ok(after));
    }
    let (added, removed) = stat(before, after);
    assert_eq!(line_changes(before, after).len() as u64, added + removed);
    assert_eq!(text::hidden(&render(path, before, after)).next(), None);
}
