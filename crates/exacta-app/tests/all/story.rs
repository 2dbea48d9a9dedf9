//! From an agent's text to an executed, undone and recorded change.

use crate::place::{Place, fix, id, plan};
use exacta_app::{Exit, Request, check, verify};
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::policy::profile::Profile;
use serde_json::json;
use std::collections::BTreeSet;

#[test]
fn submitted_approved_executed_undone() {
    let place = Place::new();
    let before = place.read("src/greet.py");
    let view = place.submit(&fix());
    assert_eq!((view.status, view.decision), (Some(Status::Pending), Verdict::Confirm), "{view:#?}");
    let counts: Vec<(u64, u64)> = view.detail.iter().flat_map(|d| &d.steps).map(|s| (s.added, s.removed)).collect();
    assert_eq!(counts, [(2, 1), (2, 0)]);
    let id = id(&view);
    assert_eq!(place.execute(&id).unwrap_err().exit, Exit::Confirm);
    assert_eq!(place.approve(&id).unwrap().status, Some(Status::UserApproved));
    assert_eq!(place.read("src/greet.py"), before, "approving does not execute");
    let run = place.execute(&id).unwrap();
    assert_eq!(run.outcome.name(), "completed");
    assert!(place.read("src/greet.py").unwrap().contains("sys.argv[1]"));
    assert!(place.read("tests/test_greet.py").is_some());
    assert_eq!(place.execute(&id).unwrap_err().exit, Exit::Drifted, "one run per plan, ever");

    let undo = place.undo(&run.run_id).unwrap();
    assert_eq!(undo.undoes.as_deref(), Some(run.run_id.as_str()));
    assert_eq!((place.read("src/greet.py"), place.read("tests/test_greet.py")), (before.clone(), None));
    assert_eq!(place.undo(&run.run_id).unwrap_err().exit, Exit::Drifted, "an undone run");
    let redo = place.undo(&undo.run_id).unwrap();
    assert_eq!(redo.outcome.name(), "completed", "an undo can be undone");
    assert!(place.read("tests/test_greet.py").is_some());

    let report = verify(&place.options).unwrap();
    assert_eq!((report.plans, report.runs), (1, 3));
    let log = place.read(".exacta/audit.log").unwrap();
    place.write(".exacta/audit.log", &log.replacen("plan_approved", "plan_rejected", 1));
    let error = verify(&place.options).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Fault, "record_tampered"), "{error}");
}

#[test]
fn policy_approves_by_rule_where_the_profile_allows() {
    let place = Place::new();
    place.profile(Profile::Dev);
    let view = place.submit(&fix());
    assert_eq!((view.status, view.decision), (Some(Status::AutoApproved), Verdict::Allow), "{view:#?}");
    assert_eq!(place.execute(&id(&view)).unwrap().outcome.name(), "completed");
}

#[test]
fn some_steps_make_a_plan_of_their_own() {
    let place = Place::new();
    let whole = place.submit(&fix());
    let mut app = place.app();
    let only = |name: &str| BTreeSet::from([name.to_owned()]);
    let missing = app.select(&id(&whole), &only("test")).unwrap_err();
    assert_eq!((missing.exit, missing.code.as_str()), (Exit::Denied, "selection_invalid"));
    assert!(exacta_view::command::at_a_terminal(&missing.hint.unwrap()).contains("`code`"));
    assert_eq!(app.select(&id(&whole), &BTreeSet::new()).unwrap_err().exit, Exit::Usage);
    let part = app.select(&id(&whole), &only("code")).unwrap();
    assert_eq!(part.status, Some(Status::Pending));
    assert_eq!(part.target_files, ["src/greet.py"]);
    assert_eq!(app.show(&id(&whole)).unwrap().plan.status, Some(Status::Pending), "until the part is approved");
    place.approve(&id(&part)).unwrap();
    assert_eq!(app.show(&id(&whole)).unwrap().plan.status, Some(Status::Expired));
    place.execute(&id(&part)).unwrap();
    assert_eq!(place.read("tests/test_greet.py"), None);
}

