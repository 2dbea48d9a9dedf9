//! What happens inside a change, where nobody from outside can be.

use crate::record::Record;
use crate::record::change::{Attempt, Touched};
use crate::record::verified::Verified;
use crate::row::StoredPlan;
use crate::signer::{CheckpointSigner, Hold, Pin, SignerError, Staged};
use crate::{EntryFilter, NewPlan, RecordError, RunRecord, RunRequest, RunState, Start};
use ed25519_dalek::{Signer as _, SigningKey};
use exacta_kernel::approval::{PublicKey, Signature};
use exacta_kernel::audit::{Actor, EntryDraft, Event, SignedCheckpoint};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, ProjectId, RunId, SessionId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use serde_json::json;
use std::sync::{Arc, Mutex};

/// A key made from nothing, and a pin in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Option<Pin>>>);

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

impl CheckpointSigner for Memory {
    fn public_key(&self) -> PublicKey {
        PublicKey::from_bytes(key().verifying_key().to_bytes()).unwrap()
    }

    fn sign(&self, bytes: &[u8]) -> Result<Signature, SignerError> {
        Ok(Signature::from_bytes(key().sign(bytes).to_bytes()))
    }

    fn pinned(&self) -> Result<Option<Pin>, SignerError> {
        Ok(*self.0.lock().unwrap())
    }

    fn hold(&self) -> Result<Hold, SignerError> {
        Ok(Box::new(()))
    }

    fn stage(&self, signed: &SignedCheckpoint, _: bool) -> Result<Staged, SignerError> {
        let (pin, place) = (Pin { size: signed.size(), root: signed.root() }, Arc::clone(&self.0));
        Ok(Box::new(move || {
            *place.lock().unwrap() = Some(pin);
            Ok(())
        }))
    }
}

fn uuid(kind: char) -> String {
    format!("019a2f3e-7c1d-7e2a-9b4f-{kind}00000000001")
}

fn plan_id() -> PlanId {
    PlanId::parse(&uuid('a')).unwrap()
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_794_000_000_000 + millis)
}

fn entry(event: Event) -> [EntryDraft; 1] {
    [EntryDraft::new(event, Actor::System, "because").about(&CorrelationId::parse(&uuid('c')).unwrap(), &plan_id())]
}

fn new_plan() -> NewPlan {
    NewPlan {
        id: plan_id(),
        correlation_id: CorrelationId::parse(&uuid('c')).unwrap(),
        version: 1,
        status: Status::UserApproved,
        created_at: at(0),
        expires_at: at(1_800_000),
        session: SessionId::parse(&uuid('e')).unwrap(),
        plan_hash: Digest::of(b"plan"),
        content_hash: Digest::of(b"content"),
        identity: json!({}),
        proposal: Some(b"{}".to_vec()),
        view: json!({}),
        summary: json!({}),
        derived_from: None,
        revises: None,
    }
}

fn new_run() -> RunRecord {
    RunRecord {
        id: RunId::parse(&uuid('b')).unwrap(),
        plan_id: plan_id(),
        undoes: None,
        state: RunState::Running,
        started_at: at(0),
        ended_at: None,
        pid: 1,
        boot: "boot".to_owned(),
        changes: json!({}),
        receipts: json!([]),
    }
}

/// A store with nothing in it yet.
fn store() -> (tempfile::TempDir, Record) {
    let folder = tempfile::tempdir().unwrap();
    let project = ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").unwrap();
    let store = Record::open(&folder.path().join(".exacta"), &project, Box::new(Memory::default())).unwrap();
    (folder, store)
}

fn entries(store: &Record) -> usize {
    store.entries(&EntryFilter::default()).unwrap().len()
}

