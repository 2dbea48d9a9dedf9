//! Recovery on a real file system, and journals that cannot be trusted.

use super::project::*;
use crate::area::{Area, EXEC, OVER};
use crate::journal::FORMAT;
use crate::mark::Mark;
use crate::recover::{in_the_way, settle};
use crate::{Outcome, ProjectRoot, Recovered, RunError};
use exacta_kernel::plan::Change;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A project with a run that counts as interrupted: its done record is gone.
fn interrupted() -> Project {
    let project = Project::new(&EVERYTHING);
    project.run(&everything(1)).unwrap();
    project.reopen(1);
    project
}

fn name(suffix: &str) -> String {
    format!(".exacta/exec/{}.{suffix}", run_id(1))
}

#[test]
fn an_interrupted_run_is_reported_and_completed_once() {
    let project = interrupted();
    let unfinished = project.root.unfinished().unwrap();
    assert_eq!(unfinished.len(), 1);
    assert!(!unfinished[0].alive && unfinished[0].plan_id.is_some());
    let recovered = project.root.recover().unwrap();
    assert_eq!(recovered.len(), 1);
    let Outcome::Completed(receipts) = &recovered[0].outcome else { panic!("{recovered:?}") };
    assert_eq!(receipts.steps.len(), 9);
    assert_eq!(project.root.recover().unwrap(), []);
    assert_eq!(project.root.unfinished().unwrap(), []);
}

/// Whoever only looks whether a run lives is not taken for it.
#[test]
fn readers_do_not_keep_a_dead_run_from_being_recovered() {
    for _ in 0..20 {
        let project = interrupted();
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let root = ProjectRoot::open(project.dir.path()).unwrap();
                    while !over.load(Ordering::Relaxed) {
                        root.unfinished().unwrap();
                        root.is_at_work(&run_id(1)).unwrap();
                    }
                });
            }
            let recovered = project.root.recover();
            over.store(true, Ordering::Relaxed);
            assert_eq!(recovered.unwrap().len(), 1);
        });
    }
}

/// Whoever can write in the folder can say nothing about a run: not that it is over, nor that it is to be put back.
#[test]
fn marks_that_others_plant_say_nothing() {
    for (folder, word) in
        [(EXEC, "done"), (EXEC, "kept"), (EXEC, "back"), (EXEC, "left"), (OVER, "done"), (OVER, "kept")]
    {
        for seal in ["", ".00000000000000000000000000000000"] {
            for standing in [[run_id(1)].as_slice(), &[]] {
                let project = interrupted();
                let journal = fs::read(project.at(&marked(1, Mark::Commit))).unwrap();
                project.root.admit(standing.iter().cloned(), []);
                fs::write(project.at(&format!("{folder}/{}{seal}.{word}", run_id(1))), journal).unwrap();
                let (recovered, place) = (project.root.recover(), format!("{folder} {seal}.{word}"));
                if standing.is_empty() {
                    assert_eq!(recovered, Err(RunError::UnknownRun { run_id: run_id(1) }), "{place}");
                    continue;
                }
                let recovered = recovered.unwrap();
                assert!(matches!(&recovered[..], [Recovered { outcome: Outcome::Completed(_), .. }]), "{place}");
                assert!(project.at(&marked(1, Mark::Done)).exists());
            }
        }
    }
}

/// A journal says something of its own run only, under whatever name it lies.
#[test]
fn no_run_is_settled_by_the_journal_of_another() {
    let project = Project::new(&EVERYTHING);
    project.run(&everything(1)).unwrap();
    let after = project.tree();
    project.run(&work(2, vec![change("apart", None, content("x", 0o644))])).unwrap();
    project.reopen(2);
    fs::copy(project.at(&marked(1, Mark::Done)), project.at(&marked(2, Mark::Commit))).unwrap();
    project.root.admit([run_id(2)], []);
    let error = project.root.recover().unwrap_err();
    assert!(matches!(error, RunError::BadJournal { .. }), "{error:?}");
    fs::remove_file(project.at("apart")).unwrap();
    assert_eq!(project.tree(), after);
}

