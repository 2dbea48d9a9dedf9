//! Checks that misbehave, or are done away with: the project is as before, or as approved where the check passed after all.

use crate::trouble::{AFTER, BEFORE, Begun, approve, clear, demand, is_root, script};
use crate::world::World;
use exacta_testkit::{memory, sandbox, succeeds};
use std::fs;
use std::path::PathBuf;
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

fn processes() -> Vec<PathBuf> {
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    all.filter(|at| at.join("cmdline").exists()).collect()
}

fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect()
}
