//! The journal of a rollback, which no database of ours has once it is made: SQLite would undo what it says, and open and remove the file that it
//! names.

use crate::project::{Project, at, created, new_plan};
use exacta_record::{Filter, Record, RecordError};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

/// A journal of nothing that names another file, as SQLite writes that name at its end. It believes only names such as `…-mj0123459AB`.
fn naming(other: &Path) -> Vec<u8> {
    let name = other.to_str().unwrap().as_bytes();
    let sum: u32 = name.iter().map(|byte| u32::from(*byte)).sum();
    let length = u32::try_from(name.len()).unwrap();
    let mut journal = vec![b'x'; 4096];
    journal.extend(262_145_u32.to_be_bytes());
    journal.extend(name);
    journal.extend(length.to_be_bytes());
    journal.extend(sum.to_be_bytes());
    journal.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    journal
}

/// What comes of it, where it ends at all.
#[track_caller]
fn ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, done) = channel();
    std::thread::spawn(move || sender.send(work()));
    done.recv_timeout(Duration::from_secs(60)).expect("it hangs")
}

#[test]
fn attack_65_no_journal_leads_to_another_file() {
    for pipe in [true, false] {
        let project = Arc::new(Project::new());
        project.open().insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
        let (journal, other) =
            (project.exacta().join("state.db-journal"), project.dir.path().join("other-mj0123459AB"));
        match pipe {
            true => mknodat(CWD, &other, FileType::Fifo, Mode::RWXU, 0).unwrap(),
            false => fs::write(&other, naming(&journal)).unwrap(),
        }
        fs::write(&journal, naming(&other)).unwrap();
        // Who reads changes nothing, and says what to do.
        let here = Arc::clone(&project);
        let read = ends(move || Record::read(&here.exacta(), &Project::id(), Box::new(here.signer())).map(drop));
        let error = read.unwrap_err();
        assert!(matches!(error, RecordError::WrongKind { .. }), "{error}");
        assert!(format!("{:?}", error.hint()).contains("mv "), "{error}");
        let here = Arc::clone(&project);
        ends(move || here.verify().map(drop)).unwrap_err();
        assert!(journal.exists());
        // Who writes takes it away, and finds everything as it was.
        let here = Arc::clone(&project);
        ends(move || here.open().insert_plan(&new_plan(2), &created(2), at(2))).unwrap();
        assert!(!journal.exists() && other.symlink_metadata().is_ok());
        assert_eq!(project.open().list(&Filter::default()).unwrap().len(), 2);
        project.verify().unwrap();
    }
}

/// Whoever died while the database was made left its first page half-written, and nothing in it.
#[test]
fn a_database_that_was_never_made_whole_is_made_again() {
    let project = Project::new();
    fs::create_dir(project.exacta()).unwrap();
    fs::write(project.exacta().join("state.db"), vec![b'x'; 4096]).unwrap();
    fs::write(project.exacta().join("state.db-journal"), vec![b'x'; 512]).unwrap();
    project.open().insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
    project.verify().unwrap();
}
