//! When a plan may run: every stored status, approval and drift against what the kernel answers.

use super::scene::{Scene, run_id, valid};
use exacta_kernel::drift::Answer;
use exacta_kernel::hash::Digest;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::permit::{Permit, Refused, Work, permit, refusal, refusal_of_invalid};
use exacta_kernel::proposal::Domain;
use serde_json::{Value, json};

/// The answer in the words of the case table.
fn word(answer: &Result<Permit, Refused>) -> String {
    let refused = match answer {
        Ok(_) => return "permit".to_owned(),
        Err(refused) => refused,
    };
    let said = refused.to_string();
    match refused {
        Refused::NotApproved(_) => "not approved".to_owned(),
        Refused::HashMismatch => "hash mismatch".to_owned(),
        Refused::Expired(drifts) => {
            assert!(drifts.iter().any(|drift| drift.answer == Answer::Expired && said.contains(&drift.message)));
            "expired".to_owned()
        }
        Refused::Regenerate(drifts) => {
            assert!(drifts.iter().any(|drift| drift.answer == Answer::Regenerate && said.contains(&drift.message)));
            "regenerate".to_owned()
        }
        Refused::Denied(verdicts) => {
            let denied = verdicts.gates().iter().find(|gate| gate.verdict == verdicts.verdict()).unwrap();
            assert!(said.contains(&denied.reason), "{said}");
            "denied".to_owned()
        }
        Refused::NeedsApproval { drifts, .. } if !drifts.is_empty() => {
            assert!(drifts.iter().all(|drift| said.contains(&drift.message)), "{said}");
            "needs approval again".to_owned()
        }
        Refused::NeedsApproval { error, .. } => error.as_ref().map_or("needs approval".to_owned(), |error| {
            assert!(said.contains(&error.to_string()), "{said}");
            format!("needs approval: {error}")
        }),
        other => format!("{other:?}"),
    }
}

/// INV-PLAN-2: an approval of another plan, of an older one, or over another state of things does not count.
#[test]
fn every_approval_counts_exactly_where_it_should() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../cases/spine/permit.json")).unwrap();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let mut scene = Scene::new();
        scene.change(&case["now"]);
        if let Some(version) = case["version"].as_u64() {
            scene.identity.version = version;
        }
        let list = case["approvals"].as_array().cloned().unwrap_or_default();
        let approvals: Vec<_> = list.iter().map(|signed| scene.signed(signed)).collect();
        let status = Status::parse(case["status"].as_str().unwrap()).unwrap();
        let mut recorded = scene.recorded(status);
        if let Some(text) = case["recorded"].as_str() {
            recorded.plan_hash = Digest::of(text.as_bytes());
        }
        let would = refusal(&recorded, &scene.decision(), scene.approval(&approvals).as_ref(), &scene.present());
        let answer = permit(&recorded, scene.decision(), scene.approval(&approvals), scene.present(), run_id());
        assert_eq!(would.as_ref(), answer.as_ref().err(), "{name}: what is told beforehand");
        let (found, expected) = (word(&answer), case["expect"].as_str().unwrap());
        let fits = match expected.split_once(": ") {
            Some((_, words)) => {
                found.starts_with("needs approval: ") && words.split(' ').all(|word| found.contains(word))
            }
            None => found == expected,
        };
        assert!(fits, "{name}: expected `{expected}`, found `{found}`");
        if let Ok(permit) = answer {
            let work = permit.work();
            assert_eq!((work.run_id(), work.plan_id()), (&run_id(), &scene.identity.plan_id), "{name}");
            assert_eq!(work.correlation_id(), &scene.identity.correlation_id, "{name}");
            assert_eq!(work.undoes(), None, "{name}");
            assert_eq!(work.is_automatic(), approvals.is_empty(), "{name}");
            assert_eq!(work.changes(), scene.plan.plan().changes(), "{name}");
            let changed = case["now"].as_object().is_some_and(|now| {
                ["policy", "profile", "ceiling"].iter().any(|key| now.contains_key(*key))
                    || now.get("model").is_some_and(|it| it["version"].is_string())
            });
            assert_eq!(work.plan_hash() != scene.made_hash, changed, "{name}: the hash that counts");
            assert_eq!(permit.into_work().changes().len(), 2, "{name}");
        }
    }
}

