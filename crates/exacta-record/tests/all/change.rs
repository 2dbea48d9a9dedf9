//! Changes of the records, one at a time.

use crate::project::{
    Project, asked, at, correlation, created, draft, new_plan, new_run, plan_id, request, run_id, session, signed,
};
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::lifecycle::Status::{self, AutoApproved, Expired, Pending, Rejected, UserApproved};
use exacta_record::{Change, ChangesRequested, EntryFilter, Filter, Outcome, RecordError, RunFilter, RunState, Start};
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;

fn to(from: Status, to: Status) -> Change {
    Change { from, to, approval: None, also_expire: None }
}

#[test]
fn a_plan_is_remembered_with_its_entries_and_files() {
    let project = Project::new();
    let mut store = project.open();
    store.insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
    assert!(matches!(store.insert_plan(&new_plan(1), &created(1), at(1)), Err(RecordError::DuplicatePlan(_))));
    let approve = Change { approval: Some(signed(1)), ..to(Pending, UserApproved) };
    let entry = [draft(Event::PlanApproved, 1)];
    assert_eq!(store.transition(&plan_id(1), &approve, &entry, at(2)).unwrap(), Outcome::Done);
    assert_eq!(store.transition(&plan_id(1), &approve, &entry, at(3)).unwrap(), Outcome::Lost { status: UserApproved });
    drop(store);

    let store = project.read();
    let plan = store.plan(&plan_id(1)).unwrap().unwrap();
    assert_eq!((plan.status, plan.status_at, &*plan.approvals), (UserApproved, at(2), &[signed(1)][..]));
    assert_eq!(*plan.view, new_plan(1).view.to_string());
    assert_eq!(plan.proposal.as_deref(), Some(&b"{}"[..]));
    let events: Vec<Event> = store.entries(&EntryFilter::default()).unwrap().iter().map(|entry| entry.event).collect();
    assert_eq!(events, [Event::PlanCreated, Event::PlanEvaluated, Event::PlanApproved]);
    assert_eq!(store.checkpoint().unwrap().unwrap().size(), 3);

    let mut file = project.json(&format!("plans/{}.json", plan_id(1)));
    file["approvals"] = json!(file["approvals"].as_array().unwrap().len());
    insta::assert_json_snapshot!(file);
    insta::assert_json_snapshot!(project.json(&format!("audit-log/{}.json", correlation(1))));
}

/// The names of the seed, and the plan's own status kept up to date with every change.
#[test]
fn a_plans_file_tells_who_decided_and_where_it_stands() {
    let project = Project::new();
    let mut store = project.open();
    let file = |n| project.json(&format!("plans/{}.json", plan_id(n)));
    let by = |actor: Actor, n| EntryDraft { actor, ..draft(Event::PlanApproved, n) };
    let person = Actor::Person(exacta_kernel::approval::ApproverName::parse("ada").unwrap());
    let stands = |n| {
        let file = file(n);
        let decision = &file["approval_decision"];
        let known = file["plan"]["status"] == file["status"] && file["timestamp"].is_string();
        assert!(known && decision["risk_score"] == 40 && decision["quality_score"] == 0.7499, "{file}");
        json!([file["status"], decision["decision"], decision["decided_by"], decision["approver"]])
    };
    for n in 1..=3 {
        store.insert_plan(&new_plan(n), &created(n), at(1)).unwrap();
        assert_eq!(stands(n), json!(["pending", null, null, null]));
    }
    let done = store.transition(&plan_id(1), &to(Pending, UserApproved), &[by(person.clone(), 1)], at(2)).unwrap();
    assert_eq!((done, stands(1)), (Outcome::Done, json!(["user_approved", "user_approved", "user", "ada"])));
    let rejects = EntryDraft { event: Event::PlanRejected, ..by(person, 2) };
    let done = store.transition(&plan_id(2), &to(Pending, Rejected), &[rejects], at(2)).unwrap();
    assert_eq!((done, stands(2)), (Outcome::Done, json!(["rejected", "rejected", "user", "ada"])));
    let done = store.transition(&plan_id(3), &to(Pending, AutoApproved), &[by(Actor::Policy, 3)], at(2)).unwrap();
    assert_eq!((done, stands(3)), (Outcome::Done, json!(["auto_approved", "auto_approved", "system", null])));
    store.expire_due(at(4000), None).unwrap();
    assert_eq!(stands(1), json!(["expired", "expired", "system", null]));
    assert_eq!(project.verify().unwrap().notes, [""; 0]);
}

