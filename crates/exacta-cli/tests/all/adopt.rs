//! What is changed already in the work tree: adopted without a byte written, refused and left, or put back.

use crate::world::{Done, World};
use exacta_testkit::{git, output};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

fn run_git(world: &World, args: &[&str]) -> String {
    let me = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
    let done = output(git().args(me).args(args).current_dir(world.project()));
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// A project that is committed.
fn committed() -> World {
    let world = World::begun();
    world.write("old.py", "def old():\n    return 1\n");
    world.write("tool.sh", "#!/bin/sh\necho tool\n");
    world.write(".gitignore", "*.log\n");
    run_git(&world, &["init", "-q", "-b", "main"]);
    run_git(&world, &["add", "-A"]);
    run_git(&world, &["commit", "-qm", "first"]);
    world
}

/// One of everything that somebody can have changed.
fn change(world: &World) {
    world.write("greet.txt", "hello\nthere\n");
    world.write("src/new.py", "def new():\n    return 2\n");
    world.write("debug.log", "ignored\n");
    fs::remove_file(world.project().join("old.py")).unwrap();
    fs::set_permissions(world.project().join("tool.sh"), fs::Permissions::from_mode(0o755)).unwrap();
}

type Stamp = (u64, i64, i64, i64, i64, u32);

/// Inode, times and mode of every file, and git's index.
fn stamps(folder: &Path) -> BTreeMap<String, Stamp> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() && name != ".exacta" && name != ".git" {
            found.extend(stamps(&path));
        }
        let file = if name == ".git" { path.join("index") } else { path.clone() };
        let stat = fs::metadata(&file).unwrap();
        if name != ".exacta" && (stat.is_file() || name == ".git") {
            let stamp = (stat.ino(), stat.mtime(), stat.mtime_nsec(), stat.ctime(), stat.ctime_nsec(), stat.mode());
            found.insert(file.display().to_string(), stamp);
        }
    }
    found
}

fn adopt(world: &World, args: &[&str], key: &str) -> Done {
    let mut terminal = world.terminal(&[&["run", "--from-worktree"], args].concat());
    let asked = terminal.until("[?] ");
    terminal.send(key);
    let done = terminal.end();
    Done { out: asked + &done.out, ..done }
}

#[test]
fn what_is_there_is_adopted_and_undone_to_what_is_committed() {
    let world = committed();
    change(&world);
    let before = stamps(&world.project());
    let mut terminal = world.terminal(&["run", "--from-worktree"]);
    let screen = terminal.until("[?] ");
    for part in ["M greet.txt  +1 -1", "D old.py", "A src/new.py", "M tool.sh", "nothing is written", "Adopt?"] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    assert!(!screen.contains("debug.log"), "{screen}");
    assert_eq!(stamps(&world.project()), before, "while it is asked");
    terminal.send("y");
    let done = terminal.end().expect(0);
    assert!(done.out.contains("4 files are adopted: nothing was written"), "{}", done.out);
    assert_eq!(stamps(&world.project()), before, "after it is recorded");
    let plan = world.run(&["list", "--json"]).expect(0).json()["plans"][0]["plan_id"].as_str().unwrap().to_owned();
    let shown = world.run(&["show", &plan, "--json", "--with", "binding"]).expect(0).json();
    assert_eq!(shown["detail"]["adopts"], json!(true), "{shown}");
    let head = &shown["detail"]["binding"]["adopts"]["head"];
    assert_eq!(head.as_str().unwrap(), run_git(&world, &["rev-parse", "HEAD"]).trim());
    assert!(world.run(&["audit", "verify"]).expect(0).out.contains("verif"));

    world.run(&["undo", "--approver-key", &world.key()]).expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
    assert_eq!(world.read("old.py"), "def old():\n    return 1\n");
    assert!(!world.project().join("src/new.py").exists());
    assert_eq!(run_git(&world, &["status", "--porcelain"]), "");
    assert_eq!(world.read("debug.log"), "ignored\n");
}

#[test]
fn what_is_refused_stays_and_can_be_put_back() {
    let world = committed();
    change(&world);
    let before = stamps(&world.project());
    let done = adopt(&world, &[], "n").expect(30);
    assert!(done.out.contains("the files stay as they are"), "{}", done.out);
    assert!(done.out.contains("`exacta run --from-worktree --put-back`"), "{}", done.out);
    assert_eq!(stamps(&world.project()), before);

    adopt(&world, &["--put-back"], "y").expect(0);
    assert_eq!(run_git(&world, &["status", "--porcelain"]), "");
    assert!(!world.project().join("src/new.py").exists() && world.project().join("debug.log").exists());
    world.run(&["undo", "--approver-key", &world.key()]).expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    assert_eq!(world.read("src/new.py"), "def new():\n    return 2\n");
    assert!(!world.project().join("old.py").exists());
}

