//! New projects and builds without any provider: plans like any other, whose result is built and tested with the language's own tools.

use crate::world::World;
use exacta_testkit::{output, program};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

/// Asks without a provider, approves and runs what comes of it.
fn made(world: &World, text: &str) -> Value {
    let told = world.run(&["ask", text, "--json"]).expect(30).json();
    let id = told["plan_id"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
    assert_eq!((&told["stage"], &told["model"]), (&json!("done"), &Value::Null), "{told}");
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    world.run(&["execute", &id]).expect(0);
    told
}

#[track_caller]
fn succeeds(folder: &Path, command: &[&str]) {
    let mut started = Command::new(command[0]);
    started.args(&command[1..]).current_dir(folder).stdin(Stdio::null());
    started
        .env("PYTHONPATH", "src")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("CARGO_TARGET_DIR", folder.join("../built"));
    started.env("GOFLAGS", "-mod=mod").env("GOPROXY", "off").env("GOCACHE", folder.join("../built"));
    let done = output(&mut started);
    let text = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    assert!(done.status.success(), "{command:?}: {text}");
}

#[test]
fn rust_python_and_go_are_built_and_tested() {
    let cases: [(&str, &str, &[&str]); 4] = [
        ("create a rust binary called my-demo in made", "cargo", &["cargo", "test", "--offline", "--quiet"]),
        ("create a rust library called my-demo in made", "cargo", &["cargo", "test", "--offline", "--quiet"]),
        (
            "create a python package called my-demo in made",
            "python3",
            &["python3", "-m", "unittest", "discover", "-s", "tests"],
        ),
        ("create a go service called my-demo in made", "go", &["go", "test", "./..."]),
    ];
    for (text, tool, command) in cases {
        if !program(tool) {
            continue;
        }
        let world = World::begun();
        made(&world, text);
        succeeds(&world.project().join("made"), command);
        world.run(&["undo", "--approver-key", &world.key()]).expect(0);
    }
}

#[test]
fn typescript_is_built_and_tested() {
    if !program("npm") {
        return;
    }
    let world = World::begun();
    made(&world, "create a typescript service called my-demo in made");
    let folder = world.project().join("made");
    succeeds(&folder, &["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]);
    succeeds(&folder, &["npm", "test", "--silent"]);
}

/// Nothing here runs on this system: the code is parsed by the grammar, the rest as XML, and no more is claimed.
#[test]
fn c_sharp_is_parsed() {
    for (kind, files) in [("c# console", 2), ("wpf", 5), ("winui", 5)] {
        let world = World::begun();
        let told = made(&world, &format!("create a {kind} project called my-demo in made"));
        let steps = told["steps"].as_array().unwrap();
        assert_eq!(steps.len(), files, "{kind}");
        for step in steps {
            let path = step["target"].as_str().unwrap();
            let text = world.read(path);
            assert!(text.contains("MyDemo"), "{path}");
            if path.ends_with(".cs") {
                let mut parser = tree_sitter::Parser::new();
                parser.set_language(&tree_sitter_c_sharp::LANGUAGE.into()).unwrap();
                let tree = parser.parse(&text, None).unwrap();
                assert!(!tree.root_node().has_error(), "{path}: {}", tree.root_node());
            } else {
                let mut reader = quick_xml::Reader::from_str(&text);
                while reader.read_event().unwrap_or_else(|error| panic!("{path}: {error}"))
                    != quick_xml::events::Event::Eof
                {}
            }
        }
    }
}

#[test]
fn what_is_missing_is_asked_for() {
    let world = World::begun();
    let told = world.run(&["ask", "create a new project", "--intent", "CreateProject", "--json"]).expect(30).json();
    let id = told["ask_id"].as_str().unwrap();
    let mut asked = vec![told["needs"]["field"].clone()];
    for answer in ["kind=rust library", "name=my-demo", "path=."] {
        let told = world.run(&["ask", "--resume", id, "--answer", answer, "--json"]).expect(30).json();
        asked.push(told["needs"]["field"].clone());
    }
    assert_eq!(asked, [json!("kind"), json!("name"), json!("path"), Value::Null]);
    let refused = world.run(&["ask", "create a wpf app called Bad/Name in made", "--json"]).expect(2).json();
    assert_eq!(refused["error"]["code"], "ASK_NAME_INVALID");
    let refused = world.run(&["ask", "create a wpf app called fine in ../made", "--json"]).expect(2).json();
    assert_eq!(refused["error"]["code"], "ASK_PATH_INVALID");
    // More than a template has needs a model.
    world.run(&["ask", "create a rust binary called demo that parses logs"]).expect(30);
    assert!(!world.project().join("Cargo.toml").exists());
}

#[test]
fn a_build_is_asked_for_without_a_provider() {
    let world = World::begun();
    let told = world.run(&["ask", "build the debug package", "--json"]).json();
    assert_eq!(
        (&told["intent"]["type"], &told["steps"][0]["target"]),
        (&json!("BuildPackage"), &json!("debug")),
        "{told}"
    );
    let told = world.run(&["ask", "package it", "--json"]).expect(30).json();
    assert_eq!(
        (&told["needs"]["field"], &told["needs"]["candidates"][0]),
        (&json!("configuration"), &json!("release"))
    );
}