#[test]
fn what_people_said_is_kept_in_its_order() {
    let project = Project::new();
    let mut store = project.open();
    store.insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
    let entry = [draft(Event::PlanEvaluated, 1)];
    let asked: Vec<ChangesRequested> = (0..12).rev().map(|n| asked(&format!("change {n}"))).collect();
    for one in &asked {
        assert_eq!(store.add_feedback(&plan_id(1), one, &entry, at(2)).unwrap(), Outcome::Done);
    }
    let approve = Change { approval: Some(signed(1)), ..to(Pending, UserApproved) };
    assert_eq!(store.transition(&plan_id(1), &approve, &entry, at(3)).unwrap(), Outcome::Done);
    assert_eq!(store.add_approval(&plan_id(1), &signed(2), &entry, at(4)).unwrap(), Outcome::Done);
    let plan = store.plan(&plan_id(1)).unwrap().unwrap();
    assert_eq!((plan.feedback, plan.approvals), (asked, vec![signed(1), signed(2)]));
}

#[test]
fn receipts_are_checked_offline() {
    let project = Project::new();
    let mut store = project.open();
    for n in 0..9 {
        store.insert_plan(&new_plan(n), &created(n), at(0)).unwrap();
    }
    let log = std::fs::read(project.exacta().join("audit.log")).unwrap();
    let lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').collect();
    for seq in [0, 7, 17] {
        let text = store.receipt(seq).unwrap().unwrap().text();
        let receipt = exacta_kernel::audit::LogReceipt::parse(&text).unwrap();
        let key = exacta_record::CheckpointSigner::public_key(&project.signer());
        let origin = exacta_kernel::audit::Origin::of(&Project::id());
        assert!(receipt.verify(lines[seq as usize], &origin, &[key]).is_ok());
        assert!(receipt.verify(lines[seq as usize + 1], &origin, &[key]).is_err());
    }
    assert!(store.receipt(18).unwrap().is_none());
}

#[test]
fn nothing_happens_unrecorded() {
    let project = Project::new();
    let mut store = project.open();
    assert!(matches!(store.insert_plan(&new_plan(1), &[], at(1)), Err(RecordError::Unrecorded)));
    assert!(matches!(store.record(&[], at(1)), Err(RecordError::Unrecorded)));
    assert_eq!(store.plan(&plan_id(1)).unwrap(), None);
    let impossible = store.transition(&plan_id(1), &to(Rejected, UserApproved), &created(1), at(1));
    assert!(matches!(impossible, Err(RecordError::NotATransition { .. })));
    let unknown = store.transition(&plan_id(1), &to(Pending, UserApproved), &created(1), at(1));
    assert!(matches!(unknown, Err(RecordError::UnknownPlan(_))));
    assert!(store.entries(&EntryFilter::default()).unwrap().is_empty());
}

#[test]
fn lists_and_prefixes() {
    let project = Project::new();
    let mut store = project.open();
    for n in 1..=5 {
        let status = if n % 2 == 0 { Rejected } else { Pending };
        store.insert_plan(&exacta_record::NewPlan { status, ..new_plan(n) }, &created(n), at(9)).unwrap();
    }
    let ids = |filter: &Filter| -> Vec<_> { store.list(filter).unwrap().into_iter().map(|plan| plan.id).collect() };
    assert_eq!(ids(&Filter::default()), [5, 4, 3, 2, 1].map(plan_id));
    assert_eq!(ids(&Filter { limit: Some(2), ..Filter::default() }), [5, 4].map(plan_id));
    assert_eq!(ids(&Filter { status: vec![Rejected], ..Filter::default() }), [4, 2].map(plan_id));
    assert_eq!(ids(&Filter { correlation_id: Some(correlation(3)), ..Filter::default() }), [plan_id(3)]);
    assert_eq!(ids(&Filter { usable: true, session: Some(session(1)), ..Filter::default() }), [5, 3, 1].map(plan_id));
    assert_eq!(store.find("019A2f3e-7c1d").unwrap().len(), 5);
    let short = store.short_ids(&[1, 4].map(plan_id)).unwrap();
    assert_eq!(store.find(&short[0]).unwrap(), [plan_id(1)]);
    assert_eq!(store.find(&short[1].to_uppercase()).unwrap(), [plan_id(4)]);
    assert_eq!(store.find(&plan_id(4).short_form()).unwrap(), [plan_id(4)]);
    assert_eq!(
        store.find(&plan_id(4).short_form()[..4]).unwrap().len(),
        5,
        "the numbered ids of these tests begin alike"
    );
    assert_eq!(store.find(&short[1][..3]).unwrap(), []);
    assert_eq!(store.find(plan_id(4).as_str()).unwrap(), [plan_id(4)]);
    assert_eq!(store.find("zz").unwrap(), []);
    assert_eq!(store.find("%").unwrap(), []);
}

