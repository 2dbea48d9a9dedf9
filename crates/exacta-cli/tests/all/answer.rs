//! The answer reaches the proposer: waiting, withdrawing, approving and running in one act, and approving a part of a step.

use crate::story::{fix, id, submit, three_steps};
use crate::world::{World, redact};
use exacta_testkit::Running;
use serde_json::{Value, json};
use std::process::Stdio;

/// A file of which three places change, far from each other.
fn three_hunks(world: &World) -> Value {
    let lines: Vec<String> = (1..=30).map(|line| format!("line {line}\n")).collect();
    world.write("notes.txt", &lines.concat());
    let mut plan = fix();
    plan["intent"]["target"]["files"] = json!(["notes.txt"]);
    plan["steps"][0]["target"] = json!("notes.txt");
    plan["steps"][0]["edits"] = json!([
        { "find": "line 1\n", "replace": "first line\n" },
        { "find": "line 15\n", "replace": "middle line\n" },
        { "find": "line 30\n", "replace": "last line\n" },
    ]);
    plan
}

/// How a plan is decided, and what `wait` then says: exit code, answer, who, and a part of the reason.
#[test]
fn wait_tells_every_answer() {
    type Case = (&'static str, fn(&World, &str), i32, &'static str, Value, &'static str);
    let cases: [Case; 7] = [
        ("nobody", |_, _| {}, 30, "waiting", Value::Null, ""),
        ("approved", |world, id| drop(decide(world, &["approve", id])), 0, "approved", json!("tester"), ""),
        (
            "rejected",
            |world, id| drop(decide(world, &["reject", id, "--reason", "not in this release"])),
            10,
            "rejected",
            json!("tester"),
            "not in this release",
        ),
        (
            "sent back",
            |world, id| drop(decide(world, &["revise", id, "keep the old name"])),
            35,
            "changes_requested",
            json!("tester"),
            "",
        ),
        (
            "withdrawn",
            |world, id| drop(world.run(&["withdraw", id]).expect(0)),
            40,
            "expired",
            Value::Null,
            "withdrawn",
        ),
        (
            "withdrawn after it was approved",
            |world, id| {
                decide(world, &["approve", id]);
                world.run(&["withdraw", id]).expect(30);
                decide(world, &["withdraw", id, "--reason", "too late"]);
            },
            40,
            "expired",
            json!("tester"),
            "withdrawn: too late",
        ),
        ("drifted", |world, _| world.write("greet.txt", "hello\nmoon\n"), 40, "expired", Value::Null, "greet.txt"),
    ];
    for (name, act, code, answer, by, reason) in cases {
        let world = World::begun();
        let id = id(&submit(&world, &fix()));
        act(&world, &id);
        let told = world.run(&["wait", &id, "--timeout", "0", "--json"]).expect(code).json();
        assert_eq!((&told["answer"], &told["by"]), (&json!(answer), &by), "{name}: {told}");
        assert!(told["reason"].as_str().unwrap_or_default().contains(reason), "{name}: {told}");
        let text = world.run(&["wait", &id, "--timeout", "0"]).expect(code);
        insta::assert_snapshot!(
            format!("wait-{}", name.replace(' ', "-")),
            redact(&text.out.replace(told["short_id"].as_str().unwrap(), "SHORT"))
        );
        if code == 40 {
            world.run(&["execute", &id]).expect(40);
            world.run(&["withdraw", &id]).expect(40);
        }
    }
}

fn decide(world: &World, args: &[&str]) -> Value {
    let key = world.key();
    world.run(&[args, &["--approver-key", &key, "--json"]].concat()).expect(0).json()
}

#[test]
fn wait_ends_with_the_first_decision_and_the_end_of_a_run() {
    let world = World::begun();
    let (one, other) = (id(&submit(&world, &fix())), id(&submit(&world, &fix())));
    let mut waiting = world.command(&["wait", &one, &other, "--run", "--json", "--timeout", "60"]);
    let waiting = Running::start(waiting.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let run = decide(&world, &["approve", &other, "--run"]);
    assert_eq!((&run["outcome"], &run["plan_id"]), (&json!("completed"), &json!(other)));
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    let told = crate::world::done(waiting.finish());
    // The other one may have been seen to drift first: either way one of them is named, and nothing waits on.
    let told = if told.code == 0 { told } else { told.expect(40) };
    assert!([&one, &other].iter().any(|id| told.json()["plan_id"] == json!(id)));
    world.run(&["wait", &other, "--run"]).expect(0);
    world.run(&["withdraw", &other]).expect(40);
    world.run(&["wait", "019a2f3e-7c1d-7e2a-9b4f-000000000001"]).expect(2);
}

/// What a person answers elsewhere, and how `submit --wait` and `run --wait` then end.
#[test]
fn submit_and_run_wait_for_the_answer() {
    type Case = (&'static [&'static str], i32, i32, &'static str);
    let cases: [Case; 4] = [
        (&["approve"], 0, 0, "there"),
        (&["approve", "--run"], 0, 0, "there"),
        (&["reject", "--reason", "not in this release"], 10, 10, "world"),
        (&["revise", "keep the old name"], 35, 35, "world"),
    ];
    for (decision, submitted, ran, content) in cases {
        for (command, code) in [("submit", submitted), ("run", ran)] {
            let world = World::begun();
            let path = world.file("plan.json", fix().to_string());
            let mut waiting = world.command(&[command, &path, "--wait", "--timeout", "60", "--json"]);
            let waiting = Running::start(waiting.stdout(Stdio::piped()).stderr(Stdio::piped()));
            let plan = loop {
                let listed = world.run(&["list", "--json"]).json();
                if let Some(id) = listed["plans"][0]["plan_id"].as_str() {
                    break id.to_owned();
                }
                std::thread::sleep(std::time::Duration::from_millis(50));
            };
            decide(&world, &[&[decision[0], plan.as_str()], &decision[1..]].concat());
            let told = crate::world::done(waiting.finish()).expect(code).json();
            assert_eq!(told["plan_id"], json!(plan), "{told}");
            let name = format!("{command} {decision:?}: {told}");
            match (command, code) {
                ("submit", 0) => assert_eq!(told["status"], "user_approved", "{name}"),
                ("run", 0) => assert_eq!(told["outcome"], "completed", "{name}"),
                (_, 10) => assert!(told.to_string().contains("not in this release"), "{name}"),
                _ => assert!(told.to_string().contains("keep the old name"), "{name}"),
            }
            if code != 0 {
                assert_eq!(told["next"]["who"], "agent", "{name}");
            }
            let expected = if command == "submit" && decision.len() == 1 { "world" } else { content };
            assert_eq!(world.read("greet.txt"), format!("hello\n{expected}\n"), "{name}");
        }
    }
}

#[test]
fn a_wait_that_ends_first_leaves_the_plan_waiting() {
    let world = World::begun();
    let path = world.file("plan.json", fix().to_string());
    for command in ["submit", "run"] {
        let told = world.run(&[command, &path, "--wait", "--timeout", "0", "--json"]).expect(30).json();
        assert_eq!((&told["status"], &told["next"]["who"]), (&json!("pending"), &json!("person")), "{told}");
        world.run(&[command, &path, "--timeout", "1"]).expect(2);
    }
    world.run(&["run", "-", "--wait", "--json"]).expect(10);
}

/// Only the proposer withdraws a plan that waits, or an approver, who signs for it.
#[test]
fn another_agents_plan_is_not_withdrawn() {
    let world = World::begun();
    let plan = fix().to_string();
    let theirs = id(&world.pipe(&["submit", "-", "--json", "--agent", "codex"], plan.as_bytes()));
    let refused = world.run(&["withdraw", &theirs, "--json"]).expect(30).json();
    assert_eq!(refused["error"]["code"], "person_needed");
    world.run(&["withdraw", &theirs, "--agent", "codex"]).expect(0);
    let theirs = id(&world.pipe(&["submit", "-", "--json", "--agent", "codex"], plan.as_bytes()));
    let told = decide(&world, &["withdraw", &theirs]);
    assert_eq!((&told["answer"], &told["by"]), (&json!("expired"), &json!("tester")));
    world.run(&["audit", "verify"]).expect(0);
}

/// What a selection of hunks makes of the file, or why it cannot be.
#[test]
fn hunks_are_approved_alone() {
    let world = World::begun();
    let whole = id(&submit(&world, &three_hunks(&world)));
    let key = world.key();
    let select = |steps: &str, code: i32| {
        world.run(&["approve", &whole, "--steps", steps, "--approver-key", &key, "--json"]).expect(code).json()
    };
    for (steps, code, part) in
        [("s1:4", 2, "has no hunk 4: it has 3"), ("s2:1", 2, "no step `s2:1`"), ("s1:0", 2, "no step `s1:0`")]
    {
        let error = select(steps, code)["error"]["message"].clone();
        assert!(error.as_str().unwrap().contains(part), "{steps}: {error}");
    }
    let part = select("s1:1,s1:3", 30);
    assert_eq!(part["detail"]["partial_of"], json!([{ "plan": whole, "step": "s1", "hunks": [1, 3] }]));
    assert_eq!((&part["status"], &part["detail"]["steps"][0]["added"]), (&json!("pending"), &json!(2)));
    let part = part["plan_id"].as_str().unwrap().to_owned();
    let shown = world.run(&["show", &part, "--stat"]).expect(0).out;
    assert!(shown.contains("only hunks 1, 3"), "{shown}");
    decide(&world, &["approve", &part, "--run"]);
    let after = world.read("notes.txt");
    let has =
        ["first line", "line 1\n", "middle line", "line 15\n", "last line", "line 30\n"].map(|it| after.contains(it));
    assert_eq!(has, [true, false, false, true, true, false], "{after}");
    assert_eq!(world.run(&["show", &whole, "--json"]).expect(0).json()["status"], "expired", "the whole is over");
    let log = world.run(&["audit", "list", "--json"]).expect(0).out;
    assert!(log.contains("\"partial_of\""), "{log}");
}

#[test]
fn what_cannot_be_divided_is_refused() {
    let world = World::begun();
    let whole = id(&submit(&world, &three_steps()));
    let key = world.key();
    for (steps, code, part) in
        [("s3:1", 10, "it deletes a file"), ("s2:1", 10, "needs `s1`"), ("s1,s2:2", 2, "has no hunk 2: it has 1")]
    {
        let told =
            world.run(&["approve", &whole, "--steps", steps, "--approver-key", &key, "--json"]).expect(code).json();
        assert!(told["error"]["message"].as_str().unwrap().contains(part), "{steps}: {told}");
    }
    let all =
        world.run(&["approve", &whole, "--steps", "s1:1,s2:1", "--approver-key", &key, "--json"]).expect(30).json();
    assert!(all["detail"].get("partial_of").is_none(), "all hunks of a step are the step");
}
