//! The story of a plan, told by the real binary.

use crate::world::{Done, World, redact, shape};
use exacta_testkit::output;
use serde_json::{Value, json};

/// A well-made fix of `greet.txt` with nothing else in it.
pub fn fix() -> Value {
    json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "FixBug", "text": "the greeting names the wrong place", "target": { "files": ["greet.txt"] } },
        "steps": [{
            "id": "s1", "order": 1, "type": "file_modify", "target": "greet.txt",
            "description": "Name the right place in the second line of the greeting.",
            "dependencies": [],
            "edits": [{ "find": "world\n", "replace": "there\n" }]
        }]
    })
}

/// The fix, a new file that depends on it, and a deletion.
pub fn three_steps() -> Value {
    let mut plan = fix();
    let more = [
        json!({
            "id": "s2", "order": 2, "type": "file_create", "target": "tests/greet_test.py",
            "description": "Add a regression test for the greeting.", "dependencies": ["s1"],
            "content": "def test_greeting():\n    assert open(\"greet.txt\").read() == \"hello\\nthere\\n\"\n"
        }),
        json!({
            "id": "s3", "order": 3, "type": "file_delete", "target": "src/main.py",
            "description": "Delete the entry point, which nothing uses.", "dependencies": []
        }),
    ];
    plan["steps"].as_array_mut().unwrap().extend(more);
    plan
}

pub fn submit(world: &World, plan: &Value) -> Done {
    world.pipe(&["submit", "-", "--json"], plan.to_string().as_bytes())
}

pub fn id(done: &Done) -> String {
    done.json()["plan_id"].as_str().unwrap().to_owned()
}

#[test]
fn submitted_approved_executed_undone_verified() {
    let world = World::begun();
    let submitted = submit(&world, &fix()).expect(30);
    assert_eq!(submitted.json()["status"], "pending");
    let id = id(&submitted);
    world.run(&["execute", &id]).expect(30);
    assert_eq!(world.read("greet.txt"), "hello\nworld\n", "nothing runs before it is approved");

    let approved = world.run(&["approve", &id, "--approver-key", &world.key(), "--json"]).expect(0).json();
    assert_eq!((&approved["status"], &approved["plan_id"]), (&json!("user_approved"), &json!(id)));
    assert_eq!(world.read("greet.txt"), "hello\nworld\n", "approving does not execute");

    let run = world.run(&["execute", &id, "--json"]).expect(0).json();
    assert_eq!(run["outcome"], "completed");
    assert_eq!(run["steps"][0]["path"], "greet.txt");
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    let again = world.run(&["execute", &id, "--json"]).expect(40).json();
    assert_eq!((&again["outcome"], &again["error"]["code"]), (&json!("refused"), &json!("already_run")));

    let undone = world.run(&["undo", "--approver-key", &world.key(), "--json"]).expect(0).json();
    assert_eq!(undone["outcome"], "completed");
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
    world.run(&["audit", "verify"]).expect(0);
    world.run(&["status"]).expect(0);
}

