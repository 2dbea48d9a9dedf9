//! Two agents at once on one project, with a person who approves at random: nothing is lost, and every conflict is drift.

use super::Copied;
use serde_json::Value;
use std::sync::Mutex;

/// Turns of each; `EXACTA_AGENT_TURNS` asks for more.
fn turns() -> usize {
    std::env::var("EXACTA_AGENT_TURNS").ok().and_then(|turns| turns.parse().ok()).unwrap_or(4)
}

/// What came of the turns.
#[derive(Default)]
struct Told {
    /// Lines whose plan was applied.
    applied: Vec<String>,
    /// Lines whose plan was found to have drifted.
    drifted: usize,
}

/// One turn: a line is added to a file that the other one also adds to, and the plan is decided.
fn turn(copied: &Copied, name: &str, number: usize, told: &Mutex<Told>) {
    let line = format!("{name} {number}");
    let file = format!("shared-{}.txt", number % 3);
    let mut result = copied.agent(name, &format!("echo '{line}' >> {file}; echo '{line}' >> {name}.txt"));
    if result.code == 40 {
        told.lock().unwrap().drifted += 1;
        // The project's side is taken, and the turn done again.
        copied.run(&["agent", "update", name, "--take", "project"]).expect(0);
        result = copied.agent(
            name,
            &format!("echo '{line}' >> {file}; grep -qx '{line}' {name}.txt || echo '{line}' >> {name}.txt"),
        );
        if result.code == 40 {
            return;
        }
    }
    let result = result.expect(30).json();
    let id = result["plan"]["plan_id"].as_str().unwrap().to_owned();
    // The person looks at every third plan later, or never.
    if (number + name.len()).is_multiple_of(3) {
        return;
    }
    let approved = copied.run(&["approve", &id, "--approver-key", &copied.world.key()]);
    let executed = if approved.code == 0 { copied.run(&["execute", &id, "--json"]).code } else { approved.code };
    match executed {
        0 => told.lock().unwrap().applied.push(line),
        40 => told.lock().unwrap().drifted += 1,
        // Another run holds the same files at this moment.
        60 => {}
        other => panic!("{name} {number}: {other} {}", approved.err),
    }
}

#[test]
fn two_agents_lose_nothing_and_see_every_conflict() {
    let Some(copied) = Copied::new() else { return };
    for number in 0..3 {
        copied.world.write(&format!("shared-{number}.txt"), "begin\n");
    }
    copied.world.write("one.txt", "begin\n");
    copied.world.write("three.txt", "begin\n");
    let told = Mutex::new(Told::default());
    std::thread::scope(|scope| {
        for name in ["one", "three"] {
            let (copied, told) = (&copied, &told);
            scope.spawn(move || (0..turns()).for_each(|number| turn(copied, name, number, told)));
        }
    });
    let told = told.into_inner().unwrap();
    assert!(!told.applied.is_empty());
    let all: String = ["shared-0.txt", "shared-1.txt", "shared-2.txt", "one.txt", "three.txt"]
        .map(|file| copied.world.read(file))
        .concat();
    for line in &told.applied {
        assert!(all.lines().filter(|it| it == line).count() >= 2, "`{line}` was applied and is gone\n{all}");
    }
    copied.run(&["audit", "verify"]).expect(0);
}

/// Plans and copies that touch the same files are shown as that.
#[test]
fn the_same_files_are_named() {
    let Some(copied) = Copied::new() else { return };
    let first = copied.agent("one", "echo one >> greet.txt; echo a > a.txt").expect(30).json();
    let second = copied.agent("two", "echo two >> greet.txt; echo b > b.txt").expect(30).json();
    assert_eq!(first["same_files"], serde_json::json!([]));
    assert_eq!(second["same_files"][0]["files"], serde_json::json!(["greet.txt"]));
    let list = copied.run(&["agent", "list", "--json"]).expect(0).json();
    let same: Vec<&Value> =
        list["agents"].as_array().unwrap().iter().map(|line| &line["same_files"][0]["with"]).collect();
    assert_eq!(same, ["two", "one"]);
    let by: Vec<String> = [&first, &second].map(|result| result["plan"]["plan_id"].as_str().unwrap().to_owned()).into();
    copied.apply(&first);
    copied.run(&["approve", &by[1], "--approver-key", &copied.world.key()]).expect(40);
    let drifted = copied.run(&["agent", "submit", "two", "--json"]).expect(40).json();
    assert_eq!(drifted["error"]["places"], serde_json::json!(["greet.txt"]));
}
