//! A process killed at any point, or a disk that fails at any point, loses nothing that was promised.

use crate::project::{Project, at, created, draft, new_plan, new_run, plan_id, request, run_id, signed};
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::lifecycle::Status::{Pending, UserApproved};
use exacta_record::{Change, RecordError, RunState};
use exacta_testkit::{Lines, Running, output, program};
use serde_json::json;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Set in the child: where its project is.
const PROJECT: &str = "EXACTA_TEST_STORE_CHILD";
/// Set in the child: the first plan's number.
const FIRST: &str = "EXACTA_TEST_STORE_FIRST";

/// The child's whole life: it is killed somewhere in it. It says what was promised to it.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(PROJECT) else { return };
    let first: u64 = std::env::var(FIRST).unwrap().parse().unwrap();
    for n in first..first + 3 {
        if let Err(error) = work(Path::new(&dir), n) {
            println!("failed: {error}");
            return;
        }
    }
}

fn work(dir: &Path, n: u64) -> Result<(), RecordError> {
    let promised = |what: &str| {
        println!("\npromised {what} {n}");
        std::io::stdout().flush().unwrap();
    };
    let trying = |what: &str| {
        println!("\ntrying {what} {n}");
        std::io::stdout().flush().unwrap();
    };
    let mut store = Project::open_at(dir)?;
    trying("plan");
    store.insert_plan(&new_plan(n), &created(n), at(1))?;
    promised("plan");
    trying("approval");
    let change = Change { from: Pending, to: UserApproved, approval: Some(signed(n)), also_expire: None };
    let _ = store.transition(&plan_id(n), &change, &[draft(Event::PlanApproved, n)], at(2))?;
    promised("approval");
    trying("run");
    let _ =
        store.start_run(&request(&new_run(n, n, None), &[UserApproved], 99), &[draft(Event::RunStarted, n)], at(3))?;
    store.finish_run(&run_id(n), RunState::Completed, &json!([]), &[draft(Event::PlanExecuted, n)], at(4))?;
    promised("run");
    Ok(())
}

fn command(project: &Project, first: u64, strace: &[String]) -> Command {
    let me = std::env::current_exe().unwrap();
    let mut command = match strace {
        [] => Command::new(me),
        arguments => {
            let mut command = Command::new("strace");
            command.args(["-f", "-qq", "-o", "/dev/null"]).args(arguments).arg(me);
            command
        }
    };
    command.args(["--exact", "crash::child", "--nocapture", "--test-threads=1"]);
    command.env(PROJECT, project.dir.path()).env(FIRST, first.to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Opens what the child left, and checks that it kept what it promised.
fn check(project: &Project, output: &str, context: &str) {
    let mut store = project.try_open().unwrap_or_else(|error| panic!("{context}: {error}"));
    for promise in output.lines().filter_map(|line| line.strip_prefix("promised ")) {
        let (what, n) = promise.split_once(' ').unwrap();
        let plan = store.plan(&plan_id(n.parse().unwrap())).unwrap().unwrap_or_else(|| panic!("{context}: {promise}"));
        match what {
            "plan" => {}
            "approval" => assert_eq!(plan.status, UserApproved, "{context}: {promise}"),
            _ => assert_eq!(plan.run.unwrap().state, RunState::Completed, "{context}: {promise}"),
        }
    }
    check_failed(&store, output, context);
    for run in store.running().unwrap() {
        // As whoever finds it does; its plan's file is written then.
        let correlation = store.plan(&run.plan_id).unwrap().unwrap().correlation_id;
        let dead = EntryDraft::new(Event::RunRecovered, Actor::System, "found dead").about(&correlation, &run.plan_id);
        store.finish_run(&run.id, RunState::RolledBack, &json!([]), &[dead], at(5)).unwrap();
    }
    let report = project.verify().unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_eq!(report.notes, [""; 0], "{context}: opening heals everything");
    assert_eq!((report.signed, report.pinned), (report.entries, report.entries), "{context}");
}

/// What ended with an error has not happened; but for the start of a run, which then gets an end.
fn check_failed(store: &exacta_record::Record, output: &str, context: &str) {
    let failed = output.lines().any(|line| line.starts_with("failed: "));
    let last = output.lines().filter_map(|line| line.strip_prefix("trying ")).next_back();
    let Some((what, n)) = last.filter(|_| failed).and_then(|last| last.split_once(' ')) else { return };
    if output.contains(&format!("promised {what} {n}\n")) {
        return;
    }
    let plan = store.plan(&plan_id(n.parse().unwrap())).unwrap();
    match what {
        "plan" => assert_eq!(plan, None, "{context}: {output}"),
        "approval" => assert_eq!(plan.unwrap().status, Pending, "{context}: {output}"),
        _ => {}
    }
}

#[test]
fn killed_at_any_time() {
    let project = Project::new();
    let mut pause = 3;
    for round in 0..12 {
        let mut child = Running::start(&mut command(&project, round * 3, &[]));
        let mut lines = Lines::of(child.stdout().unwrap());
        // From when it does something, not from when it starts.
        let mut text = lines.find(|line| line.starts_with("promised")).unwrap_or_default();
        pause = (pause * 13 + 7) % 23;
        std::thread::sleep(Duration::from_millis(pause));
        child.kill();
        child.wait();
        lines.for_each(|line| text.extend(["\n", &line]));
        check(&project, &text, &format!("round {round}"));
    }
}

/// The system calls by which anything reaches the disk, and how many of each are passed over in the short test.
const CALLS: [(&str, usize); 12] = [
    ("pwrite64", 29),
    ("write", 13),
    ("fdatasync", 3),
    ("fsync", 7),
    ("rename", 5),
    ("renameat", 11),
    ("renameat2", 5),
    ("unlinkat", 11),
    ("openat", 31),
    ("ftruncate", 3),
    ("flock", 5),
    ("mkdirat", 2),
];

/// Kills or fails the child at the n-th call, for every n or some of them, until it gets through.
fn inject(fault: &str, all: bool) {
    for (call, step) in CALLS {
        for when in (1..).step_by(if all { 1 } else { step }) {
            let project = Project::new();
            let inject = format!("inject={call}:{fault}:when={when}");
            let output = output(&mut command(&project, 0, &["-e".to_owned(), inject.clone()]));
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(!text.contains("panicked"), "{inject}: {text}");
            let through = text.contains("promised run 2");
            if project.exacta().join("state.db").exists() || through {
                check(&project, &text, &inject);
            }
            if through {
                break;
            }
            assert!(when < 5000, "{inject}: {text}");
        }
    }
}

#[test]
fn killed_at_some_system_calls() {
    if program("strace") {
        inject("signal=KILL", false);
    }
}

#[test]
#[ignore = "takes minutes: every system call"]
fn killed_at_every_system_call() {
    if program("strace") {
        inject("signal=KILL", true);
    }
}

#[test]
fn a_full_disk_at_some_system_calls() {
    if program("strace") {
        inject("error=ENOSPC", false);
    }
}

#[test]
#[ignore = "takes minutes: every system call"]
fn errors_at_every_system_call() {
    if program("strace") {
        for error in ["EIO", "ENOSPC", "EDQUOT", "EACCES", "EROFS", "EMFILE", "EINTR"] {
            inject(&format!("error={error}"), true);
        }
    }
}
