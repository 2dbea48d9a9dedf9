//! An agent with a name, a notice, a rejection, and a request for changes, as the command line tells them.

use crate::story::fix;
use crate::world::World;

fn submitted(world: &World, args: &[&str]) -> String {
    let done = world.pipe(&[args, &["submit", "-", "--json"][..]].concat(), fix().to_string().as_bytes());
    done.json()["plan_id"].as_str().unwrap().to_owned()
}

#[test]
fn an_agent_goes_by_its_name() {
    let world = World::begun();
    let named = submitted(&world, &["--agent", "codex"]);
    let shown = world.run(&["show", &named]).expect(0).out;
    assert!(shown.lines().next().unwrap().contains("by codex"), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("credential ") && line.ends_with(":codex")), "{shown}");
    assert!(world.run(&["list"]).expect(0).out.contains("by codex"));
    assert!(world.run(&["audit", "list"]).expect(0).out.lines().any(|line| line.ends_with("  by codex")));
    let listed = world.run(&["list", "--json"]).expect(0).json();
    assert!(listed["plans"][0]["by"].as_str().unwrap().ends_with(":codex"), "{listed}");
    let mut command = world.command(&["submit", &world.file("plan.json", fix().to_string()), "--json"]);
    let output = exacta_testkit::output(command.env("EXACTA_AGENT", "claude"));
    assert!(String::from_utf8(output.stdout).unwrap().contains(":claude\""));
    let refused = world.run(&["list", "--agent", "No Agent", "--json"]).expect(2).json();
    assert_eq!(refused["error"]["code"], "agent_invalid");
}

#[test]
fn a_request_for_changes_is_told_with_its_words() {
    let world = World::begun();
    let id = submitted(&world, &[]);
    world.run(&["revise", &id, "keep the old greeting too", "--approver-key", &world.key()]).expect(0);
    for args in [&["show", id.as_str()][..], &["list"], &["status"]] {
        assert!(
            world.run(args).expect(0).out.contains("tester asks for changes: keep the old greeting too"),
            "{args:?}"
        );
    }
    let done = world.run(&["execute", &id]).expect(35);
    assert!(done.err.contains("tester asked for changes: keep the old greeting too"), "{}", done.err);
    let asked = world.run(&["execute", &id, "--json"]).expect(35).json();
    for told in
        [&asked, &world.run(&["show", &id, "--json"]).json(), &world.run(&["list", "--json"]).json()["plans"][0]]
    {
        let asked = &told["changes_requested"];
        assert_eq!((&asked["by"], &asked["text"]), (&"tester".into(), &"keep the old greeting too".into()), "{told}");
        assert!(asked["at"].is_string() && asked["places"].as_array().is_some_and(Vec::is_empty), "{told}");
    }
    assert_eq!((&asked["error"]["exit"], &asked["outcome"]), (&35.into(), &"refused".into()));
    // It can still be approved; then nobody waits for the proposer any more.
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    assert!(world.run(&["show", &id, "--json"]).json()["changes_requested"].is_null());
    world.run(&["execute", &id]).expect(0);
}

#[test]
fn a_rejected_plan_is_denied_with_the_reason() {
    let world = World::begun();
    let id = submitted(&world, &[]);
    world.run(&["reject", &id, "--reason", "not this week", "--approver-key", &world.key()]).expect(0);
    assert!(world.run(&["execute", &id]).expect(10).err.contains("was rejected by tester: "));
    let told = world.run(&["execute", &id, "--json"]).expect(10).json();
    assert_eq!((&told["error"]["code"], &told["status"]), (&"plan_rejected".into(), &"rejected".into()), "{told}");
    assert!(told["error"]["message"].as_str().unwrap().ends_with("was rejected by tester: not this week"), "{told}");
}
