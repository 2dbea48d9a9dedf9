//! `exacta mcp` as agents' programs use it: a real process between two pipes, the official client, the inspector.

mod clients;
mod codex;
mod door;
mod http;
mod talk;
mod two;

use crate::story::fix;
use crate::world::{World, redact};
use exacta_host::{NAMES, tools};
use serde_json::{Value, json};
use talk::Talk;

pub use talk::memory;

/// A fix of `greet.txt` as codex writes it.
pub fn patch() -> Value {
    let patch = "*** Begin Patch\n*** Update File: greet.txt\n@@\n hello\n-world\n+there\n*** End Patch\n";
    json!({ "patch": patch, "intent": "FixBug", "text": "the greeting names the wrong place" })
}

/// The same with more arguments.
pub fn with(more: Value) -> Value {
    let mut change = patch();
    change.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    change
}

fn declared(more: Value) -> Value {
    let mut change = with(json!({ "model": { "provider": "openai", "model": "gpt-5.5" } }));
    change.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    change
}

/// A project in which the policy allows small changes.
fn dev() -> World {
    let world = World::begun();
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    world
}

fn policy(world: &World, text: &str) {
    let file = world.file("policy.toml", text);
    world.run(&["policy", "set", &file, "--approver-key", &world.key()]).expect(0);
}

#[test]
fn the_life_of_a_change_in_both_eras() {
    for era in [talk::STATELESS, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let world = World::begun();
        let mut agent = Talk::begin(&world, "codex", era);
        assert_eq!(agent.call("check", patch())["state"], "checked");
        let plan = agent.call("submit", patch());
        assert_eq!(
            (&plan["state"], &plan["next"]["who"]),
            (&json!("not_decided_yet"), &json!("person")),
            "{era}: {plan}"
        );
        let id = plan["plan_id"].as_str().unwrap();
        assert_eq!(agent.call("wait", json!({ "plan_id": id, "seconds": 0 }))["state"], "not_decided_yet");
        world.run(&["revise", id, "say it to everybody", "--approver-key", &world.key()]).expect(0);
        let asked = agent.call("wait", json!({ "plan_id": id }));
        assert_eq!((&asked["state"], &asked["next"]["tool"]), (&json!("changes_requested"), &json!("submit")));
        let second = agent.call("submit", with(json!({ "revises": id })));
        assert_eq!(second["version"], 2, "{second}");
        let id = second["plan_id"].as_str().unwrap();
        world.run(&["approve", id, "--approver-key", &world.key()]).expect(0);
        let approved = agent.call("wait", json!({ "plan_id": id }));
        assert_eq!(
            (&approved["state"], &approved["next"]["who"]),
            (&json!("approved"), &json!("person")),
            "{approved}"
        );
        world.run(&["execute", id]).expect(0);
        assert_eq!(agent.call("status", json!({ "plan_id": id }))["plan"]["state"], "applied");
        assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    }
}

#[test]
fn what_policy_allows_runs_at_once_if_it_is_wanted() {
    let world = dev();
    let mut agent = Talk::begin(&world, "codex", talk::STATELESS);
    let waits = agent.call("submit", declared(json!({})));
    assert_eq!((&waits["state"], &waits["status"]), (&json!("approved"), &json!("auto_approved")), "{waits}");
    assert_eq!(world.read("greet.txt"), "hello\nworld\n", "submitting is not applying");
    let done = agent.call("submit", declared(json!({ "run": true })));
    assert_eq!((&done["state"], &done["run"]["outcome"]), (&json!("applied"), &json!("completed")), "{done}");
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    // SAFE allows nothing without a person.
    world.run(&["profile", "set", "SAFE"]).expect(0);
    world.write("greet.txt", "hello\nworld\n");
    assert_eq!(agent.call("submit", declared(json!({ "run": true })))["state"], "not_decided_yet");
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
}