#[test]
fn the_machine_readable_face() {
    let world = World::begun();
    let plan = fix().to_string();
    let check = world.pipe(&["check", "-", "--json"], plan.as_bytes()).expect(30);
    insta::assert_snapshot!("check-json", pretty(&shape(&check.json())));
    let submitted = submit(&world, &fix()).expect(30);
    insta::assert_snapshot!("submit-json", pretty(&shape(&submitted.json())));
    let id = id(&submitted);
    let shown = world.run(&["show", &id, "--json"]).expect(0).json();
    for field in ["schema", "content_hash", "plan_id", "plan_hash", "status", "decision", "risk", "quality", "findings"]
    {
        assert_eq!(shown[field], submitted.json()[field], "{field}");
    }
    let refused = world.pipe(&["check", "-", "--json"], b"no plan at all").expect(10);
    insta::assert_snapshot!("refused-json", redact(&pretty(&refused.json())));
    let unknown = world.run(&["show", "ffffffff", "--json"]).expect(2);
    insta::assert_snapshot!("error-json", redact(&pretty(&unknown.json())));
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn what_people_read() {
    let world = World::begun();
    let plan = three_steps().to_string();
    let brief =
        ["FixBug  pending", "decision CONFIRM", "  M greet.txt  +1 -1", "\n-world\n+there\n", "\nasking because "];
    let rest = ["\ngates\n", "\nrisk ", "\nquality ", "after s1", "\nhash "];
    let verbose = world.pipe(&["check", "-", "--verbose"], plan.as_bytes()).expect(30);
    let submitted = world.pipe(&["submit", "-"], plan.as_bytes()).expect(30);
    for part in brief {
        assert!(submitted.out.contains(part), "`{part}` is missing: {}", submitted.out);
    }
    for part in rest {
        assert!(verbose.out.contains(part), "`{part}` is missing: {}", verbose.out);
        assert!(!submitted.out.contains(part), "`{part}` belongs to `--verbose`: {}", submitted.out);
    }
    let poor = json!({ "schema": "exacta.plan/1", "intent": { "type": "FixBug", "text": "fixes" }, "steps": [
        { "type": "file_modify", "target": "src/main.py", "description": "fixes", "content": "def main():\n    pass\n" } ] });
    let denied = world.pipe(&["check", "-"], poor.to_string().as_bytes()).expect(10);
    assert!(denied.out.contains("denied because ") && denied.out.contains("hint: "), "{}", denied.out);
    assert!(submitted.err.contains("exacta review"), "{}", submitted.err);
    insta::assert_snapshot!("profile-list", world.run(&["profile", "list"]).expect(0).out);
    let listed = world.run(&["list"]).expect(0).out;
    assert!(listed.contains("pending") && listed.contains("the greeting names"), "{listed}");
    let status = world.run(&["status"]).expect(0).out;
    assert!(status.contains("waiting for a person") && status.contains("SAFE"), "{status}");
}

#[test]
fn some_steps_become_a_plan_of_their_own() {
    let world = World::begun();
    let whole = id(&submit(&world, &three_steps()).expect(30));
    world.run(&["approve", &whole, "--steps", "s2", "--approver-key", &world.key()]).expect(10);
    world.run(&["approve", &whole, "--steps", "s9", "--approver-key", &world.key()]).expect(2);
    let other = id(&submit(&world, &three_steps()).expect(30));
    let refused = world.run(&["approve", &other, "--steps", "", "--approver-key", &world.key(), "--json"]).expect(0);
    assert_eq!(refused.json()["status"], "rejected", "nothing selected is a rejection");
    let derived =
        world.run(&["approve", &whole, "--steps", "s1,s2", "--approver-key", &world.key(), "--json"]).expect(30);
    let part = id(&derived);
    assert_ne!(part, whole);
    assert_eq!(derived.json()["detail"]["steps"].as_array().unwrap().len(), 2);
    world.run(&["approve", &part, "--approver-key", &world.key()]).expect(0);
    assert_eq!(world.run(&["show", &whole, "--json"]).expect(0).json()["status"], "expired");
    world.run(&["execute", &part]).expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    assert!(world.read("src/main.py").contains("main()"), "the deletion was not approved");
}

#[test]
fn a_plan_that_nothing_carries_out_is_told_so() {
    let world = World::begun();
    let plan = json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "InboxTriage", "text": "Sort my inbox and draft an answer to each mail" },
        "autopilot": { "recipe": "InboxTriage", "inbox_source_text": "When will the invoice come?" },
        "steps": [
            { "id": "s1", "order": 1, "type": "read_forwarded_email", "target": "inbox",
              "description": "Read the mail that was forwarded", "dependencies": [] },
            { "id": "s2", "order": 2, "type": "triage_email", "target": "inbox",
              "description": "Sort the mails by what they ask for", "dependencies": ["s1"] },
            { "id": "s3", "order": 3, "type": "write_outcome_draft", "target": "outcome",
              "description": "Note which mail waits for which answer", "dependencies": ["s2"], "body": "The invoice.\n" },
            // No file can have this name, so that nothing writes the draft.
            { "id": "s:4", "order": 4, "type": "write_email_draft", "target": "mail",
              "description": "Draft an answer to the mail about the invoice", "dependencies": ["s3"],
              "to": [], "subject": "The invoice", "body": "Dear Anna\n" },
        ],
    });
    let id = id(&submit(&world, &plan).expect(30));
    let approved = world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    assert!(approved.err.contains("nothing runs steps of the autopilot domain"), "{}", approved.err);
    assert!(!approved.err.contains("exacta execute"), "{}", approved.err);
    world.run(&["execute", &id]).expect(10);
}

