//! Attack 8: what is kept and shown of a plan that adds a secret, and of one whose file holds one.

use crate::place::{Place, id, plan};
use exacta_app::{Request, check};
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use serde_json::{Value, json};

const BESIDE: &str = "canaryword-of-the-same-plan";

fn token() -> String {
    ["gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"].concat()
}

fn step(kind: &str, target: &str, payload: Value) -> Value {
    let mut step = json!({
        "id": "s1", "order": 1, "type": kind, "target": target, "dependencies": [],
        "description": "read the token from the environment",
    });
    step.as_object_mut().unwrap().extend(payload.as_object().unwrap().clone());
    step
}

/// Everything in the record and in the user's folder, as text.
fn kept(place: &Place) -> String {
    let mut all = String::new();
    let mut folders = vec![place.options.project.clone().unwrap().join(".exacta"), place.folder.path().join("home")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                all.push_str(&String::from_utf8_lossy(&std::fs::read(path).unwrap()));
            }
        }
    }
    all
}

#[test]
fn attack_08_of_a_denied_plan_only_places_are_kept_and_told() {
    let bad = step(
        "file_modify",
        "missing.py",
        json!({ "id": "s2", "order": 2, "edits": [{ "find": token(), "replace": BESIDE }] }),
    );
    let good = step(
        "file_create",
        "conf.py",
        json!({ "content": format!("a = 1\nt = '{}'\n# {BESIDE}\n", token()), "description": BESIDE }),
    );
    for steps in [vec![good.clone()], vec![good, bad]] {
        let place = Place::new();
        let text = plan("AddFeature", &format!("add it {BESIDE}"), json!(steps));
        let checked = check(&place.options, text.as_bytes(), &Request::default()).unwrap();
        let view = place.submit(&text);
        assert_eq!((view.status, view.withheld, checked.withheld), (Some(Status::Rejected), true, true));
        let reasons: Vec<&str> = view.gates.iter().map(|gate| gate.reason.as_str()).collect();
        assert!(
            reasons.iter().any(|reason| reason.starts_with("secret (GitHub token): `conf.py`, line 2")),
            "{reasons:?}"
        );
        let told = [&checked, &view].map(|view| serde_json::to_string(view).unwrap()).concat();
        let shown = serde_json::to_string(&place.app().show(&id(&view)).unwrap()).unwrap();
        for canary in [token().as_str(), BESIDE] {
            assert!(!told.contains(canary) && !shown.contains(canary), "{canary} in {told} {shown}");
            assert!(!kept(&place).contains(canary), "{canary}");
        }
    }
}

#[test]
fn attack_08_a_secret_that_goes_or_stays_denies_nothing_and_is_kept_nowhere() {
    let before = format!("import os\nt = '{}'\nlimit = 3\n", token());
    let diff =
        format!("--- a/c.py\n+++ b/c.py\n@@ -1,3 +1,3 @@\n import os\n t = '{}'\n-limit = 3\n+limit = 5\n", token());
    for payload in [
        json!({ "edits": [{ "find": format!("t = '{}'", token()), "replace": "t = os.environ['T']" }] }),
        json!({ "diff": diff }),
        json!({ "content": before.replace("limit = 3", "limit = 5") }),
    ] {
        let place = Place::new();
        place.write("c.py", &before);
        let view = place.submit(&plan(
            "FixBug",
            "read the token from the environment, raise the limit",
            json!([step("file_modify", "c.py", payload)]),
        ));
        assert_eq!((view.decision, view.status), (Verdict::Confirm, Some(Status::Pending)), "{:#?}", view.gates);
        place.approve(&id(&view)).unwrap();
        place.app().end_session().unwrap();
        let again = place.app().resubmit(&id(&view)).unwrap();
        assert_eq!(again.content_hash, view.content_hash);
        assert!(!kept(&place).contains(&token()));
        place.approve(&id(&again)).unwrap();
        let run = place.execute(&id(&again)).unwrap();
        assert_ne!(place.read("c.py").unwrap(), before);
        let undo = serde_json::to_string(&place.app().undo_preview(Some(&run.run_id)).unwrap()).unwrap();
        assert!(!undo.contains(&token()), "{undo}");
        place.undo(&run.run_id).unwrap();
        assert_eq!(place.read("c.py").unwrap(), before);
    }
}
