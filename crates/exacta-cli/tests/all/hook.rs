//! `exacta hook`: what a program asks, and that nothing is written whatever goes wrong.

use crate::world::{Done, World};
use serde_json::{Value, json};
use std::fs;

fn ask(world: &World, agent: &str, question: &Value) -> Done {
    world.pipe(&["hook", agent], question.to_string().as_bytes())
}

fn tool(world: &World, name: &str, mut input: Value) -> Value {
    if let Some(path) = input["file_path"].as_str() {
        input["file_path"] = json!(world.project().join(path));
    }
    json!({ "session_id": "s", "cwd": world.project(), "hook_event_name": "PreToolUse", "tool_name": name, "tool_input": input })
}

fn stop() -> Value {
    json!({ "session_id": "s", "hook_event_name": "Stop", "stop_hook_active": false })
}

/// That an edit was not let through, and why.
#[track_caller]
fn denied(told: &Done) -> String {
    let output =
        serde_json::from_str::<Value>(&told.out).unwrap_or_else(|_| panic!("{told:?}"))["hookSpecificOutput"].clone();
    assert_eq!((told.code, &output["permissionDecision"]), (0, &json!("deny")), "{told:?}");
    output["permissionDecisionReason"].as_str().unwrap().to_owned()
}

#[test]
fn the_edits_of_a_turn_become_one_plan() {
    let world = World::begun();
    let edit = |find: &str, with: &str| json!({ "file_path": "greet.txt", "old_string": find, "new_string": with });
    let reason = denied(&ask(&world, "claude", &tool(&world, "Edit", edit("world", "there"))));
    assert!(reason.contains("`greet.txt`") && reason.contains("not written yet"), "{reason}");
    // The second edit is on what the first left.
    denied(&ask(&world, "claude", &tool(&world, "Edit", edit("there", "moon"))));
    denied(&ask(&world, "claude", &tool(&world, "Write", json!({ "file_path": "new.txt", "content": "new\n" }))));
    let many = json!({ "file_path": "src/main.py", "edits": [
        { "old_string": "hello", "new_string": "hi" }, { "old_string": "hi", "new_string": "hey", "replace_all": true },
    ] });
    denied(&ask(&world, "claude", &tool(&world, "MultiEdit", many)));
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
    // What is read is what was edited.
    let read =
        ask(&world, "claude", &tool(&world, "Read", json!({ "file_path": "greet.txt", "limit": 5 }))).expect(0).json();
    let input = &read["hookSpecificOutput"]["updatedInput"];
    assert_eq!(fs::read_to_string(input["file_path"].as_str().unwrap()).unwrap(), "hello\nmoon\n");
    assert_eq!(input["limit"], 5, "the rest of the input stays");
    assert_eq!(ask(&world, "claude", &tool(&world, "Read", json!({ "file_path": "other.txt" }))).expect(0).out, "");
    let told = ask(&world, "claude", &stop()).expect(0).json();
    assert!(told["systemMessage"].as_str().unwrap().contains("waits for you"), "{told}");
    let plans = world.run(&["list", "--json"]).expect(0).json();
    assert_eq!(plans["plans"].as_array().unwrap().len(), 1, "{plans}");
    let plan = plans["plans"][0]["plan_id"].as_str().unwrap();
    world.run(&["approve", plan, "--approver-key", &world.key()]).expect(0);
    world.run(&["execute", plan]).expect(0);
    assert_eq!((world.read("greet.txt"), world.read("new.txt")), ("hello\nmoon\n".to_owned(), "new\n".to_owned()));
    assert!(world.read("src/main.py").contains("hey"));
    // The next turn begins with nothing.
    assert_eq!(ask(&world, "claude", &stop()).expect(0).out, "");
}

#[test]
fn patches_of_codex_are_collected_one_on_the_other() {
    let world = World::begun();
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    let patch = |from: &str, to: &str| json!({ "command": format!("*** Begin Patch\n*** Update File: greet.txt\n@@\n hello\n-{from}\n+{to}\n*** End Patch\n") });
    denied(&ask(&world, "codex", &tool(&world, "apply_patch", patch("world", "there"))));
    denied(&ask(&world, "codex", &tool(&world, "apply_patch", patch("there", "moon"))));
    let mut end = stop();
    end["model"] = json!("gpt-5.5");
    let told = ask(&world, "codex", &end).expect(0).json();
    assert!(told["systemMessage"].as_str().unwrap().contains("were applied"), "the policy allows it: {told}");
    assert_eq!(world.read("greet.txt"), "hello\nmoon\n");
}

/// A patch names files from the folder that its program works in, which may be deep in the project; another file of the same name is none of it.
#[test]
fn files_are_named_from_where_the_program_works() {
    let world = World::begun();
    world.write("src/greet.txt", "hello\nworld\n");
    let patch =
        |file: &str| format!("*** Begin Patch\n*** Update File: {file}\n@@\n hello\n-world\n+there\n*** End Patch\n");
    let asked = |file: &str| {
        let mut question = tool(&world, "apply_patch", json!({ "command": patch(file) }));
        question["cwd"] = json!(world.project().join("src"));
        ask(&world, "codex", &question)
    };
    let whole = world.project().join("src/greet.txt").display().to_string();
    for file in ["greet.txt", &whole] {
        let reason = denied(&asked(file));
        assert!(reason.contains("`src/greet.txt`"), "{reason}");
        assert_eq!(ask(&world, "codex", &stop()).expect(0).code, 0);
    }
    assert_eq!(asked("../../outside.txt").code, 2);
    assert_eq!(asked("absent.txt").code, 2);
    let plans = world.run(&["list", "--json"]).expect(0).json()["plans"].as_array().unwrap().clone();
    assert_eq!(plans.len(), 2);
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
}

