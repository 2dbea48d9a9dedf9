//! Attacks 42 to 44: nobody passes a command a handle, and nobody else decides what it sees.

use super::*;
use std::io::{BufRead as _, BufReader};

/// Says how each of these calls of Python's `socket` module ends.
fn calls(calls: &[&str]) -> String {
    let mut code = "import socket as s, ctypes\n".to_owned();
    for call in calls {
        code.push_str(&format!(
            "try:\n    r = {call}\n    print('made')\nexcept OSError as e:\n    print(type(e).__name__)\n"
        ));
    }
    format!("/usr/bin/python3 - <<'EOF'\n{code}EOF")
}

impl Place {
    /// Runs a command that may write nowhere and reads nothing else.
    fn run_bare(&self, script: &str) -> CommandReport {
        let (root, never) =
            (ProjectRoot::open(self.project.path().canonicalize().unwrap()).unwrap(), AtomicBool::new(false));
        let sandbox = Sandbox { root: &root, scratch: self.scratch.path(), hidden: &[], changes: &[], cancel: &never };
        let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
        let command =
            Command { name: "check".to_owned(), argv, timeout_seconds: 60, writes: Vec::new(), reads: Vec::new() };
        sandbox.run(&command, &mut |_| {}).unwrap()
    }
}

/// An end of a pair that sends single messages can leave its pair, be given a name in `writes`, and be passed a handle of `/`.
#[test]
fn attack_42_no_end_of_a_pair_hears_from_others() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let refused = [
        "s.socketpair(s.AF_UNIX, s.SOCK_DGRAM)",
        "s.socketpair(s.AF_UNIX, s.SOCK_RAW)",
        "s.socketpair(s.AF_UNIX, s.SOCK_DGRAM | s.SOCK_CLOEXEC | s.SOCK_NONBLOCK)",
        "s.socketpair(s.AF_UNIX, s.SOCK_RDM)",
        "s.socketpair(30, s.SOCK_STREAM)",
    ];
    let said = place.run(&calls(&refused), 60).output;
    assert_eq!(said.lines().collect::<Vec<_>>(), ["PermissionError"; 5], "{said}");
    let allowed = ["s.socketpair()", "s.socketpair(s.AF_UNIX, s.SOCK_SEQPACKET | s.SOCK_CLOEXEC | s.SOCK_NONBLOCK)"];
    assert_eq!(place.run(&calls(&allowed), 60).output, "made\nmade\n");
    // With a name, neither of these listens, nor does it leave its pair.
    for kind in ["SOCK_STREAM", "SOCK_SEQPACKET"] {
        let code = format!(
            "import socket as s, ctypes\na, b = s.socketpair(s.AF_UNIX, s.{kind}); b.close(); c = ctypes.CDLL(None)\n\
             a.bind('build/{kind}'); print(c.connect(a.fileno(), bytes(16), 2), c.listen(a.fileno(), 1))"
        );
        assert_eq!(place.run(&format!("/usr/bin/python3 -c \"{code}\""), 60).output, "-1 -1\n", "{kind}");
    }
}

/// Whoever can write to a folder of a toolchain can have a socket in it.
#[test]
fn attack_43_no_command_makes_a_local_socket() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let refused = ["s.socket(s.AF_UNIX)", "s.socket(s.AF_UNIX, s.SOCK_DGRAM)", "s.socket(40, s.SOCK_STREAM)"];
    let said = place.run_bare(&calls(&refused)).output;
    assert_eq!(said.lines().collect::<Vec<_>>(), ["PermissionError"; 3], "{said}");
    assert_eq!(place.run_bare(&calls(&["s.socketpair()"])).output, "made\n");
    let loopback = "/usr/bin/python3 -c \"import socket as s; a = s.create_server(('127.0.0.1', 0)); s.create_connection(a.getsockname())\"";
    assert_eq!(place.run_bare(loopback).ended, Ended::Passed, "its own loopback");
}

/// The kernel's table of sockets tells their names as whoever made them wrote them: `x /home/me/app/tests` is one.
#[test]
fn attack_44_a_name_of_a_socket_covers_nothing() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let tests = place.project.path().join("tests");
    std::fs::create_dir(&tests).unwrap();
    std::fs::write(tests.join("one"), "test\n").unwrap();
    let code = "import os, socket, sys\nkeep = []\n\
                for name in sys.argv[1:]:\n    os.makedirs('x ' + os.path.dirname(name), exist_ok=True)\n    \
                keep.append(socket.socket(socket.AF_UNIX)); keep[-1].bind('x ' + name); keep[-1].listen()\n\
                print('ready', flush=True); sys.stdin.read()";
    let mut command = std::process::Command::new("/usr/bin/python3");
    command
        .args(["-c", code])
        .args([&tests, &place.project.path().join("kept"), &place.shown.path().join("data")])
        .current_dir(elsewhere.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut attacker = Running::start(&mut command);
    let mut line = String::new();
    BufReader::new(attacker.stdout().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    let report = place.run(&format!("cat tests/one kept {}/data", place.shown.path().display()), 60);
    drop(attacker.stdin());
    drop(attacker.finish());
    assert_eq!(report.output, "test\nkept\ndata\n");
}
