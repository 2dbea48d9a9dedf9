//! Runs on a real file system.

use super::project::*;
use crate::mark::Mark;
use crate::tests::drive::{Between, execute};
use crate::{Drifted, Event, Holder, Retention, RunError, RunOptions};
use exacta_kernel::facts::FileState;
use exacta_kernel::id::RunId;
use exacta_kernel::plan::Change;
use exacta_testkit::{offers, root, succeeds};
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[test]
fn everything_is_done_and_undone() {
    let project = Project::new(&EVERYTHING);
    let before = project.tree();
    let work = everything(1);
    let mut events = Vec::new();
    let receipts = project.run_with(&work, &mut |event| events.push(event), &mut |_| Ok(())).unwrap();
    assert_eq!(project.tree(), everything_done());
    assert_eq!(receipts.steps.len(), 9);
    assert_eq!(receipts.steps[0].bytes, 6);
    assert_eq!(receipts.steps[0].before, FileState::of(content("old a\n", 0o644).as_deref()));
    assert_eq!(events.iter().filter(|event| matches!(event, Event::StepDone { .. })).count(), 9);
    assert_eq!(events[9], Event::Committing);
    assert_eq!(project.traces().len(), 1, "{:?}", project.traces());
    assert_eq!(project.root.receipts(&work.run_id).unwrap().unwrap().steps.len(), 9);

    let image = project.root.before_image_of(&work.run_id, &path("old/gone.txt")).unwrap().unwrap();
    assert_eq!((image.bytes(), image.mode()), (b"gone\n".as_slice(), 0o640));
    let found = project.root.before_image(&run_id(9), image.sha256(), 0o640).unwrap();
    assert_eq!(found, image);

    project.run(&undo(2, &work)).unwrap();
    assert_eq!(project.tree(), before);
    project.run(&undo(3, &undo(2, &work))).unwrap();
    assert_eq!(project.tree(), everything_done());
}

