//! Whole runs as a user gives them, killed at any system call or with any call failing: the entry into the record beside the new
//! files, the files themselves, the record of the end. `cargo test` takes a sample (`EXACTA_SEED` chooses it); everything:
//! `cargo test -p exacta-cli --test all -- --ignored kill::`.

use crate::world::{Done, World, done};
use exacta_testkit::{output, program, seed};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Calls that touch files.
const CALLS: [&str; 22] = [
    "open",
    "openat",
    "openat2",
    "statx",
    "newfstatat",
    "read",
    "pread64",
    "pwrite64",
    "write",
    "fcntl",
    "ftruncate",
    "fsync",
    "fdatasync",
    "rename",
    "renameat2",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "flock",
    "fchmod",
];

const ERRORS: [&str; 4] = ["EIO", "ENOSPC", "EACCES", "EMFILE"];

/// A call, and which of its occurrences.
type Point = (String, usize);

#[test]
fn a_sample_of_whole_runs_killed_or_failing() {
    if !program("strace") {
        return;
    }
    let mut project = Rounds::begin();
    let points = project.points();
    let chosen = |index: u64| {
        points[(seed().wrapping_mul(7919).wrapping_add(index * 104_729) % points.len() as u64) as usize].clone()
    };
    for index in 0..6 {
        project.disturb(&chosen(index), "signal=KILL");
        project.disturb(&chosen(index + 6), &format!("error={}", ERRORS[index as usize % ERRORS.len()]));
    }
    project.verify();
}

#[test]
#[ignore = "takes minutes: a kill and an error at every call of a whole run"]
fn every_call_of_a_whole_run() {
    if !program("strace") {
        return;
    }
    let mut project = Rounds::begin();
    let points = project.points();
    for (index, point) in points.iter().enumerate() {
        project.disturb(point, "signal=KILL");
        project.disturb(point, &format!("error={}", ERRORS[index % ERRORS.len()]));
        if index % 50 == 0 {
            eprintln!("whole runs: at {index} of {}", points.len());
        }
    }
    project.verify();
    eprintln!("{} calls of a whole run, each killed and each failing: none torn", points.len());
}

/// A project in which every run writes its number into two files and makes a third: what it has of one it has of all.
struct Rounds {
    world: World,
    /// Of the last run that was completed.
    done: usize,
    /// Of the last run that was tried.
    tried: usize,
}

impl Rounds {
    fn begin() -> Self {
        let world = World::begun();
        for file in ["left.txt", "right.txt"] {
            world.write(file, "the number of the round is 0\n");
        }
        Self { world, done: 0, tried: 0 }
    }

    /// The calls of a run that nobody disturbs, numbered as strace counts them: for each thread on its own.
    fn points(&mut self) -> Vec<Point> {
        let (id, log) = (self.approved(), self.world.path().join("calls"));
        done(output(self.strace(&["-o", log.to_str().unwrap()]).args(["execute", &id]))).expect(0);
        self.done = self.tried;
        let text = std::fs::read_to_string(log).unwrap();
        let (mut counts, mut points) = (BTreeMap::<(&str, &str), usize>::new(), BTreeSet::new());
        for line in text.lines() {
            let (thread, rest) = line.split_once(' ').unwrap();
            let call = rest.trim_start().split('(').next().unwrap();
            if CALLS.contains(&call) {
                let count = counts.entry((thread, call)).or_default();
                *count += 1;
                points.insert((call.to_owned(), *count));
            }
        }
        assert!(points.len() > 50, "{points:?}");
        points.into_iter().collect()
    }

    /// A plan of the next round, approved.
    fn approved(&mut self) -> String {
        self.tried += 1;
        let (from, to) = (format!("is {}\n", self.done), format!("is {}\n", self.tried));
        let step = |order: usize, target: &str, more: Value| {
            let mut step = json!({
                "id": format!("s{order}"), "order": order, "target": target, "dependencies": [],
                "description": format!("bring {target} to the number of this round, as the other files have it"),
            });
            step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            step
        };
        let edit = json!({ "type": "file_modify", "edits": [{ "find": from, "replace": to }] });
        let create = json!({ "type": "file_create", "content": "made in this round\n" });
        let plan = json!({
            "schema": "exacta.plan/1",
            "intent": { "type": "AddFeature", "text": "both files have the number of this round, and it has a file of its own" },
            "steps": [
                step(1, "left.txt", edit.clone()), step(2, "right.txt", edit),
                step(3, &format!("rounds/{}.txt", self.tried), create),
            ],
        });
        let made = self.world.pipe(&["submit", "-", "--json"], plan.to_string().as_bytes()).expect(30).json();
        let id = made["plan_id"].as_str().unwrap().to_owned();
        self.world.run(&["approve", &id, "--approver-key", &self.world.key()]).expect(0);
        id
    }

    fn strace(&self, how: &[&str]) -> Command {
        let plain = self.world.command(&[]);
        let mut command = Command::new("strace");
        command.args(["-f", "-qq"]).args(how).arg(plain.get_program()).current_dir(self.world.project()).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    }

    /// A run with something happening at one of its calls.
    fn disturb(&mut self, (call, count): &Point, what: &str) {
        let place = format!("{what} at {call} {count}");
        let id = self.approved();
        let injection = format!("inject={call}:{what}:when={count}");
        let mut command = self.strace(&["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &injection]);
        let ended = done(output(command.args(["execute", &id])));
        self.world.run(&["recover"]).expect(0);
        self.look(&id, &ended, &place);
        if self.world.run(&["show", &id, "--json"]).expect(0).json()["run"].is_null() {
            // It never began, and can still be carried out.
            let again = self.world.run(&["execute", &id]);
            assert_eq!(again.code, 0, "{place}: {ended:?}, then {again:?}");
            self.done = self.tried;
        }
    }

    /// Whether the project has all of the run or nothing of it, and the record tells the same.
    fn look(&mut self, id: &str, ended: &Done, place: &str) {
        let texts = ["left.txt", "right.txt"].map(|file| self.world.read(file));
        let made = self.world.project().join(format!("rounds/{}.txt", self.tried)).exists();
        let expected = format!("the number of the round is {}\n", if made { self.tried } else { self.done });
        assert_eq!(texts, [expected.clone(), expected], "{place}: {ended:?}");
        let shown = self.world.run(&["show", id, "--json"]).expect(0).json();
        let outcome = shown["run"]["outcome"].as_str().unwrap_or("none");
        let told = if made { outcome == "completed" } else { matches!(outcome, "none" | "failed" | "rolled_back") };
        assert!(told && (made || ended.code != 0), "{place}: {outcome}, {ended:?}");
        // What the system's loader says is not ours.
        if place.starts_with("error") && !ended.err.contains("error while loading shared libraries") {
            assert!(matches!(ended.code, 0 | 2 | 10 | 40 | 50 | 60), "{place}: {ended:?}");
            assert!(ended.code == 0 || ended.err.contains("error: "), "{place}: {ended:?}");
            assert!(!ended.err.contains("internal fault"), "{place}: {ended:?}");
        }
        let left = std::fs::read_dir(self.world.project().join(".exacta/exec")).unwrap().map(|entry| entry.unwrap());
        let left = left.map(|entry| entry.file_name().into_string().unwrap());
        let mut left: Vec<String> = left.collect();
        left.sort();
        assert_eq!(left, ["locks", "over"], "{place}: {ended:?}");
        if made {
            self.done = self.tried;
        }
    }

    fn verify(&self) {
        self.world.run(&["audit", "verify"]).expect(0);
    }
}