#[test]
fn one_run_per_plan_and_undo_of_undo() {
    let project = Project::new();
    let mut store = project.open();
    let started = [draft(Event::RunStarted, 1)];
    let ended = [draft(Event::PlanExecuted, 1)];
    let from = [AutoApproved, UserApproved];
    store.insert_plan(&exacta_record::NewPlan { status: AutoApproved, ..new_plan(1) }, &created(1), at(1)).unwrap();
    store.insert_plan(&new_plan(2), &created(2), at(1)).unwrap();

    let mut start = |run, max| store.start_run(&request(&run, &from, max), &started, at(2)).unwrap();
    assert_eq!(start(new_run(1, 2, None), 1), Start::Lost { status: Pending });
    assert_eq!(start(new_run(1, 1, None), 0), Start::TooMany { running: 0 });
    assert_eq!(start(new_run(1, 1, None), 1), Start::Started);
    assert_eq!(start(new_run(2, 1, None), 5), Start::AlreadyRun(run_id(1)));
    assert_eq!(store.running().unwrap().len(), 1);
    let expire = store.transition(&plan_id(1), &to(AutoApproved, Expired), &started, at(3)).unwrap();
    assert_eq!(expire, Outcome::Lost { status: AutoApproved }, "what has run does not expire");

    let finish = |store: &mut exacta_record::Record, run, state| {
        store.finish_run(&run_id(run), state, &json!([{ "path": "src/a.rs" }]), &ended, at(4))
    };
    finish(&mut store, 1, RunState::Completed).unwrap();
    let again = finish(&mut store, 1, RunState::RolledBack);
    assert!(matches!(again, Err(RecordError::RunEnded { state: RunState::Completed, .. })));

    let mut start = |run| store.start_run(&request(&run, &from, 5), &started, at(2)).unwrap();
    assert_eq!(start(new_run(3, 1, Some(1))), Start::Started);
    assert_eq!(start(new_run(4, 1, Some(1))), Start::AlreadyRun(run_id(3)));
    finish(&mut store, 3, RunState::RolledBack).unwrap();
    assert_eq!(store.start_run(&request(&new_run(4, 1, Some(1)), &from, 5), &started, at(2)).unwrap(), Start::Started);
    finish(&mut store, 4, RunState::Completed).unwrap();
    let state = |store: &exacta_record::Record, n| store.run(&run_id(n)).unwrap().unwrap().state;
    assert_eq!(state(&store, 1), RunState::Undone);
    assert_eq!(store.start_run(&request(&new_run(5, 1, Some(4)), &from, 5), &started, at(2)).unwrap(), Start::Started);
    finish(&mut store, 5, RunState::Completed).unwrap();
    assert_eq!((state(&store, 4), state(&store, 1)), (RunState::Undone, RunState::Completed));
    assert_eq!(store.start_run(&request(&new_run(6, 1, Some(1)), &from, 5), &started, at(2)).unwrap(), Start::Started);

    let undos = || project.json(&format!("plans/{}.json", plan_id(1)))["undos"].as_array().unwrap().len();
    assert_eq!(undos(), 3, "that a run goes on is written when it ends");
    finish(&mut store, 6, RunState::RolledBack).unwrap();
    assert_eq!(undos(), 4);
    assert_eq!(project.json(&format!("plans/{}.json", plan_id(1)))["run"]["state"], "completed");
    let done = RunFilter { state: vec![RunState::Completed], plan_id: Some(plan_id(1)), ..RunFilter::default() };
    assert_eq!(store.runs(&done).unwrap().len(), 2);
    assert_eq!(store.list(&Filter::default()).unwrap()[1].run, Some((run_id(1), RunState::Completed)));
}

