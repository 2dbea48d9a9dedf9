//! `exacta agent`: any program on a copy of the project, and what becomes of its changes.

mod attack;
mod ground;
mod network;
mod random;
mod two;

use crate::world::{Done, World, done};
use exacta_testkit::{Lines, Running, git, needs, output, sandbox};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project under git, begun, and a user with a home folder.
pub struct Copied {
    pub world: World,
}

impl Copied {
    /// None where nothing can be confined.
    #[track_caller]
    pub fn new() -> Option<Self> {
        if !sandbox() || !needs(Path::new("/usr/bin/bwrap").exists(), "`bwrap` (Debian: bubblewrap)") {
            return None;
        }
        let world = World::new();
        world.write(".gitignore", "*.log\n/build/\n");
        world.write("kept.log", "tracked although it is ignored\n");
        world.write("build/out.o", "ignored\n");
        fs::create_dir_all(world.path().join("user")).unwrap();
        let copied = Self { world };
        copied.git(&["init", "-q"]);
        copied.git(&["add", "-A"]);
        copied.git(&["add", "-f", "kept.log"]);
        copied.git(&["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one"]);
        copied.world.run(&["init", "--approver", "tester", "--no-passphrase"]).expect(0);
        Some(copied)
    }

    pub fn git(&self, args: &[&str]) -> String {
        let done = output(git().args(args).current_dir(self.world.project()));
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    pub fn user(&self) -> PathBuf {
        self.world.path().join("user")
    }

    /// A command of a user who has a home folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.world.command(args);
        command.env("HOME", self.user());
        command
    }

    pub fn run(&self, args: &[&str]) -> Done {
        done(output(&mut self.command(args)))
    }

    /// An agent that is a line of shell, in the copy of this name.
    pub fn agent(&self, name: &str, line: &str) -> Done {
        self.run(&["agent", "--json", "--name", name, "--", "sh", "-c", line])
    }

    /// Approves the plan of an agent's result, and executes it.
    #[track_caller]
    pub fn apply(&self, result: &serde_json::Value) {
        let id = result["plan"]["plan_id"].as_str().unwrap_or_else(|| panic!("no plan: {result}"));
        self.run(&["approve", id, "--approver-key", &self.world.key()]).expect(0);
        self.run(&["execute", id]).expect(0);
    }

    /// The folder of a copy.
    pub fn copy(&self, name: &str) -> PathBuf {
        let projects = self.world.home().join("state/projects");
        let project = fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
        project.join("agents").join(name)
    }
}