/// SPEC 8: a connected agent that does not say what it is, is asked about.
#[test]
fn a_model_that_is_not_declared_asks_a_person() {
    let world = dev();
    let mut agent = Talk::begin(&world, "codex", "2025-06-18");
    for call in ["check", "submit"] {
        let told = agent.call(call, patch());
        assert_eq!(
            (&told["decision"], &told["reasons"][0]["rule"]),
            (&json!("confirm"), &json!("model-undeclared")),
            "{told}"
        );
    }
    // codex says it beside the call.
    let meta = json!({ "x-codex-turn-metadata": { "session_id": "s", "turn_id": "t", "model": "gpt-5.5" } });
    let told = agent.call_with("submit", patch(), meta);
    assert_eq!(told["decision"], "allow", "{told}");
    let id = told["plan_id"].as_str().unwrap();
    let shown = world.run(&["show", id, "--json", "--with", "binding"]).expect(0).json();
    let proposer = &shown["detail"]["binding"]["proposer"];
    assert_eq!(
        (&proposer["credential"], &proposer["client"]),
        (&json!("mcp:codex"), &json!("tester 1.0")),
        "{proposer}"
    );
    assert_eq!((&proposer["model"]["provider"], &proposer["model"]["model"]), (&json!("openai"), &json!("gpt-5.5")));
    policy(&world, "require_model = false\n");
    assert_eq!(agent.call("submit", patch())["decision"], "allow");
}

#[test]
fn an_agent_sees_and_ends_only_its_own_plans() {
    let world = World::begun();
    let mut first = Talk::begin(&world, "codex", talk::STATELESS);
    let mut second = Talk::begin(&world, "claude", talk::STATELESS);
    let id = first.call("submit", patch())["plan_id"].as_str().unwrap().to_owned();
    for (tool, arguments) in [
        ("status", json!({ "plan_id": id })),
        ("wait", json!({ "plan_id": id })),
        ("findings", json!({ "plan_id": id })),
        ("withdraw", json!({ "plan_id": id })),
        ("submit", with(json!({ "revises": id }))),
    ] {
        let refused = second.refused(tool, arguments);
        assert_eq!(refused["code"], "plan_unknown", "{tool}: {refused}");
    }
    assert_eq!(second.call("status", json!({}))["plans"], json!([]));
    assert!(second.fails("resources/read", json!({ "uri": format!("exacta://plan/{id}") })).contains(&id));
    let ended = first.call("withdraw", json!({ "plan_id": id, "reason": "not wanted" }));
    assert_eq!(ended["state"], "expired", "{ended}");
    assert!(ended["summary"].as_str().unwrap().contains("not wanted"), "{ended}");
}

/// The checks see the change as it would be, and nothing of it is kept.
#[test]
fn an_agent_tests_what_it_may_not_write() {
    if !exacta_testkit::sandbox() {
        return;
    }
    let world = World::begun();
    let project = world.project();
    let argv = "argv = ['sh', '-c', 'echo saw; cat greet.txt; echo built > made.txt; grep -q there greet.txt']";
    policy(&world, &format!("[[projects.'{}'.checks]]\nname = 'greets'\n{argv}\n", project.display()));
    let mut agent = Talk::begin(&world, "codex", talk::STATELESS);
    let before = world.run(&["audit", "list", "--json"]).expect(0).out;
    let (tried, told) = agent.call_told("try", patch());
    assert_eq!((&tried["state"], &tried["checks"]["state"]), (&json!("checked"), &json!("passed")), "{tried}");
    assert!(told.iter().any(|line| line.contains("there")), "what a check prints is told: {told:?}");
    let other = "*** Begin Patch\n*** Update File: greet.txt\n@@\n hello\n-world\n+moon\n*** End Patch\n";
    let tried = agent.call("try", json!({ "patch": other, "intent": "FixBug", "text": "greet the moon" }));
    assert_eq!(tried["checks"]["state"], "failed", "{tried}");
    assert!(tried["summary"].as_str().unwrap().starts_with("a check failed; "), "{tried}");
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
    assert!(!project.join("made.txt").exists(), "what a check writes is thrown away");
    assert_eq!(world.run(&["audit", "list", "--json"]).expect(0).out, before, "nothing is recorded");
}

