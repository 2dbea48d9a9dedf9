//! With `--json` every command prints exactly one object, whatever happens; with `--events` every line is one.

use crate::story::fix;
use crate::world::{Done, World};
use serde_json::Value;
use std::collections::BTreeSet;

/// One object on one line, which names its schema; nothing else on standard output.
#[track_caller]
fn one_object(done: &Done, args: &[&str]) -> Value {
    assert_eq!(done.out.lines().count(), 1, "{args:?}: {done:?}");
    let value: Value = serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{args:?}: {error}: {done:?}"));
    let schema = value["schema"].as_str().or(value["$schema"].as_str());
    assert!(schema.is_some_and(|schema| !schema.is_empty()), "{args:?}: {value}");
    if let Some(exit) = value["error"]["exit"].as_i64() {
        assert_eq!(exit, i64::from(done.code), "{args:?}: {value}");
    }
    value
}

#[test]
fn every_command_prints_one_object() {
    let world = World::begun();
    let key = world.key();
    let plan = world.file("plan.json", fix().to_string());
    let policy = world.file("policy.toml", world.run(&["policy", "show"]).expect(0).out);
    let empty: &str = &world.file("empty.json", "{}");
    let (man, proof) = (world.path().join("man1"), world.path().join("proof"));
    let (man, proof) = (man.to_str().unwrap(), proof.to_str().unwrap());
    let submit = || world.run(&["submit", &plan, "--json"]).json()["plan_id"].as_str().unwrap().to_owned();
    let [whole, rejected, revised, run, gone] = [submit(), submit(), submit(), submit(), submit()];
    let cases: &[(&[&str], i32)] = &[
        (&["init"], 0),
        (&["check", &plan], 30),
        (&["check", "no-such-file"], 2),
        (&["ask", "fix the greeting in greet.txt"], 30),
        (&["submit", &plan], 30),
        (&["list"], 0),
        (&["list", "--status", "odd"], 2),
        (&["show", &whole], 0),
        (&["diff", &whole], 0),
        (&["log"], 0),
        (&["log", &whole, "--patch"], 0),
        (&["review", &whole], 30),
        (&["approve", &whole], 30),
        (&["approve", &whole, "--approver-key", &key], 0),
        (&["approve", &whole, "--approver-key", &key], 40),
        (&["reject", &rejected, "--approver-key", &key], 0),
        (&["revise", &revised, "smaller", "--approver-key", &key], 0),
        (&["resubmit", &revised], 40),
        (&["edit", &revised], 30),
        (&["execute", &run], 30),
        (&["execute", &gone, "--detach"], 30),
        (&["wait", &rejected], 10),
        (&["wait", &gone, "--timeout", "0"], 30),
        (&["withdraw", &rejected], 40),
        (&["withdraw", &gone], 0),
        (&["execute", &whole, "--detach"], 0),
        (&["status", "--watch"], 0),
        (&["cancel", &whole], 40),
        (&["undo"], 30),
        (&["undo", "--approver-key", &key], 0),
        (&["run", &plan], 30),
        (&["run", &plan, "--detach"], 30),
        (&["run", "/dev/null"], 2),
        (&["recover"], 0),
        (&["status"], 0),
        (&["session", "show"], 0),
        (&["session", "end"], 0),
        (&["audit", "list"], 0),
        (&["audit", "verify"], 0),
        (&["audit", "show", "0"], 0),
        (&["audit", "prove", "0"], 0),
        (&["audit", "prove", "0", "-o", proof], 0),
        (&["audit", "prove", "9999"], 2),
        (&["profile", "list"], 0),
        (&["profile", "current"], 0),
        (&["profile", "show", "DEV"], 0),
        (&["profile", "set", "SAFE"], 0),
        (&["profile", "set", "FULL-AUTO"], 20),
        (&["policy", "show"], 0),
        (&["policy", "check"], 0),
        (&["policy", "check", &plan], 10),
        (&["policy", "explain", &plan], 0),
        (&["policy", "explain", "--operation", "file_delete"], 0),
        (&["policy", "set", &policy, "--approver-key", &key], 0),
        (&["policy", "set", "caps.submitted_files", "40", "--approver-key", &key], 0),
        (&["policy", "set", "caps.submitted_files", "4000", "--approver-key", &key], 10),
        (&["policy", "edit"], 30),
        (&["policy", "reset", "--approver-key", &key], 0),
        (&["approver", "add", "second", "--no-passphrase", "--approver-key", &key], 0),
        (&["approver", "list"], 0),
        (&["approver", "passphrase"], 30),
        (&["approver", "lock"], 0),
        (&["approver", "remove", "second", "--approver-key", &key], 0),
        (
            &[
                "provider",
                "add",
                "x",
                "--kind",
                "ollama",
                "--model",
                "m",
                "--url",
                "http://127.0.0.1:9",
                "--approver-key",
                &key,
            ],
            0,
        ),
        (&["provider", "add"], 30),
        (&["provider", "list"], 0),
        (&["provider", "use", "x"], 0),
        (&["provider", "test", "x"], 60),
        (&["provider", "remove", "x"], 0),
        (&["provider", "remove", "x"], 2),
        (&["serve", "--unit"], 0),
        (&["serve", "--listen", "192.0.2.1:80"], 2),
        (&["token", "add", "codex", "--approver-key", &key], 0),
        (&["token", "list"], 0),
        (&["token", "revoke", "codex"], 0),
        (&["token", "revoke", "codex"], 2),
        (&["mcp"], 2),
        (&["hook", "claude"], 2),
        // Without a home folder there is nothing to connect.
        (&["connect", "--list"], 2),
        (&["connect", "codex", "--check"], 2),
        (&["agent", "list"], 0),
        (&["agent", "diff", "nobody"], 2),
        (&["agent", "submit", "nobody"], 2),
        (&["agent", "update", "nobody"], 2),
        (&["agent", "drop", "nobody"], 2),
        (&["autopilot", "add", "prices", "watch https://example.com/", "--dry-run"], 0),
        (&["autopilot", "add", "prices", "watch https://example.com/", "--approver-key", &key], 0),
        (&["autopilot", "list"], 0),
        (&["autopilot", "show", "prices"], 0),
        (&["autopilot", "pause", "prices"], 0),
        (&["autopilot", "resume", "prices"], 0),
        (&["autopilot", "allow", "prices", "host", "shop.example.com", "--approver-key", &key], 0),
        (&["autopilot", "disallow", "prices", "host", "shop.example.com"], 0),
        (&["autopilot", "sending", "prices", "off"], 0),
        (&["autopilot", "tune", "prices", "max_bullets", "5"], 0),
        (&["autopilot", "submit", "prices", &plan], 10),
        (&["autopilot", "run", "nobody"], 2),
        (&["autopilot", "runs"], 0),
        (&["autopilot", "run-show", "019a2f3e-7c1d-7e2a-9b4f-0123456789ab"], 2),
        (&["autopilot", "resolve", "019a2f3e-7c1d-7e2a-9b4f-0123456789ab", "s1", "done", "--approver-key", &key], 2),
        (
            &[
                "autopilot",
                "answer",
                "019a2f3e-7c1d-7e2a-9b4f-0123456789ab",
                "recipient",
                "none",
                "--approver-key",
                &key,
            ],
            2,
        ),
        (&["autopilot", "cancel", "019a2f3e-7c1d-7e2a-9b4f-0123456789ab"], 2),
        (
            &[
                "autopilot",
                "mail",
                "add",
                "work",
                "--imap",
                "imaps://a.example",
                "--smtp",
                "smtps://a.example",
                "--user",
                "me",
                "--password-env",
                "MAIL_PASSWORD",
                "--from",
                "me@a.example",
                "--approver-key",
                &key,
            ],
            0,
        ),
        (&["autopilot", "mail", "list"], 0),
        (&["autopilot", "mail", "test", "nobody"], 2),
        (&["autopilot", "mail", "remove", "work"], 0),
        (&["autopilot", "tick"], 0),
        (&["autopilot", "health"], 0),
        (&["autopilot", "timer"], 0),
        (&["autopilot", "remove", "prices"], 0),
        (
            &[
                "site",
                "add",
                "blog",
                "ftp://blog.example",
                "--user",
                "me",
                "--password-env",
                "NO",
                "--approver-key",
                &key,
            ],
            2,
        ),
        (&["site", "list"], 0),
        (&["site", "show", "blog"], 2),
        (&["site", "probe", "blog"], 2),
        (&["site", "role"], 0),
        (&["site", "draft", "blog", "--skill", "a.b", "--goal", "g", "--inputs", empty, "--planner-output", empty], 2),
        (&["site", "remove", "blog"], 2),
        (&["site", "runs"], 0),
        (&["site", "run-show", "019a2f3e-7c1d-7e2a-9b4f-0123456789ab"], 2),
        (&["site", "resolve", "019a2f3e-7c1d-7e2a-9b4f-0123456789ab", "s1", "landed", "--approver-key", &key], 2),
        (&["skill", "sync", "--repo", "no-repository", "--commit", "0123456789", "--approver-key", &key], 10),
        (&["skill", "list"], 0),
        (&["skill", "show", "a.b"], 2),
        (&["demo"], 2),
        (&["doctor"], 0),
        (&["schema"], 0),
        (&["completions", "bash"], 2),
        (&["help"], 2),
        (&["man", man], 0),
        (&[], 0),
        (&["frobnicate"], 2),
        (&["audit"], 2),
    ];
    let mut typed = BTreeSet::new();
    for (args, code) in cases {
        let line: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let done = world.run(&line);
        assert_eq!(done.code, *code, "{args:?}: {done:?}");
        one_object(&done, args);
        typed.insert(args.iter().take(2).copied().collect::<Vec<_>>().join(" "));
    }
    // A command that is added later is added here too.
    let all = exacta_cli::args::command();
    for command in all.get_subcommands() {
        let name = command.get_name();
        for path in command.get_subcommands().map(|sub| format!("{name} {}", sub.get_name())) {
            assert!(typed.contains(&path), "`{path}` is not in the table");
        }
        assert!(typed.iter().any(|path| path.split(' ').next() == Some(name)), "`{name}` is not in the table");
    }
}

