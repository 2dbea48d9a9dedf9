//! Somebody who can write anything in `.exacta/` changes a record, and then one of ours is to change it: it is refused, and
//! the forgery never gets a hash of ours.

use crate::project::{
    Project, asked, at, created, draft, new_plan, new_run, plan_id, request, run_id, session, signed,
};
use exacta_kernel::audit::Event;
use exacta_kernel::lifecycle::Status::{Expired, Pending, UserApproved};
use exacta_record::{Change, NewPlan, Place, Record, RecordError, RunState, Start};
use serde_json::json;
use std::fs;
use std::path::Path;

/// Three plans; the second is approved, has run, and has an undo going on.
fn project() -> Project {
    let project = Project::new();
    let mut store = project.open();
    for n in 1..=3 {
        store.insert_plan(&new_plan(n), &created(n), at(1)).unwrap();
    }
    let approve = Change { from: Pending, to: UserApproved, approval: Some(signed(2)), also_expire: None };
    let _ = store.transition(&plan_id(2), &approve, &[draft(Event::PlanApproved, 2)], at(2)).unwrap();
    let _ = start(&mut store, 1, None).unwrap();
    store.finish_run(&run_id(1), RunState::Completed, &json!([1]), &[draft(Event::PlanExecuted, 2)], at(3)).unwrap();
    let _ = start(&mut store, 2, Some(1)).unwrap();
    project
}

fn start(store: &mut Record, run: u64, undoes: Option<u64>) -> Result<Start, RecordError> {
    store.start_run(&request(&new_run(run, 2, undoes), &[UserApproved], 9), &[draft(Event::RunStarted, 2)], at(3))
}

fn sql(project: &Project, sql: &str) {
    let connection = rusqlite::Connection::open(project.exacta().join("state.db")).unwrap();
    connection.execute_batch(&format!("PRAGMA foreign_keys = off; {sql}")).unwrap();
}

