//! A project whose disk is full: the server says why it cannot change anything there, reads it all the same, and serves the others.

use crate::serve::{Reply, Served};
use crate::serve_projects::second;
use crate::story::{fix, id, submit};
use crate::world::{World, program};
use exacta_testkit::root;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// A new file of this name.
fn note(name: &str) -> String {
    json!({
        "schema": "exacta.plan/1", "intent": { "type": "AddFeature", "text": "a note" },
        "steps": [{ "id": "s1", "order": 1, "type": "file_create", "target": format!("{name}.txt"), "dependencies": [],
            "description": "Add a note.", "content": "note\n" }],
    })
    .to_string()
}

#[test]
fn a_full_disk_is_told_and_keeps_nobody_else_from_an_answer() {
    if !root() {
        return;
    }
    let world = World::begun();
    let plan = id(&submit(&world, &fix()));
    let other = second(&world);
    let mount = r#"cp -a "$PROJECT" copy && mount -t tmpfs -o size=16m none "$PROJECT" && cp -a copy/. "$PROJECT" &&
        exec "$EXACTA" serve --listen 127.0.0.1:0 --json"#;
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", mount]).env_clear().stdin(Stdio::null()).current_dir(world.path());
    command.envs(world.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("EXACTA", program()).env("PROJECT", world.project());
    let served = Served::of(&mut command);
    let (cookie, _) = served.open();
    let origin = served.origin();
    let headers = [("Cookie", cookie.as_str()), ("Origin", &origin), ("Content-Type", "application/json")];
    let made = |project: &std::path::Path, name: &str| -> Reply {
        served.ask("POST", &format!("/api/v2/plans?project={}", project.display()), &headers, &note(name))
    };
    let shown = || served.ask("GET", &format!("/api/v2/plans/{plan}"), &headers[..1], "");
    assert_eq!(made(&world.project(), "before").status, 201);
    let filler = format!("/proc/{}/root{}/filler", served.process(), world.project().display());
    let mut file = File::create(&filler).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    drop(file);
    for turn in 0..3 {
        let refused = made(&world.project(), &format!("full{turn}"));
        let told: Value = serde_json::from_str(&refused.body).unwrap();
        assert_eq!(refused.status, 500, "{told}");
        let words = told["detail"].as_str().unwrap().to_lowercase();
        assert!(words.contains("no space") || words.contains("full"), "{told}");
        assert!(told["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{told}");
        assert_eq!(shown().status, 200, "it is read all the same");
        assert_eq!(made(&other, &format!("there{turn}")).status, 201, "another project");
    }
    std::fs::remove_file(&filler).unwrap();
    assert_eq!(made(&world.project(), "after").status, 201);
    let verified =
        served.ask("POST", &format!("/api/v2/audit/verify?project={}", world.project().display()), &headers, "{}");
    assert_eq!(verified.status, 200, "{}", verified.body);
    assert_eq!(served.end(), Some(0));
}
