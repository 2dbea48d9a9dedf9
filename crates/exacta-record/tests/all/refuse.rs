//! What is not opened, and what is said about it.

use crate::project::{FileSigner, Project, at, created, new_plan, plan_id};
use exacta_kernel::id::ProjectId;
use exacta_record::{CheckpointSigner as _, Record, RecordError, Trusted};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

fn started() -> Project {
    let project = Project::new();
    project.open().insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
    project
}

fn refused(project: &Project) -> String {
    let error = match project.try_open() {
        Err(error) => error,
        Ok(mut store) => store.record(&created(1), at(2)).expect_err("it must be refused"),
    };
    assert!(!error.hint().parts().is_empty());
    let place = project.dir.path().canonicalize().unwrap();
    error.to_string().replace(place.to_str().unwrap(), "PROJECT")
}

#[test]
fn a_newer_format() {
    let project = started();
    let connection = rusqlite::Connection::open(project.exacta().join("state.db")).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    insta::assert_snapshot!(refused(&project), @"the database `PROJECT/.exacta/state.db` has format 99; this version knows formats up to 4");
}

#[test]
fn a_format_without_proofs() {
    let project = started();
    let connection = rusqlite::Connection::open(project.exacta().join("state.db")).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    insta::assert_snapshot!(refused(&project), @"the database `PROJECT/.exacta/state.db` has format 1; this version knows formats from 3 on");
}

#[test]
fn somebody_elses_database() {
    let project = Project::new();
    fs::create_dir(project.exacta()).unwrap();
    let connection = rusqlite::Connection::open(project.exacta().join("state.db")).unwrap();
    connection.execute_batch("CREATE TABLE theirs(x)").unwrap();
    insta::assert_snapshot!(refused(&project), @"the database `PROJECT/.exacta/state.db` is damaged: it is not a database of exacta");
    let left: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 1, "it is left as it was");
}

#[test]
fn a_file_that_is_no_database() {
    let project = started();
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        fs::write(project.exacta().join(name), vec![b'x'; 8192]).unwrap();
    }
    insta::assert_snapshot!(refused(&project), @"the database `PROJECT/.exacta/state.db` is damaged: it is not a database");
}

#[test]
fn a_database_with_broken_pages() {
    let project = started();
    let path = project.exacta().join("state.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA wal_checkpoint(truncate)").unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    insta::assert_snapshot!(refused(&project), @"the database `PROJECT/.exacta/state.db` is damaged: its pages do not fit together");
}

#[test]
fn a_missing_database_or_log() {
    let project = started();
    fs::remove_file(project.exacta().join("audit.log")).unwrap();
    insta::assert_snapshot!(refused(&project), @"the records were changed from outside: audit log, line 1: the line is missing, though a checkpoint was signed for it");
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        fs::remove_file(project.exacta().join(name)).unwrap();
    }
    fs::write(project.exacta().join("audit.log"), "{}\n").unwrap();
    insta::assert_snapshot!(refused(&project), @"the records were changed from outside: `PROJECT/.exacta/state.db`: the database is missing though there is an audit log");
}

#[test]
fn a_copy_of_another_project() {
    let project = started();
    let other = ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-ba9876543210").unwrap();
    let copied = Record::open(&project.exacta(), &other, Box::new(FileSigner(project.dir.path().join("other"))));
    assert!(matches!(copied, Err(RecordError::OtherProject { .. })));
}

#[test]
fn links_to_elsewhere() {
    let elsewhere = tempfile::tempdir().unwrap();
    let project = Project::new();
    symlink(elsewhere.path(), project.exacta()).unwrap();
    assert!(project.try_open().is_err());
    for name in ["state.db", "audit.log", "plans", "checkpoint"] {
        let project = started();
        let path = project.exacta().join(name);
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap()
        } else {
            fs::remove_file(&path).unwrap()
        }
        symlink(elsewhere.path().join(name), &path).unwrap();
        refused(&project);
    }
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

/// What was verified when the records were opened vouches for nothing that was put in its place since.
#[test]
fn a_checkpoint_forged_while_the_records_are_open() {
    let project = started();
    let path = project.exacta().join("checkpoint");
    let note = fs::read_to_string(&path).unwrap();
    let signature = note.rfind(' ').unwrap() + 9;
    let other = if &note[signature..=signature] == "A" { "B" } else { "A" };
    let forged = format!("{}{other}{}", &note[..signature], &note[signature + 1..]);
    for (text, fits) in [(&forged, false), (&note, true)] {
        fs::write(&path, &note).unwrap();
        let mut store = project.open();
        fs::write(&path, text).unwrap();
        let recorded = store.record(&created(1), at(2));
        assert_eq!(recorded.is_ok(), fits, "{recorded:?}");
        assert!(fits || matches!(recorded, Err(RecordError::Tampered(_))), "{recorded:?}");
    }
}

#[test]
fn no_records_to_read() {
    let project = Project::new();
    let read = Record::read(&project.exacta(), &Project::id(), Box::new(project.signer()));
    assert!(matches!(read, Err(RecordError::Missing(_))));
    assert!(!project.exacta().exists());
}

#[test]
fn what_was_opened_to_read_is_not_changed() {
    let project = started();
    let mut store = project.read();
    assert!(matches!(store.record(&created(1), at(2)), Err(RecordError::ReadOnly { .. })));
    assert!(store.plan(&plan_id(1)).unwrap().is_some());
}

/// Set in the child: where its project is.
const READ_ONLY: &str = "EXACTA_TEST_READ_ONLY";

#[test]
fn read_only_child() {
    let Some(dir) = std::env::var_os(READ_ONLY) else { return };
    let dir = Path::new(&dir);
    let opened = Project::open_at(dir).and_then(|mut store| store.record(&created(1), at(2)));
    assert!(matches!(opened, Err(RecordError::ReadOnly { .. })), "{opened:?}");
    let signer = FileSigner(dir.join("pin"));
    let trusted = Trusted { project: Project::id(), key: Some(signer.public_key()), pin: signer.pinned().unwrap() };
    let store = Record::read(&dir.join(".exacta"), &Project::id(), Box::new(signer)).unwrap();
    assert!(store.plan(&plan_id(1)).unwrap().is_some());
    assert_eq!(exacta_record::verify(&dir.join(".exacta"), &trusted).unwrap().plans, 1);
    println!("read only, and read");
}

#[test]
fn a_folder_that_cannot_be_written_is_read_and_not_changed() {
    const NOBODY: u32 = 65_534;
    let project = started();
    let me = rustix::process::geteuid().as_raw();
    let owner = if me == 0 { NOBODY } else { me };
    let mut paths = vec![project.dir.path().to_owned(), project.exacta()];
    for dir in [project.exacta(), project.exacta().join("plans"), project.exacta().join("audit-log")] {
        paths.extend(fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()));
    }
    for path in &paths {
        chown(path, Some(owner), None).unwrap();
        if path.is_dir() {
            fs::set_permissions(path, fs::Permissions::from_mode(0o500)).unwrap();
        }
    }
    // Somebody for whom permissions count, and who can reach the program.
    let program = tempfile::tempdir().unwrap();
    let copy = program.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    fs::set_permissions(program.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(copy);
    command.args(["--exact", "refuse::read_only_child", "--nocapture"]).env(READ_ONLY, project.dir.path());
    let output = exacta_testkit::output(command.current_dir("/").uid(owner));
    for path in &paths {
        if path.is_dir() {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
        }
    }
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("read only, and read"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