/// A journal that was staged is no commit, whoever gives it that name: nothing is done by it. And what a person has to look at
/// is not finished behind their back.
#[test]
fn nobody_else_commits() {
    for (running, attention) in [(vec![run_id(1)], vec![]), (vec![], vec![run_id(1)])] {
        let project = Project::new(&EVERYTHING);
        let before = project.tree();
        let staged = |end: &str| project.at(&format!(".exacta/exec/{}.{end}", run_id(1)));
        let (mut journal, mut new) = (Vec::new(), Vec::new());
        let checks = &mut |_: &[Change]| {
            journal = fs::read(staged("intent")).unwrap();
            new = (0..4).map(|step| fs::read(staged(&step.to_string())).unwrap_or_default()).collect::<Vec<_>>();
            Err(crate::Objection::Check("red".to_owned()))
        };
        project.run_with(&everything(1), &mut |_| {}, checks).unwrap_err();
        for (step, bytes) in new.iter().enumerate() {
            let mode = everything(1).changes[step].after.as_ref().map_or(0o600, |after| after.mode());
            put(&staged(&step.to_string()), str::from_utf8(bytes).unwrap(), mode);
        }
        let (name, outcome) = match attention.as_slice() {
            [] => (staged("commit"), None),
            _ => (project.at(&marked(1, Mark::Commit)), Some(Outcome::RolledBack)),
        };
        fs::write(name, &journal).unwrap();
        project.root.admit(running, attention);
        assert_eq!(project.root.recover().unwrap().pop().map(|found| found.outcome), outcome);
        assert_eq!(project.tree(), before);
        assert_eq!(project.traces().is_empty(), outcome.is_some(), "{:?}", project.traces());
    }
}

/// What is left of a run that died before its commit goes before another run changes the same files: afterwards it would look as if
/// it had done that.
#[test]
fn a_run_that_died_before_its_commit_is_in_the_way_of_the_next() {
    let project = Project::new(&EVERYTHING);
    let intent = project.at(&name("intent"));
    let mut journal = Vec::new();
    let checks = &mut |_: &[Change]| {
        journal = fs::read(&intent).unwrap();
        Err(crate::Objection::Check("red".to_owned()))
    };
    project.run_with(&everything(1), &mut |_| {}, checks).unwrap_err();
    let disk = project.root.disk().unwrap();
    let area = Area::open(&disk).unwrap().unwrap();
    let targets = everything(1).changes.iter().map(|change| change.path.fold_key()).collect();
    for (text, found) in [(&b"half"[..], None), (&journal[..], Some(run_id(1)))] {
        fs::write(&intent, text).unwrap();
        assert_eq!(in_the_way(&area, &targets).unwrap(), found);
    }
    project.run(&everything(2)).unwrap();
    assert_eq!((project.root.recover().unwrap(), intent.exists()), (vec![], false));
}

/// Somebody puts something in the place of a folder that a deleted file was in: the rest is put back, and nobody is blocked.
#[test]
fn an_obstacle_in_the_place_of_a_deleted_files_folder_blocks_nobody() {
    let project = interrupted();
    fs::write(project.at(&marked(1, Mark::Back)), "").unwrap();
    fs::remove_dir(project.at("old")).unwrap();
    std::os::unix::fs::symlink("/tmp", project.at("old")).unwrap();
    let recovered = project.root.recover().unwrap();
    assert_eq!(recovered[0].outcome, Outcome::EditsKept(vec!["old/gone.txt".to_owned()]));
    assert_eq!(fs::read(project.at("a.txt")).unwrap(), b"old a\n");
    assert_eq!(project.root.recover().unwrap(), []);
}

/// A run that is over leaves the folder of open ones. A crash may bring any of its names there back: they go, and nothing else happens.
#[test]
fn a_run_that_is_over_has_no_name_among_the_open_ones() {
    let project = Project::new(&EVERYTHING);
    project.run(&everything(1)).unwrap();
    let over = [marked(1, Mark::Done)].map(|name| name.rsplit_once('/').unwrap().1.to_owned());
    assert_eq!(project.traces(), over);
    let after = project.tree();
    fs::hard_link(project.at(&marked(1, Mark::Done)), project.at(&marked(1, Mark::Commit))).unwrap();
    put(&project.at(&name("0")), "old a\n", 0o644);
    put(&project.at(&name("4")), "somebody wrote this\n", 0o640);
    assert_eq!(project.root.unfinished().unwrap(), []);
    assert_eq!(project.root.recover().unwrap(), []);
    let aside = format!("{}.4.kept", run_id(1));
    assert_eq!((project.traces(), project.tree()), (vec![aside, over[0].clone()], after));
}