#[test]
fn rejected_is_final() {
    let world = World::begun();
    let id = id(&submit(&world, &fix()).expect(30));
    let rejected = world.run(&["reject", &id, "--reason", "no", "--approver-key", &world.key(), "--json"]).expect(0);
    assert_eq!(rejected.json()["status"], "rejected");
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(40);
    world.run(&["execute", &id]).expect(10);
}

#[test]
fn a_request_for_changes_is_answered_by_the_next_version() {
    let world = World::begun();
    let first = id(&submit(&world, &fix()).expect(30));
    world.run(&["revise", &first, "say hi instead", "--approver-key", &world.key()]).expect(0);
    let shown = world.run(&["show", &first]).expect(0).out;
    assert!(shown.contains("say hi instead"), "{shown}");
    let mut plan = fix();
    plan["steps"][0]["edits"][0]["replace"] = "hi\n".into();
    let path = world.file("second.json", plan.to_string());
    let second = world.run(&["submit", &path, "--revises", &first, "--json"]).expect(30);
    assert_eq!(second.json()["detail"]["version"], 2);
}

#[test]
fn drift_expires_a_plan_and_resubmitting_revives_it() {
    let world = World::begun();
    let id = id(&submit(&world, &fix()).expect(30));
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    world.write("greet.txt", "hello\nbig\nworld\n");
    world.run(&["execute", &id]).expect(40);
    assert_eq!(world.read("greet.txt"), "hello\nbig\nworld\n");
    let again = world.run(&["resubmit", &id, "--json"]).expect(30).json();
    assert_ne!(again["plan_id"], json!(id));
}

#[test]
fn only_late_plans_are_resubmitted() {
    let world = World::begun();
    let refused = |id: &str, command: &str| {
        let done = world.run(&["resubmit", id]).expect(40);
        assert!(done.err.contains(command), "{}", done.err);
    };
    let first = id(&submit(&world, &fix()).expect(30));
    refused(&first, "exacta review");
    assert_eq!(world.run(&["show", &first, "--json"]).json()["status"], "pending", "it is still there");
    world.run(&["approve", &first, "--approver-key", &world.key()]).expect(0);
    refused(&first, "exacta execute");
    world.run(&["execute", &first]).expect(0);
    world.run(&["undo", "--approver-key", &world.key()]).expect(0);
    let again = id(&world.run(&["resubmit", &first, "--json"]).expect(30));
    world.run(&["reject", &again, "--approver-key", &world.key()]).expect(0);
    refused(&again, "exacta submit");
}

#[test]
fn init_does_what_it_is_asked_or_nothing() {
    let world = World::new();
    let refused = world.run(&["init", "--approver", "tester", "--no-passphrase", "--profile", "DEV"]).expect(30);
    assert!(refused.err.contains("exacta profile set"), "{}", refused.err);
    assert!(!world.project().join(".exacta").exists() && !world.home().join("keys").exists(), "nothing was made");
    world.run(&["init", "--approver", "tester", "--no-passphrase"]).expect(0);
    world.run(&["init", "--approver", "tester"]).expect(0);
    let other = world.run(&["init", "--approver", "other", "--no-passphrase"]).expect(2);
    assert!(other.err.contains("tester") && other.err.contains("exacta approver add"), "{}", other.err);
    let raised = world.run(&["init", "--profile", "DEV", "--approver-key", &world.key(), "--json"]).expect(0).json();
    assert_eq!(raised["profile"]["in_force"], "DEV");
}