#[test]
fn what_is_denied_goes_back_to_the_agent_once() {
    let world = World::begun();
    let secret = json!({ "file_path": ".git/hooks/pre-commit", "content": "#!/bin/sh\n" });
    denied(&ask(&world, "claude", &tool(&world, "Write", secret)));
    let told = ask(&world, "claude", &stop()).expect(0).json();
    assert_eq!(told["decision"], "block", "{told}");
    assert!(told["reason"].as_str().unwrap().contains("nothing was written"), "{told}");
    assert_eq!(ask(&world, "claude", &stop()).expect(0).out, "", "what was denied is forgotten");
}

/// Whatever goes wrong: a reason on standard error and exit code 2, which every program takes as a no.
#[test]
fn every_fault_says_no() {
    let no = |told: Done| {
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{told:?}");
        assert!(!told.err.trim().is_empty(), "a silent no is none for codex");
        told.err
    };
    let world = World::begun();
    let write = tool(&world, "Write", json!({ "file_path": "a.txt", "content": "x" }));
    for agent in ["claude", "codex"] {
        no(world.pipe(&["hook", agent], b""));
        no(world.pipe(&["hook", agent], b"{\"session_id\": \"s\"}"));
    }
    let err = no(ask(
        &world,
        "claude",
        &tool(&world, "Edit", json!({ "file_path": "greet.txt", "old_string": "none", "new_string": "x" })),
    ));
    assert!(err.contains("is not in `greet.txt`") && err.contains("Do not try another way"), "{err}");
    no(ask(&world, "claude", &tool(&world, "NotebookEdit", json!({ "notebook_path": "a.ipynb", "new_source": "x" }))));
    no(ask(
        &world,
        "codex",
        &tool(&world, "apply_patch", json!({ "command": "*** Begin Patch\nnonsense\n*** End Patch\n" })),
    ));
    // No project, no policy that can be read, nowhere to keep anything.
    let bare = World::new();
    no(ask(&bare, "claude", &tool(&bare, "Write", json!({ "file_path": "a.txt", "content": "x" }))));
    no(world.pipe(&["hook", "claude", "--project", "/nowhere"], write.to_string().as_bytes()));
    let turns = world.home().join("state/turns");
    fs::create_dir_all(turns.parent().unwrap()).unwrap();
    drop(fs::remove_dir_all(&turns));
    fs::write(&turns, "in the way").unwrap();
    no(ask(&world, "claude", &write));
    fs::remove_file(&turns).unwrap();
    denied(&ask(&world, "claude", &write));
    fs::write(world.home().join("safety-policy.toml"), "broken = [").unwrap();
    no(ask(&world, "claude", &stop()));
    assert!(!world.project().join("a.txt").exists());
}

/// A question that never comes to an end is answered in time all the same.
#[test]
fn a_question_without_an_end_is_a_no() {
    let world = World::begun();
    let mut shell = world.shell(&format!("sleep 30 | {} hook claude; echo code=$?", crate::world::EXACTA));
    shell.wait_for("it took too long").wait_for("code=2");
}

#[test]
fn files_outside_the_project_are_none_of_our_business() {
    let world = World::begun();
    let outside = world.path().join("elsewhere.txt");
    let question = json!({ "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": { "file_path": outside, "content": "x" } });
    assert_eq!(ask(&world, "claude", &question).expect(0).out, "");
    assert_eq!(ask(&world, "claude", &tool(&world, "Bash", json!({ "command": "ls" }))).expect(0).out, "");
}

/// What keeps agents to their plans is not theirs to edit, wherever it lies and by whatever name it is called.
#[test]
fn no_edit_reaches_what_exacta_stands_on() {
    let world = World::begun();
    let base = world.path().canonicalize().unwrap();
    let other = base.join("other");
    fs::create_dir_all(other.join("src")).unwrap();
    world.run(&["--project", other.to_str().unwrap(), "init"]).expect(0);
    std::os::unix::fs::symlink(world.home(), base.join("link")).unwrap();
    std::os::unix::fs::symlink("link/safety-policy.toml", base.join("notes.toml")).unwrap();
    let refused = [
        ("home/safety-policy.toml", "Exacta's own"),
        ("home/approvers.toml", "Exacta's own"),
        ("home/state/turns/x", "Exacta's own"),
        ("home/new/folder/file", "Exacta's own"),
        ("link/approvers.toml", "Exacta's own"),
        ("notes.toml", "Exacta's own"),
        ("absent/../home/approvers.toml", "Exacta's own"),
        ("project/../home/approvers.toml", "Exacta's own"),
        ("other/src/new.py", "another project"),
        ("other/.exacta/config.toml", "another project"),
        ("absent/../other/a.txt", "another project"),
    ];
    for (path, why) in refused {
        for (name, input) in [
            ("Write", json!({ "file_path": base.join(path), "content": "x" })),
            ("Edit", json!({ "file_path": base.join(path), "old_string": "", "new_string": "x" })),
        ] {
            let reason = denied(&ask(&world, "claude", &tool(&world, name, input)));
            assert!(reason.contains(why) && reason.contains("tell the person"), "{path}: {reason}");
        }
        let patch = format!("*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch\n", base.join(path).display());
        let told = ask(&world, "codex", &tool(&world, "apply_patch", json!({ "command": patch })));
        assert!(denied(&told).contains(why), "{path}: {told:?}");
    }
    assert_eq!(ask(&world, "claude", &stop()).expect(0).out, "", "nothing was collected");
    assert_eq!(
        ask(&world, "claude", &tool(&world, "Write", json!({ "file_path": base.join("free.txt"), "content": "x" })))
            .expect(0)
            .out,
        ""
    );
}