/// An undo that an agent asks for is a plan, and waits for a person also where policy alone would allow it.
#[test]
fn an_agent_proposes_an_undo_and_a_person_decides() {
    let world = dev();
    let mut agent = Talk::begin(&world, "codex", talk::STATELESS);
    let done = agent.call("submit", declared(json!({ "run": true })));
    assert_eq!(done["state"], "applied", "{done}");
    let run = done["plan_id"].as_str().unwrap().to_owned();
    let mut other = Talk::begin(&world, "claude", talk::STATELESS);
    assert_eq!(other.refused("undo", json!({ "plan_id": run }))["code"], "run_unknown");
    let undo = agent.call("undo", json!({ "plan_id": run }));
    assert_eq!((&undo["state"], &undo["next"]["who"]), (&json!("not_decided_yet"), &json!("person")), "{undo}");
    assert_eq!(world.read("greet.txt"), "hello\nthere\n", "proposing is not undoing");
    let id = undo["plan_id"].as_str().unwrap();
    world.run(&["execute", id]).expect(30);
    world.run(&["approve", id, "--approver-key", &world.key()]).expect(0);
    world.run(&["execute", id]).expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
    // What changed since is not undone.
    let done = agent.call("submit", declared(json!({ "run": true })));
    world.write("greet.txt", "mine\n");
    let refused = agent.refused("undo", json!({ "plan_id": done["plan_id"] }));
    assert_eq!(refused["code"], "target_changed", "{refused}");
}

/// SPEC 7: nothing here approves, rejects, or changes a setting, for whatever rights an agent has.
#[test]
fn no_tool_approves_or_changes_policy() {
    let listed: Vec<&str> = tools(true).iter().map(|tool| tool.name).collect();
    assert_eq!(listed, NAMES);
    let world = World::begun();
    policy(&world, "execute_agents = ['codex']\n");
    let mut agent = Talk::begin(&world, "codex", talk::STATELESS);
    let id = agent.call("submit", patch())["plan_id"].as_str().unwrap().to_owned();
    let before = world.run(&["audit", "list", "--json"]).expect(0).out;
    for name in ["approve", "reject", "revise", "policy_set", "profile_set", "approver_add", "token_add"] {
        assert!(agent.fails("tools/call", json!({ "name": name, "arguments": { "plan_id": id } })).contains("no tool"));
    }
    // Every tool that there is, with everything that it takes: the plan still waits, and nothing runs.
    for tool in tools(true).iter().filter(|tool| !["submit", "withdraw"].contains(&tool.name)) {
        let takes = |name: &str| tool.input["properties"].get(name).is_some();
        let mut arguments = json!({});
        if takes("plan_id") {
            arguments["plan_id"] = json!(id);
        }
        if takes("seconds") {
            arguments["seconds"] = json!(0);
        }
        if takes("patch") {
            arguments = patch();
        }
        drop(agent.ask("tools/call", json!({ "name": tool.name, "arguments": arguments })));
    }
    let plan = world.run(&["show", &id, "--json"]).expect(0).json();
    assert_eq!((&plan["status"], &plan["approvals"]), (&json!("pending"), &json!([])), "{plan}");
    let words = ["plan_approved", "plan_rejected", "policy_changed", "profile_changed", "approver"];
    let after = world.run(&["audit", "list", "--json"]).expect(0).out;
    let told = |log: &str| words.map(|word| log.matches(word).count());
    assert_eq!(told(&after), told(&before));
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
}

#[test]
fn execute_is_there_only_where_it_was_granted() {
    let world = World::begun();
    let mut agent = Talk::begin(&world, "codex", talk::STATELESS);
    assert!(!agent.tools().contains(&"execute".to_owned()));
    let id = agent.call("submit", patch())["plan_id"].as_str().unwrap().to_owned();
    assert!(
        agent.fails("tools/call", json!({ "name": "execute", "arguments": { "plan_id": id } })).contains("no tool")
    );
    policy(&world, "execute_agents = ['codex']\n");
    assert!(agent.tools().contains(&"execute".to_owned()), "the policy is read anew");
    let refused = agent.refused("execute", json!({ "plan_id": id }));
    assert_eq!(refused["code"], "approval_needed", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("waits"), "not decided yet is no denial: {refused}");
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    assert_eq!(agent.call("wait", json!({ "plan_id": id }))["next"]["tool"], "execute");
    let (done, told) = agent.call_told("execute", json!({ "plan_id": id }));
    assert_eq!(done["state"], "applied", "{done}");
    assert!(told.iter().any(|words| words.contains("greet.txt")), "{told:?}");
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
}

