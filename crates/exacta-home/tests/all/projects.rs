//! Projects, pins and declared identities: by place, forward only, no update lost.

use crate::{at, home};
use exacta_home::{DeclaredIdentity, Fall, Home, HomeError, Pin};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::ProjectId;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::proposal::ModelClaim;
use exacta_testkit::{LIMIT, Running};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_project_is_its_place() {
    let (folder, home) = home();
    let (root, copy) = (folder.path().join("p"), folder.path().join("copy"));
    fs::create_dir(&root).unwrap();
    assert!(home.project(&root).unwrap().is_none());
    assert!(matches!(home.update_project(&root, |_| ()), Err(HomeError::NoProject(_))));

    let made = home.create_project(&root, at(0)).unwrap();
    assert_eq!((made.profile, made.failed_runs, &made.fell), (Profile::Safe, 0, &None));
    assert_eq!(home.create_project(&root, at(9)).unwrap(), made, "made once");
    let link = folder.path().join("link");
    symlink(&root, &link).unwrap();
    assert_eq!(home.project(&link).unwrap(), Some(made.clone()), "by whatever way it is reached");

    fs::rename(&root, &copy).unwrap();
    assert!(home.project(&copy).unwrap().is_none(), "moved, it is another project");
    assert!(home.project(&root).is_err(), "and the old place is not there");
    assert_ne!(home.create_project(&copy, at(1)).unwrap().id, made.id);
}

#[test]
fn a_name_that_is_not_text_is_a_place_too() {
    let (folder, home) = home();
    let root = folder.path().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&root).unwrap();
    let made = home.create_project(&root, at(0)).unwrap();
    assert_eq!(home.project(&root).unwrap().unwrap(), made);
    assert!(made.root.ends_with(OsStr::from_bytes(b"caf\xe9")));
}

#[test]
fn what_grants_never_lies_in_a_project() {
    let (folder, home) = home();
    let refused =
        |home: &Home| matches!(home.create_project(folder.path(), at(0)), Err(HomeError::InsideProject { .. }));
    assert!(refused(&home), "before anything is there");
    home.log_key().unwrap();
    assert!(refused(&home));

    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    symlink(folder.path(), &link).unwrap();
    assert!(refused(&Home::at(&link.join("new/home")).unwrap()), "reached through a link");
    assert!(!refused(&Home::at(&elsewhere.path().join("home")).unwrap()));
}

#[test]
fn updates_are_kept_and_none_is_lost() {
    let (folder, home) = home();
    let root = folder.path().join("p");
    fs::create_dir(&root).unwrap();
    let made = home.create_project(&root, at(0)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let home = Home::at(home.config()).unwrap();
                for _ in 0..10 {
                    home.update_project(&root, |record| record.failed_runs += 1).unwrap();
                }
            });
        }
    });
    let fell = Fall { at: at(5), why: "3 failed runs in a row".to_owned() };
    let after = home.update_project(&root, |record| {
        record.fell = Some(fell.clone());
        record.profile = Profile::Dev;
        record.id = ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").unwrap();
    });
    assert_eq!(home.project(&root).unwrap(), Some(after.unwrap()));
    let after = home.project(&root).unwrap().unwrap();
    assert_eq!((after.failed_runs, after.profile, after.fell), (80, Profile::Dev, Some(fell)));
    assert_eq!(after.id, made.id, "which project it is, no update touches");
}

/// Not a test of its own: the process that the next test starts and kills.
#[test]
fn updater_process() {
    let Some(folder) = std::env::var_os("EXACTA_TEST_UPDATER").map(PathBuf::from) else { return };
    let home = Home::at(&folder.join("home")).unwrap();
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        home.update_project(&folder.join("p"), |record| record.failed_runs += 1).unwrap();
    }
}

#[test]
fn killed_processes_leave_a_whole_record_and_no_lock() {
    let (folder, home) = home();
    let root = folder.path().join("p");
    fs::create_dir(&root).unwrap();
    home.create_project(&root, at(0)).unwrap();
    let mut seen = 0;
    for round in 0..8 {
        let start = || {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "projects::updater_process"]).env("EXACTA_TEST_UPDATER", folder.path());
            Running::start(command.stdout(Stdio::null()))
        };
        let children = [start(), start(), start()];
        let begun = Instant::now();
        while home.project(&root).unwrap().unwrap().failed_runs <= seen + round {
            assert!(begun.elapsed() < LIMIT, "the processes do their work");
            std::thread::sleep(Duration::from_millis(1));
        }
        for mut child in children {
            child.kill();
            child.wait();
        }
        let after = home.update_project(&root, |record| record.failed_runs += 1).unwrap().failed_runs;
        assert!(after > seen + round, "what was written stays written");
        seen = after;
    }
}