#[test]
fn a_hash_that_was_not_shown_approves_nothing() {
    let world = World::begun();
    let submitted = submit(&world, &fix()).expect(30);
    let (id, hash) = (id(&submitted), submitted.json()["plan_hash"].as_str().unwrap().to_owned());
    for (wrong, code) in [("00000000", 40), ("", 2), (&hash[..4], 2)] {
        world.run(&["approve", &id, "--hash", wrong, "--approver-key", &world.key()]).expect(code);
    }
    world.run(&["approve", &id, "--hash", &hash[..8], "--approver-key", &world.key()]).expect(0);
}

#[test]
fn without_a_person_nothing_is_decided() {
    let world = World::begun();
    let id = id(&submit(&world, &fix()).expect(30));
    for args in [
        vec!["approve", &id],
        vec!["reject", &id],
        vec!["revise", &id, "x"],
        vec!["review", &id],
        vec!["profile", "set", "DEV"],
        vec!["policy", "reset"],
        vec!["approver", "add", "second", "--no-passphrase"],
    ] {
        let said = world.pipe(&args, b"y\ny\nyes\n").expect(30);
        assert!(said.err.contains("person") || said.err.contains("approver"), "{args:?}: {}", said.err);
    }
    assert_eq!(world.run(&["show", &id, "--json"]).json()["status"], "pending");
}

#[test]
fn profiles_rise_with_a_key_and_never_above_the_ceiling() {
    let world = World::begun();
    world.run(&["profile", "set", "FULL-AUTO", "--approver-key", &world.key()]).expect(20);
    world.run(&["profile", "set", "dev", "--approver-key", &world.key()]).expect(0);
    let current = world.run(&["profile", "current", "--json"]).expect(0).json();
    assert_eq!(current["in_force"], "DEV");
    world.run(&["profile", "set", "SAFE"]).expect(0);
}

#[test]
fn in_dev_a_good_low_risk_change_runs_by_itself() {
    let world = World::begun();
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    let path = world.file("plan.json", fix().to_string());
    let ran = world.run(&["run", &path, "--json"]).expect(0).json();
    assert_eq!((&ran["outcome"], &ran["status"]), (&json!("completed"), &json!("auto_approved")));
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    let limited = world.run(&["run", &path, "--constraint", "MUST_NOT touch `greet.txt`"]).code;
    assert_eq!(limited, 10);
}

#[test]
fn events_are_lines_and_the_result_is_the_last() {
    let world = World::begun();
    let id = id(&submit(&world, &fix()).expect(30));
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    let done = world.run(&["execute", &id, "--events"]).expect(0);
    let lines: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().any(|line| line["event"] == "step_done"), "{}", done.out);
    assert_eq!(lines.last().unwrap()["outcome"], "completed");
}

#[test]
fn a_run_in_the_background() {
    let world = World::begun();
    let id = id(&submit(&world, &fix()).expect(30));
    let refused = world.run(&["execute", &id, "--detach", "--json"]).expect(30).json();
    assert_eq!(refused["outcome"], "refused");
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    let started = world.run(&["execute", &id, "--detach", "--json"]).expect(0).json();
    assert!(["running", "completed"].contains(&started["outcome"].as_str().unwrap()), "{started}");
    world.run(&["status", "--watch"]).expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    // As text it is told by its id, whether it is over by then or not.
    world.write("greet.txt", "hello\nworld\n");
    let id = self::id(&world.run(&["resubmit", &id, "--json"]).expect(30));
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    let told = world.run(&["execute", &id, "--detach"]).expect(0).out;
    world.run(&["status", "--watch"]).expect(0);
    let run = world.run(&["show", &id, "--json"]).expect(0).json()["run"]["run_id"].clone();
    assert!(told.starts_with(&format!("run {}", run.as_str().unwrap())), "{told}");
}

