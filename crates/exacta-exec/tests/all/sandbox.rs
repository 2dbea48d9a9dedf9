//! The operator's commands, confined: what they see, what they can reach, and how they end.

mod escape;
mod set_id;

use exacta_exec::ProjectRoot;
use exacta_exec::sandbox::{CommandReport, Ended, Sandbox, SandboxError, try_out};
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Change;
use exacta_kernel::policy::command::Command;
use exacta_testkit::{LIMIT, Running, memory, output, root, sandbox};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

struct Place {
    project: TempDir,
    scratch: TempDir,
    secrets: TempDir,
    shown: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            project: tempfile::tempdir().unwrap(),
            scratch: tempfile::tempdir().unwrap(),
            secrets: tempfile::tempdir().unwrap(),
            shown: tempfile::tempdir().unwrap(),
        };
        std::fs::write(place.project.path().join("kept"), "kept\n").unwrap();
        std::fs::write(place.project.path().join("changed"), "before\n").unwrap();
        std::fs::write(place.project.path().join("deleted"), "gone\n").unwrap();
        std::fs::create_dir(place.project.path().join("build")).unwrap();
        std::fs::write(place.secrets.path().join("key"), "secret\n").unwrap();
        std::fs::write(place.shown.path().join("data"), "data\n").unwrap();
        place
    }

    fn run(&self, script: &str, timeout_seconds: u64) -> CommandReport {
        self.try_run(script, timeout_seconds).unwrap()
    }

    fn try_run(&self, script: &str, timeout_seconds: u64) -> Result<CommandReport, SandboxError> {
        self.watched(script, timeout_seconds, &AtomicBool::new(false), &mut |_| {})
    }

    /// Kills the child of this process that was started for this project.
    fn kill_sandbox(&self) {
        let threads = std::fs::read_dir("/proc/self/task").unwrap();
        let children = threads.flat_map(|thread| std::fs::read_to_string(thread.unwrap().path().join("children")));
        let ours = children.collect::<String>().split_whitespace().map(|id| id.parse().unwrap()).find(|id: &i32| {
            let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(self.project.path().to_str().unwrap())
        });
        let ours = rustix::process::Pid::from_raw(ours.unwrap()).unwrap();
        rustix::process::kill_process(ours, rustix::process::Signal::KILL).unwrap();
    }

    fn watched(
        &self,
        script: &str,
        timeout_seconds: u64,
        cancel: &AtomicBool,
        watch: &mut dyn FnMut(&[u8]),
    ) -> Result<CommandReport, SandboxError> {
        let content = |text: &str, mode| Some(Arc::new(FileContent::new(text.as_bytes().to_vec(), mode)));
        let change = |path: &str, before, after| Change { path: RelPath::parse(path).unwrap(), before, after };
        let changes = [
            change("changed", content("before\n", 0o644), content("after\n", 0o644)),
            change("deleted", content("gone\n", 0o644), None),
            change("new/folder/tool", None, content("#!/bin/sh\necho tool\n", 0o755)),
        ];
        let hidden = [self.secrets.path().to_owned()];
        let root = ProjectRoot::open(self.project.path().canonicalize().unwrap()).unwrap();
        let sandbox = Sandbox { root: &root, scratch: self.scratch.path(), hidden: &hidden, changes: &changes, cancel };
        let command = Command {
            name: "check".to_owned(),
            argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
            timeout_seconds,
            writes: vec![RelPath::parse("build").unwrap()],
            reads: vec![self.shown.path().display().to_string()],
        };
        let report = sandbox.run(&command, watch);
        assert_eq!(std::fs::read_dir(self.scratch.path()).unwrap().count(), 0, "nothing is left in the scratch folder");
        report
    }
}

#[test]
fn a_command_sees_the_project_as_it_would_be() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let report = place.run("cat kept changed; ls; ./new/folder/tool; pwd", 60);
    assert_eq!(report.ended, Ended::Passed, "{}", report.output);
    let expected = format!("kept\nafter\nbuild\nchanged\nkept\nnew\ntool\n{}\n", place.project.path().display());
    assert_eq!(report.output, expected);
    assert_eq!(report.printed, expected.len() as u64);
    assert_eq!(std::fs::read_to_string(place.project.path().join("changed")).unwrap(), "before\n");
    assert!(!place.project.path().join("new").exists());
}

