//! New files that are no text, from the proposal to the undo, on every surface.

use crate::world::World;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SIZE: usize = 70;

fn submitted(world: &World, payload: &Value) -> String {
    let mut step = json!({
        "type": "file_create", "target": "img/logo.png",
        "description": "add the logo that greet.txt shows beside the greeting",
    });
    payload.as_object().unwrap().iter().for_each(|(name, value)| step[name] = value.clone());
    let intent = json!({ "type": "AddFeature", "text": "add a logo beside the greeting" });
    let plan = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": [step] });
    let path = world.file("plan.json", plan.to_string());
    world.run(&["submit", &path, "--json"]).expect(30).json()["plan_id"].as_str().unwrap().to_owned()
}

fn logo(world: &World) -> Option<(Vec<u8>, u32)> {
    let path = world.project().join("img/logo.png");
    let mode = fs::metadata(&path).ok()?.permissions().mode() & 0o777;
    Some((fs::read(path).unwrap(), mode))
}

#[test]
fn shown_approved_written_and_undone() {
    let world = World::begun();
    let id = submitted(&world, &json!({ "content_base64": PNG }));
    let plan = world.run(&["show", &id, "--json"]).expect(0).json();
    let binary = &plan["detail"]["steps"][0]["binary"];
    assert_eq!((&binary["kind"], &binary["size"], &binary["hex"]), (&json!("PNG image"), &json!(SIZE), &Value::Null));
    assert_eq!((&plan["system_level"], &plan["decision"]), (&json!(false), &json!("confirm")));
    let whole = world.run(&["show", &id, "--json", "--with", "hex"]).expect(0).json();
    let hex = whole["detail"]["steps"][0]["binary"]["hex"].as_str().unwrap().to_owned();
    assert!(hex.starts_with("89504e470d0a1a0a") && hex.len() == 2 * SIZE, "{hex}");
    let text = world.run(&["show", &id]).expect(0).out;
    assert!(
        text.contains("what comes: PNG image, 70 bytes, SHA-256 ") && text.contains("a new file that is no text"),
        "{text}"
    );
    let bytes = world.run(&["show", &id, "--hex", "--stat"]).expect(0).out;
    assert!(bytes.contains("00000000  89 50 4e 47 0d 0a 1a 0a  00 00 00 0d 49 48 44 52  .PNG........IHDR"), "{bytes}");
    let patch = world.run(&["diff", &id]).expect(0).out;
    assert!(patch.contains("GIT binary patch\nliteral 70\n"), "{patch}");
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    world.run(&["execute", &id]).expect(0);
    let (written, mode) = logo(&world).unwrap();
    assert_eq!((written.len(), mode & 0o111), (SIZE, 0));
    // Of a plan that is over no bytes are kept beside the proposal.
    let over = world.run(&["show", &id, "--json", "--with", "hex"]).expect(0).json();
    assert_eq!(over["detail"]["steps"][0]["binary"]["hex"], Value::Null);
    world.run(&["undo", "--approver-key", &world.key()]).expect(0);
    assert_eq!(logo(&world), None);
    let again = world.run(&["resubmit", &id, "--json"]).expect(30).json();
    assert_eq!(again["content_hash"], plan["content_hash"]);
    world.run(&["audit", "verify"]).expect(0);
}

#[test]
fn a_program_is_system_level_and_gets_its_mode() {
    let world = World::begun();
    let id = submitted(&world, &json!({ "content_base64": "f0VMRgIBAQA=", "mode": "100755" }));
    let plan = world.run(&["show", &id, "--json"]).expect(0).json();
    assert_eq!(
        (&plan["system_level"], &plan["detail"]["steps"][0]["binary"]["executable"]),
        (&json!(true), &json!(true))
    );
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    world.run(&["execute", &id]).expect(0);
    let (written, mode) = logo(&world).unwrap();
    assert_eq!((written, mode & 0o100), (b"\x7fELF\x02\x01\x01\0".to_vec(), 0o100));
}

/// What `exacta diff` prints is a patch for git, and for Exacta.
#[test]
fn a_patch_of_it_is_submitted_elsewhere() {
    let world = World::begun();
    let id = submitted(&world, &json!({ "content_base64": PNG }));
    let patch = world.run(&["diff", &id]).expect(0).out;
    let other = World::begun();
    let path = other.file("new.patch", &patch);
    let plan = other.run(&["submit", &path, "--json"]).expect(30).json();
    let of = |world: &World, id: &str| {
        world.run(&["show", id, "--json"]).expect(0).json()["detail"]["steps"][0]["binary"].clone()
    };
    assert_eq!(of(&other, plan["plan_id"].as_str().unwrap()), of(&world, &id));
}

/// Text in disguise, line breaks, too much: each refused with its code.
#[test]
fn what_is_no_such_file() {
    let world = World::begun();
    for (payload, code) in [
        (json!({ "content_base64": "aGVsbG8K" }), "PLAN_PAYLOAD_INVALID"),
        (json!({ "content_base64": "AAEC\nAAEC" }), "PLAN_PAYLOAD_INVALID"),
        (json!({ "content_base64": "A".repeat(5 * 1024 * 1024 / 3 * 4 + 8) }), "PLAN_PAYLOAD_INVALID"),
        (json!({ "content_base64": "AAEC", "mode": "104755" }), "PLAN_SCHEMA_INVALID"),
    ] {
        let mut step = json!({ "type": "file_create", "target": "a.bin", "description": "add the bytes" });
        payload.as_object().unwrap().iter().for_each(|(name, value)| step[name] = value.clone());
        let intent = json!({ "type": "AddFeature", "text": "add some bytes" });
        let plan = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": [step] });
        let path = world.file("plan.json", plan.to_string());
        let found = world.run(&["check", &path, "--json"]).expect(10).json();
        assert_eq!(found["findings"][0]["code"], code, "{}", found["findings"]);
    }
}

/// Five mebibytes are no more than may come.
#[test]
fn the_largest_one() {
    let world = World::begun();
    let size = 5 << 20;
    let encoded = format!("{}=", "A".repeat(size / 3 * 4 + 3));
    let step = json!({ "type": "file_create", "target": "a.bin", "description": "add it", "content_base64": encoded });
    let intent = json!({ "type": "AddFeature", "text": "add some bytes" });
    let plan = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": [step] });
    let path = world.file("plan.json", plan.to_string());
    let found = world.run(&["check", &path, "--json"]).expect(30).json();
    assert_eq!(found["detail"]["steps"][0]["binary"]["size"], size, "{found}");
}