#[test]
fn proposals_and_bases_and_what_is_wrong_with_them() {
    let world = World::begun();
    let mut agent = Talk::begin(&world, "codex", talk::STATELESS);
    assert_eq!(agent.call("check", json!({ "proposal": fix() }))["decision"], "confirm");
    assert_eq!(agent.call("check", json!({ "proposal": fix().to_string() }))["decision"], "confirm");
    let seen = |sum: &str| with(json!({ "base": { "greet.txt": sum } }));
    let now = exacta_kernel::hash::Digest::of(b"hello\nworld\n").to_string();
    assert_eq!(agent.call("check", seen(&now))["findings"], json!([]));
    let stale = agent.call("check", seen(&exacta_kernel::hash::Digest::of(b"other").to_string()));
    assert_eq!((&stale["decision"], &stale["findings"][0]["code"]), (&json!("deny"), &json!("PLAN_TARGET_CHANGED")));
    let denied = agent.call("submit", with(json!({ "patch": "--- a/nothing\n+++ b/nothing\n@@ -1 +1 @@\n-a\n+b\n" })));
    assert_eq!((&denied["state"], &denied["next"]["who"]), (&json!("denied"), &json!("agent")), "{denied}");
    for (arguments, words) in [
        (json!({}), "give either `patch` or `proposal`"),
        (json!({ "patch": "x", "proposal": {} }), "give either"),
        (json!({ "patch": 7 }), "`patch` has to be a string"),
        (json!({ "patch": "x", "intent": "Break" }), "one of CreateProject"),
        (json!({ "proposal": fix(), "text": "x" }), "leave `intent` and `text` out"),
        (json!({ "proposal": [] }), "has to be an object"),
        (with(json!({ "approve": true })), "`approve` is no argument of `submit`"),
        (with(json!({ "base": { "a": "b" } })), "no SHA-256 for `a`"),
        (with(json!({ "model": {} })), "`provider` and `model`"),
        (with(json!({ "run": "yes" })), "true or false"),
        (with(json!({ "revises": "8xk5" })), "whole plan id"),
    ] {
        let refused = agent.refused("submit", arguments);
        assert!(refused["message"].as_str().unwrap().contains(words), "{words}: {refused}");
    }
}

#[test]
fn a_folder_that_is_no_project_is_told_in_words() {
    let world = World::new();
    let mut agent = Talk::begin(&world, "codex", talk::STATELESS);
    let refused = agent.refused("submit", patch());
    assert_eq!(refused["code"], "project_unknown", "{refused}");
    assert!(refused["hint"].as_str().unwrap().contains("ask the person to run `exacta init`"), "{refused}");
    assert_eq!(agent.call("check", patch())["state"], "checked", "checking needs nothing but the folder");
    assert!(!world.project().join(".exacta").exists(), "an agent makes no project");
}

#[test]
fn what_is_offered() {
    let world = World::begun();
    let mut agent = Talk::begin(&world, "codex", talk::STATELESS);
    let mut offered = serde_json::Map::new();
    for method in ["server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        offered.insert(method.to_owned(), agent.ask(method, json!({})));
    }
    let text = serde_json::to_string_pretty(&offered).unwrap();
    insta::assert_snapshot!(redact(&text).replace(env!("CARGO_PKG_VERSION"), "[version]"));
}

/// Everything that is said on the way, for ten thousand requests: memory stays where it was after the first thousand.
#[test]
fn ten_thousand_requests_take_no_more_memory_than_a_thousand() {
    let world = World::begun();
    let mut agent = Talk::begin(&world, "codex", "2025-11-25");
    let mut after = [0, 0];
    for round in 0..10_000 {
        match round % 10 {
            0 => drop(agent.call("check", patch())),
            1 => drop(agent.call("status", json!({}))),
            2 => drop(agent.ask("resources/read", json!({ "uri": "exacta://policy" }))),
            3 => drop(agent.fails("tools/call", json!({ "name": "nothing" }))),
            4 => drop(agent.refused("submit", json!({ "patch": "x".repeat(round) }))),
            _ => drop(agent.ask("tools/list", json!({}))),
        }
        match round {
            999 => after[0] = agent.memory(),
            9_999 => after[1] = agent.memory(),
            _ => {}
        }
    }
    assert!(after[1] < after[0] + 4096, "{after:?} KiB");
}
