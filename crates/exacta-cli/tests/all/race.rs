//! Many processes decide about one plan at the same time: exactly one wins, and the log tells the same story as the files.

use crate::crowd::LOST;
use crate::world::{World, done};
use exacta_testkit::Running;
use serde_json::{Value, json};
use std::process::Stdio;

const PROCESSES: usize = 64;

#[test]
fn one_decision_leaves_pending_and_at_most_one_run_follows() {
    race(2);
}

/// The whole promise; takes some minutes.
#[test]
#[ignore = "200 rounds take minutes: cargo test -p exacta-cli --test all -- --ignored two_hundred_rounds"]
fn two_hundred_rounds() {
    race(200);
}

fn race(rounds: usize) {
    let world = World::begun();
    for round in 0..rounds {
        let id = submit(&world, round);
        let rivals: Vec<Running> = (0..PROCESSES).map(|index| rival(&world, &id, index + round)).collect();
        for rival in rivals {
            let ended = done(rival.finish());
            // A fault that says nothing is one of the program's own.
            let why = ended.json()["error"]["code"].as_str().unwrap_or_default().to_owned();
            // Whoever executes what a rival has rejected is told that it is denied.
            let rejected = (ended.code, why.as_str()) == (10, "plan_rejected");
            assert!(matches!(ended.code, 0 | 30 | 40) || rejected || LOST.contains(&why.as_str()), "{ended:?}");
        }
        settled(&world, &id, round);
    }
    world.run(&["audit", "verify"]).expect(0);
}

fn submit(world: &World, round: usize) -> String {
    let plan = json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "AddFeature", "text": format!("note the outcome of round {round} in a file of its own") },
        "steps": [{
            "id": "note", "order": 1, "type": "file_create", "target": target(round), "dependencies": [],
            "description": "write the note that tells whether this round was executed", "content": "executed\n",
        }],
    });
    let file = world.file("race.json", plan.to_string());
    world.run(&["submit", "--json", &file]).expect(30).json()["plan_id"].as_str().unwrap().to_owned()
}

fn target(round: usize) -> String {
    format!("src/round{round}.py")
}

fn rival(world: &World, id: &str, index: usize) -> Running {
    let key = world.key();
    let mut command = match index % 4 {
        0 => world.command(&["approve", id, "--approver-key", &key]),
        1 => world.command(&["reject", id, "--approver-key", &key]),
        2 => world.command(&["execute", id]),
        // Once in a while the session ends, and every plan with it.
        _ if index % 32 == 3 => world.command(&["session", "end"]),
        _ => world.command(&["execute", id]),
    };
    Running::start(command.arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped()))
}

/// What the log says of a plan is one story, and the file is as that story says.
fn settled(world: &World, id: &str, round: usize) {
    let shown = world.run(&["show", "--json", id]).expect(0).json();
    let log = world.run(&["audit", "list", "--json"]).expect(0).json();
    let count =
        |event: &str| entries(&log).iter().filter(|entry| entry["plan_id"] == id && entry["event"] == event).count();
    let (approved, rejected, expired) = (count("plan_approved"), count("plan_rejected"), count("plan_expired"));
    let story: Vec<&Value> = entries(&log).iter().filter(|entry| entry["plan_id"] == id).collect();
    let story =
        format!("round {round}: approved {approved}, rejected {rejected}, expired {expired}: {shown}\n{story:#?}");
    assert_eq!(approved + rejected + usize::from(approved + rejected == 0 && expired == 1), 1, "{story}");
    assert!(expired <= 1 && (rejected == 0 || expired == 0), "{story}");
    // A session that ends while the run is under way withdraws it.
    let (executed, withdrawn) = (count("plan_executed"), count("run_rolled_back"));
    assert!(executed + withdrawn <= approved, "{story}");
    assert_eq!(count("run_started"), executed + withdrawn, "{story}");
    assert_eq!(world.project().join(target(round)).exists(), executed == 1, "{story}");
}

fn entries(log: &Value) -> &Vec<Value> {
    log["entries"].as_array().unwrap_or_else(|| panic!("{log}"))
}
