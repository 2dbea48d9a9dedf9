//! Many processes run in one project, recover each other's runs, and are killed all the time. Every run writes the same
//! word to two files, so that two different words are a torn project.

use super::drive::{Between, execute};
use super::project::*;
use crate::{ProjectRoot, RunOptions};
use exacta_kernel::id::RunId;
use exacta_testkit::{LIMIT, Running};
use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

/// Set for a process of the crowd: the project.
const CHILD: &str = "EXACTA_EXEC_CROWD";

/// Pairs of files.
const PAIRS: u32 = 3;

/// Not a test of its own: what each process of the crowd does until it is killed.
#[test]
fn child() {
    let Ok(dir) = std::env::var(CHILD) else { return };
    let root = ProjectRoot::open(dir).unwrap();
    let mut turn = std::process::id();
    let end = Instant::now() + LIMIT;
    while Instant::now() < end {
        turn = turn.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        for recovered in root.recover().unwrap_or_default() {
            assert!(recovered.outcome.is_all_or_nothing(), "{recovered:?}");
        }
        change_pair(&root, (turn >> 16) % PAIRS);
    }
}

/// Replaces the word in both files of a pair, if nobody is faster.
fn change_pair(root: &ProjectRoot, pair: u32) {
    let id = uuid::Uuid::now_v7().to_string();
    let read = |side: &str| fs::read_to_string(root.path().join(format!("{side}{pair}"))).ok();
    let changes = ["left", "right"].map(|side| {
        let now = read(side).and_then(|text| content(&text, 0o644));
        change(&format!("{side}{pair}"), now, content(&id, 0o644))
    });
    let mut work = work(0, changes.to_vec());
    work.run_id = RunId::parse(&id).unwrap();
    let (cancel, observer) = (AtomicBool::new(false), &mut |_| {});
    let mut options = RunOptions { cancel: &cancel, wait: Duration::from_millis(50), observer };
    let between = Between { enter: &mut || true, check: &mut |_| Ok(()) };
    let _ = execute(&root.disk().unwrap(), &work, between, &mut options);
}

#[test]
fn a_crowd_for_some_seconds() {
    crowd(6, Duration::from_secs(4));
}

#[test]
#[ignore = "takes ten minutes"]
fn a_crowd_of_sixteen_for_ten_minutes() {
    crowd(16, Duration::from_secs(600));
}

fn crowd(size: usize, time: Duration) {
    let project = Project::new(&[]);
    let mut children: Vec<Running> = (0..size).map(|_| start(&project)).collect();
    let begin = Instant::now();
    let mut pause = Duration::from_millis(30);
    let mut kills = 0;
    while begin.elapsed() < time || done(&project) == 0 {
        assert!(begin.elapsed() < time + LIMIT, "nobody comes to an end");
        // Where nobody gets anything done in time, they are given more of it.
        if begin.elapsed() > time {
            pause += pause / 4;
        }
        thread::sleep(pause);
        let child = &mut children[kills % size];
        assert_eq!(child.ended(), None, "a process of the crowd gave up");
        child.kill();
        child.wait();
        *child = start(&project);
        kills += 1;
    }
    drop(children);
    let left = project.root.recover().unwrap();
    assert!(left.iter().all(|run| run.outcome.is_all_or_nothing()), "{left:?}");
    let tree = project.tree();
    for pair in 0..PAIRS {
        let side = |side: &str| tree.get(std::path::Path::new(&format!("{side}{pair}")));
        assert_eq!(side("left"), side("right"), "pair {pair}");
    }
    let done = done(&project);
    assert!(done > 0 && tree.len() <= 2 * PAIRS as usize);
    assert!(project.traces().iter().all(|name| name.ends_with(".done")), "{:?}", project.traces());
    eprintln!("{kills} kills among {size} processes, {done} runs done: every pair is whole");
}

/// How many runs came to their end.
fn done(project: &Project) -> usize {
    project.traces().iter().filter(|name| name.ends_with(".done")).count()
}

fn start(project: &Project) -> Running {
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new(own);
    command.args(["--exact", "tests::crowd::child", "--nocapture", "--test-threads=1"]);
    command.env(CHILD, project.dir.path()).env_remove("RUST_BACKTRACE").stdout(Stdio::null()).stderr(Stdio::inherit());
    Running::start(&mut command)
}