#[test]
fn what_a_command_can_and_cannot_reach() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let secret = place.secrets.path().join("key");
    let outside = place.secrets.path().parent().unwrap().join("written-by-a-check");
    let cases = [
        ("echo x > build/out", true),
        ("echo x > kept && echo y > elsewhere", true),
        ("echo x > /tmp/scratch", true),
        (&format!("cat {}", secret.display()), false),
        (&format!("cat {}/data", place.shown.path().display()), true),
        (&format!("echo x > {}/data", place.shown.path().display()), false),
        ("echo x > /etc/written-by-a-check", false),
        ("echo x > /usr/written-by-a-check", false),
        ("cat /proc/net/route | grep -q '^e'", false),
        ("ls .exacta/* 2>/dev/null", false),
        ("echo x > /written-by-a-check", false),
        ("echo x > ~/scratch && echo x > /var/tmp/scratch", true),
        ("cat /etc/passwd && sh --version; cc --version || true", true),
        ("ls /etc/ssh/* || cat /etc/shadow", false),
        ("ls ~/.ssh || ls /home/* || ls /var/lib/dpkg || ls /srv", false),
        // The first process, the shell, the two of the pipe and their parent: none of the machine's, none of the set-up's.
        ("test $(ls -d /proc/[0-9]* | wc -l) -le 5", true),
        ("mount -t tmpfs none /mnt", false),
        ("unshare --user true", false),
        (&keyctl(""), false),
        // As 32-bit-pointer programs call it; there are none elsewhere.
        (&keyctl(if cfg!(target_arch = "x86_64") { "0x40000000|" } else { "" }), false),
    ];
    std::fs::create_dir(place.project.path().join(".exacta")).unwrap();
    std::fs::write(place.project.path().join(".exacta/audit.log"), "x").unwrap();
    for (script, allowed) in cases {
        let report = place.run(script, 60);
        assert_eq!(report.ended == Ended::Passed, allowed, "{script}: {:?} {}", report.ended, report.output);
    }
    assert!(place.project.path().join("build/out").exists(), "declared folders are written through");
    assert_eq!(std::fs::read_to_string(place.project.path().join("kept")).unwrap(), "kept\n");
    assert!(!place.project.path().join("elsewhere").exists());
    assert!(!outside.exists());
}

/// Fails where the process may not use the keyring.
fn keyctl(bits: &str) -> String {
    let number = if cfg!(target_arch = "x86_64") { 250 } else { 219 };
    format!(
        "/usr/bin/python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).syscall({bits}{number}, 0, -3, 0) < 0)'"
    )
}

#[test]
fn every_way_to_end() {
    if !sandbox() || !memory(1_500) {
        return;
    }
    let place = Place::new();
    assert_eq!(place.run("exit 3", 60).ended, Ended::Failed(3));
    assert_eq!(place.run("no-such-program", 60).ended, Ended::Failed(127));
    assert_eq!(place.run("sleep 60", 1).ended, Ended::TimedOut);
    let daemon = place.run("(setsid sleep 60 >/dev/null 2>&1 &) ; echo started", 60);
    assert_eq!((daemon.ended, daemon.output.as_str()), (Ended::Passed, "started\n"), "a daemon dies with the command");
    let filler = place.run("head -c 2000000000 /dev/zero > big", 60);
    assert!(matches!(filler.ended, Ended::Failed(_)), "the scratch layer has an end");
    let room = place.run(
        "df --output=size -B1M / . /tmp /var/tmp /run /dev/shm | tail -n +3 | sort -n | tail -n 1; echo > /dev/x",
        60,
    );
    assert_eq!(room.output.lines().next().unwrap().trim(), "1024", "and so has every other: {}", room.output);
    assert!(matches!(room.ended, Ended::Failed(_)), "nothing can be put beside the devices");
    let loud = place.run("head -c 1000000 /dev/zero | tr '\\0' x; echo end", 60);
    assert_eq!(loud.printed, 1_000_004);
    assert!(loud.output.len() <= 64 * 1024 && loud.output.ends_with("xend\n"));
}

/// While it is silent, while it prints without end, and with processes that have left its session.
#[test]
fn a_cancel_stops_the_command_and_all_that_it_started() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let scripts = ["echo ready; sleep 600", "yes ready", "(setsid sleep 600 &) ; echo ready; sleep 600"];
    for script in scripts {
        let cancel = AtomicBool::new(false);
        let ready = &mut |_: &[u8]| cancel.store(true, Ordering::Relaxed);
        let report = place.watched(script, 600, &cancel, ready).unwrap();
        assert_eq!(report.ended, Ended::Cancelled, "{script}");
        assert!(report.took < Duration::from_secs(60), "{script}: {:?}", report.took);
    }
}