#[test]
fn plans_expire_by_time_by_session_and_with_their_derived_plan() {
    let project = Project::new();
    let mut store = project.open();
    for n in 1..=4 {
        store.insert_plan(&new_plan(n), &created(n), at(5)).unwrap();
    }
    let other = exacta_record::NewPlan { session: session(2), ..new_plan(5) };
    store.insert_plan(&other, &created(5), at(5)).unwrap();
    assert_eq!(store.expire_due(at(1800), None).unwrap(), []);
    assert_eq!(store.expire_due(at(1801), None).unwrap(), [plan_id(1)]);
    let approve = Change { also_expire: Some(plan_id(2)), ..to(Pending, UserApproved) };
    assert_eq!(
        store.transition(&plan_id(3), &approve, &[draft(Event::PlanApproved, 3)], at(9)).unwrap(),
        Outcome::Done
    );
    assert_eq!(store.expire_due(at(10), Some(&session(1))).unwrap(), [3, 4].map(plan_id));
    let statuses: Vec<Status> = store.list(&Filter::default()).unwrap().iter().map(|plan| plan.status).collect();
    assert_eq!(statuses, [Pending, Expired, Expired, Expired, Expired]);
    let expired = project.json(&format!("plans/{}.json", plan_id(2)));
    assert_eq!((&expired["status"], &expired["plan"]["status"]), (&json!("expired"), &json!("expired")));
    assert_eq!(expired["approval_decision"]["decision"], "expired");
    assert_eq!(expired["approval_decision"]["decided_by"], "system");
}

#[test]
fn time_never_runs_backwards_in_the_log() {
    let project = Project::new();
    let mut store = project.open();
    store.insert_plan(&new_plan(1), &created(1), at(100)).unwrap();
    store.insert_plan(&new_plan(2), &created(2), at(50)).unwrap();
    let entries = store.entries(&EntryFilter::default()).unwrap();
    assert!(entries.iter().all(|entry| entry.at == at(100)));
    assert_eq!(entries[1].data.get("clock"), None);
    assert_eq!(entries[3].data["clock"], json!(at(50)));
}

#[test]
fn private_and_out_of_git() {
    let project = Project::new();
    let mut store = project.open();
    store.insert_plan(&new_plan(1), &created(1), at(1)).unwrap();
    assert_eq!(std::fs::read(project.exacta().join(".gitignore")).unwrap(), b"*\n");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&project.exacta()), 0o700);
    for entry in std::fs::read_dir(project.exacta()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
    assert_eq!(mode(&project.exacta().join(format!("plans/{}.json", plan_id(1)))), 0o600);
}

/// Whatever is undone how often: what holds is every second run of the chain, as the files are.
#[test]
fn a_chain_of_undos_alternates() {
    let project = Project::new();
    let mut store = project.open();
    store.insert_plan(&exacta_record::NewPlan { status: AutoApproved, ..new_plan(1) }, &created(1), at(1)).unwrap();
    for n in 1..=5 {
        let run = new_run(n, 1, (n > 1).then(|| n - 1));
        let started =
            store.start_run(&request(&run, &[AutoApproved], 5), &[draft(Event::RunStarted, 1)], at(2)).unwrap();
        assert_eq!(started, Start::Started);
        store.finish_run(&run_id(n), RunState::Completed, &json!({}), &[draft(Event::RunUndone, 1)], at(3)).unwrap();
        for before in 1..=n {
            let expected = if (n - before).is_multiple_of(2) { RunState::Completed } else { RunState::Undone };
            assert_eq!(store.run(&run_id(before)).unwrap().unwrap().state, expected, "run {before} after run {n}");
        }
    }
}

/// An undo comes to hold again while another undo of the same run has its place: that one may be dead, and must not stop the rest.
#[test]
fn an_undo_that_holds_again_gives_way_to_another() {
    let project = Project::new();
    let mut store = project.open();
    let (started, ended) = ([draft(Event::RunStarted, 1)], [draft(Event::RunUndone, 1)]);
    store.insert_plan(&exacta_record::NewPlan { status: AutoApproved, ..new_plan(1) }, &created(1), at(1)).unwrap();
    let start = |store: &mut exacta_record::Record, n, undoes| {
        store.start_run(&request(&new_run(n, 1, undoes), &[AutoApproved], 5), &started, at(2)).unwrap()
    };
    let finish = |store: &mut exacta_record::Record, n, state| {
        store.finish_run(&run_id(n), state, &json!({}), &ended, at(3)).unwrap();
    };
    for (n, undoes) in [(1, None), (2, Some(1)), (3, Some(2))] {
        assert_eq!(start(&mut store, n, undoes), Start::Started);
        finish(&mut store, n, RunState::Completed);
    }
    assert_eq!(start(&mut store, 4, Some(1)), Start::Started);
    assert_eq!(start(&mut store, 5, Some(3)), Start::Started);
    finish(&mut store, 5, RunState::Completed);
    let state = |store: &exacta_record::Record, n| store.run(&run_id(n)).unwrap().unwrap().state;
    assert_eq!(
        (state(&store, 2), state(&store, 3), state(&store, 4)),
        (RunState::Undone, RunState::Undone, RunState::Running)
    );
    finish(&mut store, 4, RunState::RolledBack);
}
