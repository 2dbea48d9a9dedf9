//! `exacta connect`: other programs' settings, there and back.

mod clients;
mod real;

use crate::world::{Done, World, done};
use exacta_testkit::output;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A user with a home folder, in which programs keep their settings.
struct User {
    world: World,
}

impl User {
    fn new() -> Self {
        let user = Self { world: World::begun_in("/var/tmp") };
        for folder in [user.home(), user.world.path().join("tmp")] {
            fs::create_dir_all(folder).unwrap();
        }
        user
    }

    fn home(&self) -> PathBuf {
        self.world.path().join("user")
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.home().join(path)).ok()
    }

    /// With the programs in one more folder.
    fn command(&self, programs: &str, args: &[&str]) -> Command {
        let mut command = self.world.plain(args);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("HOME", self.home()).env("TMPDIR", self.world.path().join("tmp"));
        command.env("PATH", if programs.is_empty() { path } else { format!("{programs}:{path}") });
        command
    }

    fn run(&self, args: &[&str]) -> Done {
        done(output(&mut self.command("", args)))
    }

    fn connect(&self, agent: &str, more: &[&str]) -> Done {
        let key = self.world.key();
        let args = ["connect", agent, "--mode", "guard", "--key-without-passphrase", "--approver-key", &key, "--json"];
        self.run(&[&args, more].concat())
    }

    fn undo(&self, agent: &str) -> Done {
        self.run(&["connect", agent, "--undo", "--approver-key", &self.world.key(), "--json"])
    }
}

/// The settings of each program as somebody could have them, with everything that a careless writer loses.
const THEIRS: [(&str, &str, &str); 5] = [
    (
        "codex",
        ".codex/config.toml",
        "# mine\nmodel = \"gpt-5.5\" # best\nsandbox_mode = \"workspace-write\"\n\n[mcp_servers.other] # keep\ncommand = \"x\"\n",
    ),
    (
        "claude",
        ".claude/settings.json",
        "{\n\t\"theme\": \"dark\",\n\t\"permissions\": { \"deny\": [\"WebFetch\"] },\n\t\"sandbox\": {\"excludedCommands\": [\"docker\"]}\n}",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\n  // mine\n  \"mcpServers\": {\n    \"z\": {\"command\": \"z\"}, /* last */\n  }\n}\r\n",
    ),
    (
        "opencode",
        ".config/opencode/opencode.json",
        "{\"$schema\":\"https://opencode.ai/config.json\",\"permission\":{\"edit\":\"allow\"}}",
    ),
    ("copilot", ".copilot/mcp-config.json", "{\n  \"mcpServers\": {}\n}\n"),
];

#[test]
fn settings_are_merged_and_put_back_to_the_byte() {
    for (agent, path, theirs) in THEIRS {
        let user = User::new();
        user.put(path, theirs);
        let told = user.connect(agent, &[]).expect(0).json();
        assert_eq!((&told["agent"], &told["mode"]), (&json!(agent), &json!("guard")), "{told}");
        let written = user.read(path).unwrap();
        assert!(written.contains("exacta"), "{written}");
        // Nothing of theirs is lost, but what the guard has to take away.
        for word in theirs.split(['\n', ',', ' ', '\t']).filter(|word| word.starts_with(['#', '/'])) {
            assert!(written.contains(word), "{agent} lost {word}: {written}");
        }
        let home = user.world.home().display().to_string();
        let all: String = told["files"].as_array().unwrap().iter().map(|file| file["diff"].to_string()).collect();
        assert!(all.contains(&home), "{agent} is not told where `EXACTA_HOME` is: {all}");
        // A second time changes nothing, and the way back still leads to the beginning.
        assert_eq!(user.connect(agent, &[]).expect(0).json()["files"], json!([]));
        user.undo(agent).expect(0);
        assert_eq!(user.read(path).as_deref(), Some(theirs), "{agent}");
        assert!(
            fs::read_dir(user.world.home().join("state/connect")).unwrap().next().is_none(),
            "{agent} left something"
        );
    }
}

