//! `notify_command`: the operator's program hears when a person is needed, whoever submitted the plan.

use crate::story::{fix, id, submit};
use crate::world::World;
use exacta_testkit::{output, sandbox};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A world whose policy names a program, which is this script. `$HEARD` in it is a file that the test reads.
fn told_by(script: &str, more: &str) -> (World, PathBuf) {
    let world = World::begun();
    let heard = world.project().with_file_name("heard");
    let script = format!("#!/bin/sh\nHEARD='{}'\n{script}\n", heard.display());
    let program = world.file("tell", script);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let policy = world.file("policy.toml", format!("{more}notify_command = ['{program}', 'to', 'me']\n"));
    world.run(&["policy", "set", &policy, "--approver-key", &world.key()]).expect(0);
    (world, heard)
}

fn heard(file: &PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_plan_that_waits_is_told_with_its_command() {
    let (world, file) = told_by("cat >> \"$HEARD\"; [ \"$1 $2\" = 'to me' ]", "");
    let plan = id(&submit(&world, &fix()).expect(30));
    let told = heard(&file);
    let [notice] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(notice["schema"], "exacta.notice/1");
    assert_eq!((&notice["kind"], &notice["plan_id"]), (&"plan_waits".into(), &plan.as_str().into()), "{notice}");
    assert_eq!(notice["command"], format!("exacta review {plan}"));
    assert_eq!(notice["project"], world.project().display().to_string());
    let intent = fix()["intent"]["text"].clone();
    assert_eq!(notice["title"], intent);
    assert!(notice["why"].as_str().unwrap().contains("SAFE"), "{notice}");
    assert!(notice["expires_at"].is_string(), "{notice}");
    assert_eq!(failures(&world), 0);
}

#[test]
fn what_a_gate_denies_is_told_nobody() {
    let (world, file) = told_by("cat >> \"$HEARD\"", "protected_paths = ['greet.txt']\n");
    submit(&world, &fix()).expect(10);
    assert_eq!(heard(&file), Vec::<Value>::new());
}

#[test]
fn a_run_that_nobody_was_asked_about_is_told() {
    let (world, file) = told_by("cat >> \"$HEARD\"", "disable_default_rules = ['confirm-deletion']\n");
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    let steps: Vec<Value> = (1..5)
        .map(|n| {
            let name = format!("old_report_{n}.txt");
            world.write(&name, "a report that nothing reads any more\n");
            json!({ "id": format!("s{n}"), "order": n, "type": "file_delete", "target": name, "dependencies": [],
                "description": format!("delete {name}, which nothing reads since the reports moved") })
        })
        .collect();
    let intent = json!({ "type": "FixBug", "text": "delete the four old reports, which nothing reads" });
    let plan = id(&submit(&world, &json!({ "schema": "exacta.plan/1", "intent": intent, "steps": steps })).expect(0));
    assert_eq!(heard(&file), Vec::<Value>::new(), "nobody has to decide");
    let run = world.run(&["execute", &plan, "--json"]).expect(0).json();
    let told = heard(&file);
    let [notice] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((&notice["kind"], &notice["run_id"]), (&"ran_unasked".into(), &run["run_id"]), "{notice}");
    assert!(notice["why"].as_str().unwrap().starts_with("no person was asked: risk "), "{notice}");
}

#[test]
fn a_run_that_fails_is_told() {
    if !sandbox() {
        return;
    }
    let (world, file) = told_by("cat >> \"$HEARD\"", "");
    let plan = id(&submit(&world, &fix()).expect(30));
    let policy = std::fs::read_to_string(world.home().join("safety-policy.toml")).unwrap();
    let checks = format!("[[projects.'{}'.checks]]\nargv = ['false']\n", world.project().display());
    let policy = world.file("policy.toml", format!("{policy}\n{checks}"));
    world.run(&["policy", "set", &policy, "--approver-key", &world.key()]).expect(0);
    world.run(&["approve", &plan, "--approver-key", &world.key()]).expect(0);
    world.run(&["execute", &plan]).expect(50);
    let told = heard(&file);
    let [_, notice] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((&notice["kind"], &notice["plan_id"]), (&"run_failed".into(), &plan.as_str().into()), "{notice}");
    assert!(notice["run_id"].is_string(), "{notice}");
}

/// An agent's environment chooses neither the program nor what it loads.
#[test]
fn the_program_gets_nothing_of_the_callers_environment() {
    let (world, file) = told_by("cat > /dev/null; env > \"$HEARD\"", "");
    let text = world.file("plan.json", fix().to_string());
    let mut command = world.plain(&["submit", &text]);
    command.env("LD_LIBRARY_PATH", "/nowhere").env("SECRET_TOKEN", "1").env("LANG", "C.UTF-8");
    assert_eq!(output(&mut command).status.code(), Some(30));
    let environment = std::fs::read_to_string(&file).unwrap();
    assert!(environment.contains("LANG=C.UTF-8"), "{environment}");
    assert!(environment.contains("PATH=/usr/local/bin:/usr/bin:/bin"), "{environment}");
    for name in ["LD_LIBRARY_PATH", "SECRET_TOKEN", "EXACTA_HOME"] {
        assert!(!environment.contains(name), "{name} in {environment}");
    }
}

/// Whatever the program does, the plan waits as it would without it, and the log says that nobody was told.
#[test]
fn a_program_that_fails_or_hangs_holds_nothing_up() {
    for (script, said) in [("exit 3", "exit status: 3"), ("sleep 600", "took longer than 5 s")] {
        let (world, _) = told_by(script, "");
        let plan = id(&submit(&world, &fix()).expect(30));
        assert_eq!(failures(&world), 1, "{script}");
        let log = world.run(&["audit", "list", "--json"]).expect(0).out;
        assert!(log.contains(said), "{script}: {log}");
        world.run(&["approve", &plan, "--approver-key", &world.key()]).expect(0);
        world.run(&["execute", &plan]).expect(0);
        world.run(&["audit", "verify"]).expect(0);
    }
}

/// In how many entries the log says that the program was not told.
fn failures(world: &World) -> usize {
    let log = world.run(&["audit", "list", "--json"]).expect(0).out;
    log.matches("\"notice_failed\"").count()
}
