//! What `execute` costs beside the runs that are kept, whose before-images and journals lie in `.exacta` for 30 days.

use crate::{Place, medians, on_a_quiet_disk, report};
use serde_json::json;
use std::fs;

const FEW: usize = 10;
const ROUNDS: usize = 20;

/// `exacta execute` beside many kept runs, against the same beside ten. `EXACTA_BENCH_RUNS` sets how many; the default is 2 000.
pub fn kept_runs() {
    let many: usize = std::env::var("EXACTA_BENCH_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let (full, sparse) = (Place::new(0), Place::new(0));
    for number in 0..many {
        run_one(&full, number);
    }
    for number in 0..FEW {
        run_one(&sparse, number);
    }
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        for (place, times) in [(&full, &mut ours), (&sparse, &mut theirs)] {
            let id = approve_one(place, many + round);
            times.push(on_a_quiet_disk(|| place.run(&["execute", &id], &[0])));
        }
    }
    report(&format!("execute beside {many} kept runs"), &format!("execute beside {FEW}"), medians((ours, theirs)));
}

fn run_one(place: &Place, number: usize) {
    let id = approve_one(place, number);
    place.run(&["execute", &id, "--no-sync"], &[0]);
}

/// A plan that creates a file of its own, approved.
fn approve_one(place: &Place, number: usize) -> String {
    let plan = json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "AddFeature", "text": format!("the figures of day {number} are kept in a file of their own") },
        "steps": [{
            "id": "s1", "order": 1, "type": "file_create", "target": format!("days/{}/{number}.txt", number / 100),
            "description": format!("keep the figures of day {number} beside those of the other days"),
            "dependencies": [], "content": format!("the figures of day {number}\n"),
        }],
    });
    let file = place.home.with_extension("kept.json");
    fs::write(&file, plan.to_string()).unwrap();
    place.approved(&file)
}
