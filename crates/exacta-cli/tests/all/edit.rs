//! `exacta edit`: what a person saves in the editor becomes a version of their own, judged and shown again.

use crate::story::fix;
use crate::world::{EXACTA, Terminal, World};
use serde_json::Value;

/// A plan of an agent that waits: `there` instead of `world`.
fn waiting(world: &World) -> String {
    let mut plan = fix();
    plan["model"] = serde_json::json!({ "provider": "openai", "model": "gpt-5.5" });
    let path = world.file("plan.json", plan.to_string());
    world.run(&["submit", &path, "--json"]).expect(30).json()["plan_id"].as_str().unwrap().to_owned()
}

/// Edits with a script for an editor, which gets the file as `$1`.
fn edit(world: &World, script: &str) -> Terminal {
    let editor = world.file("editor.sh", script);
    world.shell(&format!("EDITOR='sh {editor}' {EXACTA} edit"))
}

fn shown(world: &World, id: &str) -> Value {
    world.run(&["show", id, "--json"]).expect(0).json()
}

fn newest(world: &World) -> String {
    let listed = world.run(&["list", "--limit", "1", "--json"]).expect(0).json();
    listed["plans"][0]["plan_id"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_saved_is_shown_again_and_applied() {
    let world = World::begun();
    let id = waiting(&world);
    let mut terminal = edit(&world, "sed -i s/there/friends/ \"$1\"\n");
    terminal.wait_for("+friends").wait_for("[?]").send("y");
    terminal.end().expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nfriends\n");
    let new = newest(&world);
    let plan = shown(&world, &new);
    assert_eq!((&plan["detail"]["edited_from"], &plan["detail"]["version"]), (&id.clone().into(), &2.into()), "{plan}");
    assert_eq!(plan["detail"]["by"], "person:tester", "{plan}");
    let text = world.run(&["show", &new]).expect(0).out;
    assert!(text.contains("edited from") && !text.contains("gpt-5.5"), "{text}");
    assert_eq!(shown(&world, &id)["status"], "expired");
    world.run(&["audit", "verify"]).expect(0);
}

/// Where an agent in a sandbox can write, a link in the place of the file would lead the editor's own hand elsewhere.
#[test]
fn attack_66_what_is_edited_lies_in_the_users_own_folder() {
    let world = World::begun();
    waiting(&world);
    let told = world.path().join("told");
    let script = format!("printf '%s' \"$1\" > {}; sed -i s/there/friends/ \"$1\"\n", told.display());
    let mut terminal = edit(&world, &script);
    terminal.wait_for("+friends").wait_for("[?]").send("n");
    terminal.end();
    let place = std::fs::read_to_string(told).unwrap();
    let own = world.home().join("state/edit").canonicalize().unwrap();
    assert!(std::path::Path::new(&place).starts_with(&own), "{place}");
    assert_eq!(std::fs::read_dir(own).unwrap().count(), 0, "nothing is left");
}

#[test]
fn an_edit_that_comes_to_nothing_leaves_the_plan_as_it_is() {
    let cases = [
        ("true", 2, "nothing was edited"),
        ("printf 'hello\\nworld\\n' > \"$1\"", 2, "as it is now"),
        ("exit 3", 2, "did not end well"),
        ("rm \"$1\"", 2, "read what was edited"),
        // What no person may approve, a person may not write either.
        ("cp key.pem \"$1\"", 10, "secret"),
    ];
    for (script, code, words) in cases {
        let world = World::begun();
        let id = waiting(&world);
        let body = "MIIEowIBAAKCAQEAaB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0d\n".repeat(12);
        world.write("key.pem", &format!("-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n"));
        let done = edit(&world, script).end().expect(code);
        assert!(done.out.contains(words), "{script}: {}", done.out);
        assert_eq!(shown(&world, &id)["status"], "pending", "{script}");
        assert_eq!(world.read("greet.txt"), "hello\nworld\n", "{script}");
    }
}

/// What a profile would allow unasked is still shown to whoever wrote it.
#[test]
fn an_edit_waits_for_approval_in_every_profile() {
    let world = World::begun();
    waiting(&world);
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    let mut terminal = edit(&world, "sed -i s/there/friends/ \"$1\"\n");
    terminal.wait_for("+friends").wait_for("[?]").send("n");
    terminal.end().expect(30);
    assert_eq!(shown(&world, &newest(&world))["status"], "pending");
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
}

#[test]
fn nobody_edits_without_a_terminal() {
    let world = World::begun();
    let id = waiting(&world);
    world.run(&["edit", &id]).expect(30);
    assert_eq!(shown(&world, &id)["status"], "pending");
}
