//! Attack 49: a database whose tables are not ours keeps, gives back and makes up what it likes. It is refused, whoever made it and when.

use crate::project::{Project, asked, at, created, draft, new_plan, new_run, plan_id, request, signed};
use exacta_kernel::audit::Event;
use exacta_kernel::lifecycle::Status::{Pending, Rejected, UserApproved};
use exacta_record::{Change, Filter, Record, RecordError, VerifyError};
use std::fs;

/// What somebody makes of the tables.
const OTHERS: [&str; 10] = [
    "CREATE TABLE more(a)",
    "CREATE VIEW v AS SELECT 1",
    "CREATE TRIGGER t AFTER INSERT ON plan BEGIN UPDATE plan SET status = 'user_approved'; END",
    "CREATE INDEX more ON plan(id, status_at)",
    "DROP INDEX plan_due",
    "DROP INDEX run_once; CREATE INDEX run_once ON run(plan_id) WHERE undoes IS NULL",
    "DROP TABLE feedback",
    "ALTER TABLE run ADD COLUMN z INTEGER GENERATED ALWAYS AS (nullif(pid, 1)) VIRTUAL NOT NULL ON CONFLICT IGNORE",
    "UPDATE sqlite_schema SET sql = replace(sql, 'leaf BLOB NOT NULL,', 'leaf BLOB NOT NULL CHECK (seq < 3),')",
    "UPDATE sqlite_schema SET sql = replace(sql, 'n INTEGER NOT NULL', 'n INTEGER NOT NULL ON CONFLICT IGNORE')",
];

fn project() -> Project {
    let project = Project::new();
    let mut store = project.open();
    for n in 1..=2 {
        store.insert_plan(&new_plan(n), &created(n), at(1)).unwrap();
    }
    let approve = Change { from: Pending, to: UserApproved, approval: Some(signed(2)), also_expire: None };
    let _ = store.transition(&plan_id(2), &approve, &[draft(Event::PlanApproved, 2)], at(2)).unwrap();
    project
}

fn sql(project: &Project, sql: &str) {
    let connection = rusqlite::Connection::open(project.exacta().join("state.db")).unwrap();
    connection.execute_batch(&format!("PRAGMA foreign_keys = off; PRAGMA writable_schema = on; {sql}")).unwrap();
}

type Step = fn(&mut Record) -> Result<(), RecordError>;

const CHANGES: [(&str, Step); 5] = [
    ("submit", |store| store.insert_plan(&new_plan(3), &created(3), at(3))),
    ("reject", reject),
    ("revise", |store| {
        store.add_feedback(&plan_id(1), &asked("no"), &[draft(Event::ChangesRequested, 1)], at(3)).map(drop)
    }),
    ("start", |store| {
        let entries = [draft(Event::RunStarted, 2)];
        store.start_run(&request(&new_run(1, 2, None), &[UserApproved], 9), &entries, at(3)).map(drop)
    }),
    ("record", |store| store.record(&[draft(Event::PolicyChanged, 1)], at(3))),
];

fn reject(store: &mut Record) -> Result<(), RecordError> {
    let reject = Change { from: Pending, to: Rejected, approval: Some(signed(1)), also_expire: None };
    store.transition(&plan_id(1), &reject, &[draft(Event::PlanRejected, 1)], at(3)).map(drop)
}

#[test]
fn attack_49_tables_that_are_not_ours_are_refused() {
    for other in OTHERS {
        let project = project();
        let mut open = project.open();
        sql(&project, other);
        let log = fs::read(project.exacta().join("audit.log")).unwrap();
        for (name, change) in CHANGES {
            let refused = change(&mut open);
            assert!(matches!(refused, Err(RecordError::Tampered(_))), "{other}: {name}: {refused:?}");
        }
        assert!(matches!(project.try_open(), Err(RecordError::Tampered(_))), "{other}");
        assert!(matches!(project.verify(), Err(VerifyError::Tampered(_))), "{other}");
        assert_eq!(fs::read(project.exacta().join("audit.log")).unwrap(), log, "{other}");
    }
}

/// SQLite remembers tables by a number that anybody can set: what it learned of others before the change does not count in it.
#[test]
fn attack_49_tables_are_read_again_with_every_change() {
    let project = project();
    let mut store = project.open();
    let [ours, others] = ["n INTEGER NOT NULL,", "n INTEGER NOT NULL CHECK (n > 9),"];
    let put =
        |old, new| format!("UPDATE sqlite_schema SET sql = replace(sql, '{old}', '{new}') WHERE name = 'approval'");
    sql(&project, &format!("{}; PRAGMA schema_version = 1000", put(ours, others)));
    store.list(&Filter::default()).unwrap();
    sql(&project, &put(others, ours));
    reject(&mut store).unwrap();
    assert_eq!(store.plan(&plan_id(1)).unwrap().unwrap().approvals.len(), 1);
}

/// However large a value that somebody makes up, it is not read into memory.
#[test]
fn attack_49_values_have_an_end() {
    let project = project();
    let mut store = project.open();
    sql(&project, "UPDATE body SET proposal = zeroblob(257 << 20)");
    let refused = reject(&mut store).unwrap_err().to_string();
    assert!(refused.contains("too big"), "{refused}");
    let refused = project.open().plan(&plan_id(1)).unwrap_err().to_string();
    assert!(refused.contains("too big"), "{refused}");
}
