//! What commands need of memory stays in proportion to the largest target, whatever is in it.

use crate::world::{Done, EXACTA, World, done};
use exacta_testkit::output;
use serde_json::{Value, json};

/// Of address space: 64 MiB, four times the largest target here, and what the libraries and stacks take.
const KIB: u64 = (64 + 4 * 3 + 24) << 10;

fn limited(world: &World, args: &[&str]) -> Done {
    let args: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let mut command = std::process::Command::new("sh");
    let limit = KIB + loaded() / 1024;
    command.args(["-c", &format!("ulimit -v {limit}; exec '{EXACTA}' {}", args.join(" "))]);
    command.current_dir(world.project()).env("EXACTA_HOME", world.home());
    done(output(&mut command))
}

/// What the program's own code and data take in memory: the segments that its file says are loaded.
fn loaded() -> u64 {
    let file = std::fs::read(EXACTA).unwrap();
    let word = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    let half = |at: usize| usize::from(u16::from_le_bytes(file[at..at + 2].try_into().unwrap()));
    let (start, size, count) = (usize::try_from(word(0x20)).unwrap(), half(0x36), half(0x38));
    let segments = (0..count).map(|index| start + index * size);
    segments.filter(|at| file[*at..at + 4] == [1, 0, 0, 0]).map(|at| word(at + 0x28)).sum()
}

fn plan(steps: &[Value]) -> String {
    let intent = json!({ "type": "FixBug", "text": "take the test data out, the wrong word with it" });
    json!({ "schema": "exacta.plan/1", "intent": intent, "steps": steps }).to_string()
}

fn step(order: u64, kind: &str, target: &str, payload: Value) -> Value {
    let mut step = json!({
        "id": format!("s{order}"), "order": order, "type": kind, "target": target,
        "description": "the data is not used any more", "dependencies": [],
    });
    step.as_object_mut().unwrap().extend(payload.as_object().cloned().unwrap());
    step
}

/// A file of nothing but line feeds is deleted, another emptied, and a word changes in a file of one long line.
#[test]
fn huge_files_need_memory_in_proportion() {
    let world = World::begun();
    let long = format!("{}WRONG {}\n", "left ".repeat(300_000), "right ".repeat(200_000));
    world.write("feeds.txt", &"\n".repeat(3_000_000));
    world.write("lines.txt", &"a\n".repeat(1_500_000));
    world.write("long.txt", &long);
    let text = plan(&[
        step(1, "file_delete", "feeds.txt", json!({})),
        step(2, "file_modify", "lines.txt", json!({ "content": "b\n" })),
        step(3, "file_modify", "long.txt", json!({ "edits": [{ "find": "WRONG", "replace": "good" }] })),
    ]);
    let file = world.file("plan.json", text);
    let view = limited(&world, &["submit", &file, "--json", "--with", "diff"]).expect(30).json();
    let step = |index: usize| view["detail"]["steps"][index].clone();
    assert_eq!((&step(0)["removed"], &step(1)["removed"]), (&json!(3_000_000), &json!(1_500_000)));
    let diff = |index: usize| step(index)["diff"].as_str().unwrap().to_owned();
    assert!(diff(0).ends_with(&format!("@@\n{}", "-\n".repeat(3_000_000))), "every line that goes is shown");
    assert!(diff(1).ends_with(&format!("@@\n{}+b\n", "-a\n".repeat(1_500_000))), "every line that goes is shown");
    assert!(diff(2).len() < 2_000 && diff(2).contains("WRONG right") && diff(2).contains("good right"), "{}", diff(2));
    assert!(diff(2).contains("of this line of 2700006 are shown; the others stay"), "{}", diff(2));
    let gates = view["gates"].to_string();
    assert!(gates.contains("more lines change than are looked at one by one"), "{gates}");
    let id = view["plan_id"].as_str().unwrap();
    let hash = view["plan_hash"].as_str().unwrap();
    limited(&world, &["approve", id, "--hash", hash, "--approver-key", &world.key()]).expect(0);
    limited(&world, &["execute", id]).expect(0);
    assert_eq!(world.read("long.txt"), long.replace("WRONG", "good"));
    assert!(!world.project().join("feeds.txt").exists());
    assert_eq!(world.read("lines.txt"), "b\n");
}