/// Where tampering was found; it must be.
fn found<T: std::fmt::Debug>(outcome: Result<T, RecordError>) -> Place {
    match outcome {
        Err(RecordError::Tampered(tampered)) => tampered.place,
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_change_launders_a_forged_plan() {
    let plan = |n| Place::Plan(plan_id(n).to_string());
    let expire = Change { from: Pending, to: Expired, approval: None, also_expire: None };
    let also = Change { also_expire: Some(plan_id(1)), ..expire.clone() };
    let entry = |n| [draft(Event::PlanExpired, n)];
    for forgery in [
        "UPDATE body SET view = '{}' WHERE plan_id = '{1}'",
        "UPDATE body SET proposal = x'7b' WHERE plan_id = '{1}'",
        "UPDATE body SET identity = '{}' WHERE plan_id = '{1}'",
        "DELETE FROM body WHERE plan_id = '{1}'",
        "UPDATE plan SET summary = '{}' WHERE id = '{1}'",
        "UPDATE plan SET expires_at = expires_at - 1 WHERE id = '{1}'",
        "UPDATE plan SET plan_hash = content_hash WHERE id = '{1}'",
        "UPDATE plan SET risk_score = 0 WHERE id = '{1}'",
        "INSERT INTO feedback VALUES ('{1}', 0, 'forged')",
        "INSERT INTO approval SELECT '{1}', 0, signed FROM approval",
        "UPDATE run SET plan_id = '{1}', undoes = '019a2f3e-7c1d-7e2a-9b4f-d00000000009' WHERE undoes IS NOT NULL",
    ] {
        let project = project();
        let mut store = project.open();
        sql(&project, &forgery.replace("{1}", plan_id(1).as_str()));
        let log = fs::read(project.exacta().join("audit.log")).unwrap();
        assert_eq!(found(store.transition(&plan_id(1), &expire, &entry(1), at(4))), plan(1), "{forgery}");
        assert_eq!(found(store.transition(&plan_id(3), &also, &entry(3), at(4))), plan(1), "{forgery}");
        assert_eq!(found(store.add_feedback(&plan_id(1), &asked("more"), &entry(1), at(4))), plan(1), "{forgery}");
        let next = NewPlan { revises: Some(plan_id(1)), ..new_plan(4) };
        assert_eq!(found(store.insert_plan(&next, &created(4), at(4))), plan(1), "{forgery}");
        assert_eq!(found(store.expire_due(at(4), Some(&session(1)))), plan(1), "{forgery}");
        assert_eq!(found(store.plan(&plan_id(1))), plan(1), "{forgery}");
        assert_eq!(fs::read(project.exacta().join("audit.log")).unwrap(), log, "{forgery}");
        assert!(project.verify().is_err(), "{forgery}");
    }
}

#[test]
fn no_run_is_hidden_invented_or_changed() {
    for (forgery, place) in [
        ("DELETE FROM run WHERE undoes IS NULL", Place::Plan(plan_id(2).to_string())),
        ("UPDATE run SET changes = '{}' WHERE undoes IS NULL", Place::Plan(plan_id(2).to_string())),
        ("UPDATE run SET receipts = '{}' WHERE undoes IS NULL", Place::Plan(plan_id(2).to_string())),
        ("UPDATE run SET pid = 2 WHERE undoes IS NOT NULL", Place::Plan(plan_id(2).to_string())),
        ("DELETE FROM run WHERE undoes IS NOT NULL", Place::Index),
        ("UPDATE run SET state = 'rolled_back' WHERE undoes IS NOT NULL", Place::Index),
        ("UPDATE run SET state = 'needs_attention' WHERE undoes IS NULL", Place::Index),
    ] {
        let project = project();
        let mut store = project.open();
        sql(&project, forgery);
        assert_eq!(found(start(&mut store, 3, Some(1))), place, "{forgery}");
        let end = [draft(Event::RunUndone, 2)];
        assert_eq!(
            found(store.finish_run(&run_id(2), RunState::Completed, &json!([]), &end, at(4))),
            place,
            "{forgery}"
        );
        assert_eq!(found(store.open_runs()), place, "{forgery}");
        assert!(project.verify().is_err(), "{forgery}");
    }
}

/// It is still among the runs without an end, but its plan is none: who looks for it there would find nothing to recover.
#[test]
fn no_run_is_hidden_behind_a_plan_that_is_not_there() {
    let project = project();
    let mut store = project.open();
    sql(&project, "UPDATE run SET plan_id = 'none' WHERE undoes IS NOT NULL");
    let end = [draft(Event::RunUndone, 2)];
    assert_eq!(found(store.open_runs()), Place::Index);
    assert_eq!(found(store.run(&run_id(2))), Place::Index);
    assert_eq!(found(store.finish_run(&run_id(2), RunState::Completed, &json!([]), &end, at(4))), Place::Index);
    assert!(project.verify().is_err());
}

/// Everything in the database that leads to a plan is set back to when the plan was pending; the newest entries stay.
#[test]
fn an_index_that_leads_to_an_older_state_of_a_plan_is_refused() {
    let project = Project::new();
    let mut store = project.open();
    store.insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
    // Enough plans for a tree of several nodes.
    for n in 2..=60 {
        store.insert_plan(&new_plan(n), &created(n), at(1)).unwrap();
    }
    let old = project.dir.path().join("old.db");
    sql(&project, &format!("VACUUM INTO '{}'", old.display()));
    let expire = Change { from: Pending, to: Expired, approval: None, also_expire: None };
    let _ = store.transition(&plan_id(1), &expire, &[draft(Event::PlanExpired, 1)], at(2)).unwrap();
    store.record(&[draft(Event::PolicyChanged, 1)], at(3)).unwrap();
    let row = "DELETE FROM plan WHERE id = '{1}'; INSERT INTO plan SELECT * FROM old.plan WHERE id = '{1}';";
    let tree = "DELETE FROM state; INSERT INTO state SELECT * FROM old.state;";
    let head = "DELETE FROM log; INSERT INTO log SELECT * FROM old.log; DELETE FROM outbox; INSERT INTO outbox SELECT * FROM old.outbox;";
    let tail = "DELETE FROM entry WHERE seq >= (SELECT size FROM log);";
    for forgery in
        [row.to_owned(), format!("{row}{tree}"), format!("{row}{tree}{head}"), format!("{row}{tree}{head}{tail}")]
    {
        let copy = Project::new();
        copy_all(project.dir.path(), copy.dir.path());
        let forgery = format!("ATTACH '{}' AS old; {forgery}", old.display()).replace("{1}", plan_id(1).as_str());
        let store = copy.open();
        sql(&copy, &forgery);
        found(store.plan(&plan_id(1)));
        drop(store);
        found(copy.try_open().and_then(|store| store.plan(&plan_id(1))));
        assert!(copy.verify().is_err());
    }
}

/// A crash leaves entries in the database that the file lacks. Somebody else's do not pass for such.
#[test]
fn entries_that_a_crash_seems_to_have_left_must_be_ours() {
    let project = project();
    let log = fs::read_to_string(project.exacta().join("audit.log")).unwrap();
    let last = log.lines().last().unwrap();
    let seq = log.lines().count() as u64;
    let forged = last.replace(&format!("\"seq\":{}", seq - 1), &format!("\"seq\":{seq}")) + "\n";
    // The attacker knows how a log grows, and has everything but the key.
    let mut frontier = exacta_kernel::audit::Frontier::default();
    log.lines().for_each(|line| frontier.push(exacta_kernel::audit::merkle::leaf_hash(line.as_bytes())));
    let hex = |frontier: &exacta_kernel::audit::Frontier| {
        frontier.roots().iter().map(ToString::to_string).collect::<String>()
    };
    let old = hex(&frontier);
    let leaf = exacta_kernel::audit::merkle::leaf_hash(forged.trim_end().as_bytes());
    frontier.push(leaf);
    let (start, end) = (log.len(), log.len() + forged.len());
    sql(
        &project,
        &format!(
            "UPDATE log SET size = {}, bytes = {end}, roots = x'{}', old_size = {seq}, old_roots = x'{old}'; \
             DELETE FROM outbox; INSERT INTO outbox VALUES ({seq}, {start}, CAST('{forged}' AS BLOB)); \
             INSERT INTO entry VALUES ({seq}, {start}, {end}, x'{leaf}', NULL);",
            seq + 1,
            hex(&frontier),
        ),
    );
    assert_eq!(found(project.try_open().map(drop)), Place::Index);
    assert_eq!(fs::read_to_string(project.exacta().join("audit.log")).unwrap(), log);
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy_all(&path, &target) } else { fs::copy(&path, &target).map(drop).unwrap() }
    }
}