#[test]
fn whatever_an_agent_does_becomes_one_plan() {
    let Some(copied) = Copied::new() else { return };
    let line = "echo there >> greet.txt; mkdir -p lib; printf 'new\\n' > lib/new.py; chmod +x src/main.py; rm kept.log; \
                echo junk > other.log; mkdir -p build; echo o > build/x; git status --short; git log --oneline; git commit -qam mine";
    let done = copied.agent("one", line).expect(30);
    let result = done.json();
    assert_eq!((result["schema"].as_str(), result["agent_exit"].as_i64()), (Some("exacta.agent/1"), Some(0)));
    let files = &result["plan"]["target_files"];
    assert_eq!(*files, serde_json::json!(["greet.txt", "kept.log", "lib/new.py", "src/main.py"]), "{}", done.err);
    // What it printed is no result; git knew the history, and all that was copied.
    assert!(done.err.contains(" one\n") && !done.out.contains(" one\n"), "{}", done.err);
    assert_eq!(copied.world.read("greet.txt"), "hello\nworld\n");
    copied.apply(&result);
    assert_eq!(copied.world.read("greet.txt"), "hello\nworld\nthere\n");
    assert_eq!(copied.world.read("lib/new.py"), "new\n");
    assert!(!copied.world.project().join("kept.log").exists());
    let mode = fs::metadata(copied.world.project().join("src/main.py")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    // It is in the project now, and nothing is left to submit.
    copied.run(&["agent", "update", "one"]).expect(0);
    assert!(copied.run(&["agent", "submit", "one"]).expect(0).err.contains("nothing to submit"));
    copied.run(&["agent", "drop", "one"]).expect(0);
    assert!(!copied.copy("one").exists());
}

#[test]
fn what_no_plan_can_carry_is_listed_and_left_only_if_told() {
    let Some(copied) = Copied::new() else { return };
    let line = "printf 'a\\0b' > data.bin; printf '\\377\\n' > latin.txt; printf 'a\\0b' > greet.txt; \
                printf '\\377\\n' >> src/main.py; ln -s greet.txt link; mkdir empty; mkfifo pipe; printf x > 'a:b'; git init -q inner; echo x > inner/x; echo good > good.txt";
    let done = copied.agent("one", line).expect(30);
    let error = &done.json()["error"];
    assert_eq!(error["code"], "agent_rest");
    let places: Vec<&str> = error["places"].as_array().unwrap().iter().map(|place| place.as_str().unwrap()).collect();
    let expected = [
        "a:b has a name that no plan may have",
        "empty is an empty folder, or was one",
        "greet.txt was there before, and is or was no text",
        "inner/x is in another repository",
        "link is or was a symbolic link",
        "pipe is a pipe, a socket or a device",
        "src/main.py has changed lines that are not UTF-8",
    ];
    assert_eq!(places, expected);
    assert!(error["hint"].as_str().unwrap().contains("--leave-rest"), "{error}");
    let done = copied.run(&["agent", "submit", "one", "--leave-rest", "--json"]).expect(30);
    assert_eq!(done.json()["plan"]["target_files"], serde_json::json!(["data.bin", "good.txt", "latin.txt"]));
    // The same again is the same plan; more of it is its next version.
    let again = copied.run(&["agent", "submit", "one", "--leave-rest", "--json"]).expect(30);
    assert_eq!(again.json()["plan"]["plan_id"], done.json()["plan"]["plan_id"]);
    let more =
        copied.run(&["agent", "--json", "--leave-rest", "--name", "one", "--", "sh", "-c", "echo more >> good.txt"]);
    assert_eq!(more.expect(30).json()["plan"]["detail"]["version"], 2);
    // What was not submitted is not dropped without a word.
    let kept = copied.run(&["agent", "drop", "one"]).expect(30);
    assert!(kept.err.contains("--yes"), "{}", kept.err);
    copied.run(&["agent", "drop", "one", "--yes"]).expect(0);
}

#[test]
fn a_copy_is_brought_up_to_date_or_says_where_the_two_differ() {
    let Some(copied) = Copied::new() else { return };
    copied.agent("one", "echo mine > greet.txt; echo n > new.txt; echo both > both.txt").expect(30);
    copied.world.write("src/main.py", "print(2)\n");
    copied.world.write("fresh/file.txt", "from the project\n");
    copied.world.write("greet.txt", "theirs\n");
    copied.world.write("both.txt", "both\n");
    let refused = copied.run(&["agent", "submit", "one", "--json"]).expect(40);
    assert_eq!(refused.json()["error"]["places"], serde_json::json!(["greet.txt"]));
    let updated = copied.run(&["agent", "update", "one", "--json"]).expect(40).json();
    assert_eq!(updated["apart"], serde_json::json!(["greet.txt"]));
    assert_eq!(updated["brought"], serde_json::json!(["fresh/file.txt", "src/main.py"]));
    let seen = copied.agent("one", "cat src/main.py fresh/file.txt greet.txt").expect(40);
    assert!(seen.err.contains("print(2)\nfrom the project\nmine\n"), "{}", seen.err);
    copied.run(&["agent", "update", "one", "--take", "copy"]).expect(0);
    let done = copied.run(&["agent", "submit", "one", "--json"]).expect(30);
    assert_eq!(done.json()["plan"]["target_files"], serde_json::json!(["greet.txt", "new.txt"]));
    // A change after that makes the plan over, as with any plan.
    copied.world.write("greet.txt", "theirs again\n");
    let id = done.json()["plan"]["plan_id"].as_str().unwrap().to_owned();
    copied.run(&["approve", &id, "--approver-key", &copied.world.key()]).expect(40);
    copied.run(&["agent", "update", "one", "--take", "project"]).expect(0);
    let rest = copied.run(&["agent", "diff", "one", "--json"]).expect(0).json();
    assert_eq!(rest["files"].as_array().unwrap().len(), 1, "{rest}");
}

#[test]
fn a_crash_loses_nothing_and_a_copy_is_used_by_one() {
    let Some(copied) = Copied::new() else { return };
    let mut command =
        copied.command(&["agent", "--name", "one", "--", "sh", "-c", "echo done > work.txt; echo ready; sleep 600"]);
    command.stderr(std::process::Stdio::piped());
    let mut running = Running::start(&mut command);
    let mut lines = Lines::of(running.stderr().unwrap());
    while lines.next().expect("it ended") != "ready" {}
    let busy = copied.run(&["agent", "update", "one", "--json"]).expect(60);
    assert_eq!(busy.json()["error"]["code"], "agent_busy");
    copied.run(&["agent", "drop", "one", "--yes"]).expect(60);
    assert_eq!(copied.run(&["agent", "list", "--json"]).expect(0).json()["agents"][0]["running"], true);
    // A plan can be made of it while it works.
    copied.run(&["agent", "submit", "one"]).expect(30);
    running.kill();
    let list = copied.run(&["agent", "list", "--json"]).expect(0).json();
    assert_eq!((&list["agents"][0]["running"], &list["agents"][0]["files"]), (&false.into(), &1.into()), "{list}");
    copied.agent("one", "echo more >> work.txt").expect(30);
    assert_eq!(fs::read_to_string(copied.copy("one").join("copy/work.txt")).unwrap(), "done\nmore\n");
}

#[test]
fn clumsy_words_are_answered_with_what_helps() {
    let Some(copied) = Copied::new() else { return };
    let home = copied.user().display().to_string();
    let exacta = copied.world.home().display().to_string();
    let cases: [(&[&str], i32, &str); 15] = [
        (&["agent"], 2, "COMMAND"),
        (&["agent", "--name", "A B", "--", "true"], 2, "cannot be the name"),
        // A name becomes that of a folder, which is removed in the end.
        (&["agent", "--name=..", "--", "true"], 2, "cannot be the name"),
        (&["agent", "--name=.lock", "--", "true"], 2, "cannot be the name"),
        (&["agent", "drop", ".."], 2, "cannot be the name"),
        (&["agent", "diff", "none"], 2, "there is no copy"),
        (&["agent", "submit", "none"], 2, "there is no copy"),
        (&["agent", "drop", "none"], 2, "there is no copy"),
        (&["agent", "--allow", "http://x", "--", "true"], 2, "is no host"),
        (&["agent", "--share", &home, "--", "true"], 2, "home folder"),
        (&["agent", "--share", &exacta, "--", "true"], 2, "cannot be shared"),
        (&["agent", "--share", ".", "--", "true"], 2, "it is the project"),
        (&["agent", "--model", "x", "--", "true"], 2, "names no model"),
        (&["agent", "--", "no-such-program"], 2, "cannot be started"),
        (&["agent", "--", "true"], 0, "changed nothing"),
    ];
    for (args, code, words) in cases {
        let done = copied.run(args);
        assert!(done.code == code && done.err.contains(words), "{args:?}: {} {}", done.code, done.err);
    }
    assert!(copied.run(&["agent", "list"]).expect(0).err.contains("no agent works on a copy"));
    let world = World::new();
    assert!(world.run(&["agent", "--", "true"]).expect(2).err.contains("exacta init"));
}

#[test]
fn what_is_shared_is_seen_and_only_that() {
    let Some(copied) = Copied::new() else { return };
    let data = copied.world.path().join("data");
    fs::create_dir_all(&data).unwrap();
    fs::write(data.join("set.csv"), "1,2,3\n").unwrap();
    symlink("/etc/shadow", data.join("link")).unwrap();
    let share = data.display().to_string();
    let line = format!(
        "cat {share}/set.csv build/out.o; echo x > {share}/new; echo y >> build/out.o; echo \"[$HIDDEN][$SHOWN]\""
    );
    let mut command = copied.command(&[
        "agent", "--name", "one", "--share", &share, "--share", "build", "--env", "SHOWN", "--", "sh", "-c", &line,
    ]);
    let done = done(output(command.env("HIDDEN", "a").env("SHOWN", "b")));
    assert!(done.err.contains("1,2,3\nignored\n"), "{}", done.err);
    assert!(done.err.contains("Read-only file system") && done.err.contains("[][b]"), "{}", done.err);
    assert!(!data.join("new").exists());
    assert_eq!(copied.world.read("build/out.o"), "ignored\n");
    done.expect(0);
}