#[test]
fn ended_sessions_expire_their_plans() {
    let world = World::begun();
    let id = id(&submit(&world, &fix()).expect(30));
    world.run(&["session", "show"]).expect(0);
    world.run(&["session", "end"]).expect(0);
    assert_eq!(world.run(&["show", &id, "--json"]).expect(0).json()["status"], "expired");
}

#[test]
fn the_log_is_listed_shown_and_proved() {
    let world = World::begun();
    let id = id(&submit(&world, &fix()).expect(30));
    let listed = world.run(&["audit", "list", "--json"]).expect(0).json();
    let entries = listed["entries"].as_array().unwrap();
    assert!(entries.iter().any(|entry| entry["event"] == "plan_created"), "{listed}");
    assert!(world.run(&["audit", "list", "--plan", &id]).expect(0).out.contains("plan_created"));
    world.run(&["audit", "show", "0"]).expect(0);
    world.run(&["audit", "show", "9999"]).expect(2);
    assert!(!world.run(&["audit", "prove", "0"]).expect(0).out.is_empty());
    world.run(&["audit", "prove", "9999"]).expect(2);
    let proved = world.run(&["audit", "prove", "0", "--json"]).expect(0).json();
    let key = proved["verifier_key"].as_str().unwrap();
    assert_eq!(world.run(&["audit", "verify", "--json"]).expect(0).json()["verifier_key"], key);
    assert!(world.run(&["audit", "verify"]).expect(0).out.ends_with(&format!("verifier key {key}\n")));
    let verifier = signed_note::StandardVerifier::new(key).unwrap();
    let note = signed_note::Note::from_bytes(world.read(".exacta/checkpoint").as_bytes()).unwrap();
    note.verify(&signed_note::VerifierList::new(vec![Box::new(verifier)])).unwrap();
}

#[test]
fn approvers_are_added_listed_and_removed() {
    let world = World::begun();
    let key = world.key();
    let added =
        world.run(&["approver", "add", "second", "--no-passphrase", "--approver-key", &key, "--json"]).expect(0);
    let path = added.json()["key_path"].as_str().unwrap().to_owned();
    let id = id(&submit(&world, &fix()).expect(30));
    world.run(&["approver", "remove", "second", "--approver-key", &key]).expect(0);
    let refused = world.run(&["approve", &id, "--approver-key", &path]).expect(10);
    assert!(refused.err.contains("second"), "{}", refused.err);
    let listed = world.run(&["approver", "list"]).expect(0).out;
    assert!(listed.contains("tester") && listed.contains("removed"), "{listed}");
    world.run(&["approver", "add", "../x", "--no-passphrase", "--approver-key", &key]).expect(2);
    // Nobody is asked for what cannot be.
    for (name, why) in [("nobody", "no approver"), ("second", "no approver"), ("tester", "last")] {
        let refused = world.run(&["approver", "remove", name]).expect(2);
        assert!(refused.err.contains(why), "{}", refused.err);
    }
}

#[test]
fn a_lost_key_is_replaced_by_a_new_first_one() {
    let world = World::begun();
    let id = id(&submit(&world, &fix()).expect(30));
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    let list = world.home().join("approvers.toml");
    std::fs::rename(&list, list.with_extension("lost")).unwrap();
    world.run(&["init", "--approver", "second", "--no-passphrase"]).expect(0);
    world.run(&["execute", &id]).expect(30);
    let new = world.home().join("keys/second.key").display().to_string();
    world.run(&["approve", &id, "--approver-key", &new]).expect(0);
    world.run(&["execute", &id]).expect(0);
    assert!(world.run(&["audit", "list"]).expect(0).out.contains("approver `second` added"));
    world.run(&["audit", "verify"]).expect(0);
}

