//! Bad input gets a clear error, the right exit code, and loses nothing.

use crate::story::fix;
use crate::world::World;
use exacta_kernel::hash::Digest;
use exacta_testkit::{output, succeeds};
use serde_json::{Value, json};

fn with_target(target: &str) -> Value {
    let mut plan = fix();
    let step = &mut plan["steps"][0];
    step["target"] = target.into();
    step["type"] = "file_create".into();
    step.as_object_mut().unwrap().remove("edits");
    step["content"] = "x\n".into();
    plan
}

fn codes(view: &Value) -> Vec<String> {
    view["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

/// Checks and submits a text that must be denied with this code, and that nothing was written.
#[track_caller]
fn denied(world: &World, text: &[u8], code: &str) {
    for command in ["check", "submit"] {
        let view = world.pipe(&[command, "-", "--json"], text).expect(10).json();
        assert_eq!(view["decision"], "deny");
        assert!(codes(&view).iter().any(|found| found == code), "{code}: {:?}", codes(&view));
    }
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
}

#[test]
fn texts_that_are_no_proposal() {
    let world = World::begun();
    denied(&world, b"", "PLAN_PARSE_NONJSON");
    denied(&world, b"Sure! Here is the plan: {}", "PLAN_PARSE_NONJSON");
    denied(&world, b"[]", "PLAN_PARSE_NONJSON");
    denied(&world, b"{}", "PLAN_SCHEMA_INVALID");
    denied(&world, &[0xff, 0xfe, 0x00, 0x01], "PLAN_NOT_UTF8");
    denied(&world, &vec![b' '; 9 * 1024 * 1024], "PLAN_TOO_LARGE");
    denied(&world, "[".repeat(100_000).as_bytes(), "PLAN_PARSE_NONJSON");
    denied(&world, format!("{{\"a\":{}", "[".repeat(100_000)).as_bytes(), "PLAN_PARSE_NONJSON");
    denied(&world, b"```json\n{}\n```\n```json\n{}\n```\n", "PLAN_PARSE_MULTIBLOCK");
    let mut claims = fix();
    claims["status"] = "user_approved".into();
    denied(&world, claims.to_string().as_bytes(), "PLAN_SCHEMA_INVALID");
}

/// What is too large is not kept in memory, but told and recorded as what it is.
#[test]
fn a_text_that_is_too_large_is_hashed_whole() {
    let world = World::begun();
    let text: Vec<u8> = (0..9_500_000_u32).map(|at| b'a' + u8::try_from(at % 23).unwrap()).collect();
    let file = world.file("large.json", &text);
    for form in [&[][..], &["--from-git"]] {
        let view = world.run(&[&["submit", &file, "--json"], form].concat()).expect(10).json();
        assert_eq!(codes(&view), ["PLAN_TOO_LARGE"]);
        assert!(view["findings"][0]["message"].as_str().unwrap().contains("has 9500000 bytes"), "{view}");
        let listed = world.run(&["audit", "list", "--json"]).expect(0).json();
        let entry = listed["entries"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(entry["data"]["text_sha256"], Digest::of(&text).to_string());
    }
    assert_eq!(codes(&world.pipe(&["policy", "explain", "-", "--json"], &text).json()), ["PLAN_TOO_LARGE"]);
    let said = world.run(&["policy", "check", &file]).expect(10).err;
    assert!(said.contains("larger than 1 MiB"), "{said}");
}

/// As after `git -C`: whatever is named is named from there.
#[test]
fn names_are_taken_from_the_folder_that_project_names() {
    let world = World::begun();
    world.write("sub/plan.json", &fix().to_string());
    world.write("sub/policy.toml", "version = \"2\"\n");
    let key = world.project().join("sub/tester.key");
    std::fs::copy(world.key(), &key).unwrap();
    world.run(&["check", "plan.json", "--project", "sub"]).expect(30);
    world.run(&["check", "sub/plan.json", "--project", "sub"]).expect(2);
    let view = world.run(&["--project", "sub", "submit", "plan.json", "--json"]).expect(30).json();
    let id = view["plan_id"].as_str().unwrap();
    world.run(&["--project", "sub", "policy", "check", "policy.toml"]).expect(0);
    world.run(&["--project", "sub", "approve", id, "--approver-key", "tester.key"]).expect(0);
    world.run(&["--project", "sub", "audit", "prove", "1", "--output", "proof"]).expect(0);
    world.run(&["--project", "sub", "man", "pages"]).expect(0);
    assert!(world.project().join("sub/proof").is_file() && world.project().join("sub/pages").is_dir());
    world.pipe(&["check", "-", "--project", "sub"], fix().to_string().as_bytes()).expect(30);
}

/// What a hint names works.
#[test]
fn hints_are_true() {
    let world = World::begun();
    world.pipe(&["policy", "check", "-"], b"version = \"2\"\n").expect(0);
    let said = world.pipe(&["policy", "check", "-"], b"ceilin = 1\n").expect(10).err;
    assert!(said.contains("`-`") || said.contains("-:1"), "{said}");
    let mut secret = fix();
    secret["steps"][0]["description"] = format!("use glpat-{}", "aB3dE6gH9jK2mN5pQ8rS").into();
    let said = world.pipe(&["submit", "-"], secret.to_string().as_bytes()).expect(10).err;
    assert!(said.contains("was not kept") && !said.contains("policy explain"), "{said}");
    let said = world.pipe(&["submit", "-"], with_target("../x").to_string().as_bytes()).expect(10).err;
    assert!(said.contains("policy explain"), "{said}");
    let said = world.run(&["policy", "reset", "--approver-key", "."]).expect(2).err;
    assert!(said.contains("name a key file") && !said.contains("move"), "{said}");
    let said = world.run(&["profile", "set", "FULL-AUTO", "--approver-key", &world.key()]).expect(20).err;
    assert!(said.contains("`exacta policy set FILE`"), "{said}");
    world.write(".exacta/config.toml", "ceiling = \"SAFE\"\n");
    let said = world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(20).err;
    assert!(said.contains("config.toml") && !said.contains("safety policy"), "{said}");
}

#[test]
fn hostile_paths() {
    let world = World::begun();
    for target in ["../x", "/etc/passwd", "a/../../x", "..", "a//b", "a/./b", "a\\b", "a\nb"] {
        let view = world.pipe(&["check", "-", "--json"], with_target(target).to_string().as_bytes()).expect(10).json();
        let found = codes(&view);
        assert!(found.iter().any(|code| code.starts_with("PLAN_PATH_")), "{target:?}: {found:?}");
    }
    denied(&world, with_target("a\u{0}b").to_string().as_bytes(), "PLAN_SCHEMA_INVALID");
    for target in [".git/hooks/x", ".exacta/config.toml", ".GIT/config", "sub/.git/config"] {
        denied(&world, with_target(target).to_string().as_bytes(), "PLAN_PATH_PROTECTED");
    }
    denied(&world, with_target("con").to_string().as_bytes(), "PLAN_PATH_INVALID");
    denied(&world, with_target(&"d/".repeat(500)).to_string().as_bytes(), "PLAN_PATH_INVALID");
    denied(&world, with_target(&"d/".repeat(2_500)).to_string().as_bytes(), "PLAN_SCHEMA_INVALID");
}

#[test]
fn a_symlink_leads_nowhere() {
    let world = World::begun();
    std::os::unix::fs::symlink("/tmp", world.project().join("link")).unwrap();
    let view = world.pipe(&["check", "-", "--json"], with_target("link/x").to_string().as_bytes()).expect(10).json();
    assert!(codes(&view).iter().any(|code| code.starts_with("PLAN_PATH_")), "{view}");
}

#[test]
fn secrets_and_hidden_characters_in_a_change() {
    let world = World::begun();
    let key = format!("-----BEGIN PRIVATE {0}-----\n{1}\n-----END PRIVATE {0}-----\n", "KEY", "Qm9q7Zk2".repeat(10));
    let mut plan = with_target("key.pem");
    plan["steps"][0]["content"] = key.clone().into();
    let text = plan.to_string();
    let done = world.pipe(&["submit", "-", "--json"], text.as_bytes()).expect(10);
    assert!(!done.out.contains("Qm9q7Zk2Qm9q7Zk2"), "{}", done.out);
    for entry in walk(&world.project().join(".exacta")) {
        let bytes = std::fs::read(&entry).unwrap();
        assert!(!bytes.windows(16).any(|window| window == b"Qm9q7Zk2Qm9q7Zk2"), "{} holds it", entry.display());
    }
    let mut plan = with_target("role.py");
    plan["steps"][0]["content"] = "role = \"user\u{202e} \u{2066}# admin\u{2069} \u{2066}\"\n".into();
    let done = world.pipe(&["submit", "-"], plan.to_string().as_bytes()).expect(10);
    assert!(!done.out.contains('\u{202e}'), "hidden characters are shown as escapes");
    let hostile = "x\u{202e}\u{1b}[31m\u{200b}";
    plan["intent"]["text"] = hostile.into();
    plan["assumptions"] = json!([hostile]);
    plan["model"] = json!({ "provider": hostile, "model": hostile });
    plan["constraints"] = json!([{ "id": hostile, "type": "MUST_NOT", "scope": "global", "description": hostile }]);
    plan["steps"][0]["id"] = hostile.into();
    plan["steps"][0]["description"] = hostile.into();
    for args in [&["submit", "-", "--json"][..], &["submit", "-"], &["check", "-"]] {
        let done = world.pipe(args, plan.to_string().as_bytes()).expect(10);
        let said = format!("{}{}", done.out, done.err);
        assert!(!said.contains(['\u{202e}', '\u{1b}', '\u{200b}']), "{args:?}: {said:?}");
    }
}

fn walk(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            files.extend(walk(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files
}

#[test]
fn graphs_that_are_none() {
    let world = World::begun();
    let step = |id: &str, order: u64, needs: &[&str]| {
        let mut step = with_target(&format!("{id}.txt"))["steps"][0].clone();
        step["id"] = id.into();
        step["order"] = order.into();
        step["dependencies"] = json!(needs);
        step
    };
    let plan = |steps: Vec<Value>| {
        let mut plan = fix();
        plan["steps"] = steps.into();
        plan.to_string()
    };
    denied(&world, plan(vec![]).as_bytes(), "PLAN_EMPTY");
    denied(&world, plan(vec![step("a", 1, &["b"]), step("b", 2, &["a"])]).as_bytes(), "PLAN_DEPENDENCY_CYCLE");
    denied(&world, plan(vec![step("a", 1, &["z"])]).as_bytes(), "PLAN_DEPENDENCY_UNKNOWN");
    denied(&world, plan(vec![step("a", 3, &[])]).as_bytes(), "PLAN_ORDER_INVALID");
}

#[test]
fn files_that_cannot_be_read() {
    let world = World::begun();
    for file in ["no-such-file.json", "."] {
        let done = world.run(&["check", file]).expect(2);
        assert!(done.err.starts_with("error: cannot read") && done.err.contains("hint:"), "{}", done.err);
    }
    rustix::fs::mkfifoat(rustix::fs::CWD, world.path().join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    for odd in ["/dev/zero", "/dev/null", "/dev/stdin", world.path().join("pipe").to_str().unwrap()] {
        for args in [&["check", odd][..], &["submit", odd], &["run", odd], &["policy", "check", odd]] {
            let done = world.run(args).expect(2);
            assert!(done.err.contains("not a regular file") && done.err.contains("`-`"), "{args:?}: {}", done.err);
        }
    }
}

#[test]
fn usage_errors() {
    let world = World::new();
    for args in [&["frobnicate"][..], &["execute"], &["show", "x", "y"], &["list", "--status", "odd"], &[]] {
        world.run(args).expect(2);
    }
    let said = world.run(&["show", "--json", "--nonsense"]).expect(2).json();
    assert_eq!((&said["schema"], &said["error"]["code"]), (&json!("exacta.error/1"), &json!("usage")));
    for (args, help) in [
        (&["check", "--bogus"][..], "`exacta check --help`"),
        (&["list", "--status", "odd"], "`exacta list --help`"),
        (&["audit", "list", "--limit"], "`exacta audit list --help`"),
        (&["frobnicate"], "`exacta --help`"),
    ] {
        let said = whole(&world.run(args).expect(2).err);
        assert!(said.contains(help) && !said.contains("-- --bogus"), "{said}");
    }
    world.run(&["--project", "/no/such/folder", "check", "x"]).expect(2);
    world.run(&["check", "x", "--constraint", "maybe"]).expect(2);
    world.run(&["list", "--limit", "0"]).expect(2);
    let plan = world.file("a-proposal.json", fix().to_string());
    for told in [["--intent", "FixBug"], ["--text", "why"]] {
        let said = world.run(&["check", &plan, told[0], told[1]]).expect(2).err;
        assert!(said.contains("--from-git"), "a proposal says itself what it is for: {said}");
    }
    let hostile = world.run(&["frob\u{1b}[31m\u{202e}"]).expect(2);
    assert!(!hostile.err.contains(['\u{1b}', '\u{202e}']), "{}", hostile.err);
    let missing = world.run(&["execute", "--json"]).expect(2).json();
    assert!(missing["error"]["message"].as_str().unwrap().contains("<ID>"), "{missing}");
    world.run(&["--version"]).expect(0);
    world.run(&["--help"]).expect(0);
}

#[test]
fn a_missing_home_is_said_plainly() {
    let world = World::new();
    let path = world.file("plan.json", fix().to_string());
    let done = crate::world::done(output(world.command(&["check", &path]).env_remove("EXACTA_HOME")));
    let done = done.expect(60);
    assert!(done.err.contains("HOME"), "{}", done.err);
}

#[test]
fn a_broken_policy_stops_every_command_that_decides() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::begun();
    let plan = world.file("plan.json", fix().to_string());
    let policy = world.home().join("safety-policy.toml");
    let broken: [(&[u8], &str); 2] = [
        (b"version = \"1\"\nnonsense = 1\n", "safety-policy.toml:2"),
        (b"version = \"\xff\"\n", "safety-policy.toml` cannot be read: it is not UTF-8 from byte 11 on"),
    ];
    for (bytes, place) in broken {
        std::fs::write(&policy, bytes).unwrap();
        std::fs::set_permissions(&policy, std::fs::Permissions::from_mode(0o600)).unwrap();
        for command in ["check", "submit", "run"] {
            let done = world.run(&[command, &plan]).expect(10);
            assert!(whole(&done.err).contains(place), "{command}: {}", done.err);
            assert!(done.err.contains("policy reset"), "{command}: {}", done.err);
        }
        tells_the_policy_error(&world, place);
        world.run(&["policy", "reset", "--approver-key", &world.key()]).expect(0);
    }
    world.write(".exacta/config.toml", "profile = 7\n");
    tells_the_policy_error(&world, ".exacta/config.toml:1");
}

/// What stands in the way of everything is told by the command that tells how things stand.
fn tells_the_policy_error(world: &World, place: &str) {
    let status = world.run(&["status"]).expect(10);
    assert!(whole(&status.out).contains(place), "{}", status.out);
    let status = world.run(&["status", "--json"]).expect(10).json();
    assert!(status["policy_error"].as_str().unwrap().contains(place), "{status}");
    assert!(status["profile"].is_null() && status["approvers"] == 1, "{status}");
}

/// As one line, however it was folded.
fn whole(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let world = World::begun();
    let line = format!("{} schema | head -1", crate::world::EXACTA);
    let output = output(std::process::Command::new("sh").args(["-c", &line]));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    drop(world);
}

#[test]
fn a_corrupted_record_is_found() {
    let world = World::begun();
    world.pipe(&["submit", "-"], fix().to_string().as_bytes()).expect(30);
    let log = world.project().join(".exacta/audit.log");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replacen("plan_created", "plan_creates", 1)).unwrap();
    let status = world.run(&["status"]).expect(60);
    assert!(status.out.contains("damaged") && status.out.contains("exacta audit verify"), "{}", status.out);
    assert_eq!(world.run(&["status", "--json"]).expect(60).json()["damage"].as_array().unwrap().len(), 1);
    assert!(world.run(&["list"]).expect(0).err.contains("changed from outside"));
    assert!(world.run(&["audit", "list"]).err.contains("changed from outside"));
    let done = world.run(&["audit", "verify"]).expect(60);
    assert!(done.err.contains("\n  audit log, line ") && done.err.contains("hint:"), "{}", done.err);
    let places = world.run(&["audit", "verify", "--json"]).expect(60).json()["error"]["places"].clone();
    assert_eq!(places.as_array().unwrap().len(), 1, "{places}");
}

#[test]
fn a_line_in_the_middle_of_the_log_is_not_shown_if_it_was_changed() {
    let world = World::begun();
    for _ in 0..3 {
        world.pipe(&["submit", "-"], fix().to_string().as_bytes()).expect(30);
    }
    let log = world.project().join(".exacta/audit.log");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replacen("plan_created", "plan_creates", 1)).unwrap();
    let done = world.run(&["audit", "list"]).expect(60);
    assert!(done.err.contains("audit log, line 2") && !done.out.contains("plan_creates"), "{done:?}");
}

#[test]
fn a_copied_project_is_told_its_way_out() {
    let world = World::begun();
    world.pipe(&["submit", "-"], fix().to_string().as_bytes()).expect(30);
    world.write(".exacta/config.toml", "[caps]\nsteps = 3\n");
    let copy = world.path().join("copy");
    assert!(succeeds(std::process::Command::new("cp").arg("-a").arg(world.project()).arg(&copy)));
    let copy = copy.to_str().unwrap();
    let plan = world.file("plan.json", fix().to_string());
    for args in [&["status"][..], &["list"], &["submit", &plan], &["init"], &["audit", "verify"]] {
        let done = world.run(&[args, &["--project", copy]].concat());
        assert_ne!(done.code, 0, "{args:?}: {done:?}");
        assert!(done.err.contains("`exacta init --new-record`"), "{args:?}: {}", done.err);
    }
    let begun = world.run(&["init", "--new-record", "--project", copy]).expect(0);
    assert!(begun.err.contains(".exacta.aside-1"), "{}", begun.err);
    world.run(&["submit", &plan, "--project", copy]).expect(30);
    world.run(&["audit", "verify", "--project", copy]).expect(0);
    assert!(std::fs::read_to_string(format!("{copy}/.exacta/config.toml")).unwrap().contains("steps = 3"));
    let sound = world.run(&["init", "--new-record", "--project", copy]).expect(2);
    assert!(sound.err.contains("in order"), "{}", sound.err);
    world.run(&["audit", "verify"]).expect(0);
}

#[test]
fn a_record_that_is_gone_is_given_up_by_a_person_only() {
    let world = World::begun();
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    std::fs::remove_dir_all(world.project().join(".exacta")).unwrap();
    let plan = world.file("plan.json", fix().to_string());
    for args in [&["status"][..], &["submit", &plan], &["init"]] {
        let done = world.run(args).expect(60);
        assert!(done.err.contains("gone") && done.err.contains("`exacta init --new-record`"), "{args:?}: {}", done.err);
    }
    world.run(&["init", "--new-record"]).expect(30);
    let begun = world.run(&["init", "--new-record", "--approver-key", &world.key(), "--json"]).expect(0).json();
    assert_eq!(begun["profile"]["in_force"], "SAFE", "nothing of the old project counts");
    assert!(world.run(&["audit", "list"]).expect(0).out.contains("tampering_found"));
    world.run(&["audit", "verify"]).expect(0);
}

/// A limit on the size of files is an error like a full disk.
#[test]
fn a_limit_on_files_is_told() {
    let world = World::begun();
    let plan = world.file("plan.json", fix().to_string());
    let mut limited = std::process::Command::new("sh");
    let line = format!("ulimit -f 0; exec '{}' submit '{plan}' --json", crate::world::EXACTA);
    limited.args(["-c", &line]).current_dir(world.project()).env("EXACTA_HOME", world.home());
    let done = crate::world::done(output(&mut limited)).expect(60);
    assert_eq!(done.json()["error"]["exit"], 60, "{done:?}");
    world.run(&["audit", "verify"]).expect(0);
    world.run(&["submit", &plan]).expect(30);
}

#[test]
fn a_damaged_pin_stops_only_what_needs_it() {
    let world = World::begun();
    let pins = world.home().join("pins");
    let pin = std::fs::read_dir(&pins).unwrap().map(|entry| entry.unwrap().path());
    let pin = pin.into_iter().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    std::fs::write(&pin, "{\"schema\":").unwrap();
    for args in [["approver", "list"], ["policy", "show"], ["policy", "check"], ["profile", "current"]] {
        world.run(&args).expect(0);
    }
    for args in [&["list"][..], &["status"], &["recover"]] {
        let told = whole(&world.run(args).expect(60).err);
        assert!(
            told.contains("your configuration remembers cannot be used") && told.contains("move it away"),
            "{told}"
        );
    }
    world.run(&["init", "--new-record"]).expect(30);
    world.run(&["init", "--new-record", "--approver-key", &world.key()]).expect(0);
    world.run(&["audit", "verify"]).expect(0);
}

#[test]
fn a_corrupted_database_is_said_plainly() {
    let world = World::begun();
    let id = world.pipe(&["submit", "-", "--json"], fix().to_string().as_bytes()).expect(30).json()["plan_id"].clone();
    let folder = world.project().join(".exacta");
    for name in ["state.db-wal", "state.db-shm"] {
        drop(std::fs::remove_file(folder.join(name)));
    }
    std::fs::write(folder.join("state.db"), vec![0x5a_u8; 8192]).unwrap();
    for args in [&["list"][..], &["execute", id.as_str().unwrap()], &["audit", "verify"]] {
        let done = world.run(args).expect(60);
        assert!(done.err.starts_with("error: ") && done.err.contains("hint: "), "{args:?}: {}", done.err);
    }
    std::fs::write(folder.join("state.db"), "").unwrap();
    for args in [&["list"][..], &["status"], &["audit", "verify"]] {
        let done = world.run(args).expect(60);
        assert!(whole(&done.err).contains("`exacta init --new-record`"), "{args:?}: {}", done.err);
    }
    world.run(&["init", "--new-record", "--approver-key", &world.key()]).expect(0);
}

#[test]
fn answers_are_errors_for_people_and_json_for_programs() {
    let world = World::begun();
    let text = world.run(&["show", "ffffffff"]).expect(2);
    assert!(text.out.is_empty() && text.err.starts_with("error: "), "{text:?}");
    let json = world.run(&["show", "ffffffff", "--json"]).expect(2);
    assert!(json.err.is_empty(), "{json:?}");
    assert_eq!(json.json()["error"]["exit"], 2);
}
