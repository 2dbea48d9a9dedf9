//! What surrounds an agent that attacks: files, secrets, sockets, a process, another project. None of them may be reached.

use super::Copied;
use crate::story::fix;
use crate::world::EXACTA;
use exacta_kernel::hash::Digest;
use exacta_testkit::{Running, output};
use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Programs that listen, by what their socket is called.
const LISTENING: [(&str, &str); 9] = [
    ("ssh-agent", "SSH_AUTH_SOCK"),
    ("gpg-agent", "GPG_AGENT_INFO"),
    ("bus", "DBUS_SESSION_BUS_ADDRESS"),
    ("docker.sock", "DOCKER_HOST"),
    ("tmux", "TMUX"),
    ("nvim", "NVIM"),
    ("code", "VSCODE_IPC_HOOK_CLI"),
    ("wayland-0", "WAYLAND_DISPLAY"),
    ("systemd", "NOTIFY_SOCKET"),
];

/// What lies around a project.
pub struct Ground {
    pub copied: Copied,
    victim: Running,
    heard: Arc<AtomicUsize>,
    words: Vec<(&'static str, String)>,
    secrets: Vec<String>,
    seen: BTreeMap<PathBuf, String>,
}

impl Ground {
    /// None where nothing can be confined.
    #[track_caller]
    pub fn new() -> Option<Self> {
        let copied = Copied::new()?;
        let world = copied.world.path().to_owned();
        let (outside, other, run) = (world.join("outside"), world.join("other"), world.join("run"));
        for folder in [&outside, &other, &run, &copied.user().join("keep")] {
            fs::create_dir_all(folder).unwrap();
        }
        let write = |path: &Path, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let user = copied.user();
        for (place, text) in [
            (outside.join("canary.txt"), "as it was\n"),
            (outside.join("secret.txt"), "SECRET-OUTSIDE-1a\n"),
            (world.join("sibling.txt"), "as it was\n"),
            (user.join("notes.txt"), "as it was\n"),
            (user.join(".profile"), "# as it was\n"),
            (user.join(".ssh/id_ed25519"), "SECRET-SSH-1b\n"),
            (user.join(".aws/credentials"), "SECRET-AWS-1c\n"),
            (user.join(".netrc"), "password SECRET-NETRC-1d\n"),
            (user.join(".claude/settings.json"), "{}\n"),
            (copied.world.project().join("build/secret.env"), "SECRET-IGNORED-1e\n"),
            (copied.world.project().join("build/.env"), "SECRET-IGNORED-1f\n"),
            (other.join("greet.txt"), "hello\nworld\n"),
        ] {
            write(&place, text);
        }
        copied.world.write("plan.json", &fix().to_string());
        copied.run(&["--project", other.to_str().unwrap(), "init", "--profile", "SAFE"]).expect(0);
        copied.agent("neighbour", "echo SECRET-NEIGHBOUR-2a > neighbour.txt").expect(30);
        let heard = Arc::new(AtomicUsize::new(0));
        for (name, _) in LISTENING {
            listen(UnixListener::bind(run.join(name)).unwrap(), &heard);
        }
        let hidden = format!("exacta-attack-{}", world.file_name().unwrap().to_str().unwrap());
        let name = SocketAddr::from_abstract_name(hidden.as_bytes()).unwrap();
        listen(UnixListener::bind_addr(&name).unwrap(), &heard);
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let number = port.local_addr().unwrap().port();
        let count = Arc::clone(&heard);
        std::thread::spawn(move || port.incoming().for_each(|_| counted(&count)));
        let mut victim = Command::new("sleep");
        let victim = Running::start(victim.arg("1000").env("SECRET", "SECRET-VICTIM-2b").stdin(Stdio::null()));
        let key = fs::read_to_string(copied.world.key()).unwrap();
        let longest = key.split(|letter: char| !letter.is_ascii_alphanumeric()).max_by_key(|word| word.len());
        let secrets = "OUTSIDE-1a SSH-1b AWS-1c NETRC-1d IGNORED-1e IGNORED-1f NEIGHBOUR-2a VICTIM-2b ENVIRONMENT-2c";
        let mut secrets: Vec<String> = secrets.split(' ').map(|name| format!("SECRET-{name}")).collect();
        secrets.push(longest.unwrap().to_owned());
        let text = |path: &Path| path.display().to_string();
        let words = vec![
            ("@PROJECT@", text(&copied.world.project())),
            ("@OUTSIDE@", text(&outside)),
            ("@OTHER@", text(&other)),
            ("@USER@", text(&user)),
            ("@HOME@", text(&copied.world.home())),
            ("@COPIES@", text(copied.copy("neighbour").parent().unwrap())),
            ("@RUN@", text(&run)),
            ("@WORLD@", text(&world)),
            ("@EXACTA@", EXACTA.to_owned()),
            ("@VICTIM@", victim.id().to_string()),
            ("@ABSTRACT@", hidden),
            ("@PORT@", number.to_string()),
            ("@MARK@", format!("mark-{number}")),
        ];
        let mut ground = Self { copied, victim, heard, words, secrets, seen: BTreeMap::new() };
        ground.seen = ground.look();
        Some(ground)
    }

    fn word(&self, name: &str) -> &str {
        self.words.iter().find(|(word, _)| *word == name).map(|(_, text)| text.as_str()).unwrap()
    }

    /// A script with everything in it that an attacker could know.
    pub fn knowing(&self, script: &str) -> String {
        self.words.iter().fold(script.to_owned(), |script, (word, text)| script.replace(word, text))
    }

