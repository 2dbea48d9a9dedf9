//! Runs on a real file system.

use super::project::*;
use crate::area::Mark;
use crate::fs::Disk;
use crate::run::execute;
use crate::{Drifted, Event, Holder, Retention, RunError, RunOptions};
use exacta_kernel::facts::FileState;
use exacta_kernel::id::RunId;
use exacta_kernel::plan::Change;
use exacta_testkit::{offers, root, succeeds};
use rustix::fs::XattrFlags;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What someone else does in the project.
type Act<'a> = &'a dyn Fn(&Project);

#[test]
fn everything_is_done_and_undone() {
    let project = Project::new(&EVERYTHING);
    let before = project.tree();
    let work = everything(1);
    let mut events = Vec::new();
    let receipts = project.run_with(&work, &mut |event| events.push(event), &mut |_| Ok(())).unwrap();
    assert_eq!(project.tree(), everything_done());
    assert_eq!(receipts.steps.len(), 5);
    assert_eq!(receipts.steps[0].bytes, 6);
    assert_eq!(receipts.steps[0].before, FileState::of(content("old a\n", 0o644).as_deref()));
    assert_eq!(events.iter().filter(|event| matches!(event, Event::StepDone { .. })).count(), 5);
    assert_eq!(events[5], Event::Committing);
    assert_eq!(project.traces().len(), 2, "{:?}", project.traces());
    assert_eq!(project.root.receipts(&work.run_id).unwrap().unwrap().steps.len(), 5);

    let image = project.root.before_image_of(&work.run_id, &path("old/gone.txt")).unwrap().unwrap();
    assert_eq!((image.bytes(), image.mode()), (b"gone\n".as_slice(), 0o640));
    let found = project.root.before_image(image.sha256(), 0o640).unwrap();
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

/// Owner rw, user 1000 r, group r, mask r, others r.
const ACL: &[u8] = &[
    2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 232, 3, 0, 0, 4, 0, 4, 0, 255, 255, 255, 255, 16, 0, 4, 0,
    255, 255, 255, 255, 32, 0, 4, 0, 255, 255, 255, 255,
];

/// What a file has besides bytes and mode: undone, or put back from its before-image alone, a deleted one has it again.
#[test]
fn what_is_deleted_comes_back_with_its_attributes() {
    const AT: &str = "old/gone.txt";
    let project = Project::new(&EVERYTHING);
    let set = |name: &str, value: &[u8]| rustix::fs::setxattr(project.at(AT), name, value, XattrFlags::empty());
    if !offers(set("user.note", b"keep me").is_ok(), "extended attributes") {
        return;
    }
    // The group of the file may read; its mask, which the mode shows, lets user 1000 write.
    let mut acl = ACL.to_vec();
    (acl[14], acl[30]) = (6, 6);
    let _told = offers(set("system.posix_acl_access", &acl).is_ok(), "access control lists");
    if root() {
        std::os::unix::fs::chown(project.at(AT), None, Some(4321)).unwrap();
    }
    let seen = || {
        let meta = fs::metadata(project.at(AT)).unwrap();
        let mut buffer = [0; 256];
        let mut get = |name: &str| {
            let size = rustix::fs::getxattr(project.at(AT), name, &mut buffer[..]).unwrap_or_default();
            buffer[..size].to_vec()
        };
        (meta.uid(), meta.gid(), meta.mode(), get("user.note"), get("system.posix_acl_access"))
    };
    let (before, mode) = (seen(), fs::metadata(project.at(AT)).unwrap().mode() & 0o7777);
    let delete = |number| work(number, vec![change(AT, content("gone\n", mode), None)]);
    project.run(&delete(1)).unwrap();
    project.run(&undo(2, &delete(1))).unwrap();
    assert_eq!(seen(), before);

    project.run(&delete(3)).unwrap();
    fs::remove_file(project.at(&marked(3, Mark::Done))).unwrap();
    fs::write(project.at(&marked(3, Mark::Back)), "").unwrap();
    assert_eq!(project.root.recover().unwrap()[0].how, crate::Outcome::RolledBack);
    assert_eq!(seen(), before);

    // Whoever wrote the journal did not know them: nobody guesses.
    project.run(&delete(4)).unwrap();
    let at = project.at(&format!(".exacta/exec/{}.commit", run_id(4)));
    let journal = fs::read_to_string(&at).unwrap();
    let (_, rest) = journal.split_once('\n').unwrap();
    let (json, images) = rest.split_once('\n').unwrap();
    let mut older: serde_json::Value = serde_json::from_str(json).unwrap();
    older["steps"][0].as_object_mut().unwrap().remove("attributes").unwrap();
    let seal = project.root.key().seal(older.to_string().as_bytes());
    fs::write(&at, format!("exacta-journal 1 {seal}\n{older}\n{images}")).unwrap();
    assert!(project.root.receipts(&run_id(4)).unwrap().is_some());
    let error = project.run(&undo(5, &delete(4))).unwrap_err();
    assert!(matches!(&error, RunError::Refused { reason, .. } if reason.contains("access rules")), "{error:?}");
    assert!(!project.at(AT).exists());
}

#[test]
fn attributes_are_kept() {
    let project = Project::new(&EVERYTHING);
    let set = |name: &str, value: &[u8]| rustix::fs::setxattr(project.at("a.txt"), name, value, XattrFlags::empty());
    if !offers(set("user.note", b"keep me").is_ok(), "extended attributes") {
        return;
    }
    let with_acl = set("system.posix_acl_access", ACL).is_ok();
    let untouched = fs::metadata(project.at("other")).unwrap().modified().unwrap();
    project.run(&everything(1)).unwrap();
    let get = |name: &str| {
        let mut buffer = vec![0; 256];
        let size = rustix::fs::getxattr(project.at("a.txt"), name, &mut buffer[..]).unwrap_or_default();
        buffer.truncate(size);
        buffer
    };
    assert_eq!(get("user.note"), b"keep me");
    if offers(with_acl, "access control lists") {
        assert_eq!(get("system.posix_acl_access"), ACL);
    }
    assert_eq!(project.tree(), everything_done());
    assert_eq!(fs::metadata(project.at("other")).unwrap().modified().unwrap(), untouched);
}

#[test]
fn a_folder_hands_down_its_group() {
    if !root() {
        return;
    }
    let project = Project::new(&[("d/x", "", 0o644)]);
    std::os::unix::fs::chown(project.at("d"), None, Some(77)).unwrap();
    fs::set_permissions(project.at("d"), fs::Permissions::from_mode(0o2775)).unwrap();
    project.run(&work(1, vec![change("d/new", None, content("x", 0o640))])).unwrap();
    let meta = fs::metadata(project.at("d/new")).unwrap();
    assert_eq!((meta.gid(), meta.mode() & 0o7777), (77, 0o640));
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
        let before_commit = &mut |_: &[Change]| Ok(());
        let mut options =
            RunOptions { sync: true, cancel: &cancel, wait: Duration::ZERO, observer: &mut observer, before_commit };
        let disk = Disk::new(&project.root, true).unwrap();
        let outcome = execute(&disk, &everything(1), &mut || true, &mut options);
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
            let (wait, before_commit) = (Duration::ZERO, &mut |_: &[Change]| Ok(()));
            let mut options = RunOptions { sync, cancel: &cancel, wait, observer: &mut |_| {}, before_commit };
            execute(&Disk::new(&project.root, sync).unwrap(), &work, &mut begin, &mut options)
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
        let (wait, before_commit) = (Duration::ZERO, &mut |_: &[Change]| Ok(()));
        let mut options = RunOptions { sync, cancel: &cancel, wait, observer: &mut |_| {}, before_commit };
        let disk = Disk::new(&project.root, sync).unwrap();
        execute(&disk, &everything(1), &mut begin, &mut options).unwrap_err()
    };
    assert_eq!((run(true), run(false)), (RunError::Cancelled, RunError::Cancelled));
    assert_eq!((project.tree(), project.traces()), (before, vec![]));
    fs::hard_link(project.at("a.txt"), project.at("b.txt")).unwrap();
    assert!(matches!(run(true), RunError::Refused { .. }));
}