#[test]
fn a_run_is_told_in_the_same_words_everywhere() {
    let world = World::begun();
    let key = world.key();
    let plan = world.file("plan.json", fix().to_string());
    let waiting = world.run(&["run", &plan, "--json"]).expect(30).json();
    assert_eq!((&waiting["outcome"], &waiting["decision"]), (&"refused".into(), &"confirm".into()), "{waiting}");
    assert_eq!((&waiting["run_id"], &waiting["steps"]), (&Value::Null, &Value::Array(vec![])), "{waiting}");
    let id = waiting["plan_id"].as_str().unwrap();
    world.run(&["approve", id, "--approver-key", &key]).expect(0);
    let run = world.run(&["execute", id, "--json"]).expect(0).json();
    let shown = world.run(&["show", id, "--json"]).expect(0).json()["run"].clone();
    let listed = world.run(&["status", "--json"]).expect(0).json()["runs"][0].clone();
    for face in [&run, &shown, &listed] {
        assert_eq!(
            (&face["run_id"], &face["outcome"], &face["steps"]),
            (&run["run_id"], &"completed".into(), &run["steps"])
        );
    }
    let line = |word: &str| world.run(&["list", "--status", word, "--json"]).expect(0).json()["plans"][0].clone();
    assert_eq!((&line("completed")["plan_id"], &line("completed")["outcome"]), (&id.into(), &"completed".into()));
    assert_eq!(line("user_approved")["plan_id"], id);
    assert_eq!(line("rolled_back"), Value::Null);
    world.run(&["undo", "--approver-key", &key]).expect(0);
    assert_eq!((&line("undone")["outcome"], &line("undone")["undone"]), (&"completed".into(), &true.into()));
    assert_eq!(line("completed"), Value::Null, "it is listed under the word that is shown");
    let denied = world.pipe(&["run", "-", "--json"], b"no plan").expect(10).json();
    assert_eq!((&denied["outcome"], &denied["error"]["code"]), (&"refused".into(), &"plan_denied".into()), "{denied}");
}