/// It does not wait for a reader of what it printed, nor does anybody who takes it down.
#[test]
fn a_command_that_prints_without_end_ends_in_time() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let took = || {
        let report = place.run("cat /dev/zero", 1);
        assert_eq!(report.ended, Ended::TimedOut);
        report.took
    };
    // On a crowded machine not every time.
    let mut times = (0..3).map(|_| took());
    assert!(times.any(|took| took < Duration::from_secs(4)));
}

#[test]
fn a_sandbox_that_is_killed_is_a_command_that_did_not_pass() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let kill = &mut |_: &[u8]| place.kill_sandbox();
    let report = place.watched("echo ready; sleep 600", 600, &AtomicBool::new(false), kill).unwrap();
    assert_eq!(report.ended, Ended::Killed(9));
}

#[test]
fn a_declared_folder_that_is_a_link_leads_nowhere_and_is_said_to_be_one() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let build = place.project.path().join("build");
    std::fs::remove_dir(&build).unwrap();
    std::os::unix::fs::symlink(place.secrets.path(), &build).unwrap();
    let error = place.try_run("echo x > build/key", 60).unwrap_err();
    assert!(matches!(error, SandboxError::Folder { .. }), "{error}");
    assert!(error.to_string().ends_with("`build`, which is a symbolic link or a file, not a folder"), "{error}");
    assert_eq!(std::fs::read_to_string(place.secrets.path().join("key")).unwrap(), "secret\n");
}

/// Neither ours nor those that the caller left open for its children.
#[test]
fn a_command_inherits_no_handles() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let left_open = std::fs::File::open("/").unwrap();
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();
    let report = place.run("ls /proc/$$/fd", 60);
    assert_eq!(report.output, "0\n1\n2\n");
}

#[test]
fn nobody_outside_answers_to_a_command() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let connect = |socket: &Path| {
        let code = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print('connected')";
        place.run(&format!("/usr/bin/python3 -c \"{code}\" {}", socket.display()), 60).output
    };
    let inside = place.project.path().join("build/socket");
    let _listener = std::os::unix::net::UnixListener::bind(&inside).unwrap();
    assert!(connect(&inside).contains("Error"), "in a folder that it may write to");
    if let Ok(folder) = tempfile::tempdir_in("/var/lib") {
        let outside = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&outside).unwrap();
        assert!(connect(&outside).contains("Error"), "in a folder of the system");
    }
    let pair = "import socket as s; a, b = s.socketpair(); a.send(b'connected'); print(b.recv(9).decode())";
    assert_eq!(place.run(&format!("/usr/bin/python3 -c \"{pair}\""), 60).output, "connected\n", "a pair has no name");
    let host = "import socket as s; s.socket(40, s.SOCK_STREAM)";
    assert!(place.run(&format!("/usr/bin/python3 -c \"{host}\""), 60).output.contains("PermissionError"));
}

/// A local socket in a folder that others can write to would pass a handle of theirs, by which everything can be reached.
#[test]
fn attack_02_nobody_passes_a_handle_to_a_command() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let own = "import socket as s; a = s.socket(s.AF_UNIX); a.bind('PLACE/own'); a.listen(); \
               s.socket(s.AF_UNIX).connect('PLACE/own'); print('connected')";
    let script = |place: &str| format!("/usr/bin/python3 -c \"{}\"", own.replace("PLACE", place));
    for folder in ["build", ".", "/tmp"] {
        assert!(place.run(&script(folder), 60).output.contains("PermissionError"), "{folder}");
    }
}

#[test]
fn a_project_may_be_called_anything() {
    if !sandbox() {
        return;
    }
    let place = Place { project: tempfile::Builder::new().prefix("a:b,c\\d\"e 'f").tempdir().unwrap(), ..Place::new() };
    std::fs::write(place.project.path().join("kept"), "kept\n").unwrap();
    assert_eq!(place.run("cat kept changed", 60).output, "kept\nafter\n");
}

