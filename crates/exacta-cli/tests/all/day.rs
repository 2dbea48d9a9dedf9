//! The commands of every day: the patch of a plan, what happened, the policy changed key by key.

use crate::story::{fix, id, submit, three_steps};
use crate::world::{EXACTA, World};
use exacta_testkit::succeeds;
use serde_json::{Value, json};
use std::process::Command;

fn git(world: &World, args: &[&str]) {
    let quiet = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.autocrlf=false"];
    succeeds(Command::new("git").args(quiet).args(args).current_dir(world.project()));
}

/// What `exacta diff` prints is taken by `git apply`, and gives what a run gives: to the byte, modes and names included.
#[test]
fn the_patch_of_a_plan_is_what_a_run_does() {
    let world = World::begun();
    let mut plan = three_steps();
    plan["steps"].as_array_mut().unwrap().push(json!({
        "id": "s4", "order": 4, "type": "file_create", "target": "bin/a b.sh", "dependencies": [],
        "description": "Add a script that greets, with a space in its name.",
        "diff": "diff --git a/bin/a b.sh b/bin/a b.sh\nnew file mode 100755\n--- /dev/null\n+++ b/bin/a b.sh\t\n@@ -0,0 +1,2 @@\n+#!/bin/sh\r\n+echo \u{e4}\tno end\n\\ No newline at end of file\n",
    }));
    let id = id(&submit(&world, &plan).expect(30));
    let patch = world.run(&["diff", &id]).expect(0).out;
    assert!(patch.starts_with("diff --git ") && patch.contains("new file mode 100755"), "{patch}");
    assert_eq!(world.run(&["diff"]).expect(0).out, patch, "the newest that waits is the default");
    let told = world.run(&["diff", &id, "--json"]).expect(0).json();
    assert_eq!((&told["exact"], &told["patch"]), (&json!(true), &json!(patch)));

    let files = ["greet.txt", "tests/greet_test.py", "bin/a b.sh"];
    let file = world.file("plan.patch", &patch);
    git(&world, &["init", "-q"]);
    git(&world, &["apply", &file]);
    let applied = files.map(|file| world.read(file));
    assert!(!world.project().join("src/main.py").exists());
    git(&world, &["apply", "-R", &file]);
    let hash = world.run(&["show", &id, "--json"]).json()["plan_hash"].as_str().unwrap().to_owned();
    world.run(&["approve", &id, "--hash", &hash, "--approver-key", &world.key(), "--run"]).expect(0);
    assert_eq!(files.map(|file| world.read(file)), applied);

    let over = world.run(&["diff", &id]).expect(0);
    assert!(over.err.contains("the plan is over") && over.out.contains("+there"), "{over:?}");
}

#[test]
fn a_patch_never_holds_a_secret_or_live_characters() {
    let world = World::begun();
    let token = ["gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"].concat();
    world.write("c.py", &format!("token = '{token}'\nlimit = 4\n"));
    let mut plan = fix();
    plan["intent"]["target"] = Value::Null;
    plan["intent"].as_object_mut().unwrap().remove("target");
    plan["steps"][0]["target"] = json!("c.py");
    plan["steps"][0]["edits"] = json!([{ "find": "limit = 4", "replace": "limit = 5" }]);
    let id = id(&submit(&world, &plan).expect(30));
    let refused = world.run(&["diff", &id]).expect(10);
    assert!(refused.err.contains("holds a secret") && !format!("{refused:?}").contains(&token), "{refused:?}");
    let plan = {
        let mut plan = fix();
        plan["steps"][0]["edits"] = json!([{ "find": "world\n", "replace": "the\u{1b}[31mre\n" }]);
        plan
    };
    let told = submit(&world, &plan);
    if let Some(id) = told.json()["plan_id"].as_str() {
        let shown = world.terminal(&["diff", id]).end();
        assert!(!shown.out.contains("\u{1b}[31mre"), "{}", shown.out);
    }
}