#[test]
fn the_policy_is_shown_checked_set_and_reset() {
    let world = World::begun();
    let key = world.key();
    let text = world.run(&["policy", "show"]).expect(0).out;
    let file = world.file("policy.toml", &text);
    world.run(&["policy", "check", &file]).expect(0);
    world.run(&["policy", "set", &file, "--approver-key", &key]).expect(0);
    let broken = world.file("broken.toml", "version = \"1\"\nceilin = \"SAFE\"\n");
    let said = world.run(&["policy", "check", &broken]).expect(10);
    assert!(said.err.contains("broken.toml:2"), "{}", said.err);
    assert_ne!(world.run(&["policy", "set", &broken, "--approver-key", &key]).code, 0);
    world.run(&["policy", "reset", "--approver-key", &key]).expect(0);
    let plan = world.file("plan.json", fix().to_string());
    assert!(world.run(&["policy", "explain", &plan]).expect(0).out.contains("profile set DEV"));
    let supposed = world.run(&["policy", "explain", "--operation", "file_delete", "--risk", "70"]).expect(0).out;
    assert!(supposed.contains("CONFIRM") && supposed.contains("risk 70"), "{supposed}");
    world.run(&["policy", "explain", "--operation", "fly"]).expect(2);
    world.run(&["policy", "explain", "--path", "../x"]).expect(2);
}

#[test]
fn patches_become_plans() {
    let world = World::begun();
    let git = "diff --git a/greet.txt b/greet.txt\n--- a/greet.txt\n+++ b/greet.txt\n@@ -1,2 +1,2 @@\n hello\n-world\n+there\n";
    let codex = "*** Begin Patch\n*** Update File: greet.txt\n@@\n hello\n-world\n+there\n*** End Patch\n";
    let mut hashes = Vec::new();
    for (form, patch) in [("--from-git", git), ("--from-codex", codex)] {
        let args =
            ["check", "-", form, "--intent", "FixBug", "--text", "name the right place", "--json", "--with=diff"];
        let view = world.pipe(&args, patch.as_bytes());
        let view = view.json();
        assert_eq!(view["target_files"], json!(["greet.txt"]), "{view}");
        hashes.push(view["detail"]["steps"][0]["diff"].clone());
        world.pipe(&["check", "-", form], b"no patch").expect(10);
        // The form is found by itself.
        let args = ["check", "-", "--intent", "FixBug", "--text", "name the right place", "--json"];
        let found = world.pipe(&args, patch.as_bytes()).json();
        assert_eq!(
            (&found["content_hash"], found["target_files"].is_array()),
            (&view["content_hash"], true),
            "{found}"
        );
    }
    assert_eq!(hashes[0], hashes[1]);
    let added = ["a", "b", "c"].map(|name| format!("*** Add File: {name}.txt\n+the {name}\n")).concat();
    let patch = format!("*** Begin Patch\n{added}*** End Patch\n");
    let view = world.pipe(&["check", "-", "--from-codex", "--json"], patch.as_bytes()).expect(30).json();
    assert_eq!(view["quality"]["level"], "good", "{view}");
    world.pipe(&["check", "-", "--from-git", "--from-codex"], git.as_bytes()).expect(2);
}

#[test]
fn the_demo_tells_its_story_and_leaves_nothing_behind() {
    let world = World::new();
    let temp = world.file("tmp", "");
    std::fs::remove_file(&temp).unwrap();
    std::fs::create_dir(&temp).unwrap();
    let told = crate::world::done(output(world.command(&["demo"]).env("TMPDIR", &temp))).expect(0);
    for part in
        ["(played)", "PLAN_PATH_OUTSIDE", "private key", "completed", "byte for byte", "verifies", "exacta init"]
    {
        assert!(told.out.contains(part), "`{part}` is missing: {}", told.out);
    }
    assert_eq!(std::fs::read_dir(&temp).unwrap().count(), 0);
    assert!(!world.home().exists());
}
