//! Checks that misbehave, or are done away with: the project is as before, or as approved where the check passed after all.

use crate::trouble::{AFTER, BEFORE, Begun, approve, clear, demand, is_root, script};
use crate::world::{World, done};
use exacta_testkit::{memory, output, sandbox, succeeds};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn a_check_that_forks_daemons_leaves_none_of_them() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    // So many seconds that nobody else on the machine sleeps.
    let long = (1_000_000 + std::process::id()).to_string();
    demand(&world, &format!("(setsid sleep {long} >/dev/null 2>&1 &) ; (sleep {long} &) ; true"), 60, "");
    let id = approve(&world);
    world.run(&["execute", &id]).expect(0);
    assert_eq!(world.read("greet.txt"), AFTER);
    let line = format!("sleep\0{long}\0").into_bytes();
    let left = processes().into_iter().filter(|at| fs::read(at.join("cmdline")).is_ok_and(|found| found == line));
    assert_eq!(left.count(), 0, "a daemon outlives its check");
}

#[test]
fn a_check_that_never_ends_is_ended() {
    if !sandbox() {
        return;
    }
    for endless in ["sleep 600", "while true; do :; done", "trap '' TERM INT HUP; while true; do sleep 1; done", "yes"]
    {
        let world = World::begun();
        demand(&world, endless, 1, "");
        let id = approve(&world);
        let failed = world.run(&["execute", &id]).expect(50);
        clear(&failed);
        assert!(failed.err.contains("check"), "{endless}: {}", failed.err);
        assert_eq!(world.read("greet.txt"), BEFORE, "{endless}");
    }
}

#[test]
fn a_check_that_fills_its_scratch_fails() {
    if !sandbox() || !memory(1_500) {
        return;
    }
    let world = World::begun();
    demand(&world, "head -c 3000000000 /dev/zero > /tmp/big", 120, "");
    let id = approve(&world);
    let failed = world.run(&["execute", &id]).expect(50);
    clear(&failed);
    assert_eq!(world.read("greet.txt"), BEFORE);
}

/// Through a folder that it may write to, a check can fill the disk that the project is on.
#[test]
fn a_check_that_fills_the_disk_loses_nothing() {
    if !is_root("mounts") || !sandbox() {
        return;
    }
    let world = World::begun();
    fs::create_dir(world.project().join("out")).unwrap();
    demand(&world, "cat /dev/zero > out/big || true", 60, "\"out\"");
    let id = approve(&world);
    let line = r#"
        set -e
        cp -a "$PROJECT" copy && mount -t tmpfs -o size=16m none "$PROJECT"
        cp -a copy/. "$PROJECT" && cd "$PROJECT"
        set +e
        "$EXACTA" execute "$PLAN" >&2
        code=$?
        ls -l out >&2 && rm out/big
        "$EXACTA" recover >&2 || exit 99
        "$EXACTA" audit verify >&2 || exit 98
        cat greet.txt
        exit $code"#;
    let ended = script(&world, &id, line);
    match ended.code {
        0 => assert_eq!(ended.out, AFTER, "{ended:?}"),
        50 | 60 => {
            clear(&ended);
            assert!([BEFORE, AFTER].contains(&ended.out.as_str()), "{ended:?}");
        }
        _ => panic!("{ended:?}"),
    }
}

#[test]
fn a_sandbox_that_is_killed_is_a_check_that_failed() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    demand(&world, "echo begun; sleep 600", 600, "");
    let id = approve(&world);
    let run = Begun::execute(&world, &id);
    let sandbox = children(run.child.id()).pop().expect("the sandbox is a child of the command");
    assert!(succeeds(Command::new("kill").args(["-KILL", &sandbox.to_string()])));
    let end = run.ended(50);
    assert!(end.to_string().contains("check"), "{end}");
    assert_eq!(world.read("greet.txt"), BEFORE);
    assert_eq!(world.run(&["status"]).expect(0).out.matches("unfinished").count(), 0);
}