/// Somebody takes the journal of a dead run away, or its commit: what lies there may be the last of the old files.
#[test]
fn old_files_without_their_journal_are_not_thrown_away() {
    for (to, contradicted) in [("away".to_owned(), false), (name("intent"), true)] {
        let project = interrupted();
        project.root.admit([run_id(1)], []);
        put(&project.at(&name("0")), "old a\n", 0o600);
        fs::rename(project.at(&marked(1, Mark::Commit)), project.at(&to)).unwrap();
        let recovered = project.root.recover().unwrap();
        let found = matches!(&recovered[..], [Recovered { outcome: Outcome::Contradicted(_), .. }]);
        assert_eq!((found, recovered.len()), (contradicted, usize::from(contradicted)), "{to}");
        assert_eq!(matches!(project.root.outcome(&run_id(1)), Ok(Some(Outcome::Contradicted(_)))), contradicted);
        assert!(project.at(&name("0")).exists(), "{to}");
        assert_eq!(project.root.recover().unwrap(), [], "{to}");
    }
}

/// Somebody may have taken an old journal's end away; or the run began a moment ago.
#[test]
fn a_run_that_the_record_does_not_know_is_left_alone_and_others_go_on() {
    let project = interrupted();
    project.root.admit([run_id(2)], []);
    let error = project.root.recover().unwrap_err();
    assert_eq!(error, RunError::UnknownRun { run_id: run_id(1) });
    project.run(&work(2, vec![change("apart", None, content("x", 0o644))])).unwrap();
    assert_eq!(project.root.unfinished().unwrap().len(), 1);
    project.root.admit([run_id(1)], []);
    assert!(matches!(project.root.recover().unwrap()[0].outcome, Outcome::Completed(_)));
}

#[test]
fn the_next_run_recovers_first() {
    let project = interrupted();
    project.run(&undo(2, &everything(1))).unwrap();
    assert_eq!(project.tree(), Project::new(&EVERYTHING).tree());
}

#[test]
fn a_run_decided_back_is_put_back_from_its_before_images_alone() {
    let project = interrupted();
    fs::write(project.at(&marked(1, Mark::Back)), "").unwrap();
    let recovered = project.root.recover().unwrap();
    assert_eq!(recovered[0].outcome, Outcome::RolledBack);
    assert_eq!((project.tree(), project.traces()), (Project::new(&EVERYTHING).tree(), vec![]));
}

/// Between the look at what there is and the locks on its targets a run may still have been alive, and cancelled.
#[test]
fn a_run_decided_back_in_the_last_moment_is_put_back() {
    let project = interrupted();
    let disk = project.root.disk().unwrap();
    let area = Area::open(&disk).unwrap().unwrap();
    let found = area.runs().unwrap().remove(&run_id(1)).unwrap();
    fs::write(project.at(&marked(1, Mark::Back)), "").unwrap();
    assert_eq!(settle(&area, &run_id(1), &found).unwrap().unwrap().outcome, Outcome::RolledBack);
    assert_eq!(project.tree(), Project::new(&EVERYTHING).tree());
}

#[test]
fn a_save_after_the_crash_is_kept_and_the_rest_put_back() {
    let project = interrupted();
    put(&project.at("a.txt"), "saved\n", 0o644);
    let recovered = project.root.recover().unwrap();
    assert_eq!(recovered[0].outcome, Outcome::EditsKept(vec!["a.txt".to_owned()]));
    let expected = Project::new(&EVERYTHING);
    put(&expected.at("a.txt"), "saved\n", 0o644);
    assert_eq!(project.tree(), expected.tree());
    // What was there before the run is still to be had.
    let image = project.root.before_image_of(&run_id(1), &path("a.txt")).unwrap().unwrap();
    assert_eq!(image.bytes(), b"old a\n");
    assert_eq!(project.root.recover().unwrap(), []);
}

