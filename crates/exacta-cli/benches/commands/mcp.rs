//! A check over MCP, by a process that is there already, against one by a process of its own.

use super::{Place, least, race, report};
use exacta_testkit::{Lines, Running};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{ChildStdin, Stdio};

/// Half at most is what it should take.
pub fn mcp() {
    let place = Place::new(0);
    let mut command = place.command(&["mcp", "--agent", "bench"]);
    let mut running = Running::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
    let talk = RefCell::new((running.stdin().unwrap(), Lines::of(running.stdout().unwrap())));
    for (plan, what) in [(place.small(), "one short step"), (place.change().0, "10 steps, 100 KB of diffs")] {
        let line = asked(&plan);
        let ours = || told(&mut talk.borrow_mut(), &line);
        let theirs = || place.run(&["check", plan.to_str().unwrap()], &[30]);
        report(&format!("check over MCP, {what}"), "check, as a process", least(race(60, ours, theirs)));
    }
}

/// A call of `check`, as a line.
fn asked(plan: &Path) -> String {
    let proposal: Value = serde_json::from_slice(&fs::read(plan).unwrap()).unwrap();
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let params = json!({ "name": "check", "arguments": { "proposal": proposal }, "_meta": meta });
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))
}

fn told((input, lines): &mut (ChildStdin, Lines), line: &str) {
    input.write_all(line.as_bytes()).unwrap();
    assert!(lines.next().unwrap().contains("checked"));
}