/// A plan with a step that nobody performs, here a draft that no file can be named after, becomes no work, whoever approved it.
#[test]
fn what_nothing_executes_gets_no_permit() {
    let mut scene = Scene::new();
    let draft = json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "Custom", "text": "note what the invoice says" },
        "autopilot": { "recipe": "Custom" },
        "steps": [{ "id": "s:1", "order": 1, "type": "write_outcome_draft", "target": "outbox", "dependencies": [],
                    "description": "note what it says", "body": "It was paid." }],
    });
    scene.plan = valid(&draft, &scene.facts);
    scene.identity.binding.targets.clear();
    scene.made_hash = scene.identity.plan_hash(scene.plan.plan().content_hash()).unwrap();
    let approval = scene.approval(&[scene.signed(&Value::Null)]);
    let answer = permit(&scene.recorded(Status::UserApproved), scene.decision(), approval, scene.present(), run_id());
    assert!(matches!(answer, Err(Refused::NoExecutor(Domain::Autopilot))));
}

/// Work outside the project: a run of one draft, approved.
pub fn outside(scene: &mut Scene) -> Work {
    let draft = json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "Custom", "text": "write down what changed" },
        "autopilot": { "recipe": "Custom" },
        "steps": [{ "id": "s1", "order": 1, "type": "write_outcome_draft", "target": "outbox", "dependencies": [],
                    "description": "write down what changed", "title": "Changed", "body": "one line\n" }],
    });
    scene.plan = valid(&draft, &scene.facts);
    scene.identity.binding.targets.clear();
    scene.made_hash = scene.identity.plan_hash(scene.plan.plan().content_hash()).unwrap();
    let approval = scene.approval(&[scene.signed(&Value::Null)]);
    let permit = permit(&scene.recorded(Status::UserApproved), scene.decision(), approval, scene.present(), run_id());
    permit.unwrap().into_work()
}

/// A plan whose steps all carry their bytes becomes work outside the project, and none for the executor of files.
#[test]
fn what_is_done_elsewhere_is_permitted_to_the_byte() {
    let work = outside(&mut Scene::new());
    assert!(work.is_outside() && work.changes().is_empty());
    let places: Vec<&str> = work.effects().iter().map(|effect| effect.place().as_str()).collect();
    assert_eq!(places, [format!("outbox/{}/s1.txt", run_id())]);
}

/// What is said of a recorded plan that is no longer valid: that it was never approved or is over, before what the gates say.
#[test]
fn a_plan_that_is_no_longer_valid_is_refused_for_what_ended_it() {
    let cases: [(Status, Value, &str); 4] = [
        (Status::Pending, json!({}), "not approved"),
        (Status::UserApproved, json!({ "seconds": 1800 }), "expired"),
        (Status::UserApproved, json!({}), "denied"),
        (Status::AutoApproved, json!({ "model": { "model": "opus" } }), "denied"),
    ];
    for (status, now, expected) in cases {
        let mut scene = Scene::new();
        scene.change(&now);
        scene.safety = "protected_paths = ['a.txt']\n".to_owned();
        let decision = scene.decision();
        let refused = refusal_of_invalid(&scene.recorded(status), decision.verdicts(), &scene.present());
        assert_eq!(word(&Err(refused)), expected, "{status} {now}");
    }
}

#[test]
fn a_removed_approver_and_a_name_given_twice() {
    let mut scene = Scene::new();
    let signed = [scene.signed(&Value::Null)];
    let ask = |scene: &Scene| {
        let recorded = scene.recorded(Status::UserApproved);
        word(&permit(&recorded, scene.decision(), scene.approval(&signed), scene.present(), run_id()))
    };
    assert_eq!(ask(&scene), "permit");
    scene.approvers[0].removed_at = Some(scene.now);
    assert!(ask(&scene).contains("removed"), "{}", ask(&scene));
    // Listed again with another key: the old signature stays void. With the old key: it counts again.
    scene.approvers.push(super::scene::approver("ann", 7));
    assert!(ask(&scene).contains("signature"), "{}", ask(&scene));
    scene.approvers.push(super::scene::approver("ann", 1));
    assert_eq!(ask(&scene), "permit");
}