/// A database that keeps something else than what was written into it, in whichever way: here the change itself does so.
fn sealed(store: &mut Record, sql: &str, act: fn(&Verified<'_>) -> Touched) -> Result<(), RecordError> {
    store.change(&entry(Event::PlanCreated), at(1), |verified, _| {
        let touched = act(verified);
        verified.db.connection.execute_batch(sql).unwrap();
        Ok(Attempt::Change((), touched))
    })
}

#[test]
fn attack_50_only_what_was_meant_is_sealed() {
    let insert: fn(&Verified<'_>) -> Touched =
        |verified| Touched::of(StoredPlan::insert(&verified.db, &new_plan(), at(0)).unwrap());
    let run: fn(&Verified<'_>) -> Touched = |verified| {
        let mut plan = verified.existing(&plan_id()).unwrap();
        plan.start_run(&verified.db, &new_run(), at(1)).unwrap();
        Touched { runs: vec![new_run().id], ..Touched::of(plan) }
    };
    let more =
        "INSERT INTO run SELECT 'r', plan_id, id, state, started_at, NULL, pid, boot, changes, receipts FROM run";
    let other = "INSERT INTO plan SELECT 'p', correlation_id, version, status, status_at, created_at, expires_at, session, \
                 plan_hash, content_hash, NULL, NULL, summary, NULL, NULL, NULL, usable, seq FROM plan; \
                 INSERT INTO run SELECT 'r', 'p', NULL, state, started_at, NULL, pid, boot, changes, receipts FROM run";
    let both: &[&str] = &[
        "UPDATE plan SET expires_at = expires_at + 1",
        "UPDATE plan SET summary = '[]'",
        "INSERT INTO approval SELECT id, 0, '{}' FROM plan",
        "INSERT INTO feedback SELECT id, 0, '{}' FROM plan",
        "PRAGMA defer_foreign_keys = on; DELETE FROM plan",
    ];
    let body: &[&str] = &["UPDATE body SET view = '[]'", "UPDATE body SET proposal = NULL", "DELETE FROM body"];
    let runs: &[&str] =
        &["DELETE FROM run", "UPDATE run SET state = 'cancelled'", "UPDATE run SET pid = 2", more, other];
    for (first, act, cases) in [(false, insert, both), (false, insert, body), (true, run, both), (true, run, runs)] {
        for sql in cases {
            let (_folder, mut store) = store();
            if first {
                store.insert_plan(&new_plan(), &entry(Event::PlanCreated), at(0)).unwrap();
            }
            let before = entries(&store);
            let refused = sealed(&mut store, sql, act);
            assert!(matches!(refused, Err(RecordError::Tampered(_))), "{sql}: {refused:?}");
            assert_eq!(entries(&store), before, "{sql}");
            sealed(&mut store, "", act).unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
    }
}

#[test]
fn attack_50_a_row_that_is_not_kept_is_noticed() {
    let (_folder, mut store) = store();
    store.insert_plan(&new_plan(), &entry(Event::PlanCreated), at(0)).unwrap();
    for (sql, kept) in [
        ("UPDATE plan SET usable = 0", true),
        ("UPDATE plan SET usable = 0 WHERE id = ''", false),
        ("INSERT OR IGNORE INTO plan SELECT * FROM plan", false),
        ("INSERT INTO feedback SELECT id, 0, '' FROM plan UNION ALL SELECT id, 1, '' FROM plan", false),
    ] {
        assert_eq!(store.db().change(sql, []).is_ok(), kept, "{sql}");
    }
}

/// What fails in whichever way, at the commit too, leaves no entry: whoever did something outside can put it back then.
#[test]
fn attack_51_a_change_that_fails_leaves_no_entry() {
    let dangling = "PRAGMA defer_foreign_keys = on; INSERT INTO feedback VALUES ('nobody', 0, '')";
    let (_folder, mut store) = store();
    for sql in [dangling, "INSERT INTO outbox VALUES (7, 7, x'00')", ""] {
        let before = entries(&store);
        let turn = store.turn().unwrap();
        turn.check_writable().unwrap();
        let recorded = turn.change(&entry(Event::PolicyChanged), at(1), |verified, _| {
            verified.db.connection.execute_batch(sql).unwrap();
            Ok(Attempt::Change((), Touched::default()))
        });
        assert_eq!(recorded.is_ok(), sql.is_empty(), "{sql}: {recorded:?}");
        assert!(!matches!(recorded, Err(RecordError::Unfinished(_))), "{sql}");
        assert_eq!(entries(&store) > before, sql.is_empty(), "{sql}");
    }
}

/// The log's time never goes back, and so a clock that does helps nobody to a run that is over.
#[test]
fn a_run_begins_before_its_end_by_the_log() {
    let (_folder, mut store) = store();
    store.insert_plan(&new_plan(), &entry(Event::PlanCreated), at(9)).unwrap();
    let run = new_run();
    let request = |end| RunRequest { run: &run, from: &[Status::UserApproved], max_running: 1, before: Some(at(end)) };
    let (early, late) = (request(9), request(10));
    let turn = store.turn().unwrap();
    assert_eq!(turn.obstacle(&early, at(1)).unwrap(), Some(Start::TooLate { at: at(9) }));
    assert_eq!(turn.obstacle(&late, at(1)).unwrap(), None);
    assert_eq!(turn.start_run(&early, &entry(Event::RunStarted), at(1)).unwrap(), Start::TooLate { at: at(9) });
    assert_eq!(store.start_run(&late, &entry(Event::RunStarted), at(1)).unwrap(), Start::Started);
}
