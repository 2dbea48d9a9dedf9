//! The project folder grants nothing: what an agent can write there neither loosens, hides nor revives anything.

use crate::story::fix;
use crate::trouble::{AFTER, BEFORE, Begun, approve, approved, demand, is_root};
use crate::world::{EXACTA, World};
use exacta_testkit::{Running, output};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What an agent does to the traces of a run.
type Forge = fn(&World);

/// Where an agent puts something in a plan.
type Put<'a> = &'a dyn Fn(&mut Value);

/// A plan of two changes.
fn both() -> Value {
    let mut plan = fix();
    plan["steps"].as_array_mut().unwrap().push(json!({
        "id": "s2", "order": 2, "type": "file_modify", "target": "src/main.py", "dependencies": [],
        "description": "Print the greeting that the text file has.",
        "edits": [{ "find": "hello", "replace": "there" }]
    }));
    plan
}

/// A project in DEV, whose operator has every change checked with `/bin/false`.
fn checked() -> World {
    let world = World::begun();
    let project = world.project().canonicalize().unwrap();
    let policy = format!("[[projects.\"{}\".checks]]\nargv = [\"/bin/false\"]\n", project.display());
    let policy = world.file("policy.toml", policy);
    world.run(&["policy", "set", &policy, "--approver-key", &world.key()]).expect(0);
    world.run(&["profile", "set", "DEV", "--approver-key", &world.key()]).expect(0);
    world
}

fn events(world: &World) -> Vec<String> {
    let listed = world.run(&["audit", "list", "--json"]).expect(0).json();
    let entries = listed["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["event"].as_str().unwrap().to_owned()).collect()
}

/// Everything beneath a folder, as one text.
fn all_text(folder: PathBuf) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        text += &if path.is_dir() {
            all_text(path)
        } else {
            String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
        };
    }
    text
}

#[test]
fn a_project_that_switches_checks_off_asks_a_person() {
    let world = checked();
    let plan = world.file("plan.json", fix().to_string());
    assert_eq!(world.run(&["check", &plan]).expect(0).code, 0);
    world.write(".exacta/config.toml", "checks = false\n");
    let view = world.run(&["check", &plan, "--json"]).expect(30).json();
    let gate = view["gates"].as_array().unwrap().iter().find(|gate| gate["rule"] == "checks-off").unwrap();
    assert_eq!(gate["verdict"], "confirm");
}

#[test]
fn what_expired_once_stays_expired() {
    let (world, approved) = approved();
    let pending = world.pipe(&["submit", "-", "--json"], fix().to_string().as_bytes()).expect(30).json();
    let pending = pending["plan_id"].as_str().unwrap();
    world.write("greet.txt", "somebody else\n");
    world.run(&["approve", pending, "--approver-key", &world.key()]).expect(40);
    world.run(&["execute", &approved]).expect(40);
    world.write("greet.txt", BEFORE);
    let told = world.run(&["approve", pending, "--approver-key", &world.key()]).expect(40);
    assert!(told.err.contains(&format!("`exacta resubmit {pending}`")), "{}", told.err);
    let told = world.run(&["execute", &approved]).expect(40);
    assert!(told.err.contains(&format!("`exacta resubmit {approved}`")), "{}", told.err);
    assert_eq!(events(&world).iter().filter(|event| *event == "plan_expired").count(), 2);
    assert_eq!(world.read("greet.txt"), BEFORE);
}

#[test]
fn a_pending_plan_that_drifted_is_expired_for_execute_too() {
    let world = World::begun();
    let view = world.pipe(&["submit", "-", "--json"], fix().to_string().as_bytes()).expect(30).json();
    let id = view["plan_id"].as_str().unwrap();
    world.write("greet.txt", "somebody else\n");
    let refused = world.run(&["execute", id, "--json"]).expect(40).json();
    assert_eq!(refused["status"], "expired", "{refused}");
    assert_eq!(world.run(&["show", id, "--json"]).expect(0).json()["status"], "expired");
}

#[test]
fn a_plan_that_is_over_still_has_its_hash() {
    let (world, id) = approved();
    let hash = world.run(&["show", &id, "--json"]).expect(0).json()["plan_hash"].clone();
    world.run(&["execute", &id]).expect(0);
    assert!(hash.is_string());
    assert_eq!(world.run(&["show", &id, "--json"]).expect(0).json()["plan_hash"], hash);
}

