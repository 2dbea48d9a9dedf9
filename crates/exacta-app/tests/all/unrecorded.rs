//! How a run ended, where the record of it cannot be written.

use crate::place::{Place, fix, id};
use exacta_app::{App, Exit};
use exacta_exec::Event;
use exacta_kernel::policy::profile::Profile;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the run is cancelled, how the error begins, and how the recovery ends.
const CASES: [(bool, &str, &str); 2] = [(false, "run `", "completed"), (true, "the run was cancelled", "cancelled")];

#[test]
fn how_it_ended_is_told_first_and_recorded_later() {
    for (cancelled, begins, outcome) in CASES {
        let place = Place::new();
        let id = id(&place.submit(&fix()));
        place.approve(&id).unwrap();
        let folder = place.options.project.as_ref().unwrap().join(".exacta");
        let (log, away) = (folder.join("audit.log"), folder.join("away"));
        let cancel = AtomicBool::new(false);
        let mut observer = |event| {
            if event == Event::Committing {
                fs::rename(&log, &away).unwrap();
                fs::create_dir(&log).unwrap();
                cancel.store(cancelled, Ordering::Relaxed);
            }
        };
        let error = place.app().execute(&id, Place::execution(&cancel, &mut observer, &mut |_| {})).unwrap_err();
        assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "unrecorded"), "{error}");
        assert!(error.message.starts_with(begins) && error.message.contains("could not be recorded"), "{error}");
        fs::remove_dir(&log).unwrap();
        fs::rename(&away, &log).unwrap();
        place.app().recover().unwrap();
        assert_eq!(place.app().show(&id).unwrap().run.unwrap().outcome.name(), outcome);
    }
}

/// Also where it is noticed only when the end of a run is to be recorded.
#[test]
fn a_record_that_is_changed_during_a_run_lowers_the_profile() {
    let cases: [fn(&Path); 3] = [
        |folder| {
            let mut log = fs::File::options().append(true).open(folder.join("audit.log")).unwrap();
            log.write_all(b"{}\n").unwrap();
        },
        |folder| fs::remove_file(folder.join("state.db")).unwrap(),
        |folder| fs::remove_file(folder.join("state.db-wal")).unwrap(),
    ];
    for change in cases {
        let place = Place::new();
        place.profile(Profile::Dev);
        let id = id(&place.submit(&fix()));
        let folder = place.options.project.as_ref().unwrap().join(".exacta");
        let cancel = AtomicBool::new(false);
        let mut observer = |event| {
            if event == Event::Committing {
                change(&folder);
            }
        };
        let error = place.app().execute(&id, Place::execution(&cancel, &mut observer, &mut |_| {})).unwrap_err();
        assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "record_tampered"), "{error}");
        assert!(error.message.contains("is completed"), "{error}");
        assert_eq!(App::chosen_profile(&place.options).unwrap(), Profile::Safe);
    }
}

/// Whoever looks into the database while a run goes on, with a program of its own, leaves it as it is: our locks hold.
#[test]
fn somebody_who_reads_the_database_during_a_run_does_no_harm() {
    if !exacta_testkit::program("python3") {
        return;
    }
    let place = Place::new();
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    let database = place.options.project.as_ref().unwrap().join(".exacta/state.db");
    let script = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('select count(*) from plan').fetchall(); c.close()";
    let cancel = AtomicBool::new(false);
    let mut observer = |event| {
        if event == Event::Committing {
            let read = exacta_testkit::output(Command::new("python3").args(["-c", script]).arg(&database));
            assert!(read.status.success(), "{read:?}");
        }
    };
    place.app().execute(&id, Place::execution(&cancel, &mut observer, &mut |_| {})).unwrap();
    assert_eq!(place.app().show(&id).unwrap().run.unwrap().outcome.name(), "completed");
}