/// An activated environment of the project's own, or `.`, does not supply the programs that confine.
#[test]
fn programs_of_the_callers_path_confine_nothing() {
    if !sandbox() {
        return;
    }
    let first = |world: &World| format!("{}:/usr/bin:/bin", world.project().join(".venv/bin").display());
    let paths: [&dyn Fn(&World) -> String; 3] =
        [&first, &|_| ".venv/bin:.:/usr/bin:/bin".to_owned(), &|_| String::new()];
    for path in paths {
        let world = World::begun();
        let (path, ran) = (path(&world), world.path().join("ran"));
        for name in ["unshare", "sh", "mount", "bwrap", "cp", "mkdir", "mknod", "stat", "xargs", "env"] {
            program(&world.project().join(".venv/bin").join(name), &format!("echo {name} >> {}", ran.display()));
        }
        demand(&world, "echo in $PATH; exit 3", 60, "");
        let id = approve(&world);
        let failed = done(output(world.command(&["execute", &id]).env("PATH", &path)));
        assert!(!ran.exists(), "{path}: ran {}", fs::read_to_string(&ran).unwrap());
        assert_eq!(failed.code, 50, "{path}: {failed:?}");
        assert!(failed.err.contains("exit code 3"), "{path}: {failed:?}");
        assert!(!format!("{failed:?}").contains(".venv"), "nor does it lead there inside: {failed:?}");
    }
}

#[test]
fn a_check_sees_the_toolchains_of_the_home_folder_and_nothing_else_of_it() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    let user = world.path().join("user");
    for secret in
        [".netrc", ".npmrc", ".ssh/id_ed25519", ".cargo/credentials.toml", ".config/gh/hosts.yml", "letter.txt"]
    {
        let path = user.join(secret);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "token").unwrap();
    }
    program(&user.join(".cargo/bin/tool"), "echo tool");
    demand(&world, "tool && echo x > ~/scratch && ! grep -rq token ~", 60, "");
    let id = approve(&world);
    let path = format!("{}:/usr/bin:/bin", user.join(".cargo/bin").display());
    let ended = done(output(world.command(&["execute", &id]).env("PATH", path).env("HOME", &user)));
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(!user.join("scratch").exists());
    assert_eq!(fs::read_dir(world.home().join("state/scratch")).unwrap().count(), 0, "nothing is left");
    assert!(!world.project().join(".exacta/scratch").exists(), "and nothing was where an agent can write");
}

/// A home folder where none can be made.
#[test]
fn a_sandbox_that_cannot_be_set_up_is_no_failed_check() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    demand(&world, "exit 3", 60, "");
    let id = approve(&world);
    let run = |args: &[&str]| done(output(world.command(args).env("HOME", "/proc/nowhere")));
    let refused = run(&["execute", &id]);
    let told = refused.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("`sh` cannot be confined here: `bwrap` cannot set it up"), "{refused:?}");
    assert_eq!(world.read("greet.txt"), BEFORE);
    let doctor = run(&["doctor"]);
    assert!(doctor.out.contains("checks cannot run"), "{doctor:?}");
    let doctor = world.run(&["doctor"]);
    assert!(doctor.out.contains("a command runs confined"), "{doctor:?}");
}

/// As they would be confined, and without running them.
#[test]
fn the_doctor_tries_the_operators_own_commands() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    demand(&world, "echo ran > out/ran; exit 3", 60, "\"out\"");
    let doctor = world.run(&["doctor"]);
    assert!(doctor.out.contains("a command runs confined"), "{doctor:?}");
    assert!(!world.project().join("out").exists(), "no folder is made for a trial");
    std::os::unix::fs::symlink(world.path(), world.project().join("out")).unwrap();
    let doctor = world.run(&["doctor"]);
    let told = doctor.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("the command `sh` may write to `out`, which is a symbolic link"), "{doctor:?}");
    assert!(told.contains("hint: make it a folder of the project"), "{doctor:?}");
}

fn program(path: &Path, line: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{line}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn processes() -> Vec<PathBuf> {
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    all.filter(|at| at.join("cmdline").exists()).collect()
}

fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect()
}