/// A project whose run was killed between its two targets.
fn torn() -> World {
    let killed = |nth| disturbed(&[&format!("renameat2:signal=KILL:when={nth}")]);
    (1..40).map(killed).find(is_torn).expect("no kill left the targets torn")
}

/// The same where the second target could not be changed, and the run was killed when it had decided to put the first one back.
fn torn_and_decided_back() -> World {
    let failed = |nth| format!("renameat2:error=EIO:when={nth}");
    let fails = (1..40).find(|nth| is_torn(&disturbed(&[&failed(*nth).replace("error=EIO", "signal=KILL")]))).unwrap();
    let killed = |nth| disturbed(&[&failed(fails), &format!("fsync:signal=KILL:when={nth}")]);
    (1..40).map(killed).find(|world| is_torn(world) && has(world, ".back")).expect("no kill left that")
}

fn is_torn(world: &World) -> bool {
    world.read("greet.txt") == AFTER && world.read("src/main.py").contains("hello")
}

/// A project with a run in which system calls were disturbed so.
fn disturbed(injections: &[&str]) -> World {
    let world = World::begun();
    let view = world.pipe(&["submit", "-", "--json"], both().to_string().as_bytes()).expect(30).json();
    let id = view["plan_id"].as_str().unwrap();
    world.run(&["approve", id, "--approver-key", &world.key()]).expect(0);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null"]);
    for injection in injections {
        command.args(["-e", &format!("inject={injection}")]);
    }
    command.arg(EXACTA).args(["execute", id]).current_dir(world.project()).env("EXACTA_HOME", world.home());
    output(command.stdin(Stdio::null()));
    world
}

