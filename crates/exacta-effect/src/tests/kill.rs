//! `kill -9` at every call that writes, by strace: of a run, of its undo, and of a recovery. Afterwards everything is exactly as before
//! or as approved. And a run over HTTP whose process dies after each act: nothing is repeated.

use super::drafts::two;
use super::server::{Schedule, Server};
use super::web::{ACT, Web};
use super::{KEY, folder, perform, run_id, undo, work};
use crate::{Drafts, Effects, Outcome};
use exacta_testkit::{Running, program};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Set for the process that is killed: what it does, where, and the server.
const CHILD: &str = "EXACTA_EFFECT_CHILD";

/// Calls that write, and more of each than the child makes.
const CALLS: [(&str, usize); 5] = [("pwrite64", 10), ("fsync", 20), ("renameat2", 5), ("unlinkat", 8), ("mkdirat", 5)];

/// Not a test of its own: what the killed process does.
#[test]
fn child() {
    let Ok(order) = std::env::var(CHILD) else { return };
    let words: Vec<&str> = order.split(' ').collect();
    let state = folder(Path::new(words[1]));
    let (drafts, at) = (Drafts::new(state.clone()), words[2].parse::<SocketAddr>().unwrap());
    let web = Web { at };
    let effects = Effects::open(&state, &KEY, vec![&drafts, &web]).unwrap();
    let ended = match words[0] {
        "run" => perform(&effects, &two(1)).map(drop),
        "undo" => perform(&effects, &undo(2, &two(1))).map(drop),
        "web" => perform(&effects, &pages()).map(drop),
        _ => effects.recover(&|_| true).map(drop),
    };
    std::process::exit(i32::from(ended.is_err()));
}

fn pages() -> crate::work::EffectWork {
    work(3, ACT, &[("p1", "text of s1"), ("p2", "text of s2"), ("p3", "text of s3")])
}

#[test]
fn a_killed_run_is_as_before_or_as_approved() {
    if !program("strace") {
        return;
    }
    let (mut killed, mut completed, mut back) = (0, 0, 0);
    for (call, most) in CALLS {
        for when in 1..=most {
            let state = tempfile::tempdir().unwrap();
            if !kill("run", state.path(), "127.0.0.1:1", call, when) {
                break;
            }
            killed += 1;
            // The recovery is killed too, at the same call, and then left alone.
            kill("recover", state.path(), "127.0.0.1:1", call, when);
            match settled(state.path(), 1, &format!("{call} {when}")) {
                true => completed += 1,
                false => back += 1,
            }
        }
    }
    assert!(killed > 15 && completed > 0 && back > 0, "{killed} killed, {completed} completed, {back} back");
}

#[test]
fn a_killed_undo_is_finished() {
    if !program("strace") {
        return;
    }
    let mut killed = 0;
    for (call, most) in CALLS {
        for when in 1..=most {
            let state = tempfile::tempdir().unwrap();
            let drafts = Drafts::new(folder(state.path()));
            let effects = Effects::open(&folder(state.path()), &KEY, vec![&drafts]).unwrap();
            perform(&effects, &two(1)).unwrap();
            if !kill("undo", state.path(), "127.0.0.1:1", call, when) {
                break;
            }
            killed += 1;
            let recovered = effects.recover(&|_| true).unwrap();
            let there = ["s1.txt", "s2.txt"].map(|name| state.path().join("outbox/r").join(name).exists());
            let undone = matches!(effects.outcome(&run_id(2)), Ok(Some(Outcome::Completed { .. })));
            assert_eq!(there, [!undone; 2], "{call} {when}: {recovered:?}");
        }
    }
    assert!(killed > 8, "only {killed}");
}

/// Each act reaches the server at most once, whenever the process dies; what it did is found by looking, and reversed.
#[test]
fn a_killed_run_over_http_repeats_nothing() {
    if !program("strace") {
        return;
    }
    let mut ends = Vec::new();
    for when in 1..=12 {
        let (state, server) = (tempfile::tempdir().unwrap(), Server::start(Schedule::default()));
        if !kill("web", state.path(), &server.at.to_string(), "fsync", when) {
            break;
        }
        let web = Web { at: server.at };
        let effects = Effects::open(&folder(state.path()), &KEY, vec![&web]).unwrap();
        effects.recover(&|_| true).unwrap();
        let site = server.site.lock().unwrap();
        assert!(site.asked.values().all(|times| *times == 1), "{when}: {:?}", site.asked);
        let there: usize = site.pages.values().map(Vec::len).sum();
        let outcome = effects.outcome(&run_id(3)).unwrap();
        let expected = if matches!(outcome, Some(Outcome::Completed { .. })) { 3 } else { 0 };
        assert_eq!(there, expected, "{when}: {outcome:?}");
        ends.push(outcome);
    }
    assert!(ends.len() > 6 && ends.iter().any(|end| matches!(end, Some(Outcome::RolledBack { .. }))), "{ends:?}");
}

/// Whether both drafts are there; never one, and never half of one.
fn settled(state: &Path, run: u32, name: &str) -> bool {
    let drafts = Drafts::new(folder(state));
    let effects = Effects::open(&folder(state), &KEY, vec![&drafts]).unwrap();
    effects.recover(&|_| true).unwrap();
    assert_eq!(effects.recover(&|_| true).unwrap(), [], "{name}: doing it twice changes nothing more");
    let read = |draft: &str| std::fs::read_to_string(state.join("outbox/r").join(draft)).ok();
    let found = (read("s1.txt"), read("s2.txt"));
    let outcome = effects.outcome(&run_id(run)).unwrap();
    match &outcome {
        Some(Outcome::Completed { .. }) => {
            assert_eq!(found, (Some("one\n".to_owned()), Some("two\n".to_owned())), "{name}");
            true
        }
        Some(Outcome::NothingDone | Outcome::RolledBack { .. }) => {
            assert_eq!(found, (None, None), "{name}: {outcome:?}");
            assert!(!state.join("outbox/r").exists() || outcome == Some(Outcome::NothingDone), "{name}");
            false
        }
        other => panic!("{name}: {other:?}"),
    }
}

/// Starts the child and kills it at the n-th call of a kind; whether it came to that.
fn kill(what: &str, state: &Path, server: &str, call: &str, when: usize) -> bool {
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    command.args(["-e", &format!("inject={call}:signal=KILL:when={when}")]);
    command.env(CHILD, format!("{what} {} {server}", state.display())).env_remove("RUST_BACKTRACE");
    command.stdout(Stdio::null()).stderr(Stdio::null()).arg(own);
    command.args(["--exact", "tests::kill::child", "--nocapture", "--test-threads=1"]);
    Running::start(&mut command).wait().code().is_none()
}