#[test]
fn events_are_lines_of_json_whatever_happens() {
    let world = World::begun();
    let plan = world.file("plan.json", fix().to_string());
    let waiting = world.run(&["run", &plan, "--events"]).expect(30);
    let id = one_object(&waiting, &["run"])["plan_id"].as_str().unwrap().to_owned();
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    for (args, code) in [
        (vec!["execute", &id, "--events"], 0),
        (vec!["execute", &id, "--events"], 40),
        (vec!["execute", "ffffffff", "--events"], 2),
        (vec!["undo", "--events"], 30),
        (vec!["run", "no-such-file", "--events"], 2),
    ] {
        let done = world.run(&args).expect(code);
        let lines: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let (result, events) = lines.split_last().unwrap_or_else(|| panic!("{args:?}: {done:?}"));
        assert!(events.iter().all(|line| line["schema"] == "exacta.event/1" && line["event"].is_string()), "{done:?}");
        assert!(result["schema"] == "exacta.run/1" || result["schema"] == "exacta.error/1", "{result}");
    }
}

#[test]
fn a_plan_that_needs_nobody_runs_in_the_background() {
    let world = World::begun();
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    let plan = world.file("plan.json", fix().to_string());
    let started = world.run(&["run", &plan, "--detach", "--json"]).expect(0).json();
    assert!(["running", "completed"].contains(&started["outcome"].as_str().unwrap()), "{started}");
    world.run(&["status", "--watch"]).expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
}
