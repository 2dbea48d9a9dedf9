//! Effects: an autopilot plan of drafts goes through gates, approval, permit, run and undo like any other.

use crate::place::{Place, id};
use exacta_app::{Exit, verify};
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use serde_json::{Value, json};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

fn step(order: u64, kind: &str, rest: Value) -> Value {
    let mut step = json!({
        "id": format!("s{order}"), "order": order, "type": kind, "target": "outbox", "dependencies": [],
        "description": format!("{kind}: the answer about the open invoice, for a person to read and send"),
    });
    step.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    step
}

fn drafts() -> String {
    let steps = json!([
        step(1, "write_outcome_draft", json!({ "title": "Invoice 17", "body": "It was paid on Monday.\n" })),
        step(
            2,
            "write_email_draft",
            json!({
            "to": "anna@example.com", "subject": "Invoice 17", "body": "Dear Anna,\nit was paid on Monday.\n" })
        ),
    ]);
    plan(&steps)
}

fn plan(steps: &Value) -> String {
    let text = "write to anna@example.com that invoice 17 was paid on Monday, as a draft";
    json!({ "schema": "exacta.plan/1", "intent": { "type": "Custom", "text": text },
        "autopilot": { "recipe": "Custom" }, "steps": steps })
    .to_string()
}

/// The drafts in the outbox: the file's name and its text.
fn outbox(place: &Place) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for file in files(place) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        found.push((name, fs::read_to_string(&file).unwrap()));
    }
    found.sort();
    found
}

fn files(place: &Place) -> Vec<PathBuf> {
    let projects = place.options.home.as_ref().unwrap().join("state/projects");
    let folders = fs::read_dir(projects).into_iter().flatten().map(|project| project.unwrap().path().join("outbox"));
    let runs = folders.flat_map(|outbox| fs::read_dir(outbox).into_iter().flatten());
    runs.flat_map(|run| fs::read_dir(run.unwrap().path()).unwrap()).map(|file| file.unwrap().path()).collect()
}

#[test]
fn drafts_are_approved_written_and_undone() {
    let place = Place::new();
    let view = place.submit(&drafts());
    assert_eq!((view.status, view.decision), (Some(Status::Pending), Verdict::Confirm), "{view:#?}");
    let id = id(&view);
    assert_eq!(place.execute(&id).unwrap_err().exit, Exit::Confirm);
    place.approve(&id).unwrap();
    assert_eq!(outbox(&place), [], "approving does not execute");

    let run = place.execute(&id).unwrap();
    assert_eq!((run.outcome.name(), run.steps.len()), ("completed", 2), "{run:#?}");
    let written = outbox(&place);
    assert_eq!(written[0], ("s1.txt".to_owned(), "Invoice 17\n\nIt was paid on Monday.\n".to_owned()));
    assert!(written[1].0 == "s2.eml" && written[1].1.ends_with("\r\n\r\nDear Anna,\r\nit was paid on Monday.\r\n"));
    let path = format!("outbox/{}/s1.txt", run.run_id);
    let first = serde_json::to_value(&run.steps[0]).unwrap();
    assert_eq!((&first["path"], &first["before"]["state"]), (&json!(path), &json!("absent")));
    assert_eq!(place.execute(&id).unwrap_err().code, "already_run");
    let shown = place.app().show(&id).unwrap().run.unwrap();
    assert_eq!((shown.outcome.name(), shown.steps), ("completed", run.steps));

    let undo = place.undo(&run.run_id).unwrap();
    assert_eq!((undo.outcome.name(), undo.undoes.as_deref()), ("completed", Some(run.run_id.as_str())));
    assert_eq!(files(&place), Vec::<PathBuf>::new());
    assert!(place.app().show(&id).unwrap().run.unwrap().undone);
    assert_eq!(place.undo(&undo.run_id).unwrap_err().code, "wrong_state", "it would act again");
    assert_eq!(verify(&place.options).unwrap().runs, 2);
}

/// The process dies after the first draft: what it did is found by looking, and taken back by the next command.
#[test]
fn a_run_that_dies_is_taken_back() {
    let place = Place::new();
    let id = id(&place.submit(&drafts()));
    place.approve(&id).unwrap();
    let cancel = AtomicBool::new(false);
    let mut die = |_: exacta_exec::Event| panic!("the process dies here");
    let died =
        catch_unwind(AssertUnwindSafe(|| place.app().execute(&id, Place::execution(&cancel, &mut die, &mut |_| {}))));
    assert!(died.is_err());
    assert_eq!(outbox(&place).len(), 1);
    let app = place.app();
    let [recovery] = app.recovered() else { panic!("{:?}", app.recovered()) };
    assert_eq!((recovery.outcome.name(), recovery.plan_id.as_str()), ("rolled_back", id.as_str()), "{recovery:?}");
    assert_eq!(files(&place), Vec::<PathBuf>::new());
    let run = app.show(&id).unwrap().run.unwrap();
    assert_eq!((run.outcome.name(), run.reason.is_some()), ("rolled_back", true));
    assert!(place.app().recovered().is_empty(), "once");
    assert_eq!(verify(&place.options).unwrap().runs, 1);
}

/// What a person made of a draft is theirs.
#[test]
fn an_edited_draft_keeps_the_run_from_being_undone() {
    let place = Place::new();
    let id = id(&place.submit(&drafts()));
    place.approve(&id).unwrap();
    let run = place.execute(&id).unwrap();
    fs::write(&files(&place)[0], "mine").unwrap();
    let error = place.undo(&run.run_id).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Drifted, "target_changed"), "{error}");
    assert_eq!(files(&place).len(), 2);
}

/// Steps that nothing performs, or that do not carry their exact bytes, are not executed, nor is what stands beside them.
#[test]
fn what_no_account_can_do_is_refused_before_anything_is_done() {
    let message = json!({ "message_id": "home/1/17", "action": "archive", "sha256": "a".repeat(64), "bytes": 90 });
    let place = Place::new();
    let steps = json!([step(1, "write_outcome_draft", json!({ "body": "paid" })), step(2, "triage_email", message)]);
    let id = id(&place.submit(&plan(&steps)));
    place.approve(&id).unwrap();
    let error = place.execute(&id).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Usage, "mail_unknown"), "{error}");
    assert_eq!(files(&place), Vec::<PathBuf>::new());
    assert_eq!(place.app().show(&id).unwrap().run, None);
}

/// A write without its exact bytes is no plan that anybody could approve.
#[test]
fn what_does_not_carry_its_bytes_is_denied() {
    for step in [
        step(1, "write_outcome_draft", json!({ "title": "no body" })),
        step(1, "write_email_draft", json!({ "body": "paid" })),
        step(1, "triage_email", json!({ "message_id": "home/1/17", "action": "archive" })),
    ] {
        let place = Place::new();
        let view = place.submit(&plan(&json!([step])));
        assert!(view.findings.iter().any(|finding| finding.code == "PLAN_PAYLOAD_MISSING"), "{:?}", view.findings);
        assert!(place.approve(&id(&view)).is_err());
    }
}