/// Between staging and the commit lie the checks: minutes, in which somebody who can write to `.exacta` can do anything there.
#[test]
fn what_lies_ready_is_looked_at_again_before_the_commit() {
    let staged = |project: &Project, suffix: &str| project.at(&format!(".exacta/exec/{}.{suffix}", run_id(1)));
    let again = |at: &std::path::Path, text: &str, mode| {
        fs::remove_file(at).unwrap();
        put(at, text, mode);
    };
    let cases: [(&str, Act<'_>); 10] = [
        ("moved away", &|project| fs::rename(project.at(".exacta/exec"), project.at(".exacta/away")).unwrap()),
        ("written to", &|project| fs::write(staged(project, "0"), "evil!\n").unwrap()),
        ("same bytes, another file", &|project| again(&staged(project, "0"), "new a\n", 0o644)),
        ("gone", &|project| fs::remove_file(staged(project, "1")).unwrap()),
        ("another mode", &|project| {
            fs::set_permissions(staged(project, "1"), fs::Permissions::from_mode(0o777)).unwrap();
        }),
        ("a link", &|project| {
            fs::remove_file(staged(project, "0")).unwrap();
            symlink("/etc/passwd", staged(project, "0")).unwrap();
        }),
        ("a second name", &|project| fs::hard_link(staged(project, "3"), project.at(".exacta/twin")).unwrap()),
        ("another attribute", &|project| {
            let set = rustix::fs::setxattr(staged(project, "0"), "user.note", b"mine", XattrFlags::empty());
            if !offers(set.is_ok(), "extended attributes") {
                fs::write(staged(project, "0"), "").unwrap();
            }
        }),
        ("the journal", &|project| {
            let mut journal = fs::read(staged(project, "intent")).unwrap();
            *journal.last_mut().unwrap() ^= 1;
            fs::write(staged(project, "intent"), journal).unwrap();
        }),
        ("another journal", &|project| {
            let journal = fs::read_to_string(staged(project, "intent")).unwrap();
            again(&staged(project, "intent"), &journal, 0o600);
        }),
    ];
    for (how, tamper) in cases {
        let project = Project::new(&EVERYTHING);
        let before = project.tree();
        let checks = &mut |_: &[Change]| {
            tamper(&project);
            Ok(())
        };
        let error = project.run_with(&everything(1), &mut |_| {}, checks).unwrap_err();
        let told = matches!(&error, RunError::RolledBack { cause } if cause.ends_with("before the commit"));
        assert!(told, "{how}: {error:?}");
        assert_eq!((project.tree(), project.traces()), (before, vec![]), "{how}");
    }
}

/// Attributes and owners that somebody gives a target while a run is at it: before the commit that is drift; after it the old file comes
/// back with them.
#[test]
fn attributes_given_meanwhile_are_not_lost() {
    const NOTE: &str = "user.note";
    let note = |project: &Project, at: &str| {
        let mut buffer = [0; 16];
        rustix::fs::getxattr(project.at(at), NOTE, &mut buffer[..]).is_ok_and(|size| buffer[..size] == *b"mine")
    };
    let probe = Project::new(&EVERYTHING);
    let set =
        |project: &Project, at: &str| rustix::fs::setxattr(project.at(at), NOTE, b"mine", XattrFlags::empty()).is_ok();
    if !offers(set(&probe, "a.txt"), "extended attributes") {
        return;
    }
    for at in ["a.txt", "old/gone.txt"] {
        let project = Project::new(&EVERYTHING);
        let before = project.tree();
        let checks = &mut |_: &[Change]| {
            assert!(set(&project, at));
            Ok(())
        };
        let error = project.run_with(&everything(1), &mut |_| {}, checks).unwrap_err();
        let RunError::Drifted { targets } = error else { panic!("{error:?}") };
        assert!(targets.len() == 1 && targets[0].path == path(at), "{targets:?}");
        assert_eq!((project.tree(), project.traces(), note(&project, at)), (before.clone(), vec![], true));

        let project = Project::new(&EVERYTHING);
        let observer = &mut |event| assert!(event != Event::Committing || set(&project, at));
        let error = project.run_with(&everything(1), observer, &mut |_| Ok(())).unwrap_err();
        assert_eq!(error, RunError::Changed { path: path(at) });
        assert_eq!((project.tree(), project.traces(), note(&project, at)), (before, vec![], true));
    }
    if root() {
        let project = Project::new(&EVERYTHING);
        let checks = &mut |_: &[Change]| {
            std::os::unix::fs::chown(project.at("a.txt"), None, Some(4321)).unwrap();
            Ok(())
        };
        let error = project.run_with(&everything(1), &mut |_| {}, checks).unwrap_err();
        assert!(matches!(&error, RunError::Drifted { targets } if targets.len() == 1), "{error:?}");
        assert_eq!(fs::metadata(project.at("a.txt")).unwrap().gid(), 4321);
    }
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
fn an_editors_save_is_kept() {
    let save = |project: &Project| {
        put(&project.at("swap"), "saved\n", 0o644);
        fs::rename(project.at("swap"), project.at("a.txt")).unwrap();
    };
    let in_place = |project: &Project| fs::write(project.at("a.txt"), "saved\n").unwrap();
    let recreate = |project: &Project| put(&project.at("new.txt"), "saved\n", 0o644);
    let editors: [(&str, Act<'_>); 3] = [("a.txt", &save), ("a.txt", &in_place), ("new.txt", &recreate)];
    for (at, editor) in editors {
        let project = Project::new(&EVERYTHING);
        editor(&project);
        let expected = project.tree();

        let project = Project::new(&EVERYTHING);
        let late = &mut |_: &[Change]| {
            editor(&project);
            Ok(())
        };
        let error = project.run_with(&everything(1), &mut |_| {}, late).unwrap_err();
        assert!(matches!(error, RunError::Drifted { .. }), "{error:?}");
        assert_eq!((project.tree(), project.traces()), (expected.clone(), vec![]));

        let project = Project::new(&EVERYTHING);
        let observer = &mut |event| {
            if event == Event::Committing {
                editor(&project);
            }
        };
        let error = project.run_with(&everything(1), observer, &mut |_| Ok(())).unwrap_err();
        assert_eq!(error, RunError::Kept { kept: vec![at.to_owned()] });
        assert_eq!(project.tree(), expected);
        assert_eq!(project.root.recover().unwrap(), []);
    }
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
        let journal = project.at(&format!(".exacta/exec/{}.commit", run_id(number)));
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
    assert_eq!(project.traces().len(), 4, "{:?}", project.traces());
}

/// A folder that was missing is something else by the time of the commit: drift, and nothing stands in anybody's way afterwards.
#[test]
fn what_takes_the_place_of_a_missing_folder_is_drift() {
    type Take<'a> = &'a dyn Fn(&Project);
    let cases: [(&str, Take<'_>); 3] = [
        ("a file", &|project| fs::write(project.at("n"), "mine").unwrap()),
        ("a link", &|project| symlink("/tmp", project.at("n")).unwrap()),
        ("the target", &|project| put(&project.at("n/m/new.txt"), "mine", 0o644)),
    ];
    for (what, take) in cases {
        for late in [false, true] {
            let project = Project::new(&EVERYTHING);
            let mut changes = everything(1).changes;
            changes.push(change("n/m/new.txt", None, content("new\n", 0o644)));
            let work = work(1, changes);
            let checks = &mut |_: &[Change]| {
                if !late {
                    take(&project);
                }
                Ok(())
            };
            let observer = &mut |event| {
                if late && event == Event::Committing {
                    take(&project);
                }
            };
            let error = project.run_with(&work, observer, checks).unwrap_err();
            assert_eq!(matches!(error, RunError::Drifted { .. }), !late, "{what}: {error:?}");
            assert!(!error.is_unsettled(), "{what}: {error:?}");
            let expected = Project::new(&EVERYTHING);
            take(&expected);
            assert_eq!(project.tree(), expected.tree(), "{what}");
            assert_eq!(project.root.recover().unwrap(), [], "{what}");
        }
    }
}

/// What `chattr` gave a file, the new one has too, and the old one again after an undo.
#[test]
fn flags_are_kept() {
    let project = Project::new(&EVERYTHING);
    let flags = |at: &str| rustix::fs::ioctl_getflags(fs::File::open(project.at(at)).unwrap());
    let wanted = rustix::fs::IFlags::NODUMP | rustix::fs::IFlags::NOATIME;
    for at in ["a.txt", "old/gone.txt"] {
        let set = flags(at)
            .and_then(|flags| rustix::fs::ioctl_setflags(fs::File::open(project.at(at)).unwrap(), flags | wanted));
        if !offers(set.is_ok(), "flags of files") {
            return;
        }
    }
    let work = everything(1);
    project.run(&work).unwrap();
    assert!(flags("a.txt").unwrap().contains(wanted));
    project.run(&undo(2, &work)).unwrap();
    assert!(flags("a.txt").unwrap().contains(wanted) && flags("old/gone.txt").unwrap().contains(wanted));
}

/// Of several folders one is moved away during a check: its targets are named, and no others.
#[test]
fn a_moved_folder_is_told_of_its_own_targets_alone() {
    let project = Project::new(&EVERYTHING);
    let checks = &mut |_: &[Change]| {
        fs::rename(project.at("bin"), project.at("away")).unwrap();
        Ok(())
    };
    let error = project.run_with(&everything(1), &mut |_| {}, checks).unwrap_err();
    let RunError::Drifted { targets } = error else { panic!("{error:?}") };
    let names: Vec<&str> = targets.iter().map(|target| target.path.as_str()).collect();
    assert_eq!(names, ["bin/tool"]);
}

/// Removed by somebody just before the last look, or right after it: everything else is as before. The folder stays away, or comes
/// back as it was where the run cannot tell the removal from its own.
#[test]
fn a_folder_removed_during_the_run_leaves_the_rest_as_before() {
    for folder in ["bin", "old"] {
        let expected = Project::new(&EVERYTHING);
        fs::remove_dir_all(expected.at(folder)).unwrap();

        let project = Project::new(&EVERYTHING);
        let late = &mut |_: &[Change]| {
            fs::remove_dir_all(project.at(folder)).unwrap();
            Ok(())
        };
        let error = project.run_with(&everything(1), &mut |_| {}, late).unwrap_err();
        assert!(matches!(error, RunError::Drifted { .. }), "{folder}: {error:?}");
        assert_eq!((project.tree(), project.traces()), (expected.tree(), vec![]), "{folder}");

        let project = Project::new(&EVERYTHING);
        let observer = &mut |event| {
            if event == Event::Committing {
                fs::remove_dir_all(project.at(folder)).unwrap();
            }
        };
        let error = project.run_with(&everything(1), observer, &mut |_| Ok(())).unwrap_err();
        let told = matches!(
            error,
            RunError::Failed(_) | RunError::RolledBack { .. } | RunError::Kept { .. } | RunError::NeedsAttention { .. }
        );
        assert!(told, "{folder}: {error:?}");
        project.root.recover().unwrap();
        let tree = project.tree();
        assert!(
            [expected, Project::new(&EVERYTHING)].iter().any(|fine| fine.tree() == tree),
            "{folder}: {error:?}: {tree:?}"
        );
    }
}