#[test]
fn a_change_while_it_is_asked_is_drift() {
    type Case = (&'static str, fn(&World));
    let cases: [Case; 3] = [
        ("greet.txt", |world| world.write("greet.txt", "hello\nmoon\n")),
        ("src/new.py", |world| fs::remove_file(world.project().join("src/new.py")).unwrap()),
        ("committed", |world| drop(run_git(world, &["commit", "-qam", "second"]))),
    ];
    for (name, act) in cases {
        let world = committed();
        change(&world);
        let mut terminal = world.terminal(&["run", "--from-worktree"]);
        terminal.wait_for("[?] ");
        act(&world);
        let before = stamps(&world.project());
        terminal.send("y");
        let done = terminal.end().expect(40);
        assert!(done.out.contains(name), "{name}: {}", done.out);
        assert_eq!(stamps(&world.project()), before);
        assert_eq!(world.run(&["status", "--json"]).json()["runs"], json!([]));
    }
}

#[test]
fn what_else_is_staged_is_refused_by_name() {
    let world = committed();
    change(&world);
    world.write("greet.txt", "hello\nstaged\n");
    run_git(&world, &["add", "greet.txt"]);
    world.write("greet.txt", "hello\nthere\n");
    let done = world.terminal(&["run", "--from-worktree"]).end().expect(2);
    assert!(done.out.contains("greet.txt") && !done.out.contains("old.py"), "{}", done.out);
    // The others can be adopted by name, and so can what is staged as it lies there.
    adopt(&world, &["old.py", "src"], "y").expect(0);
    run_git(&world, &["add", "greet.txt"]);
    let index = fs::read(world.project().join(".git/index")).unwrap();
    adopt(&world, &["greet.txt"], "y").expect(0);
    assert_eq!(fs::read(world.project().join(".git/index")).unwrap(), index);
}

#[test]
fn what_cannot_be_adopted_is_said() {
    let world = committed();
    let refused = |args: &[&str], code: i32, why: &str| {
        let done = world.terminal(&[&["run", "--from-worktree"], args].concat()).end().expect(code);
        assert!(done.out.contains(why), "{args:?}: {}", done.out);
    };
    refused(&[], 2, "nothing in the work tree differs");
    change(&world);
    refused(&["debug.log"], 2, "`debug.log` is ignored");
    refused(&["src/main.py"], 2, "nothing that differs");
    refused(&["/etc/passwd"], 2, "is not in the project");
    let unattended = world.run(&["run", "--from-worktree"]).expect(30);
    assert!(unattended.err.contains("a person"), "{unattended:?}");
    world.run(&["run", "--from-worktree", "--from-git"]).expect(2);
    world.run(&["run", "--put-back", "x"]).expect(2);
    // Binary files and links are named, and the others are adopted.
    fs::write(world.project().join("image.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    std::os::unix::fs::symlink("greet.txt", world.project().join("link")).unwrap();
    let done = adopt(&world, &[], "y").expect(0);
    for part in ["`image.png` is no text", "`link` is or was a symbolic link", "4 files are adopted"] {
        assert!(done.out.contains(part), "{part}: {}", done.out);
    }
    let outside = World::begun();
    let done = outside.terminal(&["run", "--from-worktree"]).end().expect(60);
    assert!(done.out.contains("not the root of a git work tree"), "{}", done.out);
}

/// A person makes the cap larger with the command that the refusal names.
#[test]
fn twelve_files_are_adopted_after_the_policy_change_that_the_refusal_names() {
    let world = committed();
    for number in 0..12 {
        world.write(&format!("src/part{number}.py"), &format!("def part{number}():\n    return {number}\n"));
    }
    let done = world.terminal(&["run", "--from-worktree"]).end().expect(10);
    assert!(done.out.contains("policy set caps.submitted_steps"), "{}", done.out);
    assert!(done.out.contains("the files stay as they are"), "{}", done.out);
    world.run(&["policy", "set", "caps.submitted_steps", "12", "--approver-key", &world.key()]).expect(0);
    let before = stamps(&world.project());
    let done = adopt(&world, &[], "y").expect(0);
    assert!(done.out.contains("12 files are adopted"), "{}", done.out);
    assert_eq!(stamps(&world.project()), before);
}

/// What a repository says is to be run is never run: git itself is not.
#[test]
fn nothing_that_the_repository_names_is_run() {
    let world = committed();
    let marker = world.path().join("marker");
    let touch = format!("touch {}", marker.display());
    for key in ["core.fsmonitor", "diff.external", "core.pager", "filter.x.clean", "filter.x.smudge", "core.sshCommand"]
    {
        run_git(&world, &["config", key, &touch]);
    }
    for hook in ["post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman"] {
        let hook = world.project().join(".git/hooks").join(hook);
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, format!("#!/bin/sh\n{touch}\n")).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
    change(&world);
    world.write("converted.bin2", "x\n");
    world.write(".git/info/attributes", "*.bin2 filter=x\n");
    let done = adopt(&world, &[], "y").expect(0);
    assert!(done.out.contains("`converted.bin2` is kept by git through a filter"), "{}", done.out);
    adopt(&world, &["--put-back", "."], "n");
    assert!(!marker.exists(), "something was run");
}