#[test]
fn folders_keep_their_modes_in_the_overlay() {
    if !sandbox() {
        return;
    }
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let mode = |path: &str, mode| {
        std::fs::set_permissions(place.project.path().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    std::fs::create_dir(place.project.path().join("new")).unwrap();
    mode("new", 0o750);
    mode("build", 0o711);
    mode(".", 0o705);
    let report = place.run("stat -c %a . new new/folder new/folder/tool build changed", 60);
    assert_eq!(report.output, "705\n750\n755\n755\n711\n644\n");
}

#[test]
fn what_a_killed_process_left_is_swept() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    std::fs::create_dir_all(place.scratch.path().join("check-forgotten/written/folder")).unwrap();
    place.run("true", 60);
}

/// A handle says which project it is, not the path that leads to it.
#[test]
fn a_project_that_is_exchanged_for_another_is_not_judged() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let path = place.project.path().join("kept-apart");
    std::fs::create_dir(&path).unwrap();
    let root = ProjectRoot::open(&path).unwrap();
    std::fs::rename(&path, place.project.path().join("moved")).unwrap();
    std::fs::create_dir(&path).unwrap();
    let never = AtomicBool::new(false);
    let sandbox = Sandbox { root: &root, scratch: place.scratch.path(), hidden: &[], changes: &[], cancel: &never };
    let argv = vec!["true".to_owned()];
    let command =
        Command { name: "check".to_owned(), argv, timeout_seconds: 60, writes: Vec::new(), reads: Vec::new() };
    let error = sandbox.run(&command, &mut |_| {}).unwrap_err();
    assert!(error.to_string().ends_with("was exchanged for another folder"), "{error}");
}

/// Set for a process that runs one command in a project: the project, the scratch folder, and the script.
const CHILD: &str = "EXACTA_SANDBOX_CHILD";

/// Not a test of its own: what a process that is killed, or lives in other namespaces, does. The plan deletes whatever is in `many`.
#[test]
fn child() {
    let Ok(order) = std::env::var(CHILD) else { return };
    let [project, scratch, script] = order.splitn(3, '\n').collect::<Vec<_>>()[..] else { panic!("{order}") };
    let (root, never) = (ProjectRoot::open(project).unwrap(), AtomicBool::new(false));
    let many = std::fs::read_dir(root.path().join("many")).into_iter().flatten().flatten();
    let deletion = |name: &str| Change {
        path: RelPath::parse(&format!("many/{name}")).unwrap(),
        before: Some(Arc::new(FileContent::new(Vec::new(), 0o644))),
        after: None,
    };
    let changes: Vec<Change> = many.map(|entry| deletion(entry.file_name().to_str().unwrap())).collect();
    let scratch = Path::new(scratch);
    let sandbox = Sandbox { root: &root, scratch, hidden: &[], changes: &changes, cancel: &never };
    let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
    let name = "check".to_owned();
    let command = Command { name, argv, timeout_seconds: 600, writes: Vec::new(), reads: Vec::new() };
    let say = |what: &str, outcome: Result<CommandReport, SandboxError>| match outcome {
        Ok(report) => eprintln!("{what} {:?} {}", report.ended, report.output),
        Err(error) => eprintln!("{what} {error}; {:?}", error.hint()),
    };
    say("run", sandbox.run(&command, &mut |_| {}));
    say("trial", try_out(&command, &root, scratch, &[]));
}

impl Place {
    /// The words that make a process [`child`].
    fn child(&self, program: &str, words: &[&str], script: &str) -> std::process::Command {
        let mut command = std::process::Command::new(program);
        let (project, scratch) = (self.project.path().display(), self.scratch.path().display());
        command.args(words).args(["--exact", "sandbox::child", "--nocapture"]);
        command.env(CHILD, format!("{project}\n{scratch}\n{script}"));
        command
    }

    /// What a run and a trial say in a machine that a script made of this one, in namespaces of its own. Only for the super-user
    /// the system's programs are root's there.
    fn elsewhere(&self, namespaces: &[&str], script: &str) -> [String; 2] {
        let this = std::env::current_exe().unwrap();
        let script = format!("set -e; {script}; exec \"$@\"");
        let words = ["--user", "--map-root-user"].iter().chain(namespaces).copied();
        let words: Vec<&str> = words.chain(["sh", "-c", &script, "sh", this.to_str().unwrap()]).collect();
        let done = output(&mut self.child("unshare", &words, "true"));
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        let line = |what: &str| said.lines().find_map(|line| line.strip_prefix(what)).map(str::to_owned);
        ["run ", "trial "].map(|what| line(what).unwrap_or_else(|| panic!("no {what}: {said}")).trim().to_owned())
    }
}

/// As in a container: there are only a few processes, and a plan of many files starts more than that to be laid out.
#[test]
fn the_processes_of_the_machine_decide_nothing() {
    if !sandbox() || !root() {
        return;
    }
    for files in [0, 5, 120] {
        let place = Place::new();
        std::fs::create_dir(place.project.path().join("many")).unwrap();
        for number in 0..files {
            std::fs::write(place.project.path().join(format!("many/{number}")), "").unwrap();
        }
        let said = place.elsewhere(&["--pid", "--fork", "--mount-proc"], "true");
        assert_eq!(said, ["Passed", "Passed"], "{files} deletions");
    }
}

