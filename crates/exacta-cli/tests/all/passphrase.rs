//! The passphrase of a key: changed in its file, forgotten at once.

use crate::story::{fix, id, submit};
use crate::world::World;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const OLD: &str = "correct horse\n";
const NEW: &str = "battery staple\n";

fn begun() -> World {
    let world = World::new();
    let mut terminal = world.terminal(&["init", "--approver", "tester"]);
    terminal.wait_for("new passphrase").send(OLD).wait_for("same again").send(OLD).wait_for("which profile").send("\n");
    terminal.end().expect(0);
    world
}

/// Approves a plan; whether the passphrase was asked for, with these answers, and how it ended.
fn approve(world: &World, passphrases: &[&str]) -> i32 {
    let id = id(&submit(world, &fix()));
    let mut terminal = world.terminal(&["approve", &id]);
    terminal.wait_for("[?] ").send("y");
    for passphrase in passphrases {
        terminal.wait_for("passphrase of `tester`: ").send(passphrase);
    }
    terminal.end().code
}

#[test]
fn a_key_gets_another_passphrase_and_the_old_one_opens_nothing() {
    let world = begun();
    let before = fs::read(world.key()).unwrap();
    let mut terminal = world.terminal(&["approver", "passphrase"]);
    terminal.wait_for("present passphrase of `tester`: ").send("wrong\n");
    terminal.wait_for("wrong passphrase").wait_for("present passphrase").send(OLD);
    terminal.wait_for("new passphrase for `tester`: ").send(NEW).wait_for("same again").send(NEW);
    let done = terminal.end().expect(0);
    assert!(done.out.contains("has its new passphrase"), "{}", done.out);
    assert_ne!(fs::read(world.key()).unwrap(), before);
    assert_eq!(fs::metadata(world.key()).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(approve(&world, &[OLD, NEW]), 0, "the old one is refused, the new one opens");
    world.run(&["audit", "verify"]).expect(0);
}

#[test]
fn without_the_present_passphrase_nothing_changes() {
    let world = begun();
    let before = fs::read(world.key()).unwrap();
    let mut terminal = world.terminal(&["approver", "passphrase", "tester"]);
    for _ in 0..3 {
        terminal.wait_for("present passphrase of `tester`: ").send("wrong\n");
    }
    terminal.end().expect(2);
    world.run(&["approver", "passphrase"]).expect(30);
    let done = world.terminal(&["approver", "passphrase", "nobody"]).end();
    assert_eq!(done.code, 2, "{}", done.out);
    assert_eq!(fs::read(world.key()).unwrap(), before);
}

#[test]
fn what_is_remembered_is_forgotten_at_once() {
    let world = begun();
    let line = |then: &str| {
        let exacta = crate::world::EXACTA;
        let plan = id(&submit(&world, &fix()));
        format!("{exacta} approve {plan}; {then} {exacta} approve {}", id(&submit(&world, &fix())))
    };
    let mut terminal = world.shell(&line(&format!("{} approver lock;", crate::world::EXACTA)));
    terminal.wait_for("[?] ").send("y").wait_for("passphrase of `tester`: ").send(OLD);
    terminal.wait_for("forgotten").wait_for("[?] ").send("y").wait_for("passphrase of `tester`: ").send(OLD);
    terminal.end().expect(0);
}
