//! What changes between approval and run, and what it means.

use crate::place::{Place, fix, id, plan};
use exacta_app::{App, CheckEvent, Error, Exit, settings};
use exacta_kernel::approval::ApproverName;
use exacta_kernel::audit::{Entry, Event};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::policy::profile::Profile;
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::AtomicBool;

/// What happens to a place.
type Act = fn(&Place);

/// An approved plan, a change of the world, and what executing answers.
fn after(change: impl Fn(&Place)) -> (Place, exacta_kernel::id::PlanId, Error) {
    let place = Place::new();
    let id = id(&place.submit(&fix()));
    place.approve(&id).unwrap();
    change(&place);
    let error = place.execute(&id).unwrap_err();
    assert_eq!(place.read("tests/test_greet.py"), None, "nothing was executed");
    (place, id, error)
}

#[test]
fn a_changed_target_expires_the_plan() {
    let changes: [Act; 4] = [
        |place| place.write("src/greet.py", "name = \"world\"\nprint(name)\n"),
        |place| place.write("tests/test_greet.py", "x"),
        |place| std::fs::remove_file(place.options.project.as_ref().unwrap().join("src/greet.py")).unwrap(),
        |place| place.write(".exacta/config.toml", "[caps]\nsteps = 5\n"),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let place = Place::new();
        let id = id(&place.submit(&fix()));
        place.approve(&id).unwrap();
        change(&place);
        let error = place.execute(&id).unwrap_err();
        assert_eq!((error.exit, error.code.as_str()), (Exit::Drifted, "plan_expired"), "{index}: {error}");
        assert_eq!(place.app().show(&id).unwrap().plan.status, Some(Status::Expired));
    }
}

#[test]
fn an_ended_session_expires_its_plans() {
    let (_, _, error) = after(|place| assert_eq!(place.app().end_session().unwrap(), 1));
    assert_eq!(error.exit, Exit::Drifted);
}

#[test]
fn a_changed_profile_needs_a_fresh_approval() {
    let (place, id, error) = after(|place| place.profile(Profile::Dev));
    assert_eq!((error.exit, error.code.as_str()), (Exit::Drifted, "approval_outdated"), "{error}");
    place.approve(&id).unwrap();
    assert_eq!(place.execute(&id).unwrap().outcome.name(), "completed");
}

#[test]
fn a_removed_approver_no_longer_counts_and_another_one_can_approve() {
    let (place, id, error) = after(remove_approvers);
    assert_eq!((error.exit, error.code.as_str()), (Exit::Confirm, "approval_needed"), "{error}");
    let refusal = last(&place);
    assert_eq!(
        (refusal.event, refusal.plan_id, refusal.risk_score.is_some()),
        (Event::RunRefused, Some(id.clone()), true)
    );

    let other = ApproverName::parse("other").unwrap();
    App::first_approver(&place.options, &other, None).unwrap();
    let path = place.options.home.as_ref().unwrap().join("keys/other.key");
    let file = settings::own_key(&place.options, Some(&path)).unwrap();
    let key = settings::unlocked(&place.options, &file).unwrap().unwrap();
    let shown = Place::shown(&place.app(), &id);
    place.app().approve(&id, &shown, &key).unwrap();
    assert_eq!(place.app().approve(&id, &shown, &key).unwrap_err().code, "wrong_status", "once is enough");
    assert_eq!(place.execute(&id).unwrap().outcome.name(), "completed");
}

/// “From 1 to 1” would tell nobody anything.
#[test]
fn a_changed_policy_of_the_same_version_is_told_by_its_hash() {
    let (_, _, error) = after(|place| policy(place, "[caps]\nsteps = 5\n"));
    assert_eq!((error.exit, error.code.as_str()), (Exit::Drifted, "approval_outdated"), "{error}");
    let hashes = error.message.split_once("changed (version 1, sha256 ").and_then(|(_, rest)| rest.split_once("… → "));
    let (before, after) = hashes.unwrap_or_else(|| panic!("{error}"));
    assert!(before.len() == 8 && !after.starts_with(before) && after.ends_with("…)"), "{error}");
}

/// Age, session and configuration count until a run begins; who approved it counts until it is committed.
#[test]
fn a_run_that_has_begun_is_not_expired_any_more() {
    let changes: [(Act, Option<&str>); 4] = [
        (|place| place.write(".exacta/config.toml", "[caps]\nsteps = 5\n"), None),
        (|place| assert_eq!(place.app().end_session().unwrap(), 0), None),
        (remove_approvers, Some("approval_outdated")),
        (|place| policy(place, "[caps]\nsteps = 5\n"), Some("approval_outdated")),
    ];
    for (index, (change, code)) in changes.into_iter().enumerate() {
        let place = Place::new();
        let root = place.options.project.as_ref().unwrap().canonicalize().unwrap();
        policy(&place, &format!("[[projects.\"{}\".checks]]\nargv = [\"true\"]\n", root.display()));
        let id = id(&place.submit(&fix()));
        place.approve(&id).unwrap();
        // A check lies between the beginning and the commit.
        let (mut begun, cancel) = (false, AtomicBool::new(false));
        let mut checking = |_: CheckEvent<'_>| {
            if !std::mem::replace(&mut begun, true) {
                change(&place);
            }
        };
        let ended = place.app().execute(&id, Place::execution(&cancel, &mut |_| {}, &mut checking));
        assert_eq!(ended.err().map(|error| error.code.as_str()), code, "{index}");
    }
}