/// Whatever makes a sandbox impossible is named, with what would help; a trial says the same as a run.
#[test]
fn what_keeps_a_command_from_being_confined_is_named() {
    if !sandbox() || !root() {
        return;
    }
    let masked = "mount --bind /proc/sys /proc/sys; mount -o remount,bind,ro /proc/sys";
    let cases = [
        (masked, "no `/proc` of its own", "--security-opt systempaths=unconfined"),
        ("mount -o remount,bind,ro /proc", "uid_map: Read-only", "--security-opt systempaths=unconfined"),
        (
            "echo 0 >/proc/sys/user/max_user_namespaces",
            "no user, mount and process namespaces",
            "`sysctl user.max_user_namespaces",
        ),
        (
            "echo 0 >/proc/sys/user/max_pid_namespaces",
            "no user, mount and process namespaces",
            "`sysctl user.max_pid_namespaces",
        ),
        ("mount --bind /dev/null /usr/bin/bwrap", "others than root can change it", "make it root's"),
    ];
    for (script, why, help) in cases {
        let place = Place::new();
        let [run, trial] = place.elsewhere(&["--mount"], script);
        assert!(run.starts_with("the command `check` cannot be confined here: "), "{script}: {run}");
        assert!(run.contains(why) && run.contains(help), "{script}: {run}");
        assert!(!run.contains("bubblewrap"), "it is there: {run}");
        assert_eq!(run, trial, "{script}");
    }
}

/// Whether a process with these words among its arguments lives.
fn lives(words: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(words))
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + LIMIT / 10;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// At whatever moment: when the first process is there, a little later, and when the command runs.
#[test]
fn nothing_outlives_the_process_that_wanted_it() {
    if !sandbox() {
        return;
    }
    let this = std::env::current_exe().unwrap();
    for (round, pause) in
        [Some(0), Some(0), Some(2), Some(5), Some(10), Some(15), Some(20), Some(40), None].into_iter().enumerate()
    {
        let place = Place::new();
        let time = format!("600.{}{round}", std::process::id());
        let mut child = place.child(this.to_str().unwrap(), &[], &format!("exec sleep {time}"));
        let mut running = Running::start(child.stdout(Stdio::null()).stderr(Stdio::null()));
        until("it starts something", || lives(&time));
        match pause {
            Some(milliseconds) => std::thread::sleep(Duration::from_millis(milliseconds)),
            None => until("it sleeps", || lives(&format!("sleep\0{time}"))),
        }
        running.kill();
        running.wait();
        until(&format!("nobody is left, {pause:?}"), || !lives(&time));
    }
}

#[test]
fn a_command_has_the_callers_mask_for_new_files() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let mask = output(std::process::Command::new("sh").args(["-c", "umask"])).stdout;
    assert_eq!(place.run("umask", 60).output, String::from_utf8(mask).unwrap());
}

#[test]
fn a_declared_folder_is_made_and_stays_if_something_is_in_it() {
    if !sandbox() {
        return;
    }
    let place = Place::new();
    let build = place.project.path().join("build");
    for (script, stays) in
        [("exit 1", false), ("true", false), ("mkdir build/in && echo x > build/in/out; exit 1", true)]
    {
        if build.exists() {
            std::fs::remove_dir(&build).unwrap();
        }
        place.run(script, 60);
        assert_eq!(build.join("in/out").exists(), stays, "{script}");
        assert_eq!(build.exists(), stays, "{script}");
    }
}

#[test]
fn a_mount_in_the_project_is_named() {
    if !sandbox() || !root() {
        return;
    }
    let place = Place::new();
    let vendor = place.project.path().join("vendor");
    std::fs::create_dir(&vendor).unwrap();
    let mount = format!("mount -t tmpfs none {} && exec \"$@\"", vendor.display());
    let this = std::env::current_exe().unwrap();
    let words = ["--mount", "sh", "-c", &mount, "sh", this.to_str().unwrap()];
    let done = output(&mut place.child("unshare", &words, "true"));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        said.contains(&format!("another file system is mounted in the project, at `{}`", vendor.display())),
        "{said}"
    );
    assert!(said.contains("unmount it") && !said.contains("bubblewrap"), "{said}");
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("another file system")).collect();
    assert_eq!(lines.len(), 2, "a trial says the same: {said}");
}