/// A recovery that came to its end and could not be recorded, or did not come to its end.
#[test]
fn what_was_kept_is_known_ever_after() {
    let project = interrupted();
    put(&project.at("a.txt"), "saved\n", 0o644);
    assert_eq!(project.root.outcome(&run_id(1)), Ok(None), "it has no end yet");
    assert!(!project.root.waits_for_a_person(&run_id(1)).unwrap());
    project.root.recover().unwrap();
    assert!(project.root.waits_for_a_person(&run_id(1)).unwrap());
    let kept = Ok(Some(Outcome::EditsKept(vec!["a.txt".to_owned()])));
    assert_eq!(project.root.outcome(&run_id(1)), kept);
    // Whoever runs next does not take it away.
    project.run(&work(2, vec![change("apart", None, content("x", 0o644))])).unwrap();
    assert_eq!(project.root.outcome(&run_id(1)), kept);

    let project = interrupted();
    fs::write(project.at(&marked(1, Mark::Back)), "").unwrap();
    fs::write(project.at(&name("0.kept")), "written into the old file").unwrap();
    let recovered = project.root.recover().unwrap();
    let aside = Outcome::EditsKept(vec![name("0.kept")]);
    assert_eq!(recovered[0].outcome, aside);
    assert_eq!(project.root.outcome(&run_id(1)), Ok(Some(aside)));
    assert_eq!(project.tree(), Project::new(&EVERYTHING).tree());
}

#[test]
fn a_journal_that_does_not_verify_is_not_acted_upon() {
    let whole = {
        let project = interrupted();
        fs::read(project.at(&marked(1, Mark::Commit))).unwrap()
    };
    let head = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0;
    let flips = (0..head).step_by(7);
    for flip in flips {
        let mut bytes = whole.clone();
        bytes[flip] ^= 1;
        refused(&bytes, &format!("bit flipped at {flip}"));
    }
    refused(&whole[..head / 2], "cut short");
    refused(b"", "empty");
    let format = |number: u32| format!("exacta-journal {number}");
    for other in [1, 2, 3, FORMAT + 1] {
        let text = String::from_utf8_lossy(&whole).replacen(&format(FORMAT), &format(other), 1);
        let error = refused(text.as_bytes(), "another format");
        assert!(error.to_string().contains(&format!("does not know format {other}")), "{error}");
    }
}

fn refused(journal: &[u8], place: &str) -> RunError {
    let project = interrupted();
    fs::write(project.at(&marked(1, Mark::Commit)), journal).unwrap();
    fs::write(project.at(&marked(1, Mark::Back)), "").unwrap();
    let error = project.root.recover().expect_err(place);
    assert!(matches!(error, RunError::BadJournal { .. }), "{place}: {error:?}");
    assert_eq!(project.tree(), everything_done(), "{place}");
    assert!(project.run(&undo(2, &everything(1))).is_err(), "{place}");
    error
}

#[test]
fn a_before_image_that_changed_is_not_used() {
    let project = Project::new(&EVERYTHING);
    project.run(&everything(1)).unwrap();
    let at = project.at(&marked(1, Mark::Done));
    let mut bytes = fs::read(&at).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&at, bytes).unwrap();
    assert!(matches!(
        project.root.before_image_of(&run_id(1), &path("shelf/in/b.txt")),
        Err(RunError::BadJournal { .. })
    ));
    assert!(project.root.before_image_of(&run_id(1), &path("a.txt")).is_ok());
    let old = content("old a\n", 0o644).unwrap();
    assert!(project.root.before_image(&run_id(1), old.sha256(), 0o644).is_ok());
    // A journal whose head is damaged is told as that, not as one whose time is over.
    let mut bytes = fs::read(&at).unwrap();
    bytes[40] ^= 1;
    fs::write(&at, &bytes).unwrap();
    assert!(matches!(project.root.before_image(&run_id(1), old.sha256(), 0o644), Err(RunError::BadJournal { .. })));
    bytes[40] ^= 1;
    fs::write(&at, &bytes).unwrap();
    project.reopen(1);
    fs::write(project.at(&marked(1, Mark::Back)), "").unwrap();
    let error = project.root.recover().unwrap_err();
    assert!(matches!(error, RunError::NeedsAttention { .. }), "{error:?}");
}
