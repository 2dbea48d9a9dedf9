//! Attack 4: what is pinned counts, and nothing else. A change that cannot be pinned has not happened; one that was reported as done
//! cannot be taken out of the records again, whatever is done to them in whichever moment.

use crate::project::{
    FileSigner, Project, asked, at, created, draft, new_plan, new_run, plan_id, request, run_id, session, signed,
};
use exacta_kernel::approval::{PublicKey, Signature};
use exacta_kernel::audit::{Event, SignedCheckpoint};
use exacta_kernel::lifecycle::Status::{Pending, Rejected, UserApproved};
use exacta_record::{
    Change, CheckpointSigner, EntryFilter, Filter, Hold, Pin, Record, RecordError, RunFilter, RunState, SignerError,
    Staged,
};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The moments of a change in which something can come between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Nothing is written yet.
    Staging,
    /// The pin is ready, the database not yet committed.
    Staged,
    /// The database is committed.
    Committed,
    /// It is pinned; the log is not written yet.
    Pinned,
}

type Hook = Arc<Mutex<Box<dyn FnMut(Moment) -> Result<(), SignerError> + Send>>>;

/// A signer that tells when which moment has come, and fails there if it is told to.
struct Watched(FileSigner, Hook);

impl CheckpointSigner for Watched {
    fn public_key(&self) -> PublicKey {
        self.0.public_key()
    }

    fn sign(&self, bytes: &[u8]) -> Result<Signature, SignerError> {
        self.0.sign(bytes)
    }

    fn hold(&self) -> Result<Hold, SignerError> {
        self.0.hold()
    }

    fn pinned(&self) -> Result<Option<Pin>, SignerError> {
        self.0.pinned()
    }

    fn stage(&self, checkpoint: &SignedCheckpoint, durable: bool) -> Result<Staged, SignerError> {
        let hook = Arc::clone(&self.1);
        let now = move |moment| (hook.lock().unwrap())(moment);
        now(Moment::Staging)?;
        let staged = self.0.stage(checkpoint, durable)?;
        now(Moment::Staged)?;
        Ok(Box::new(move || {
            now(Moment::Committed)?;
            staged()?;
            now(Moment::Pinned)
        }))
    }
}

fn watched(
    project: &Project,
    hook: impl FnMut(Moment) -> Result<(), SignerError> + Send + 'static,
) -> Result<Record, RecordError> {
    let signer = Watched(project.signer(), Arc::new(Mutex::new(Box::new(hook))));
    Record::open(&project.exacta(), &Project::id(), Box::new(signer))
}

fn full() -> SignerError {
    SignerError::Pin { why: "no space is left".to_owned(), hint: "free some".into() }
}

/// Everything that the records say.
fn all(store: &Record) -> String {
    let plans: Vec<_> = store.list(&Filter::default()).unwrap().into_iter().map(|plan| store.plan(&plan.id)).collect();
    let (runs, entries) = (store.runs(&RunFilter::default()), store.entries(&EntryFilter::default()));
    format!("{plans:?} {runs:?} {entries:?}")
}

type Step = fn(&mut Record) -> Result<(), RecordError>;

/// Every kind of change, in an order that is possible.
const CHANGES: [(&str, Step); 10] = [
    ("submit", |store| store.insert_plan(&new_plan(1), &created(1), at(1))),
    ("submit another", |store| store.insert_plan(&new_plan(2), &created(2), at(1))),
    ("submit a third", |store| store.insert_plan(&new_plan(3), &created(3), at(1))),
    ("approve", |store| decide(store, 1, UserApproved)),
    ("approve again", |store| {
        store.add_approval(&plan_id(1), &signed(1), &[draft(Event::PlanApproved, 1)], at(2)).map(drop)
    }),
    ("reject", |store| decide(store, 2, Rejected)),
    ("revise", |store| {
        store.add_feedback(&plan_id(3), &asked("no"), &[draft(Event::ChangesRequested, 3)], at(2)).map(drop)
    }),
    ("start", |store| {
        let entries = [draft(Event::RunStarted, 1)];
        store.start_run(&request(&new_run(1, 1, None), &[UserApproved], 9), &entries, at(3)).map(drop)
    }),
    ("finish", |store| {
        let entries = [draft(Event::PlanExecuted, 1)];
        store.finish_run(&run_id(1), RunState::Completed, &json!([]), &entries, at(4)).map(drop)
    }),
    ("expire", |store| store.expire_due(at(5), Some(&session(1))).map(drop)),
];

fn decide(store: &mut Record, n: u64, to: exacta_kernel::lifecycle::Status) -> Result<(), RecordError> {
    let change = Change { from: Pending, to, approval: Some(signed(n)), also_expire: None };
    let event = if to == Rejected { Event::PlanRejected } else { Event::PlanApproved };
    store.transition(&plan_id(n), &change, &[draft(event, n)], at(2)).map(drop)
}