#[test]
fn where_there_was_nothing_nothing_is_left() {
    for (agent, path, _) in THEIRS {
        let user = User::new();
        user.connect(agent, &[]).expect(0);
        assert!(user.read(path).is_some());
        user.undo(agent).expect(0);
        let left: Vec<_> = fs::read_dir(user.home()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(left.is_empty(), "{agent} left {left:?}");
    }
}

/// Programs write their own files, too: then only what was added is taken out, and what a person changed stays.
#[test]
fn what_others_wrote_since_stays() {
    let user = User::new();
    user.put(".claude.json", "{\"numStartups\": 1}\n");
    user.connect("claude", &[]).expect(0);
    let written = user.read(".claude.json").unwrap();
    user.put(".claude.json", &written.replace("\"numStartups\": 1", "\"numStartups\": 2, \"tips\": []"));
    let settings = user.read(".claude/settings.json").unwrap();
    user.put(".claude/settings.json", &settings.replace("\"failIfUnavailable\": true", "\"failIfUnavailable\": false"));
    let told = user.undo("claude").expect(0).json();
    let left: Value = serde_json::from_str(&user.read(".claude.json").unwrap()).unwrap();
    assert_eq!(left, json!({ "numStartups": 2, "tips": [] }));
    assert_eq!(told["merged"].as_array().unwrap().len(), 2, "{told}");
    assert!(told["kept"][0].as_str().unwrap().contains("`sandbox.failIfUnavailable`"), "{told}");
    let left: Value = serde_json::from_str(&user.read(".claude/settings.json").unwrap()).unwrap();
    assert_eq!(left, json!({ "sandbox": { "failIfUnavailable": false } }), "what was changed is the person's now");
}

#[test]
fn a_broken_file_is_refused_and_not_touched() {
    for (agent, path, text, place) in [
        ("codex", ".codex/config.toml", "x = 1\ny = \n", "line 2"),
        ("claude", ".claude/settings.json", "{\n  \"a\": 1,\n}\n", "line 3"),
        ("opencode", ".config/opencode/opencode.json", "{\"permission\": \"allow\"}", "`permission` is not an object"),
        ("copilot", ".copilot/mcp-config.json", "{\"mcpServers\": {}} x", "line 1"),
    ] {
        let user = User::new();
        user.put(path, text);
        let refused = user.connect(agent, &[]).expect(2).json();
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains(place) && message.contains(path), "{agent}: {message}");
        assert_eq!(user.read(path).as_deref(), Some(text));
        // Claude Code has two files: neither is written.
        assert_eq!(user.read(".claude.json"), None);
    }
}

#[test]
fn nobody_connects_unasked_or_with_an_open_key() {
    let user = User::new();
    let key = user.world.key();
    let refused = user.run(&["connect", "codex", "--mode", "guard", "--approver-key", &key, "--json"]).expect(2).json();
    assert_eq!(refused["error"]["code"], "key_without_passphrase");
    // An agent has neither a key nor a terminal.
    let refused =
        user.run(&["connect", "codex", "--mode", "guard", "--key-without-passphrase", "--json"]).expect(30).json();
    assert_eq!(refused["error"]["code"], "person_needed");
    let refused = user.run(&["connect", "codex", "--json"]).expect(2).json();
    assert!(refused["error"]["hint"].as_str().unwrap().contains("--mode guard"), "{refused}");
    let refused = user.run(&["connect", "codex", "--mode", "copy", "--json"]).expect(2).json();
    assert!(refused["error"]["hint"].as_str().unwrap().contains("exacta agent -- codex"), "{refused}");
    let refused = user.run(&["connect", "cline", "--mode", "guard", "--json"]).expect(2).json();
    assert!(refused["error"]["hint"].as_str().unwrap().contains("exacta agent -- cline"), "{refused}");
    assert_eq!(
        user.run(&["connect", "codex", "--undo", "--approver-key", &key, "--json"]).expect(2).json()["error"]["code"],
        "not_connected"
    );
    let printed = user.run(&["connect", "codex", "--print", "--json"]).expect(0).json();
    assert!(printed["files"][0]["diff"].as_str().unwrap().contains("default_permissions"), "{printed}");
    assert!(fs::read_dir(user.home()).unwrap().next().is_none(), "nothing was written");
}

#[test]
fn a_program_is_connected_for_one_project_or_for_all() {
    let user = User::new();
    user.connect("codex", &[]).expect(0);
    let other = user.world.path().join("other");
    fs::create_dir_all(&other).unwrap();
    let key = user.world.key();
    let other = other.display().to_string();
    let args = [
        "connect",
        "codex",
        "--mode",
        "guard",
        "--key-without-passphrase",
        "--approver-key",
        &key,
        "--json",
        "--project",
        &other,
    ];
    assert_eq!(user.run(&args).expect(2).json()["error"]["code"], "connected_elsewhere");
    user.run(&[&args[..], &["--all-projects"]].concat()).expect(0);
    let settings = user.read(".codex/config.toml").unwrap();
    assert!(!settings.contains("--project"), "{settings}");
    user.undo("codex").expect(0);
    assert_eq!(user.read(".codex/config.toml"), None);
}