#[test]
fn why_a_plan_is_over_is_told() {
    let place = Place::new();
    let expired = id(&place.submit(&fix()));
    place.write("src/greet.py", "name = 1\n");
    assert_eq!(place.approve(&expired).unwrap_err().code, "plan_expired");
    let rejected = id(&place.submit(&plan("AddFeature", "the readme says what the program prints", json!([{
        "id": "s1", "order": 1, "type": "file_modify", "target": "README.md", "dependencies": [],
        "description": "name the greeting that is printed", "edits": [{ "find": "a greeting", "replace": "`hello`" }]
    }]))));
    place.app().reject(&rejected, Some("the readme is fine"), &place.key()).unwrap();
    for (id, why) in [(expired, "the content of `src/greet.py` changed"), (rejected, "the readme is fine")] {
        assert_eq!(place.app().show(&id).unwrap().reason.as_deref(), Some(why));
        for error in [place.app().revise(&id, "x", &place.key()), place.app().reject(&id, None, &place.key())] {
            let error = error.unwrap_err();
            assert!(error.exit == Exit::Drifted && error.message.ends_with(why), "{error}");
        }
        let ends = place.app().entries(None, None).unwrap();
        let end = ends.iter().find(|entry| entry.plan_id.as_ref() == Some(&id) && entry.reason == why).unwrap();
        assert!(end.risk_score.is_some() && end.quality_score.is_some() && end.decision.is_some(), "{end:?}");
    }
}

/// A rule that is stricter by now is no attack.
#[test]
fn a_denial_that_is_no_matter_of_security_lowers_no_profile() {
    for text in ["[caps]\nsteps = 1\n", "protected_paths = [\"src/**\"]\n"] {
        let place = Place::new();
        place.profile(Profile::Dev);
        let id = id(&place.submit(&fix()));
        policy(&place, text);
        let error = place.execute(&id).unwrap_err();
        assert_eq!((error.exit, error.code.as_str()), (Exit::Denied, "plan_denied"), "{text}: {error}");
        assert_eq!(App::chosen_profile(&place.options).unwrap(), Profile::Dev, "{text}");
        let refusal = last(&place);
        assert_eq!((refusal.event, refusal.plan_id), (Event::RunRefused, Some(id)), "{text}");
    }
}

/// What cannot be carried out is not said to be done, and uses no plan up.
#[test]
fn a_plan_of_another_domain_is_not_executed() {
    let place = Place::new();
    let step = |order: u64, kind: &str, needs: &[&str]| {
        json!({ "id": format!("s{order}"), "order": order, "type": kind, "target": "inbox", "dependencies": needs,
            "description": format!("{kind} for the question about the invoice, as the recipe says") })
    };
    let mut steps = json!([
        step(1, "read_forwarded_email", &[]),
        step(2, "triage_email", &["s1"]),
        step(3, "write_outcome_draft", &["s2"]),
        step(4, "write_email_draft", &["s3"]),
    ]);
    steps[2]["body"] = json!("The invoice is missing.\n");
    // No file can have this name, so that nothing writes the draft.
    for (name, value) in
        [("id", json!("s:4")), ("to", json!([])), ("subject", json!("Invoice")), ("body", json!("Dear Anna\n"))]
    {
        steps[3][name] = value;
    }
    let text = json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "InboxTriage", "text": "sort the forwarded mail about the invoice and draft an answer" },
        "autopilot": { "recipe": "InboxTriage", "inbox_source_text": "Dear all, where is the invoice?" },
        "steps": steps,
    });
    let id = id(&place.submit(&text.to_string()));
    place.approve(&id).unwrap();
    let error = place.execute(&id).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Denied, "no_executor"), "{error}");
    assert_eq!(place.app().show(&id).unwrap().run, None);
}

/// Also where it is changed by hand, or by a command given elsewhere.
#[test]
fn every_policy_that_decides_is_in_the_log() {
    let place = Place::new();
    let changes = || {
        let entries = place.app().entries(None, None).unwrap();
        entries.iter().filter(|entry| entry.event == Event::PolicyChanged).count()
    };
    place.submit(&fix());
    assert_eq!(changes(), 0, "the first is the plan's own");
    policy(&place, "[caps]\nsteps = 5\n");
    for _ in 0..2 {
        place.submit(&fix());
        assert_eq!(changes(), 1);
    }
    let mut settings = settings::Settings::open(&place.options).unwrap();
    settings.set_policy("[caps]\nsteps = 6\n", "policy.toml", &place.key()).unwrap();
    place.submit(&fix());
    assert_eq!(changes(), 2, "the person's entry is enough");
}

fn remove_approvers(place: &Place) {
    std::fs::remove_file(place.options.home.as_ref().unwrap().join("approvers.toml")).unwrap();
}

fn policy(place: &Place, text: &str) {
    let file = place.options.home.as_ref().unwrap().join("safety-policy.toml");
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn last(place: &Place) -> Entry {
    place.app().entries(None, Some(1)).unwrap().pop().unwrap()
}

#[test]
fn another_model_blocks_the_plan() {
    let place = Place::new();
    let with =
        |model: &str| fix().replacen('{', &format!("{{\"model\":{{\"provider\":\"p\",\"model\":\"{model}\"}},"), 1);
    let id = id(&place.submit(&with("one")));
    place.approve(&id).unwrap();
    place.submit(&with("two"));
    let error = place.execute(&id).unwrap_err();
    assert_eq!((error.exit, error.code.as_str()), (Exit::Drifted, "plan_drifted"), "{error}");
}
