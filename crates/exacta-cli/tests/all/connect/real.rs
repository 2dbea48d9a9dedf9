//! The real programs with the settings that `connect` writes, against a model that tries everything.

use super::User;
use super::clients::installed;
use crate::world::done;
use exacta_connect::Client;
use exacta_connect::canary::{self, ASIDE, Act, Marks, Model, Started, acts};
use exacta_testkit::{output, program};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// One broken guard: what is done to it, and what the check says then.
type Way = (&'static str, fn(&Rig), &'static [&'static str], &'static str);

/// A user with one real program.
struct Rig {
    user: User,
    client: Client,
    programs: String,
}

impl Rig {
    #[track_caller]
    fn new(client: Client) -> Option<Self> {
        let user = User::new();
        let programs = installed(client, user.world.path())?.display().to_string();
        Some(Self { user, client, programs })
    }

    fn run(&self, args: &[&str]) -> crate::world::Done {
        done(output(&mut self.user.command(&self.programs, args)))
    }

    fn connect(&self) -> Value {
        self.connect_as("guard")
    }

    fn connect_as(&self, mode: &str) -> Value {
        let key = self.user.world.key();
        let name = self.client.name();
        self.run(&["connect", name, "--mode", mode, "--key-without-passphrase", "--approver-key", &key, "--json"])
            .json()
    }

    fn check(&self, flags: &[&str]) -> Value {
        let args = ["connect", self.client.name(), "--check", "--json"];
        let more: Vec<&str> = if flags.is_empty() { Vec::new() } else { [&["--"], flags].concat() };
        self.run(&[&args[..], &more].concat()).json()
    }

    fn replace(&self, path: &str, from: &str, to: &str) {
        let text = self.user.read(path).unwrap();
        assert!(text.contains(from), "{path}: {text}");
        self.user.put(path, &text.replace(from, to));
    }
}

/// The whole way: connected and proved, a change from the program to the files and back, and the settings put back.
fn whole_life(client: Client) {
    let Some(rig) = Rig::new(client) else { return };
    let told = rig.connect();
    assert_eq!(told["check"]["verdict"], "guards", "{told}");
    let plan = submitted(&rig);
    let world = &rig.user.world;
    let key = world.key();
    let shown = world.run(&["show", &plan, "--json"]).expect(0).json();
    assert_eq!(shown["detail"]["by"], format!("mcp:{}", client.name()), "{shown}");
    assert_eq!(world.read("greet.txt"), "hello\nworld\n", "submitting writes nothing");
    world.run(&["approve", &plan, "--approver-key", &key]).expect(0);
    world.run(&["execute", &plan]).expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    world.run(&["undo", "--approver-key", &key]).expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
    rig.run(&["connect", client.name(), "--undo", "--approver-key", &key]).expect(0);
    unguarded(&rig);
}

/// Without the guard the same script writes: it was the guard that stopped it.
fn unguarded(rig: &Rig) {
    let marks = Marks::new("unguarded");
    let project = rig.user.world.project();
    // Alone, codex lets nothing through either when nobody is there to be asked.
    let flags: &[String] = &["--dangerously-bypass-approvals-and-sandbox".to_owned()];
    let flags = if rig.client == Client::Codex { flags } else { &[] };
    let program = Path::new(&rig.programs).join(rig.client.name());
    let said = played(rig, &program, acts(rig.client, &project, &marks), flags, true);
    for name in [marks.edited(), marks.shelled()] {
        assert!(project.join(&name).exists(), "{name} was not written: {said:?}");
    }
}

/// What the program is made to submit by a model of ours.
fn submitted(rig: &Rig) -> String {
    let patch = "*** Begin Patch\n*** Update File: greet.txt\n@@\n hello\n-world\n+there\n*** End Patch\n";
    let arguments = json!({ "patch": patch, "intent": "FixBug", "text": "Greet whoever is there." });
    let submit = acts(rig.client, &rig.user.world.project(), &Marks::new("x")).pop().unwrap();
    let program = match rig.client {
        Client::Copilot => rig.user.home().join(".local/bin/exacta-copilot"),
        client => Path::new(&rig.programs).join(client.name()),
    };
    let answers = played(rig, &program, vec![Act { arguments, ..submit }], &[], false);
    let answer = answers.first().unwrap();
    let at = answer.find("plan_id").unwrap_or_else(|| panic!("{answer}"));
    answer[at + 7..].chars().filter(|c| c.is_ascii_hexdigit() || *c == '-').take(36).collect()
}

/// What the tools of a program answered to a script.
fn played(rig: &Rig, program: &Path, script: Vec<Act>, flags: &[String], bold: bool) -> Vec<String> {
    let model = Model::start(script).unwrap();
    let aside = rig.user.world.file("aside.json", ASIDE);
    let project = rig.user.world.project();
    let url = model.url();
    let started = Started { program, project: &project, flags, model: &url, aside: Path::new(&aside), bold };
    let mut command = canary::command(rig.client, &started);
    let own = rig.user.command(&rig.programs, &[]);
    let set = own.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.envs(set);
    let ended = done(output(&mut command));
    let answers = model.answers();
    assert!(!answers.is_empty(), "{ended:?}");
    answers
}

/// Claude Code with hooks alone: its edits become one plan at the end of the turn, and its shell writes as before, which is said.
#[test]
fn claude_recorded() {
    let Some(rig) = Rig::new(Client::Claude) else { return };
    let told = rig.connect_as("record");
    let reasons = told["check"]["reasons"].to_string();
    assert_eq!(told["check"]["verdict"], "records_only", "{told}");
    assert!(reasons.contains("its shell wrote a file") && !reasons.contains("its edit tool wrote"), "{told}");
    rig.run(&["connect", "claude", "--undo", "--approver-key", &rig.user.world.key()]).expect(0);
    assert_eq!(rig.user.read(".claude/settings.json"), None);
}

/// Whatever becomes of the hook, Claude Code does not make the edit.
#[test]
#[ignore = "tools/prove agents"]
fn claude_with_a_broken_hook() {
    for broken in ["exit 1", "exit 2", "kill -9 $$", "sleep 30", "/nowhere/exacta"] {
        let Some(rig) = Rig::new(Client::Claude) else { return };
        rig.connect_as("record");
        let settings = rig.user.read(".claude/settings.json").unwrap();
        let mut value: Value = serde_json::from_str(&settings).unwrap();
        value["hooks"]["PreToolUse"][0]["hooks"][0]["command"] = json!(broken);
        rig.user.put(".claude/settings.json", &value.to_string());
        let told = rig.check(&[]);
        assert_eq!(told["verdict"], "does_not_work", "{broken}: {told}");
        assert!(!told["reasons"].to_string().contains("its edit tool wrote"), "{broken}: {told}");
    }
}

/// codex with hooks alone: connecting tells it that they are trusted, and no flag is needed. It skips a hook that nobody trusts, and the check says so;
/// what was there before comes back to the byte.
#[test]
fn codex_recorded() {
    let Some(rig) = Rig::new(Client::Codex) else { return };
    let other = "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}\n";
    rig.user.put(".codex/hooks.json", other);
    let told = rig.connect_as("record");
    let reasons = told["check"]["reasons"].to_string();
    assert_eq!(told["check"]["verdict"], "records_only", "{told}");
    assert!(!reasons.contains("its edit tool wrote"), "{told}");
    let trusted = rig.user.read(".codex/config.toml").unwrap();
    assert_eq!(trusted.matches("trusted_hash").count(), 2, "no hook of others is trusted: {trusted}");
    rig.user.put(".codex/config.toml", &trusted.replace("sha256:", "sha256:0"));
    let told = rig.check(&[]);
    assert_eq!(told["verdict"], "does_not_work", "{told}");
    assert!(told["reasons"].to_string().contains("skips hooks that you did not trust"), "{told}");
    rig.user.put(".codex/config.toml", &trusted);
    rig.run(&["connect", "codex", "--undo", "--approver-key", &rig.user.world.key()]).expect(0);
    assert_eq!(rig.user.read(".codex/hooks.json").as_deref(), Some(other));
}

/// Our own hook, with whatever can happen to it: the edit is not made, in both programs.
#[test]
#[ignore = "tools/prove agents"]
fn a_hook_of_ours_that_cannot_do_its_work() {
    type Breaks = fn(&Rig);
    let ways: [(&str, Breaks); 4] = [
        ("policy broken", |rig| drop(rig.user.world.file("home/safety-policy.toml", "version = "))),
        ("project missing", |rig| fs::remove_dir_all(rig.user.world.project().join(".exacta")).unwrap()),
        ("record damaged", |rig| {
            for entry in fs::read_dir(rig.user.world.project().join(".exacta")).unwrap().map(Result::unwrap) {
                if entry.path().is_file() {
                    fs::write(entry.path(), "no record").unwrap();
                }
            }
        }),
        ("no place to write", |rig| {
            let state = rig.user.world.home().join("state");
            fs::rename(&state, rig.user.world.home().join("away")).unwrap();
            fs::write(state, "in the way").unwrap();
        }),
    ];
    for client in [Client::Claude, Client::Codex] {
        for (name, breaks) in &ways {
            let Some(rig) = Rig::new(client) else { return };
            rig.connect_as("record");
            breaks(&rig);
            let marks = Marks::new("broken");
            let project = rig.user.world.project();
            let program = Path::new(&rig.programs).join(client.name());
            let edit = acts(client, &project, &marks).into_iter().next().unwrap();
            let said = played(&rig, &program, vec![edit], &[], true);
            assert!(!project.join(marks.edited()).exists(), "{}: {name}: {said:?}", client.name());
        }
    }
}

#[test]
fn codex_guarded() {
    whole_life(Client::Codex);
}

#[test]
fn claude_guarded() {
    if program("bwrap") && program("socat") {
        whole_life(Client::Claude);
    }
}

#[test]
#[ignore = "tools/prove agents"]
fn gemini_guarded() {
    whole_life(Client::Gemini);
}

#[test]
#[ignore = "tools/prove agents"]
fn opencode_guarded() {
    whole_life(Client::Opencode);
}

#[test]
#[ignore = "tools/prove agents"]
fn copilot_guarded() {
    whole_life(Client::Copilot);
}

/// Each way to break a guard is named, and none passes for one.
fn broken_ways(client: Client, ways: &[Way]) {
    for (name, breaks, flags, says) in ways {
        let Some(rig) = Rig::new(client) else { return };
        assert_eq!(rig.connect()["check"]["verdict"], "guards", "{name}");
        breaks(&rig);
        let told = rig.check(flags);
        assert_ne!(told["verdict"], "guards", "{name}: {told}");
        assert!(told["reasons"].to_string().contains(says), "{name}: {told}");
    }
}

#[test]
fn a_broken_guard_of_codex_is_named() {
    const FILE: &str = ".codex/config.toml";
    broken_ways(
        Client::Codex,
        &[
            (
                "settings removed",
                |rig| rig.replace(FILE, "default_permissions = \"exacta\"\n", ""),
                &[],
                "`default_permissions`",
            ),
            ("bypass flag", |_| {}, &["--dangerously-bypass-approvals-and-sandbox"], "its shell wrote a file"),
            ("broken file", |rig| rig.user.put(FILE, "x = ["), &[], "is broken: line 1"),
            (
                "other profile",
                |rig| {
                    rig.user
                        .put(FILE, &format!("sandbox_mode = \"danger-full-access\"\n{}", rig.user.read(FILE).unwrap()))
                },
                &[],
                "`sandbox_mode`",
            ),
            (
                "server renamed",
                |rig| rig.replace(FILE, "[mcp_servers.exacta]", "[mcp_servers.other]"),
                &[],
                "`mcp_servers.exacta`",
            ),
            (
                "program moved",
                |rig| rig.replace(FILE, env!("CARGO_BIN_EXE_exacta"), "/nowhere/exacta"),
                &[],
                "`mcp_servers.exacta`",
            ),
        ],
    );
}

#[test]
fn a_broken_guard_of_claude_is_named() {
    const FILE: &str = ".claude/settings.json";
    if !(program("bwrap") && program("socat")) {
        return;
    }
    broken_ways(
        Client::Claude,
        &[
            ("settings removed", |rig| rig.replace(FILE, "\"Write\",", ""), &[], "its edit tool wrote a file"),
            ("other settings by a flag", |_| {}, &["--setting-sources", "project"], "wrote a file"),
            ("broken file", |rig| rig.user.put(FILE, "{"), &[], "is broken"),
            (
                "server renamed",
                |rig| rig.replace(".claude.json", "\"exacta\":", "\"other\":"),
                &[],
                "`mcpServers.exacta`",
            ),
            (
                "sandbox off",
                |rig| rig.replace(FILE, "\"allowUnsandboxedCommands\": false", "\"allowUnsandboxedCommands\": true"),
                &[],
                "`sandbox.allowUnsandboxedCommands`",
            ),
        ],
    );
}

/// The sandbox of Claude Code needs programs; without them nothing is proved.
#[test]
fn a_sandbox_that_cannot_begin_is_named() {
    let Some(rig) = Rig::new(Client::Claude) else { return };
    rig.connect();
    let mut command = rig.user.command(&rig.programs, &["connect", "claude", "--check", "--json"]);
    // Everything but what the sandbox needs.
    let tools = rig.user.world.path().join("tools");
    fs::create_dir_all(&tools).unwrap();
    for name in ["node", "sh", "bash", "env", "git"] {
        if let Some(path) =
            std::env::split_paths(&std::env::var_os("PATH").unwrap()).map(|f| f.join(name)).find(|p| p.exists())
        {
            std::os::unix::fs::symlink(path, tools.join(name)).unwrap();
        }
    }
    command.env("PATH", format!("{}:{}", rig.programs, tools.display()));
    let told = done(output(&mut command)).expect(60).json();
    assert_ne!(told["verdict"], "guards", "{told}");
    assert!(told["reasons"].to_string().contains("its sandbox needs `bwrap`"), "{told}");
}