#[test]
fn a_damaged_record_is_an_error_and_not_a_new_project() {
    let (folder, home) = home();
    let root = folder.path().join("p");
    fs::create_dir(&root).unwrap();
    home.create_project(&root, at(0)).unwrap();
    let file = fs::read_dir(home.config().join("projects")).unwrap();
    let file = file.map(|entry| entry.unwrap().path()).find(|path| path.extension().is_some()).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    for damaged in [String::new(), text.replace("SAFE", "YOLO"), text.replace("project/1", "project/2")] {
        fs::write(&file, damaged).unwrap();
        assert!(home.project(&root).is_err());
        assert!(home.create_project(&root, at(0)).is_err());
    }
}

#[test]
fn pins_move_forward_only() {
    let (_folder, home) = home();
    let project = ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").unwrap();
    let pin = |size: u64, root: &[u8]| Pin { size, root: Digest::of(root), checkpoint: format!("{size}\n") };
    assert!(home.pin(&project).unwrap().is_none());
    home.set_pin(&project, &pin(5, b"a"), true).unwrap();
    home.set_pin(&project, &pin(5, b"a"), true).unwrap();
    assert!(matches!(home.set_pin(&project, &pin(5, b"b"), true), Err(HomeError::PinConflict(5))));
    assert!(matches!(home.set_pin(&project, &pin(4, b"c"), true), Err(HomeError::PinBackward { pinned: 5, given: 4 })));
    home.set_pin(&project, &pin(6, b"d"), true).unwrap();
    assert_eq!(home.pin(&project).unwrap(), Some(pin(6, b"d")));
    home.set_pin(&project, &pin(7, b"e"), false).unwrap();
    assert_eq!(home.pin(&project).unwrap(), Some(pin(7, b"e")));
}

#[test]
fn a_credential_is_what_it_said_last() {
    let (_folder, home) = home();
    let project = ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").unwrap();
    let claim = |version: &str| ModelClaim {
        provider: "local".to_owned(),
        model: "small".to_owned(),
        version: Some(version.to_owned()),
    };
    let declared = |model, seconds| DeclaredIdentity { model, at: at(seconds) };
    assert!(home.declared_identity(&project, "cli").unwrap().is_none());
    home.set_declared_identity(&project, "cli", &declared(Some(claim("1")), 0)).unwrap();
    home.set_declared_identity(&project, "mcp", &declared(None, 1)).unwrap();
    home.set_declared_identity(&project, "cli", &declared(Some(claim("2")), 2)).unwrap();
    assert_eq!(home.declared_identity(&project, "cli").unwrap(), Some(declared(Some(claim("2")), 2)));
    assert_eq!(home.declared_identity(&project, "mcp").unwrap(), Some(declared(None, 1)));
}

/// Attack 6: what is written can be read back; what could not be is not written, and what was there stays.
#[test]
fn attack_06_nothing_is_written_that_is_too_large_to_be_read() {
    let (_folder, home) = home();
    let project = ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").unwrap();
    let claim = |bytes: usize| ModelClaim { provider: "p".to_owned(), model: "x".repeat(bytes), version: None };
    let declared = |bytes: usize| DeclaredIdentity { model: Some(claim(bytes)), at: at(0) };
    let largest = declared((4 << 20) - 1000);
    home.set_declared_identity(&project, "cli", &largest).unwrap();
    assert_eq!(home.declared_identity(&project, "cli").unwrap().as_ref(), Some(&largest));
    let error = home.set_declared_identity(&project, "cli", &declared(4 << 20)).unwrap_err();
    assert!(error.to_string().contains("is not written: it would have"), "{error}");
    assert_eq!(home.declared_identity(&project, "cli").unwrap(), Some(largest), "what was there stays");
    home.set_declared_identity(&project, "cli:0:other", &declared(1)).unwrap();
}
