//! Attack 5: only what the log knows has a name.

use crate::project::{Project, at, created, new_plan, plan_id};
use exacta_kernel::id::PlanId;
use exacta_record::{NewPlan, RecordError};

fn id(end: &str) -> PlanId {
    PlanId::parse(&format!("019a2f3e-7c1d-{end}")).unwrap()
}

/// A row that somebody put into the database neither takes a plan's name nor makes it ambiguous, nor longer.
#[test]
fn attack_05_rows_that_nobody_recorded_have_no_name() {
    let project = Project::new();
    let plan = NewPlan { id: id("7e2a-9b4f-0123456789ab"), ..new_plan(1) };
    project.open().insert_plan(&plan, &created(1), at(1)).unwrap();
    let short = project.open().short_ids(std::slice::from_ref(&plan.id)).unwrap().remove(0);
    assert_eq!(short.len(), 4);
    let connection = rusqlite::Connection::open(project.exacta().join("state.db")).unwrap();
    let forge = |forged: &PlanId| {
        let columns = "correlation_id, version, status, status_at, created_at, expires_at, session, plan_hash, \
             content_hash, derived_from, revises, summary, risk_score, quality_score, decided_by, usable, seq";
        let sql = format!("INSERT INTO plan(id, {columns}) SELECT ?1, {columns} FROM plan LIMIT 1");
        connection.execute(&sql, [forged.as_str()]).unwrap();
    };
    // More than are looked at in one go, before it and after it.
    let forged: Vec<PlanId> = (0..60).map(|n| id(&format!("7e2a-9b4f-0123456789{n:02x}"))).collect();
    forged.iter().for_each(forge);
    forge(&id("7e2a-9b4f-0123456789ff"));
    for store in [project.open(), project.read()] {
        assert_eq!(store.find(&short).unwrap(), std::slice::from_ref(&plan.id));
        assert_eq!(store.find("019a2f3e-7c1d").unwrap(), std::slice::from_ref(&plan.id));
        assert_eq!(store.short_ids(std::slice::from_ref(&plan.id)).unwrap(), std::slice::from_ref(&short));
        assert_eq!(store.find(&forged[0].short_form()).unwrap(), []);
    }
}

/// As short as it can be, and no shorter.
#[test]
fn a_short_id_grows_with_what_is_like_it() {
    let project = Project::new();
    let mut store = project.open();
    let ids = ["7e2a-9b4f-0123456789ab", "7e2a-9b4f-0123456789ac", "7e2a-a000-000000000000", "7100-8000-000000000000"]
        .map(id);
    for (n, id) in ids.iter().enumerate() {
        store.insert_plan(&NewPlan { id: id.clone(), ..new_plan(n as u64) }, &created(n as u64), at(1)).unwrap();
    }
    let short = store.short_ids(&ids).unwrap();
    for (short, id) in short.iter().zip(&ids) {
        assert_eq!(store.find(short).unwrap(), std::slice::from_ref(id), "{short}");
        assert!(short.len() == 4 || store.find(&short[..short.len() - 1]).unwrap().len() > 1, "{short}");
    }
    assert_eq!(short.iter().map(String::len).collect::<Vec<_>>(), [15, 15, 4, 4]);
}

/// Where nothing vouches for the records, nothing is found by those who act; who only looks still sees.
#[test]
fn names_of_a_record_that_was_changed() {
    let project = Project::new();
    let mut store = project.open();
    store.insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
    let connection = rusqlite::Connection::open(project.exacta().join("state.db")).unwrap();
    connection.execute_batch("UPDATE outbox SET line = x'7b7d0a'").unwrap();
    assert!(matches!(store.find(plan_id(1).as_str()), Err(RecordError::Tampered(_))));
    assert_eq!(project.read().find(plan_id(1).as_str()).unwrap(), [plan_id(1)]);
}