#[test]
fn rejected_revised_and_resubmitted() {
    let place = Place::new();
    let first = place.submit(&fix());
    let mut app = place.app();
    app.revise(&id(&first), "keep the old name too", &place.key()).unwrap();
    let detail = app.show(&id(&first)).unwrap();
    let asked = detail.plan.changes_requested.expect("the plan waits for its proposer");
    assert_eq!((asked.by.as_str(), asked.text.as_str()), ("owner", "keep the old name too"));
    assert_eq!(detail.feedback, std::slice::from_ref(&asked));
    assert_eq!(app.list(None, None).unwrap()[0].changes_requested.as_ref(), Some(&asked));
    let error = place.execute(&id(&first)).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::ChangesRequested, "changes_requested"));
    assert!(error.message.ends_with("owner asked for changes: keep the old name too"), "{error}");
    let request = Request { revises: Some(id(&first)), ..Request::default() };
    let second = app.submit(fix().as_bytes(), &request).unwrap();
    assert_eq!(second.detail.as_ref().unwrap().version, 2);
    assert_eq!(app.show(&id(&first)).unwrap().plan.status, Some(Status::Expired));
    assert_eq!(app.show(&id(&first)).unwrap().plan.changes_requested, None, "it was answered");
    app.reject(&id(&second), Some("not now"), &place.key()).unwrap();
    let error = place.execute(&id(&second)).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Denied, "plan_rejected"));
    assert!(error.message.ends_with("was rejected by owner: not now"), "{error}");
    assert_eq!(place.approve(&id(&second)).unwrap_err().exit, Exit::Drifted);
    assert_eq!(app.resubmit(&id(&second)).unwrap_err().exit, Exit::Drifted, "a no is final");
    let third = app.resubmit(&id(&first)).unwrap();
    assert_eq!(third.status, Some(Status::Pending));
    assert_eq!(
        third.detail.as_ref().unwrap().correlation_id,
        first.detail.as_ref().unwrap().correlation_id,
        "one operation"
    );
}

#[test]
fn what_is_refused_is_recorded_and_changes_nothing() {
    let place = Place::new();
    let nasty = plan(
        "FixBug",
        "nothing to see here",
        json!([{
            "id": "s1", "order": 1, "type": "file_create", "target": "../outside", "dependencies": [],
            "description": "write outside the project", "content": "x"
        }]),
    );
    let view = place.submit(&nasty);
    assert_eq!((view.status, view.decision), (Some(Status::Rejected), Verdict::Deny));
    assert_eq!(view.findings[0].code, "PLAN_PATH_OUTSIDE");
    let junk = place.submit("certainly! here is the plan");
    assert_eq!((junk.status, junk.findings[0].code.as_str()), (None, "PLAN_PARSE_NONJSON"));
    let events: Vec<String> =
        place.app().entries(None, None).unwrap().iter().map(|e| format!("{:?}", e.event)).collect();
    assert!(events.ends_with(&["PlanRejected".to_owned(), "ProposalRefused".to_owned()]), "{events:?}");
    assert!(!place.folder.path().join("outside").exists());
}

#[test]
fn check_writes_nothing_and_is_the_same_every_time() {
    let place = Place::new();
    let project = place.options.project.clone().unwrap();
    let once =
        || serde_json::to_string(&check(&place.options, fix().as_bytes(), &Request::default()).unwrap()).unwrap();
    let first = once();
    for _ in 0..20 {
        assert_eq!(once(), first);
    }
    assert!(!project.join(".exacta").exists());
}

#[test]
fn the_write_ahead_log_does_not_grow_for_ever() {
    let place = Place::new();
    for round in 0..40 {
        let big = "x = 1\n".repeat(20_000);
        place.submit(
            &fix()
                .replace("assert True", &format!("{round}"))
                .replace("def test_greet", &format!("{}def test_greet", big.replace('\n', "\\n"))),
        );
    }
    let log = place.options.project.as_ref().unwrap().join(".exacta/state.db-wal");
    assert!(log.metadata().map_or(0, |found| found.len()) < 8 << 20);
}

#[test]
fn a_secret_is_denied_and_not_stored() {
    let place = Place::new();
    // In parts, so that this file itself holds no secret.
    let secret =
        ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7", "VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3S"];
    let secret = secret.concat();
    let block = format!("-----BEGIN {0}-----\\n{secret}\\n-----END {0}-----", "PRIVATE KEY");
    let text = fix().replace("assert True", &block);
    let view = place.submit(&text);
    assert_eq!(view.status, Some(Status::Rejected), "{:#?}", view.gates);
    for file in walk(&place.options.project.clone().unwrap().join(".exacta")) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{}", file.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}
