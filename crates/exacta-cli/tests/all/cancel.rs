//! `exacta cancel`: a run that goes on in another process is stopped, and puts everything back.

use crate::story::{fix, id, submit};
use crate::world::{World, redact};
use exacta_testkit::{LIMIT, sandbox};
use serde_json::Value;
use std::time::Instant;

/// A project whose check lets a run wait for as long as anybody likes.
fn slow() -> World {
    let world = World::begun();
    let policy = format!(
        "version = \"1\"\n[[projects.\"{}\".checks]]\nname = \"slow\"\nargv = [\"sleep\", \"600\"]\n",
        world.project().display()
    );
    let file = world.file("policy.toml", policy);
    world.run(&["policy", "set", &file, "--approver-key", &world.key()]).expect(0);
    world
}

/// A run of the fix in the background: its plan's id and its own.
fn begin(world: &World) -> (String, String) {
    let plan = id(&submit(world, &fix()).expect(30));
    world.run(&["approve", &plan, "--approver-key", &world.key()]).expect(0);
    let started = world.run(&["execute", &plan, "--detach", "--json"]).expect(0).json();
    assert_eq!(started["outcome"], "running", "{started}");
    (plan, started["run_id"].as_str().unwrap().to_owned())
}

fn run_of(world: &World, plan: &str) -> Value {
    world.run(&["show", plan, "--json"]).expect(0).json()["run"].clone()
}

#[test]
fn attack_27_a_run_in_the_background_can_be_cancelled() {
    if !sandbox() {
        return;
    }
    let world = slow();
    let before = world.read("greet.txt");
    let (plan, run) = begin(&world);
    let begun = Instant::now();
    let told = world.run(&["cancel", &run, "--json"]).expect(0).json();
    assert!(begun.elapsed() < LIMIT, "it does not wait for the check");
    assert_eq!((&told["outcome"], &told["run_id"]), (&"cancelled".into(), &run.as_str().into()), "{told}");
    assert_eq!(told["schema"], "exacta.run/1");
    assert_eq!(world.read("greet.txt"), before);
    let recorded = run_of(&world, &plan);
    assert_eq!(recorded["outcome"], "cancelled", "the record says the same: {recorded}");
    world.run(&["audit", "verify"]).expect(0);
    let listed = world.run(&["list", "--status", "cancelled", "--json"]).expect(0).json();
    assert_eq!(listed["plans"].as_array().unwrap().len(), 1, "{listed}");
    // It had ended before.
    let again = world.run(&["cancel", &run, "--json"]).expect(40).json();
    assert_eq!((&again["error"]["code"], &again["outcome"]), (&"run_ended".into(), &"cancelled".into()), "{again}");
    assert_eq!(world.run(&["cancel", "0000000", "--json"]).expect(2).json()["error"]["code"], "run_unknown");
}

/// By the start of its plan's id, told as text; and the plan can be proposed again.
#[test]
fn attack_27_a_cancelled_run_is_told_as_that() {
    if !sandbox() {
        return;
    }
    let world = slow();
    let (plan, _) = begin(&world);
    let told = world.run(&["cancel", &plan]).expect(0);
    assert_eq!(redact(&told.out), "run [id]  cancelled\n  every file is as it was\n");
    world.run(&["resubmit", &plan, "--json"]).expect(30);
}

#[test]
fn attack_27_a_completed_run_is_not_cancelled() {
    let world = World::begun();
    let plan = id(&submit(&world, &fix()).expect(30));
    world.run(&["approve", &plan, "--approver-key", &world.key()]).expect(0);
    world.run(&["execute", &plan]).expect(0);
    let told = world.run(&["cancel", &plan]).expect(40);
    assert!(told.err.contains("has ended: it is completed") && told.err.contains("exacta undo"), "{}", told.err);
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
}
