//! Drafts on a real file system.

use super::{KEY, folder, perform, perform_with, run_id, undo, work};
use crate::work::EffectWork;
use crate::{Drafts, EffectError, Effects, Event, Outcome};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const ACT: &str = "write_outcome_draft";

pub(super) fn two(run: u32) -> EffectWork {
    work(run, ACT, &[("outbox/r/s1.txt", "one\n"), ("outbox/r/s2.txt", "two\n")])
}

fn drafts(at: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(at.join("outbox/r")).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        found.push((name, fs::read_to_string(path).unwrap()));
    }
    found.sort();
    found
}

#[test]
fn drafts_are_written_to_the_byte_and_undone() {
    let state = tempfile::tempdir().unwrap();
    let writer = Drafts::new(folder(state.path()));
    let effects = Effects::open(&folder(state.path()), &KEY, vec![&writer]).unwrap();
    let outcome = perform(&effects, &two(1)).unwrap();
    let Outcome::Completed { receipts } = &outcome else { panic!("{outcome:?}") };
    assert_eq!(receipts.steps.iter().map(|step| step.bytes).collect::<Vec<_>>(), [4, 4]);
    let written = [("s1.txt".to_owned(), "one\n".to_owned()), ("s2.txt".to_owned(), "two\n".to_owned())];
    assert_eq!(drafts(state.path()), written);
    let mode = fs::metadata(state.path().join("outbox/r/s1.txt")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    // One run per id, ever.
    assert!(matches!(perform(&effects, &two(1)), Err(EffectError::Drifted { .. })), "they are there");

    let undone = perform(&effects, &undo(2, &two(1))).unwrap();
    assert!(matches!(undone, Outcome::Completed { .. }), "{undone:?}");
    assert!(!state.path().join("outbox/r").exists());
    assert_eq!(effects.outcome(&run_id(2)), Ok(Some(undone)));
    assert!(matches!(perform(&effects, &two(1)), Err(EffectError::Exists { .. })));
}

#[test]
fn a_failing_step_rolls_everything_back() {
    let state = tempfile::tempdir().unwrap();
    let writer = Drafts::new(folder(state.path()));
    let effects = Effects::open(&folder(state.path()), &KEY, vec![&writer]).unwrap();
    // Somebody puts a file in the place of the second draft while the first is written.
    let in_the_way = |event: Event| {
        if matches!(event, Event::StepDone { .. }) {
            fs::write(state.path().join("outbox/r/s2.txt"), "somebody's").unwrap();
        }
    };
    let outcome = perform_with(&effects, &two(1), &AtomicBool::new(false), &mut { in_the_way }).unwrap();
    assert!(matches!(outcome, Outcome::RolledBack { .. }), "{outcome:?}");
    assert_eq!(drafts(state.path()), [("s2.txt".to_owned(), "somebody's".to_owned())]);
}

#[test]
fn a_cancelled_run_leaves_nothing() {
    let state = tempfile::tempdir().unwrap();
    let writer = Drafts::new(folder(state.path()));
    let effects = Effects::open(&folder(state.path()), &KEY, vec![&writer]).unwrap();
    let cancel = AtomicBool::new(false);
    let outcome = perform_with(&effects, &two(1), &cancel, &mut |_| cancel.store(true, Ordering::Relaxed)).unwrap();
    assert_eq!(outcome, Outcome::Cancelled);
    assert!(!state.path().join("outbox/r").exists());
}

/// What a person changed is left and named.
#[test]
fn an_edited_draft_is_not_undone() {
    let state = tempfile::tempdir().unwrap();
    let writer = Drafts::new(folder(state.path()));
    let effects = Effects::open(&folder(state.path()), &KEY, vec![&writer]).unwrap();
    perform(&effects, &two(1)).unwrap();
    fs::write(state.path().join("outbox/r/s1.txt"), "mine").unwrap();
    let refused = perform(&effects, &undo(2, &two(1))).unwrap_err();
    assert!(matches!(&refused, EffectError::Drifted { step, .. } if step == "s1"), "{refused}");
    assert_eq!(drafts(state.path()).len(), 2, "nothing was undone");
}

/// What cannot be reversed is not called missing, and nothing beside it is undone.
#[test]
fn an_undo_says_what_cannot_be_reversed() {
    let state = tempfile::tempdir().unwrap();
    let effects = Effects::open(&folder(state.path()), &KEY, vec![&super::web::Final]).unwrap();
    let sent = work(1, super::web::ACT, &[("p1", "text of s1")]);
    assert!(matches!(perform(&effects, &sent), Ok(Outcome::Completed { .. })));
    let refused = perform(&effects, &undo(2, &sent)).unwrap_err().to_string();
    assert!(refused.contains("step `s1` cannot begin: `post_page` cannot be reversed"), "{refused}");
}

#[test]
fn no_link_is_followed() {
    let (state, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let writer = Drafts::new(folder(state.path()));
    let effects = Effects::open(&folder(state.path()), &KEY, vec![&writer]).unwrap();
    symlink(elsewhere.path(), state.path().join("outbox")).unwrap();
    assert!(matches!(perform(&effects, &two(1)), Err(EffectError::Drifted { .. })));
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_changed_journal_is_never_acted_upon() {
    let state = tempfile::tempdir().unwrap();
    let writer = Drafts::new(folder(state.path()));
    let effects = Effects::open(&folder(state.path()), &KEY, vec![&writer]).unwrap();
    perform(&effects, &two(1)).unwrap();
    let over = state.path().join(format!("effects/over/{}", run_id(1)));
    let text = fs::read_to_string(&over).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // Its end is taken away, so that it looks as if its process had died.
    let open = state.path().join(format!("effects/{}", run_id(1)));
    fs::remove_file(&over).unwrap();
    let whole = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    fs::write(&open, whole(&lines[..lines.len() - 1])).unwrap();
    let refused = effects.recover(&|_| false);
    assert!(matches!(refused, Err(EffectError::BadJournal { .. })), "the record knows of no such run: {refused:?}");
    // A line is taken out of its middle, or changed.
    let mut without = lines.clone();
    without.remove(1);
    for changed in [whole(&without), text.replace("s1.txt", "s9.txt")] {
        fs::write(&open, changed).unwrap();
        let refused = effects.recover(&|_| true);
        assert!(matches!(refused, Err(EffectError::BadJournal { .. })), "{refused:?}");
        assert_eq!(drafts(state.path()).len(), 2);
    }
    // Sealed with another key.
    fs::write(&open, &text).unwrap();
    let other = Effects::open(&folder(state.path()), &crate::JournalKey::new([8; 32]), vec![&writer]).unwrap();
    assert!(matches!(other.recover(&|_| true), Err(EffectError::BadJournal { .. })));
}