/// A user's folder that cannot be written: the command fails, and so nothing has happened. Not for anyone who looks later, either.
#[test]
fn what_cannot_be_pinned_has_not_happened() {
    let project = Project::new();
    project.open();
    for (name, change) in CHANGES {
        let before = all(&project.open());
        for moment in [Moment::Staging, Moment::Staged] {
            let mut store = watched(&project, move |now| if now == moment { Err(full()) } else { Ok(()) }).unwrap();
            let failed = change(&mut store);
            assert!(matches!(failed, Err(RecordError::Signer(_))), "{name} at {moment:?}: {failed:?}");
            assert_eq!(all(&store), before, "{name} at {moment:?}: the same process");
            drop(store);
            assert_eq!(all(&project.open()), before, "{name} at {moment:?}: the next one");
            project.verify().unwrap_or_else(|error| panic!("{name} at {moment:?}: {error}"));
        }
        change(&mut project.open()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_ne!(all(&project.open()), before, "{name}");
    }
}

type Trick = fn(&Path);

/// What an attacker who can write in the project's folder does in a moment.
const TRICKS: [(&str, Trick); 6] = [
    ("rename the log", |dir| drop(fs::rename(dir.join("audit.log"), dir.join("away")))),
    ("empty the log", |dir| fs::write(dir.join("audit.log"), "").unwrap()),
    ("an older log", |dir| drop(fs::copy(dir.with_file_name("old").join("audit.log"), dir.join("audit.log")))),
    ("no temporary file", |dir| drop(fs::create_dir(dir.join(".tmp")))),
    ("no folder for plans", |dir| drop(fs::rename(dir.join("plans"), dir.join("plans.away")))),
    ("no checkpoint", |dir| drop(fs::remove_file(dir.join("checkpoint")))),
];

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { fs::copy(&path, &target).map(drop).unwrap() }
    }
}

fn put_back(project: &Project, old: &Path) {
    fs::remove_dir_all(project.exacta()).unwrap();
    copy(old, &project.exacta());
}

/// In every moment of a rejection, every trick, and then the whole folder as it was before: either the person was told that it
/// failed, and it has not happened; or they were told that it was made, and then its absence is found.
#[test]
fn attack_04_a_decision_that_was_reported_cannot_be_erased() {
    for moment in [Moment::Staging, Moment::Staged, Moment::Committed, Moment::Pinned] {
        for (name, trick) in TRICKS {
            let context = format!("{name}, {moment:?}");
            let project = Project::new();
            project.open().insert_plan(&new_plan(2), &created(2), at(1)).unwrap();
            let old = project.dir.path().join("old");
            copy(&project.exacta(), &old);
            let dir = project.exacta();
            let attacker = move |now| {
                if now == moment {
                    trick(&dir);
                }
                Ok(())
            };
            let told = decide(&mut watched(&project, attacker).unwrap(), 2, Rejected);
            put_back(&project, &old);
            match told {
                Ok(()) => {
                    assert!(project.verify().is_err(), "{context}: verify");
                    assert!(matches!(project.try_open(), Err(RecordError::Tampered(_))), "{context}: open");
                }
                Err(error) => {
                    assert!(!matches!(error, RecordError::Unfinished(_)), "{context}: {error}");
                    assert_eq!(project.open().plan(&plan_id(2)).unwrap().unwrap().status, Pending, "{context}");
                }
            }
        }
    }
}

/// A process that dies after it pinned and before the log is written: the next one takes the entries from the database. If it dies
/// before it pinned, the entry is signed, and the next one pins it before anything else.
#[test]
fn a_process_that_dies_in_any_moment_leaves_records_that_heal() {
    for moment in [Moment::Staging, Moment::Staged, Moment::Committed, Moment::Pinned] {
        let project = Project::new();
        project.open().insert_plan(&new_plan(2), &created(2), at(1)).unwrap();
        let taken = project.dir.path().join("taken");
        let (dir, pin, at_moment) = (project.exacta(), project.dir.path().join("pin"), taken.clone());
        let copy_all = move |now| {
            if now == moment {
                copy(&dir, &at_moment.join(".exacta"));
                fs::copy(&pin, at_moment.join("pin")).unwrap();
            }
            Ok(())
        };
        decide(&mut watched(&project, copy_all).unwrap(), 2, Rejected).unwrap();
        let store = Project::open_at(&taken).unwrap_or_else(|error| panic!("{moment:?}: {error}"));
        let happened = matches!(moment, Moment::Committed | Moment::Pinned);
        let status = store.plan(&plan_id(2)).unwrap().unwrap().status;
        assert_eq!(status, if happened { Rejected } else { Pending }, "{moment:?}");
        let log = fs::read_to_string(taken.join(".exacta/audit.log")).unwrap();
        assert_eq!(log.contains("plan_rejected"), happened, "{moment:?}");
        let pinned = FileSigner(taken.join("pin")).pinned().unwrap().unwrap().size;
        assert_eq!(pinned, log.lines().count() as u64, "{moment:?}");
    }
}

/// attack 59: two copies of the records, each with locks of its own. What one process records in the one is not erased by another
/// that began in the other, whichever is put in the project's place.
#[test]
fn attack_59_a_process_that_waits_in_a_copy_does_not_pin_over_a_decision() {
    let project = Project::new();
    project.open().insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
    let copy = project.exacta().with_file_name("copy");
    copy_folder(&project.exacta(), &copy);
    let mut elsewhere = Record::open(&copy, &Project::id(), Box::new(project.signer())).unwrap();
    let blocker = rusqlite::Connection::open(copy.join("state.db")).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || elsewhere.insert_plan(&new_plan(2), &created(2), at(2)));
        std::thread::sleep(std::time::Duration::from_millis(300));
        decide(&mut project.open(), 1, Rejected).unwrap();
        blocker.execute_batch("ROLLBACK").unwrap();
        let late = waiting.join().unwrap().unwrap_err();
        assert!(late.is_tampered(), "{late}");
    });
    project.verify().unwrap();
    assert_eq!(project.open().plan(&plan_id(1)).unwrap().unwrap().status, Rejected);
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
