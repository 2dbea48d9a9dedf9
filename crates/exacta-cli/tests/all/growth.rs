//! Attack 37: what the whole program does to execute a plan does not grow with the runs that are kept.

use crate::story::{id, submit};
use crate::world::World;
use exacta_testkit::{output, program};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Command;

/// What may differ: SQLite's tree of pages and the tree of the log are a level deeper, and a pipe may be read once more.
const SLACK: usize = 60;

/// How many system calls a command makes, of each kind.
type Calls = BTreeMap<String, usize>;

#[test]
fn execute_makes_as_many_calls_beside_many_kept_runs() {
    if !program("strace") {
        return;
    }
    let world = World::begun();
    let kept = |from: usize, to: usize| {
        for number in from..to {
            let id = approved(&world, number);
            world.run(&["execute", &id, "--no-sync"]).expect(0);
        }
    };
    kept(0, 10);
    let few = cheapest(&world, 1000);
    kept(10, 200);
    let many = cheapest(&world, 2000);
    let (less, more) = (few.values().sum::<usize>(), many.values().sum::<usize>());
    eprintln!("{less} calls beside 10 kept runs, {more} beside 200");
    assert!(less > 200, "{few:?}");
    let grown: Vec<_> = many.iter().filter(|(call, count)| few.get(*call) < Some(count)).collect();
    assert!(more <= less + SLACK, "{less} calls beside 10 kept runs, {more} beside 200; more of {grown:?}");
}

/// Counts the calls of the cheapest of some executions in a row. Now and then one of them also moves SQLite's write-ahead log into
/// the database, which costs the same beside any number of runs, but not each time.
fn cheapest(world: &World, first: usize) -> Calls {
    let tried = (first..first + 5).map(|number| executed(world, number));
    tried.min_by_key(|calls| calls.values().sum::<usize>()).unwrap()
}

/// Counts the calls of one execution.
fn executed(world: &World, number: usize) -> Calls {
    let id = approved(world, number);
    let log = world.path().join("calls");
    let plain = world.command(&["execute", &id]);
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-o"]).arg(&log).arg(plain.get_program()).args(plain.get_args());
    traced.current_dir(world.project());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    let ended = output(&mut traced);
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let mut calls = Calls::new();
    for line in std::fs::read_to_string(&log).unwrap().lines() {
        let Some((_, rest)) = line.split_once(' ') else { continue };
        let call = rest.trim_start().split('(').next().unwrap_or_default();
        // How threads wait for each other is the machine's affair, and so is memory.
        if !call.starts_with(['<', '-', '+']) && !["futex", "mmap", "munmap", "brk", "madvise"].contains(&call) {
            *calls.entry(call.to_owned()).or_default() += 1;
        }
    }
    calls
}

fn approved(world: &World, number: usize) -> String {
    let id = id(&submit(world, &plan(number)).expect(30));
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    id
}

/// A plan that makes a file of its own, in a folder of its own.
fn plan(number: usize) -> Value {
    json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "AddFeature", "text": format!("the figures of day {number} are kept in a file of their own") },
        "steps": [{
            "id": "s1", "order": 1, "type": "file_create", "target": format!("days/{number}/figures.txt"),
            "dependencies": [], "description": format!("keep the figures of day {number} beside those of the other days"),
            "content": format!("the figures of day {number}\n"),
        }],
    })
}