/// The traces of the one run in a project.
fn traces(world: &World) -> Vec<PathBuf> {
    let names = |folder: &str| fs::read_dir(world.project().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let all = names(".exacta/exec").chain(names(".exacta/exec/over"));
    all.filter(|path| path.is_file() && !path.ends_with("tally")).collect()
}

/// Nobody can say by a name in the folder how a run ended: what its journal and the targets say is done.
#[test]
fn recovery_does_not_believe_planted_marks() {
    for planted in ["done", "kept", "back"] {
        let world = torn();
        fs::write(commit(&world).with_extension(planted), "").unwrap();
        let found = world.run(&["recover", "--json"]).expect(0).json();
        assert_eq!(found["recovered"][0]["outcome"], "completed", "{planted}: {found}");
        assert!(world.read("greet.txt") == AFTER && !world.read("src/main.py").contains("hello"), "{planted}");
        world.run(&["undo", "--approver-key", &world.key()]).expect(0);
        assert_eq!(world.read("greet.txt"), BEFORE);
    }
}

#[test]
fn recovery_never_says_what_the_targets_contradict() {
    let forge: [(&str, Forge); 2] = [
        ("intent", |world| {
            let commit = commit(world);
            fs::rename(&commit, commit.with_extension("intent")).unwrap();
        }),
        ("nothing", |world| traces(world).iter().for_each(|path| fs::remove_file(path).unwrap())),
    ];
    for (name, forge) in forge {
        let world = torn();
        let listed = world.run(&["list"]).expect(0);
        assert!(listed.out.contains("running") && listed.err.contains("exacta recover"), "{listed:?}");
        forge(&world);
        let found = world.run(&["recover", "--json"]).expect(60).json();
        assert_eq!(found["recovered"][0]["outcome"], "needs_attention", "{name}: {found}");
        assert!(found["recovered"][0]["reason"].as_str().unwrap().contains('`'), "{name}: {found}");
        world.run(&["status"]).expect(60);
    }
}

/// What somebody else saved stays recorded as that, also if whoever recovers first is killed before it can say so.
#[test]
fn an_interrupted_recovery_is_recorded_as_it_ended() {
    let world = torn();
    world.write("src/main.py", "mine\n");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", "inject=pwrite64:signal=KILL:when=1", "-P"]);
    command.arg(world.project().join(".exacta/state.db-wal")).args([EXACTA, "recover"]);
    output(command.current_dir(world.project()).env("EXACTA_HOME", world.home()).stdin(Stdio::null()));
    assert!(has(&world, ".kept") && !events(&world).contains(&"run_recovered".to_owned()));

    let found = world.run(&["recover", "--json"]).expect(60).json();
    assert_eq!(found["recovered"][0]["outcome"], "needs_attention", "{found}");
    assert_eq!(found["recovered"][0]["kept"], json!(["src/main.py"]), "{found}");
    assert!(found["recovered"][0]["reason"].as_str().unwrap().contains("`src/main.py`"), "{found}");
    assert_eq!((world.read("greet.txt").as_str(), world.read("src/main.py").as_str()), (BEFORE, "mine\n"));
    let status = world.run(&["status", "--json"]).expect(60).json();
    assert_eq!(status["runs"][0]["kept"], json!(["src/main.py"]), "{status}");
    // Told once; and what needs a person is not recorded again and again.
    assert_eq!(world.run(&["recover", "--json"]).expect(0).json()["recovered"], json!([]));
    assert_eq!(events(&world).iter().filter(|event| *event == "run_recovered").count(), 1);
}

/// A run that a person had to look at is over for good when a later one changed its files, whoever takes its mark away.
#[test]
fn what_a_later_run_did_is_not_put_back_by_an_older_one() {
    let world = torn();
    let commit = commit(&world);
    world.write("src/main.py", "mine\n");
    world.run(&["recover"]).expect(60);
    let id = approve(&world);
    world.run(&["execute", &id]).expect(0);
    let done = world.read("greet.txt");
    let kept = traces(&world).into_iter().find(|path| path.extension().is_some_and(|end| end == "kept")).unwrap();
    fs::rename(kept, commit).unwrap();
    world.run(&["recover"]).expect(60);
    assert_eq!((world.read("greet.txt"), world.read("src/main.py").as_str()), (done, "mine\n"));
}

/// The commit point is passed, and still everything is put back: that is what the record says.
#[test]
fn what_was_put_back_after_the_commit_is_told_so() {
    let world = torn_and_decided_back();
    let found = world.run(&["recover", "--json"]).expect(0).json();
    assert_eq!(found["recovered"][0]["outcome"], "rolled_back", "{found}");
    let reason = found["recovered"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("had passed") && reason.contains("as before again"), "{reason}");
    assert_eq!(world.read("greet.txt"), BEFORE);
}

#[test]
fn a_commit_record_with_a_flipped_bit_is_not_acted_upon() {
    let world = torn();
    let mut bytes = fs::read(commit(&world)).unwrap();
    bytes[40] ^= 1;
    fs::write(commit(&world), bytes).unwrap();
    let refused = world.run(&["recover"]).expect(60);
    assert!(refused.err.contains("cannot be used") && refused.err.contains("hint: "), "{}", refused.err);
    assert!(is_torn(&world));
}

/// Somebody edits a target of a run that died and left no trace: nothing is said of how the targets stand.
#[test]
fn what_is_not_as_before_is_not_said_to_be() {
    let world = torn();
    for path in traces(&world) {
        fs::remove_file(path).unwrap();
    }
    world.write("greet.txt", "mine\n");
    let found = world.run(&["recover", "--json"]).expect(0).json();
    assert_eq!(found["recovered"][0]["outcome"], "rolled_back", "{found}");
    let reason = found["recovered"][0]["reason"].as_str().unwrap();
    assert!(!reason.contains("as before"), "{reason}");
}

fn commit(world: &World) -> PathBuf {
    traces(world).into_iter().find(|path| path.extension().is_some_and(|end| end == "commit")).unwrap()
}

/// Whether a trace ends so.
fn has(world: &World, end: &str) -> bool {
    traces(world).iter().any(|path| path.to_str().unwrap().ends_with(end))
}

#[test]
fn recovery_does_not_take_a_recorded_end_back() {
    let (world, id) = approved();
    world.run(&["execute", &id]).expect(0);
    let [done] = traces(&world).try_into().unwrap();
    let (run, _) = done.file_name().unwrap().to_str().unwrap().split_once('.').unwrap();
    fs::rename(&done, world.project().join(format!(".exacta/exec/{run}.intent"))).unwrap();
    assert_eq!(world.run(&["recover", "--json"]).expect(0).json()["recovered"], json!([]));
    assert_eq!(world.run(&["show", &id, "--json"]).expect(0).json()["run"]["outcome"], "completed");
}

#[test]
fn one_planted_thing_does_not_hide_another() {
    let world = World::begun();
    let (first, second) = (approve(&world), approve(&world));
    let file = |id: &str| world.project().join(format!(".exacta/plans/{id}.json"));
    fs::remove_file(file(&first)).unwrap();
    fs::create_dir(file(&first)).unwrap();
    let forged = fs::read_to_string(file(&second)).unwrap().replace("user_approved", "rejected");
    fs::write(file(&second), forged).unwrap();
    symlink("/etc/passwd", file("planted")).unwrap();
    let told = world.run(&["audit", "verify", "--json"]).expect(60).json();
    let places = told["error"]["places"].to_string();
    for id in [&first, &second, &"planted".to_owned()] {
        assert!(places.contains(id.as_str()), "{places}");
    }
    fs::remove_dir_all(world.project().join(".exacta/plans")).unwrap();
    let told = world.run(&["audit", "verify", "--json"]).expect(60).json();
    assert!(told["error"]["places"][0].as_str().unwrap().contains("plans"), "{told}");
}

#[test]
fn a_certain_secret_is_kept_nowhere() {
    let token = format!("glpat-{}", "aB3dE6gH9jK2mN5pQ8rS");
    let step = |plan: &mut Value, field: &str| plan["steps"][0][field] = Value::String(token.clone());
    let places: [(&str, Put<'_>); 4] = [
        ("target", &|plan| plan["steps"][0]["target"] = Value::String(format!("{token}.txt"))),
        ("id", &|plan| step(plan, "id")),
        ("description", &|plan| step(plan, "description")),
        ("model", &|plan| plan["model"] = json!({ "provider": "local", "model": token })),
    ];
    for (name, put) in places {
        let world = World::begun();
        let mut plan = fix();
        put(&mut plan);
        let view = world.pipe(&["submit", "-", "--json"], plan.to_string().as_bytes()).expect(10);
        assert!(!view.out.contains(&token), "{name}: {}", view.out);
        let hash = view.json()["plan_hash"].clone();
        assert!(hash.as_str().is_some_and(|hash| hash.len() == 64), "{name}: {hash}");
        for folder in [world.project().join(".exacta"), world.home()] {
            assert!(!all_text(folder).contains(&token), "{name}");
        }
        world.run(&["audit", "verify"]).expect(0);
    }
}

#[test]
fn what_cannot_be_recorded_is_not_done() {
    let world = World::begun();
    let lock = world.project().join(".exacta/lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let policy = world.file("policy.toml", "ceiling = \"FULL-AUTO\"\n");
    let key = world.key();
    world.run(&["policy", "set", &policy, "--approver-key", &key]).expect(60);
    world.run(&["approver", "add", "eve", "--no-passphrase", "--approver-key", &key]).expect(60);
    world.run(&["profile", "set", "DEV", "--approver-key", &key]).expect(60);
    fs::remove_dir(&lock).unwrap();
    assert!(world.run(&["policy", "show"]).expect(0).out.contains("ceiling = \"DEV\""));
    assert!(!world.run(&["approver", "list"]).expect(0).out.contains("eve"));
    assert!(world.run(&["profile", "current"]).expect(0).out.contains("SAFE"));
    world.run(&["approver", "add", "eve", "--no-passphrase", "--approver-key", &key]).expect(0);
}

#[test]
fn a_patch_that_is_none_is_answered_and_recorded_like_any_text() {
    for form in ["--from-git", "--from-codex"] {
        let world = World::begun();
        let checked = world.pipe(&["check", "-", form, "--json"], b"junk").expect(10).json();
        assert_eq!((&checked["decision"], &checked["risk"]), (&json!("deny"), &Value::Null), "{checked}");
        assert!(checked.get("plan_id").is_none());
        let before = events(&world).len();
        let view = world.pipe(&["submit", "-", form, "--json"], b"junk").expect(10).json();
        assert_eq!((view.get("plan_id"), view.get("plan_hash")), (Some(&Value::Null), Some(&Value::Null)), "{view}");
        assert_eq!(events(&world).len(), before + 1);
    }
}

#[test]
fn a_result_that_cannot_be_written_is_a_fault() {
    let world = World::begun();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = world.command(&["audit", "list"]);
    let output = Running::start(command.stdout(full).stderr(Stdio::piped())).finish();
    assert_eq!(output.status.code(), Some(60));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the result could not be written"));
}

#[test]
fn nothing_is_made_where_nothing_is_recorded() {
    let world = World::new();
    for command in [&["recover"][..], &["session", "end"], &["profile", "set", "SAFE"], &["profile", "set", "DEV"]] {
        world.run(command).expect(2);
        assert!(!world.project().join(".exacta").exists());
    }
}

#[test]
fn a_check_of_the_super_user_cannot_set_up_the_kernel() {
    if !is_root("the kernel's settings") {
        return;
    }
    let world = checked();
    let project = world.project().canonicalize().unwrap();
    let argv = "argv = [\"/bin/sh\", \"-c\", \"! test -w /proc/sys/kernel/core_pattern\"]\n";
    let policy = format!("[[projects.\"{}\".checks]]\n{argv}", project.display());
    let policy = world.file("policy.toml", policy);
    world.run(&["policy", "set", &policy, "--approver-key", &world.key()]).expect(0);
    let plan = world.file("plan.json", fix().to_string());
    world.run(&["run", &plan]).expect(0);
}

/// What an agent can do to the folder must not cost the first approver their key. What is in the way of the files only comes after the
/// change is made and pinned: it stands, and the next command that writes says what is in the way.
#[test]
fn what_stops_the_files_takes_no_key_away() {
    let world = World::new();
    world.run(&["init"]).expect(0);
    fs::create_dir(world.project().join(".exacta/.tmp")).unwrap();
    world.run(&["approver", "add", "tester", "--no-passphrase"]).expect(0);
    world.pipe(&["submit", "-"], fix().to_string().as_bytes()).expect(60);
    fs::remove_dir(world.project().join(".exacta/.tmp")).unwrap();
    let listed = world.run(&["approver", "list", "--json"]).expect(0).json();
    assert_eq!(listed["approvers"][0]["name"], "tester", "{listed}");
    assert!(fs::exists(world.key()).unwrap());
    let key = world.key();
    world.run(&["approver", "add", "another", "--no-passphrase", "--approver-key", &key]).expect(0);
}

/// Lists say when they are not whole.
#[test]
fn a_list_that_is_cut_says_so() {
    let world = World::begun();
    for _ in 0..3 {
        world.pipe(&["submit", "-"], fix().to_string().as_bytes()).expect(30);
    }
    for (args, whole, what) in [(["list"].as_slice(), 3, "plans"), (&["audit", "list"], 7, "entries")] {
        let listed = |limit: usize| {
            let limit = limit.to_string();
            let args = [args, &["--limit", &limit, "--json"]].concat();
            world.run(&args).expect(0).json()
        };
        let all = listed(50)[what].as_array().unwrap().clone();
        assert!(all.len() >= whole && listed(all.len())["more"] == false, "{all:?}");
        let cut = listed(all.len() - 1);
        assert_eq!((cut[what].as_array().unwrap().len(), &cut["more"]), (all.len() - 1, &json!(true)));
        assert_eq!(cut[what].as_array().unwrap().iter().filter(|one| !all.contains(one)).count(), 0);
    }
    assert!(world.run(&["list", "--limit", "1"]).expect(0).err.contains("older ones"));
}

/// A certain secret is not kept, wherever in a request it stands.
#[test]
fn no_part_of_a_request_keeps_a_secret() {
    const TOKEN: &str = "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";
    let world = World::begun();
    let mut plan = fix();
    plan["steps"][0]["dependencies"] = json!([TOKEN]);
    let plan = world.file("plan.json", plan.to_string());
    world.run(&["submit", &plan]).expect(10);
    let plan = world.file("plan.json", fix().to_string());
    let told = world.run(&["submit", &plan, "--constraint", &format!("PREFER token {TOKEN}")]).expect(2);
    assert!(!told.err.contains(TOKEN), "{}", told.err);
    for entry in fs::read_dir(world.project().join(".exacta")).unwrap() {
        let path = entry.unwrap().path();
        let kept = path.is_file() && fs::read(&path).unwrap().windows(TOKEN.len()).any(|part| part == TOKEN.as_bytes());
        assert!(!kept, "{}", path.display());
    }
}

/// Nor a part of it, in the form that a message quotes it; one that may be none is masked in everything but the request.
#[test]
fn no_message_quotes_a_part_of_a_secret() {
    let key =
        format!("-----BEGIN RSA PRIVATE KEY-----\n{}", "MIIEowIBAAKCAQEAaB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0d\n".repeat(12));
    let one_line = key.replace('\n', "")[..200].to_owned();
    let doubtful = "https://bob:hX7kP2q9LmZ4vT8w@db.example.com/x";
    let places: [(&str, Put<'_>); 10] = [
        ("dependencies", &|plan| plan["steps"][0]["dependencies"] = json!([key])),
        ("satisfies", &|plan| plan["steps"][0]["satisfies"] = json!([key])),
        ("target", &|plan| plan["steps"][0]["target"] = json!(one_line)),
        ("type", &|plan| plan["steps"][0]["type"] = json!(key)),
        ("field", &|plan| plan["steps"][0][&key] = json!(1)),
        ("depth", &|plan| plan["inputs"] = json!({ &key: { "n": 1e300 } })),
        ("files", &|plan| plan["intent"]["target"] = json!({ "files": [doubtful] })),
        ("symbols", &|plan| plan["intent"]["target"] = json!({ "symbols": [doubtful] })),
        ("constraint", &|plan| {
            plan["constraints"] =
                json!([{ "id": doubtful, "type": "MUST", "scope": "global", "description": doubtful }]);
        }),
        ("assumption", &|plan| plan["assumptions"] = json!([doubtful])),
    ];
    for (name, put) in places {
        let world = World::begun();
        let mut plan = fix();
        put(&mut plan);
        let told = world.pipe(&["submit", "-", "--json"], plan.to_string().as_bytes());
        let folder = world.project().join(".exacta");
        let mut kept = told.out + &told.err;
        kept += &fs::read_to_string(folder.join("audit.log")).unwrap();
        ["plans", "audit-log"].iter().for_each(|part| kept += &all_text(folder.join(part)));
        for part in ["MIIEowIBAAKCAQEA", "hX7kP2q9LmZ4vT8w"] {
            assert!(!kept.contains(part), "{name}: {kept}");
        }
        let database = all_text(folder);
        assert!(!database.contains("MIIEowIBAAKCAQEA"), "{name}");
        world.run(&["audit", "verify"]).expect(0);
    }
}

/// A project that was moved away during a run is not the one that was asked about.
#[test]
fn a_folder_that_is_moved_during_a_check_is_left_alone() {
    let world = World::begun();
    demand(&world, "echo begun; sleep 2", 600, "");
    let id = approve(&world);
    let run = Begun::execute(&world, &id);
    let moved = world.path().join("moved");
    fs::rename(world.project(), &moved).unwrap();
    fs::create_dir(world.project()).unwrap();
    let end = run.ended(40);
    assert_eq!(end["error"]["code"], "approval_outdated", "{end}");
    assert_eq!(fs::read_to_string(moved.join("greet.txt")).unwrap(), BEFORE);
}

/// Failed runs count until a run completes, or the profile changes.
#[test]
fn setting_the_profile_that_is_set_forgets_no_failure() {
    let world = checked();
    let mut files = fs::read_dir(world.home().join("projects")).unwrap().map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let twice = text.replace("\"failed_runs\": 0", "\"failed_runs\": 2");
    assert_ne!(text, twice);
    fs::write(&file, &twice).unwrap();
    world.run(&["profile", "set", "DEV"]).expect(0);
    world.run(&["init", "--profile", "DEV"]).expect(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), twice);
}

/// How many failed runs in a row are counted in a project.
fn failures(world: &World) -> u64 {
    let text = all_text(world.home().join("projects"));
    let (_, rest) = text.split_once("\"failed_runs\": ").unwrap();
    rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// Attack 28: whichever sync fails, of the executor or of the record: a run that began and was not completed counts, once.
#[test]
fn a_run_that_ends_by_a_failed_sync_counts_as_failed() {
    let mut counted = 0;
    for nth in 1..=6 {
        let world = disturbed(&[&format!("fsync:error=EIO:when={nth}"), &format!("fdatasync:error=EIO:when={nth}")]);
        let _ended = world.run(&["recover"]);
        let all = events(&world);
        let began = all.iter().any(|event| event == "run_started");
        let done = world.read("greet.txt") == AFTER;
        let expected = u64::from(began && !done);
        assert_eq!(failures(&world), expected, "sync {nth}: {all:?}");
        counted += expected;
    }
    assert!(counted >= 2, "{counted}");
}