    /// A command as a user starts it: with sockets and secrets in its environment, and handles that others left open.
    pub fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new("sh");
        let held = "exec 5>>canary.txt 6<. 7<>canary.txt 8<secret.txt; cd \"$1\"; shift; exec \"$@\"";
        command
            .args(["-c", held, "sh", self.word("@PROJECT@"), program])
            .args(args)
            .current_dir(self.word("@OUTSIDE@"));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.copied.user());
        command.env("EXACTA_HOME", self.copied.world.home()).env("XDG_RUNTIME_DIR", self.word("@RUN@"));
        command.env("API_SECRET", "SECRET-ENVIRONMENT-2c").stdin(Stdio::null());
        for (name, variable) in LISTENING {
            let scheme = if variable == "DOCKER_HOST" { "unix://" } else { "" };
            let scheme = if variable == "DBUS_SESSION_BUS_ADDRESS" { "unix:path=" } else { scheme };
            command.env(variable, format!("{scheme}{}/{name}", self.word("@RUN@")));
        }
        command
    }

    /// What was reached since the last time, if anything was.
    pub fn broken(&mut self, printed: &str) -> Vec<String> {
        let mut broken = Vec::new();
        broken.extend(
            printed.lines().filter(|line| line.starts_with("PWNED-") || line.starts_with("SHARED-")).map(str::to_owned),
        );
        broken.extend(
            self.secrets.iter().filter(|secret| printed.contains(*secret)).map(|secret| format!("read {secret}")),
        );
        match self.heard.swap(0, Ordering::SeqCst) {
            0 => {}
            times => broken.push(format!("{times} connections to programs of the user")),
        }
        let state = fs::read_to_string(format!("/proc/{}/stat", self.victim.id())).unwrap_or_default();
        if self.victim.ended().is_some() || !state.contains(") S ") {
            broken.push("a process of the user was ended or stopped".to_owned());
        }
        broken.extend(self.left());
        let now = self.look();
        let all = self.seen.keys().chain(now.keys());
        let changed: std::collections::BTreeSet<&PathBuf> =
            all.filter(|path| self.seen.get(*path) != now.get(*path)).collect();
        broken.extend(changed.iter().take(5).map(|path| format!("changed {}", path.display())));
        self.seen = now;
        broken
    }

    /// Takes what is there now for what should be there.
    pub fn settle(&mut self) {
        self.seen = self.look();
    }

    /// Processes that an agent left behind; they are ended.
    fn left(&self) -> Vec<String> {
        let mark = self.word("@MARK@").as_bytes();
        let mut found = Vec::new();
        for _ in 0..2 {
            std::thread::sleep(Duration::from_millis(150));
            let pids =
                fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
            found = pids
                .filter(|pid: &i32| {
                    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                    line.windows(mark.len()).any(|part| part == mark)
                })
                .collect();
        }
        for pid in &found {
            if let Some(pid) = rustix::process::Pid::from_raw(*pid) {
                // It may have ended by itself.
                let _gone = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
        if found.is_empty() { Vec::new() } else { vec![format!("{} processes outlived the run", found.len())] }
    }

    /// Every file that nobody may change, with all that there is of it.
    fn look(&self) -> BTreeMap<PathBuf, String> {
        let world = self.copied.world.path();
        let home = self.copied.world.home();
        let mut found = BTreeMap::new();
        for name in ["user", "outside", "other", "sibling.txt", "up.txt", "project"] {
            walk(&world.join(name), &mut found);
        }
        for name in ["keys", "safety-policy.toml", "approvers.toml", "tokens.json"] {
            walk(&home.join(name), &mut found);
        }
        walk(&self.copied.copy("neighbour").join("copy"), &mut found);
        found
    }
}

fn listen(socket: UnixListener, heard: &Arc<AtomicUsize>) {
    let heard = Arc::clone(heard);
    std::thread::spawn(move || socket.incoming().for_each(|_| counted(&heard)));
}

fn counted(heard: &AtomicUsize) {
    heard.fetch_add(1, Ordering::SeqCst);
}

/// The record of the project that an agent works for grows with its plans, and is verified in the end.
fn walk(path: &Path, found: &mut BTreeMap<PathBuf, String>) {
    let Ok(meta) = path.symlink_metadata() else { return };
    if path.ends_with("project/.exacta") {
        return;
    }
    let content = match (meta.is_file(), meta.is_symlink()) {
        (true, _) => Digest::of(&fs::read(path).unwrap()).to_string(),
        (_, true) => fs::read_link(path).unwrap().display().to_string(),
        _ => String::new(),
    };
    let times = if meta.is_file() { meta.mtime() } else { 0 };
    found.insert(path.to_owned(), format!("{:o} {} {} {times} {content}", meta.mode(), meta.uid(), meta.nlink()));
    if meta.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| walk(&entry.unwrap().path(), found));
    }
}

/// What a user does after an agent was at work: git in the project.
pub fn git_after(ground: &mut Ground) {
    let project = ground.copied.world.project();
    for args in [
        &["status"][..],
        &["add", "-A"],
        &["commit", "--allow-empty", "-qm", "after"],
        &["checkout", "-q", "HEAD"],
        &["log", "-1"],
    ] {
        let mut git = exacta_testkit::git();
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
        drop(output(git.current_dir(&project).env("HOME", ground.copied.user()).env_remove("GIT_CONFIG_GLOBAL")));
    }
}