#[test]
fn what_drifted_is_named_and_nothing_is_touched() {
    let cases: [(&str, Act<'_>, &str); 6] = [
        ("a.txt", &|project| put(&project.at("a.txt"), "edited\n", 0o644), "has other content now"),
        ("a.txt", &|project| put(&project.at("a.txt"), "old a\n", 0o600), "has another mode now"),
        ("a.txt", &|project| fs::remove_file(project.at("a.txt")).unwrap(), "is gone"),
        ("new.txt", &|project| put(&project.at("new.txt"), "mine\n", 0o644), "exists now"),
        ("new.txt", &|project| symlink("a.txt", project.at("new.txt")).unwrap(), "is a symbolic link now"),
        ("new.txt", &|project| fs::create_dir(project.at("new.txt")).unwrap(), "is a folder now"),
    ];
    for (at, change, found) in cases {
        let project = Project::new(&EVERYTHING);
        change(&project);
        let before = project.tree();
        let error = project.run(&everything(1)).unwrap_err();
        let expected = vec![Drifted { path: path(at), found: found.to_owned() }];
        assert_eq!(error, RunError::Drifted { targets: expected });
        assert_eq!((project.tree(), project.traces()), (before, vec![]));
    }
}

#[test]
fn what_would_be_lost_is_refused() {
    let cases: [(Act<'_>, &str); 4] = [
        (&|project| fs::hard_link(project.at("a.txt"), project.at("twin")).unwrap(), "hard links"),
        (
            &|project| {
                fs::rename(project.at("old"), project.at("away")).unwrap();
                symlink("away", project.at("old")).unwrap();
            },
            "`old` is not a folder",
        ),
        (
            &|project| {
                fs::remove_dir_all(project.at("old")).unwrap();
                put(&project.at("old"), "", 0o644);
            },
            "`old` is not a folder",
        ),
        (&|project| fs::hard_link(project.at("old/gone.txt"), project.at("twin")).unwrap(), "hard links"),
    ];
    for (change, reason) in cases {
        let project = Project::new(&EVERYTHING);
        change(&project);
        let before = project.tree();
        let error = project.run(&everything(1)).unwrap_err();
        assert!(matches!(&error, RunError::Refused { reason: found, .. } if found.contains(reason)), "{error:?}");
        assert_eq!((project.tree(), project.traces()), (before, vec![]));
    }
    for (at, mode, reason) in
        [("x/.git/hooks/run", 0o644, "git"), ("tool", 0o4755, "rights"), ("blind", 0o200, "read it")]
    {
        let project = Project::new(&[]);
        let error = project.run(&work(1, vec![change(at, None, content("", mode))])).unwrap_err();
        assert!(matches!(&error, RunError::Refused { reason: found, .. } if found.contains(reason)), "{error:?}");
    }
}

/// Only the super-user can make these.
#[test]
fn frozen_and_foreign_files_are_refused() {
    if !root() {
        return;
    }
    let one = |number| work(number, vec![change("a.txt", content("old a\n", 0o644), content("new a\n", 0o644))]);
    let project = Project::new(&EVERYTHING);
    std::os::unix::fs::chown(project.at("a.txt"), Some(4242), None).unwrap();
    let error = project.run(&one(1)).unwrap_err();
    assert!(error.to_string().contains("belongs to another user"), "{error}");
    // The whole project is that user's: the owner is kept.
    std::os::unix::fs::chown(project.dir.path(), Some(4242), None).unwrap();
    std::os::unix::fs::chown(project.at("a.txt"), Some(4242), Some(77)).unwrap();
    project.run(&one(1)).unwrap();
    let meta = fs::metadata(project.at("a.txt")).unwrap();
    assert_eq!((meta.uid(), meta.gid()), (4242, 77));

    let project = Project::new(&EVERYTHING);
    for flag in ["i", "a"] {
        let set = |sign| succeeds(Command::new("chattr").arg(format!("{sign}{flag}")).arg(project.at("a.txt")));
        if !offers(set("+"), "a file system on which `chattr` works") {
            return;
        }
        let error = project.run(&one(1)).unwrap_err();
        assert!(set("-"));
        assert!(error.to_string().contains("immutable or append-only"), "{error}");
    }
}

#[test]
fn a_failed_check_or_a_cancel_leaves_everything_as_before() {
    let project = Project::new(&EVERYTHING);
    let before = project.tree();
    let staged = |changes: &[Change]| {
        let new = changes.iter().enumerate().filter_map(|(step, change)| Some((step, change.after.as_ref()?)));
        for (step, after) in new {
            let lies_ready = fs::read(project.at(&format!(".exacta/exec/{}.{step}", run_id(1)))).unwrap();
            assert_eq!(lies_ready, after.bytes());
        }
        Err(crate::Objection::Check("tests are red".to_owned()))
    };
    let error = project.run_with(&everything(1), &mut |_| {}, &mut { staged }).unwrap_err();
    assert_eq!(error, RunError::CheckFailed { message: "tests are red".to_owned() });
    assert_eq!((project.tree(), project.traces()), (before.clone(), vec![]));

    // Cancelled at each event in turn: while staging, at the commit.
    for at in 0..6 {
        let cancel = AtomicBool::new(false);
        let mut count = 0;
        let mut observer = |event| {
            cancel.fetch_or(count == at, Ordering::Relaxed);
            count += usize::from(!matches!(event, Event::RollingBack { .. }));
        };
        let mut options = RunOptions { cancel: &cancel, wait: Duration::ZERO, observer: &mut observer };
        let disk = project.root.disk().unwrap();
        let between = Between { enter: &mut || true, check: &mut |_| Ok(()) };
        let outcome = execute(&disk, &everything(1), between, &mut options);
        if at < 5 && outcome.is_ok() {
            panic!("not cancelled at {at}");
        }
        if outcome.is_ok() {
            break;
        }
        assert_eq!(outcome, Err(RunError::Cancelled), "{at}");
        assert_eq!((project.tree(), project.traces()), (before.clone(), vec![]), "{at}");
    }
}

/// It is entered when its new files lie ready, and never committed before.
#[test]
fn a_run_that_does_not_begin_was_never_there() {
    for sync in [true, false] {
        let project = Project::new(&EVERYTHING);
        let before = project.tree();
        let (cancel, work) = (AtomicBool::new(false), everything(1));
        let run = |answer: bool| {
            let mut begin = || {
                let ready = project.traces().contains(&format!("{}.3", work.run_id));
                assert!(ready && project.tree() == before, "{:?}", project.traces());
                answer
            };
            let between = Between { enter: &mut begin, check: &mut |_| Ok(()) };
            let mut options = RunOptions { cancel: &cancel, wait: Duration::ZERO, observer: &mut |_| {} };
            execute(&project.root.disk_with(sync).unwrap(), &work, between, &mut options)
        };
        assert_eq!(run(false), Err(RunError::NotBegun));
        assert_eq!((project.tree(), project.traces()), (before.clone(), vec![]));
        run(true).unwrap();
        assert_eq!(project.tree(), everything_done());
    }
}

/// One that is unfit, cancelled, or fails while it is staged is not entered.
#[test]
fn a_run_that_fails_early_never_begins() {
    let project = Project::new(&EVERYTHING);
    let (before, cancel) = (project.tree(), AtomicBool::new(true));
    let run = |sync: bool| {
        let mut begin = || panic!("entered");
        let between = Between { enter: &mut begin, check: &mut |_| Ok(()) };
        let mut options = RunOptions { cancel: &cancel, wait: Duration::ZERO, observer: &mut |_| {} };
        let disk = project.root.disk_with(sync).unwrap();
        execute(&disk, &everything(1), between, &mut options).unwrap_err()
    };
    assert_eq!((run(true), run(false)), (RunError::Cancelled, RunError::Cancelled));
    assert_eq!((project.tree(), project.traces()), (before, vec![]));
    fs::hard_link(project.at("a.txt"), project.at("b.txt")).unwrap();
    assert!(matches!(run(true), RunError::Refused { .. }));
}

#[test]
fn targets_are_locked_while_a_run_is_at_them() {
    let project = Project::new(&EVERYTHING);
    let mut inner = Vec::new();
    project
        .run_with(&everything(1), &mut |_| {}, &mut |_| {
            let overlapping = work(2, vec![change("a.txt", content("old a\n", 0o644), None)]);
            let folded = work(3, vec![change("A.TXT", None, content("", 0o644))]);
            let apart = work(4, vec![change("apart.txt", None, content("", 0o644))]);
            inner.extend([overlapping, folded, apart].iter().map(|work| project.run(work)));
            let alive = project.root.unfinished().unwrap();
            assert!(alive.len() == 1 && alive[0].alive, "{alive:?}");
            assert_eq!(project.root.recover().unwrap(), []);
            Ok(())
        })
        .unwrap();
    let holder = Some(Holder { pid: std::process::id(), run_id: run_id(1) });
    assert_eq!(inner[0], Err(RunError::Locked { path: path("a.txt"), holder: holder.clone() }));
    assert_eq!(inner[1], Err(RunError::Locked { path: path("A.TXT"), holder }));
    assert!(inner[2].is_ok());
    assert_eq!(project.root.unfinished().unwrap(), []);
    assert_eq!(fs::read_dir(project.at(".exacta/exec/locks")).unwrap().count(), 0);
}

#[test]
fn garbage_goes_by_age_and_size_and_never_what_is_needed() {
    let project = Project::new(&EVERYTHING);
    let first = everything(1);
    project.run(&first).unwrap();
    project.run(&undo(2, &first)).unwrap();
    let day = Duration::from_secs(86_400);
    let retain = |older_than, size_cap, keep: &dyn Fn(&RunId) -> bool| {
        project.root.collect_garbage(&Retention { older_than, size_cap, keep }).unwrap().runs
    };
    assert_eq!(retain(day, u64::MAX, &|_| false), []);
    assert_eq!(retain(day, 0, &|_| true), []);
    assert_eq!(retain(day, 0, &|_| false), [run_id(1)]);
    assert!(matches!(project.root.before_image_of(&run_id(1), &path("a.txt")), Err(RunError::NotKept { .. })));
    assert!(project.root.before_image_of(&run_id(2), &path("a.txt")).is_ok());
    project.run(&everything(3)).unwrap();
    let made = |number, at| {
        let journal = project.at(&marked(number, Mark::Done));
        fs::File::options().append(true).open(journal).unwrap().set_modified(at).unwrap();
    };
    let now = std::time::SystemTime::now();
    // As if the clock had been ahead for one run.
    made(3, now + 60 * day);
    assert_eq!(retain(day, u64::MAX, &|_| false), []);
    made(2, now - 2 * day);
    assert_eq!(retain(day, u64::MAX, &|_| false), [], "the next run may tell that the clock is wrong");
    made(3, now);
    project.run(&undo(4, &everything(3))).unwrap();
    assert_eq!(retain(day, u64::MAX, &|_| false), [run_id(2)]);
    assert_eq!(project.traces().len(), 2, "{:?}", project.traces());
}