#[test]
fn the_log_tells_what_happened_with_titles() {
    let world = World::begun();
    let plan = id(&submit(&world, &fix()).expect(30));
    let hash = world.run(&["show", &plan, "--json"]).json()["plan_hash"].as_str().unwrap().to_owned();
    world.run(&["approve", &plan, "--hash", &hash, "--approver-key", &world.key(), "--run"]).expect(0);
    world.run(&["undo", "--approver-key", &world.key(), &plan]).expect(0);
    let log = world.run(&["log", "--patch"]).expect(0).out;
    let places = ["undone", "applied", "+there", "approved", "submitted"].map(|word| log.find(word).expect(word));
    assert!(places.is_sorted(), "newest first\n{log}");
    assert!(log.contains("the greeting names the wrong place") && log.contains("by tester"), "{log}");
    let one = world.run(&["log", "--limit", "1", "--json"]).expect(0).json();
    assert_eq!((&one["entries"][0]["event"], &one["more"]), (&json!("run_undone"), &json!(true)));
    let of_plan = world.run(&["log", &plan, "--json"]).expect(0).json();
    for entry in of_plan["entries"].as_array().unwrap() {
        assert_eq!((&entry["plan_id"], &entry["text"]), (&json!(plan), &json!("the greeting names the wrong place")));
    }
}

/// A plan over the cap is refused with the command that raises it; after that command it comes in.
#[test]
fn the_refusal_names_the_command_that_raises_the_cap() {
    let world = World::begun();
    let steps: Vec<Value> = (1..=12)
        .map(|n| json!({ "type": "file_create", "target": format!("notes/{n}.txt"), "description": "Add a note about the release.", "content": format!("note {n}\n") }))
        .collect();
    let mut plan = fix();
    plan["intent"] = json!({ "type": "AddFeature", "text": "add the notes of the release" });
    plan["steps"] = json!(steps);
    let refused = submit(&world, &plan).expect(10).json();
    let hint = refused["findings"][0]["hint"].as_str().unwrap();
    assert!(hint.contains("`policy set caps.submitted_steps N`"), "{hint}");
    let set = ["policy", "set", "caps.submitted_steps", "40", "--approver-key", &world.key()];
    world.run(&set).expect(0);
    assert!(world.run(&["policy", "show"]).expect(0).out.contains("submitted_steps = 40"));
    submit(&world, &plan).expect(30);
    let same = world.run(&set).expect(0);
    assert!(same.err.contains("nothing changes"), "{same:?}");
}

#[test]
fn a_policy_is_changed_key_by_key_or_not_at_all() {
    let world = World::begun();
    let key = world.key();
    let before = world.run(&["policy", "show"]).expect(0).out;
    for (args, code, part) in [
        (&["caps.submitted_files", "501"][..], 10, "submitted_files"),
        (&["caps.nonsense", "1"], 10, "nonsense"),
        (&["caps..x", "1"], 2, "is no key"),
        (&["ceiling", "HIGH"], 10, "HIGH"),
    ] {
        let refused = world.run(&[&["policy", "set"], args, &["--approver-key", &key]].concat()).expect(code);
        assert!(refused.err.contains(part), "{args:?}: {refused:?}");
    }
    world.run(&["policy", "set", "ceiling", "SAFE"]).expect(30);
    assert_eq!(world.run(&["policy", "show"]).expect(0).out, before);
}

/// The person sees what changes before the question, also where an editor made the change.
#[test]
fn a_changed_policy_is_shown_before_the_question() {
    let world = World::begun();
    let mut terminal = world.terminal(&["policy", "set", "caps.submitted_files", "40"]);
    let screen = terminal.until("all your projects?");
    assert!(screen.contains("+submitted_files = 40"), "{screen}");
    terminal.send("n");
    terminal.end().expect(30);
    let editor = world.file("editor.sh", "sed -i 's/^submitted_files.*/submitted_files = 41/' \"$1\"\n");
    let mut terminal = world.shell(&format!("EDITOR='sh {editor}' {EXACTA} policy edit"));
    let screen = terminal.until("all your projects?");
    assert!(screen.contains("+submitted_files = 41"), "{screen}");
    terminal.send("y");
    terminal.end().expect(0);
    assert!(world.run(&["policy", "show"]).expect(0).out.contains("submitted_files = 41"));
    let failed = world.shell(&format!("EDITOR=false {EXACTA} policy edit")).end();
    assert!(failed.code == 2 && failed.out.contains("nothing was changed"), "{failed:?}");
    world.run(&["policy", "edit"]).expect(30);
}
