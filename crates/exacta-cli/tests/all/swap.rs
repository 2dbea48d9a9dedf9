//! Attack 32: one plan puts a folder in the place of a file, or a file in the place of a folder.

use crate::story::{id, submit};
use crate::world::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// What lies in a project, with its modes and bytes.
type Tree = BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>;

fn plan(text: &str, steps: &[(&str, &str, Option<&str>)]) -> Value {
    let step = |(index, (target, why, content)): (usize, &(&str, &str, Option<&str>))| {
        let kind = if content.is_some() { "file_create" } else { "file_delete" };
        let mut step = json!({
            "id": format!("s{index}"), "order": index + 1, "type": kind, "target": target,
            "description": why, "dependencies": [],
        });
        if let Some(content) = content {
            step["content"] = json!(content);
        }
        step
    };
    let steps: Vec<Value> = steps.iter().enumerate().map(step).collect();
    json!({ "schema": "exacta.plan/1", "intent": { "type": "AddFeature", "text": text }, "steps": steps })
}

fn file_to_folder() -> Value {
    let text = "the settings become a folder with one file for each part of the program";
    plan(
        text,
        &[
            ("settings", "Delete the settings file, which becomes a folder of the same name.", None),
            ("settings/server/port.txt", "Keep the port of the server in a file of its own.", Some("8080\n")),
        ],
    )
}

fn folder_to_file() -> Value {
    let text = "the notes become one file, because nobody looks for them in a folder";
    plan(
        text,
        &[
            ("notes/first.txt", "Delete the first note, whose text goes into the one file of notes.", None),
            ("notes/old/second.txt", "Delete the second note, whose text goes into the one file of notes.", None),
            ("notes", "Put the text of both notes into one file.", Some("first\nsecond\n")),
        ],
    )
}

fn world() -> World {
    let world = World::begun();
    world.write("settings", "port 8080\n");
    world.write("notes/first.txt", "first\n");
    world.write("notes/old/second.txt", "second\n");
    fs::set_permissions(world.project().join("notes/old"), fs::Permissions::from_mode(0o750)).unwrap();
    world
}

fn tree(world: &World) -> Tree {
    let mut found = Tree::new();
    walk(&world.project(), &mut found);
    found
}

fn walk(folder: &Path, found: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.file_name() != ".exacta") {
        let (at, facts) = (entry.path(), entry.metadata().unwrap());
        if facts.is_dir() {
            walk(&at, found);
        }
        let bytes = facts.is_file().then(|| fs::read(&at).unwrap());
        found.insert(at, (facts.permissions().mode(), bytes));
    }
}

fn undo(world: &World, run: &str) -> String {
    let undone = world.run(&["undo", run, "--approver-key", &world.key(), "--json"]).expect(0).json();
    assert_eq!(undone["outcome"], "completed");
    undone["run_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_file_and_a_folder_change_places_and_every_undo_holds() {
    for (plan, gone, new) in [
        (file_to_folder(), "settings", "settings/server/port.txt"),
        (folder_to_file(), "notes/old/second.txt", "notes"),
    ] {
        let world = world();
        let before = tree(&world);
        let id = id(&submit(&world, &plan).expect(30));
        world.run(&["show", &id]).expect(0);
        world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
        assert_eq!(tree(&world), before);
        let run = world.run(&["execute", &id, "--json"]).expect(0).json()["run_id"].as_str().unwrap().to_owned();
        let after = tree(&world);
        assert!(!world.project().join(gone).is_file() && world.project().join(new).is_file());
        let back = undo(&world, &run);
        assert_eq!(tree(&world), before);
        let again = undo(&world, &back);
        assert_eq!(tree(&world), after);
        undo(&world, &again);
        assert_eq!(tree(&world), before);
        world.run(&["audit", "verify"]).expect(0);
    }
}

/// What someone puts into the folder after the approval ends the plan; nothing of it is touched.
#[test]
fn a_folder_with_something_new_in_it_does_not_give_way() {
    let world = world();
    let id = id(&submit(&world, &folder_to_file()).expect(30));
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    world.write("notes/mine.txt", "mine\n");
    let expected = tree(&world);
    world.run(&["execute", &id]).expect(40);
    assert_eq!(tree(&world), expected);
}

/// And what someone puts into the new folder is not undone with it.
#[test]
fn a_folder_with_something_new_in_it_is_not_undone() {
    let world = world();
    let id = id(&submit(&world, &file_to_folder()).expect(30));
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    world.run(&["execute", &id]).expect(0);
    world.write("settings/mine.txt", "mine\n");
    let expected = tree(&world);
    let undone = world.run(&["undo", "--approver-key", &world.key(), "--json"]);
    assert_ne!(undone.code, 0, "{undone:?}");
    assert_eq!(tree(&world), expected);
}