#[test]
fn a_list_and_a_check_say_what_is_wrong() {
    let user = User::new();
    let told = user.run(&["connect", "codex", "--check", "--json"]).expect(60).json();
    assert_eq!((&told["verdict"], &told["reasons"][0]), (&json!("does_not_work"), &json!("it is not connected")));
    user.connect("codex", &[]).expect(0);
    let line = |user: &User| user.run(&["connect", "--list", "--json"]).expect(0).json()["agents"][0].clone();
    assert_eq!((&line(&user)["mode"], &line(&user)["faults"]), (&json!("guard"), &json!([])));
    let settings = user.read(".codex/config.toml").unwrap();
    user.put(
        ".codex/config.toml",
        &settings.replace("approval_policy = \"never\"", "approval_policy = \"on-request\""),
    );
    assert!(line(&user)["faults"][0].as_str().unwrap().contains("`approval_policy`"), "{}", line(&user));
    user.put(".codex/config.toml", "[");
    assert!(line(&user)["faults"][0].as_str().unwrap().contains("is broken: line 1"), "{}", line(&user));
    // And it cannot be taken out of a broken file.
    user.undo("codex").expect(2);
}

/// A link to a file that somebody keeps elsewhere stays a link.
#[test]
fn links_of_those_who_keep_their_settings_elsewhere_stay() {
    let user = User::new();
    user.put("dotfiles/config.toml", "model = \"o\"\n");
    fs::create_dir_all(user.home().join(".codex")).unwrap();
    std::os::unix::fs::symlink(user.home().join("dotfiles/config.toml"), user.home().join(".codex/config.toml"))
        .unwrap();
    user.connect("codex", &[]).expect(0);
    assert!(user.read("dotfiles/config.toml").unwrap().contains("exacta"));
    user.undo("codex").expect(0);
    assert!(user.home().join(".codex/config.toml").is_symlink());
    assert_eq!(user.read("dotfiles/config.toml").as_deref(), Some("model = \"o\"\n"));
}

/// What leads back is what was there, or nothing does: then only our own settings are taken out.
#[test]
fn attack_68_nothing_but_what_was_there_is_put_back() {
    let plants: [fn(&std::path::Path); 4] = [
        |backup| fs::remove_file(backup).unwrap(),
        |backup| fs::write(backup, "planted = true\n").unwrap(),
        |backup| {
            fs::remove_file(backup).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", backup).unwrap();
        },
        |backup| fs::write(backup, "").unwrap(),
    ];
    for plant in plants {
        let user = User::new();
        user.put(".codex/config.toml", "# mine\nmodel = \"gpt-5.5\"\n");
        user.connect("codex", &[]).expect(0);
        plant(&user.world.home().join("state/connect/codex.0.before"));
        user.undo("codex").expect(0);
        let text = user.read(".codex/config.toml").expect("it is there");
        assert!(text.contains("# mine\nmodel = \"gpt-5.5\"") && !text.contains("exacta"), "{text}");
    }
}

/// Settings that the agent can write say nothing about what it may write.
#[test]
fn settings_beneath_the_project_guard_nothing() {
    let user = User::new();
    let project = user.world.project();
    fs::create_dir_all(project.join("inside")).unwrap();
    fs::create_dir_all(user.home()).unwrap();
    std::os::unix::fs::symlink(user.home(), project.join("out")).unwrap();
    std::os::unix::fs::symlink(project.join("out"), user.home().join("through")).unwrap();
    let key = user.world.key();
    let folders = [
        ("codex", "CODEX_HOME"),
        ("claude", "CLAUDE_CONFIG_DIR"),
        ("copilot", "COPILOT_HOME"),
        ("opencode", "XDG_CONFIG_HOME"),
        ("gemini", "HOME"),
        ("codex", "HOME"),
    ];
    let places = [
        project.join("inside"),
        project.join("absent/deep"),
        project.join("out"),
        user.home().join("through"),
        user.world.path().join("absent/../project/inside"),
    ];
    for (agent, variable) in folders {
        for folder in &places {
            let args =
                ["connect", agent, "--mode", "guard", "--key-without-passphrase", "--approver-key", &key, "--json"];
            // The user's own folder of Exacta is named by `EXACTA_HOME`.
            let refused = done(output(user.command("", &args).env(variable, folder))).expect(10).json();
            assert_eq!(refused["error"]["code"], "settings_in_project", "{agent} {}: {refused}", folder.display());
        }
    }
    assert_eq!(fs::read_dir(project.join("inside")).unwrap().count(), 0);
    assert!(!user.home().join("config.toml").exists());
}
