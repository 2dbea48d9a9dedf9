//! Sessions: shared until ended or the machine restarts, held until the process dies.

use crate::home;
use exacta_home::Home;
use exacta_kernel::id::{ProjectId, SessionId};
use exacta_testkit::{LIMIT, Lines, Running};
use std::fs;
use std::process::{Command, Stdio};

fn project() -> ProjectId {
    ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").unwrap()
}

#[test]
fn commands_share_a_session_until_it_is_ended() {
    let (_folder, home) = home();
    assert_eq!(home.end_session(&project()).unwrap(), None);
    let first: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| home.shared_session(&project()).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(first.iter().all(|session| *session == first[0]));
    assert!(home.is_alive(&project(), &first[0]).unwrap());

    assert_eq!(home.end_session(&project()).unwrap().as_ref(), Some(&first[0]));
    assert!(!home.is_alive(&project(), &first[0]).unwrap());
    let second = home.shared_session(&project()).unwrap();
    assert_ne!(second, first[0]);
    assert!(home.is_alive(&project(), &second).unwrap());
    assert!(!home.is_alive(&project(), &first[0]).unwrap(), "what ended stays ended");
}

#[test]
fn a_restart_of_the_machine_ends_it() {
    let (_folder, home) = home();
    let before = home.shared_session(&project()).unwrap();
    let file = home.state().join(format!("sessions/{}.json", project()));
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let older = text.replace(boot.trim(), "00000000-0000-0000-0000-000000000000");
    assert_ne!(older, text);
    fs::write(&file, older).unwrap();
    assert!(!home.is_alive(&project(), &before).unwrap());
    assert_ne!(home.shared_session(&project()).unwrap(), before);
}

#[test]
fn a_held_session_lives_as_long_as_it_is_held() {
    let (_folder, home) = home();
    let held = home.hold_session(&project()).unwrap();
    let other = home.hold_session(&project()).unwrap();
    let id = held.id().clone();
    assert!(home.is_alive(&project(), &id).unwrap() && home.is_alive(&project(), other.id()).unwrap());
    assert_ne!(&id, other.id());
    drop(held);
    assert!(!home.is_alive(&project(), &id).unwrap());
    assert!(home.is_alive(&project(), other.id()).unwrap());
    assert_ne!(&home.shared_session(&project()).unwrap(), other.id());
}

/// Not a test of its own: the process that the next test starts and kills.
#[test]
fn holder_process() {
    let Some(folder) = std::env::var_os("EXACTA_TEST_HOLDER") else { return };
    let home = Home::at(folder.as_ref()).unwrap();
    let held = home.hold_session(&project()).unwrap();
    eprintln!("held {}", held.id());
    std::thread::sleep(LIMIT);
}

#[test]
fn a_killed_process_ends_its_session() {
    let (_folder, home) = home();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "sessions::holder_process", "--nocapture"]);
    command.env("EXACTA_TEST_HOLDER", home.config()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = Running::start(&mut command);
    let mut lines = Lines::of(child.stderr().unwrap());
    let id = lines.find_map(|line| line.strip_prefix("held ").map(str::to_owned)).unwrap();
    let id = SessionId::parse(&id).unwrap();
    assert!(home.is_alive(&project(), &id).unwrap());
    child.kill();
    child.wait();
    assert!(!home.is_alive(&project(), &id).unwrap());

    let left = home.state().join("sessions").join(project().as_str()).join(id.as_str());
    assert!(left.exists());
    let _next = home.hold_session(&project()).unwrap();
    assert!(!left.exists(), "the next one sweeps");
}
