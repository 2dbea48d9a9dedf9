//! Schema, completions and man pages.

use crate::world::World;

#[test]
fn the_schema_is_json_and_names_the_format() {
    let world = World::new();
    let pretty = world.run(&["schema"]).expect(0);
    assert_eq!(pretty.json(), world.run(&["schema", "--json"]).expect(0).json());
    // As the parser: commas stand between ids.
    let id = pretty.json().pointer("/$defs/step_file_create/properties/id/pattern").cloned().unwrap();
    assert_eq!(id, r"^[^,]*[^,\s][^,]*$");
    assert!(pretty.out.contains("exacta.plan/1"));
}

#[test]
fn help_on_commands_and_topics() {
    let world = World::empty();
    for (topic, part) in [
        (&[][..], "Examples:"),
        (&["policy", "set"], "caps.submitted_files"),
        (&["keys"], "next, previous hunk"),
        (&["exit-codes"], "changes requested"),
    ] {
        let told = world.run(&[&["help"], topic].concat()).expect(0).out;
        assert!(told.contains(part), "{topic:?}: {told}");
    }
    let unknown = world.run(&["help", "nonsense"]).expect(2).err;
    assert!(unknown.contains("exit-codes"), "{unknown}");
}

#[test]
fn completions_for_every_shell() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = world.run(&["completions", shell]).expect(0).out;
        assert!(script.contains("resubmit"), "{shell}");
    }
    world.run(&["completions", "csh"]).expect(2);
}

#[test]
fn a_man_page_for_every_command() {
    let world = World::new();
    let dir = world.path().join("man1");
    world.run(&["man", dir.to_str().unwrap()]).expect(0);
    for page in ["exacta.1", "exacta-submit.1", "exacta-audit-verify.1"] {
        let text = std::fs::read_to_string(dir.join(page)).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
    let file = world.file("file", "");
    world.run(&["man", &file]).expect(2);
}

#[test]
fn the_doctor_looks_and_changes_nothing() {
    let world = World::new();
    let checks = world.run(&["doctor", "--json"]).expect(0).json();
    assert!(checks["checks"].as_array().unwrap().iter().any(|check| check["name"] == "terminal"), "{checks}");
    assert!(!world.project().join(".exacta").exists());
    let begun = World::begun();
    assert!(begun.run(&["doctor"]).expect(0).out.contains("good"));
}
