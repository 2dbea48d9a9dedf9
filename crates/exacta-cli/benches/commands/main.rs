//! Whole commands against a peer, or against the physical limit, in one run: `cargo bench`.
//!
//! Every figure is a ratio of times taken in alternation, so that whatever else the machine does hits both sides: of the least
//! ones where work is compared, which a busy machine tells too, and of medians where a disk is waited for. Set
//! `EXACTA_BENCH_PLANS=100000` for the full store; the default is 2 000. Name figures to measure only those:
//! `cargo bench -p exacta-cli -- execute`.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::float_arithmetic,
    reason = "a benchmark prints ratios and may stop"
)]

mod fill;
mod kept;
mod mcp;
mod slow;

use exacta_kernel::hash::Digest;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const EXACTA: &str = env!("CARGO_BIN_EXE_exacta");
const FILES: usize = 10;
const LINES: usize = 370;
/// What the ten files are called, so that nothing parses them.
const TEXT: &str = "txt";

fn main() {
    if slow::is_the_loop() {
        return;
    }
    // `cargo test` builds and starts benches too; only `cargo bench` measures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("| what | against | ratio | ours | theirs |");
    println!("|---|---|---|---|---|");
    let figures: [(&str, fn()); 9] = [
        ("check", check),
        ("mcp", mcp::mcp),
        ("project_size", project_size),
        ("full_store", full_store),
        ("verify", verify),
        ("execute", execute),
        ("kept_runs", kept::kept_runs),
        ("slow_disk", slow::slow_disk),
        ("memory", memory),
    ];
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    for (name, measure) in figures {
        if named.is_empty() || named.iter().any(|wanted| wanted == name) {
            measure();
        }
    }
    DONE.lock().unwrap().clear();
}

/// `exacta check` of ten steps with 100 KB of diffs, against `git apply --check` of the same diffs: of text and documents, for
/// which no grammar is made ready, and of code, of which the changed parts are parsed.
fn check() {
    for (place, what) in [(Place::new(0), "text"), (Place::of("md", 0), "Markdown"), (Place::of("rs", 0), "Rust")] {
        let (plan, patch) = place.change();
        let ours = || place.run(&["check", plan.to_str().unwrap()], &[30]);
        let theirs = || git(&place.project, &["apply", "--check", patch.to_str().unwrap()]);
        let what = format!("check, 10 steps, 100 KB of diffs of {what}");
        report(&what, "git apply --check", least(race(60, ours, theirs)));
    }
}

/// The same in a project of 100 000 files, against one of ten.
fn project_size() {
    let (large, small) = (Place::new(100_000), Place::new(0));
    let (large_plan, _) = large.change();
    let (small_plan, _) = small.change();
    let ours = || large.run(&["check", large_plan.to_str().unwrap()], &[30]);
    let theirs = || small.run(&["check", small_plan.to_str().unwrap()], &[30]);
    report("check in 100 000 files", "check in 10 files", least(race(60, ours, theirs)));
}

/// `exacta submit` beside many stored plans, against an empty store.
fn full_store() {
    let plans: usize = std::env::var("EXACTA_BENCH_PLANS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let (full, empty) = (Place::new(0), Place::new(0));
    let (full_plan, _) = full.change();
    let (empty_plan, _) = empty.change();
    fill::fill(&full.project, &full.home, &full.submitted(&full.small())[0], plans);
    full.run(&["audit", "verify"], &[0]);
    let ours = || full.run(&["submit", full_plan.to_str().unwrap()], &[30]);
    let theirs = || empty.run(&["submit", empty_plan.to_str().unwrap()], &[30]);
    report(&format!("submit beside {plans} plans"), "submit into an empty store", medians(race(40, ours, theirs)));
    let approved = |place: &Place, plan: &Path| (0..10).map(|_| place.approved(plan)).collect::<Vec<_>>();
    let (among_many, alone) = (approved(&full, &full_plan), approved(&empty, &empty_plan));
    // Only the first of them finds its targets as they were; all are looked up, compared with the log and judged.
    let executed = |place: &Place, id: &String| time(|| place.run(&["execute", id], &[0, 40]));
    let ours = median(among_many.iter().map(|id| executed(&full, id)).collect());
    let theirs = median(alone.iter().map(|id| executed(&empty, id)).collect());
    report(&format!("execute beside {plans} plans"), "execute in a store of few", (ours, theirs));
}

/// `exacta audit verify` of a log, against hashing the same bytes with the same library.
fn verify() {
    let place = Place::new(0);
    let (plan, _) = place.change();
    for _ in 0..500 {
        place.run(&["submit", plan.to_str().unwrap()], &[30]);
    }
    let files: Vec<PathBuf> = walk(&place.project.join(".exacta"));
    let whole = || place.run(&["audit", "verify"], &[0]);
    let hashing = || {
        place.run(&["--version"], &[0]);
        for file in &files {
            std::hint::black_box(Digest::of(&fs::read(file).unwrap()));
        }
    };
    report("audit verify", "starting, and hashing the same files", least(race(20, whole, hashing)));
}

/// A ten-file plan, approved already, executed durably; against a loop that writes, syncs and renames the same files with one
/// journal record, and against `git apply && git add && git commit`.
fn execute() {
    let durable = |extra: &'static [&'static str]| {
        let mut times = Vec::new();
        let mut loops = Vec::new();
        let mut commits = Vec::new();
        let mut applies = Vec::new();
        for _ in 0..15 {
            let place = Place::new(0);
            let (plan, patch) = place.change();
            let id = place.approved(&plan);
            let arguments: Vec<&str> = ["execute", &id].into_iter().chain(extra.iter().copied()).collect();
            times.push(on_a_quiet_disk(|| place.run(&arguments, &[0])));
            let other = Place::new(0);
            loops.push(on_a_quiet_disk(|| write_sync_rename(&other.project)));
            let other = Place::new(0);
            git(&other.project, &["init", "-q"]);
            git(&other.project, &["add", "-A"]);
            git(&other.project, &["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "x"]);
            commits.push(on_a_quiet_disk(|| {
                let patch = patch.to_str().unwrap();
                let all = ["-c", "core.fsync=all", "-c", "user.name=b", "-c", "user.email=b@b"];
                git(&other.project, &["apply", patch]);
                git(&other.project, &[&all[..], &["add", "-A"]].concat());
                git(&other.project, &[&all[..], &["commit", "-qm", "y"]].concat());
            }));
            let other = Place::new(0);
            applies.push(on_a_quiet_disk(|| git(&other.project, &["apply", patch.to_str().unwrap()])));
        }
        (median(times), median(loops), median(commits), median(applies))
    };
    let (ours, writes, commit, _) = durable(&[]);
    report("execute, 10 files, durable", "write, sync and rename them, one journal record", (ours, writes));
    report("execute, 10 files, durable", "git apply && git add && git commit, core.fsync=all", (ours, commit));
    let (ours, _, _, apply) = durable(&["--no-sync"]);
    report("execute --no-sync, 10 files", "git apply", (ours, apply));
}

/// The most memory that `execute` takes for one target of 63 MiB; four times that and 64 MiB are allowed.
fn memory() {
    const MIB: u64 = 1 << 20;
    let place = Place::new(0);
    let mut text: String = (0..63 * MIB / 64).map(|line| format!("{line:063}\n")).collect();
    text.push_str("marker\n");
    fs::write(place.project.join("src/large.txt"), &text).unwrap();
    let plan = json!({
        "schema": "exacta.plan/1",
        "intent": { "type": "FixBug", "text": "the marker at the end of the data is named as its reader expects" },
        "steps": [{
            "id": "s0", "order": 1, "type": "file_modify", "target": "src/large.txt", "dependencies": [],
            "description": "rename the marker in the last line so that the reader finds the end of the data",
            "edits": [{ "find": "\nmarker\n", "replace": "\nend\n" }],
        }],
    });
    let file = place.home.with_extension("large.json");
    fs::write(&file, plan.to_string()).unwrap();
    let id = place.approved(&file);
    let mut child = place.command(&["execute", &id]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        // It only ever grows, so the last look before the end is close to the truth.
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        peak = most.unwrap_or(peak);
        std::thread::sleep(Duration::from_micros(500));
    }
    assert!(child.wait().unwrap().success());
    let (ours, allowed) = (peak * 1024, 64 * MIB + 4 * text.len() as u64);
    let ratio = ours as f64 / allowed as f64;
    let (ours, allowed) = (ours / MIB, allowed / MIB);
    println!(
        "| execute, one target of 63 MiB: peak memory | 64 MiB and 4 × the target | {ratio:.2} | {ours} MiB | {allowed} MiB |"
    );
}

/// The least that is durable: one journal record, then each file written, synced and renamed, and each folder synced.
fn write_sync_rename(project: &Path) {
    let mut journal = fs::File::create(project.join("journal")).unwrap();
    std::io::Write::write_all(&mut journal, b"ten files\n").unwrap();
    journal.sync_all().unwrap();
    for index in 0..FILES {
        let path = project.join(format!("src/file{index}.{TEXT}"));
        let temporary = path.with_extension("tmp");
        fs::write(&temporary, content(index, true)).unwrap();
        fs::File::open(&temporary).unwrap().sync_all().unwrap();
        fs::rename(&temporary, &path).unwrap();
    }
    fs::File::open(project.join("src")).unwrap().sync_all().unwrap();
}

/// The folders of places that are done with. They are removed when all is measured: ext4 passes over every file that was removed
/// within the last minutes when it makes a new one, and that would be measured with the rest.
static DONE: Mutex<Vec<TempDir>> = Mutex::new(Vec::new());

/// A project with ten files to change and some number of others, and an own user's folder.
struct Place {
    folder: Option<TempDir>,
    extension: &'static str,
    project: PathBuf,
    home: PathBuf,
}

impl Place {
    fn new(others: usize) -> Self {
        Self::of(TEXT, others)
    }

    fn of(extension: &'static str, others: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        fs::create_dir_all(project.join("src")).unwrap();
        for index in 0..FILES {
            fs::write(project.join(format!("src/file{index}.{extension}")), content(index, false)).unwrap();
        }
        for index in 0..others {
            let folder = project.join(format!("others/{}", index / 1000));
            if index % 1000 == 0 {
                fs::create_dir_all(&folder).unwrap();
            }
            fs::write(folder.join(format!("{index}.txt")), "x\n").unwrap();
        }
        let place = Self { folder: Some(folder), extension, project, home };
        place.run(&["init", "--profile", "SAFE", "--approver", "bench", "--no-passphrase"], &[0]);
        place
    }

    /// The plan that changes the ten files, and the same change as a git patch.
    fn change(&self) -> (PathBuf, PathBuf) {
        let mut steps = Vec::new();
        let mut patch = String::new();
        for index in 0..FILES {
            let path = format!("src/file{index}.{}", self.extension);
            let diff = diff(&path, &content(index, false), &content(index, true));
            patch.push_str(&diff);
            steps.push(step(index, &path, &diff));
        }
        let plan = json!({
            "schema": "exacta.plan/1",
            "intent": { "type": "AddFeature", "text": "every module counts its calls and reports the count at the end" },
            "steps": steps,
        });
        let (plan_file, patch_file) = (self.home.with_extension("json"), self.home.with_extension("patch"));
        fs::write(&plan_file, plan.to_string()).unwrap();
        fs::write(&patch_file, patch).unwrap();
        (plan_file, patch_file)
    }

    /// A plan of one short step.
    fn small(&self) -> PathBuf {
        let path = format!("src/file0.{}", self.extension);
        let plan = json!({
            "schema": "exacta.plan/1",
            "intent": { "type": "FixBug", "text": "the first function of the first module gives one, as its callers expect" },
            "steps": [{
                "id": "s0", "order": 1, "type": "file_modify", "target": path, "dependencies": [],
                "description": "give one instead of nothing from the first function of the module",
                "edits": [{ "find": "fn f0_0() -> usize { 0 }", "replace": "fn f0_0() -> usize { 1 }" }],
            }],
        });
        let file = self.home.with_extension("small.json");
        fs::write(&file, plan.to_string()).unwrap();
        file
    }

    /// The id and the hash of a plan that was submitted.
    fn submitted(&self, plan: &Path) -> [String; 2] {
        let output = self.command(&["submit", "--json", plan.to_str().unwrap()]).output().unwrap();
        let view: Value = serde_json::from_slice(&output.stdout).unwrap();
        ["plan_id", "plan_hash"].map(|name| view[name].as_str().unwrap().to_owned())
    }

    fn approved(&self, plan: &Path) -> String {
        let [id, hash] = self.submitted(plan);
        let key = self.home.join("keys/bench.key");
        self.run(&["approve", &id, "--hash", &hash, "--approver-key", key.to_str().unwrap()], &[0]);
        id
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(EXACTA);
        command.args(arguments).current_dir(&self.project).env("EXACTA_HOME", &self.home);
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str], expected: &[i32]) {
        let output = self.command(arguments).output().unwrap();
        let code = output.status.code().unwrap();
        assert!(expected.contains(&code), "{arguments:?}: {code}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        DONE.lock().unwrap().extend(self.folder.take());
    }
}

fn step(index: usize, path: &str, diff: &str) -> Value {
    json!({
        "id": format!("s{index}"), "order": index + 1, "type": "file_modify", "target": path, "dependencies": [],
        "description": format!("count the calls of every function in module {index} and report the total"),
        "diff": diff,
    })
}

/// A module of many small functions; changed, every tenth line differs.
fn content(file: usize, changed: bool) -> String {
    let line = |index: usize| {
        let suffix = if changed && index % 10 == 5 { " // counted" } else { "" };
        format!("fn f{file}_{index}() -> usize {{ {index} }}{suffix}\n")
    };
    (0..LINES).map(line).collect()
}

/// A unified diff of two texts with the same number of lines, with three lines of context.
fn diff(path: &str, before: &str, after: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut text = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
    for index in (0..before.len()).filter(|index| before[*index] != after[*index]) {
        let (from, to) = (index.saturating_sub(3), (index + 4).min(before.len()));
        text.push_str(&format!("@@ -{0},{1} +{0},{1} @@\n", from + 1, to - from));
        for at in from..to {
            if at == index {
                text.push_str(&format!("-{}\n+{}\n", before[at], after[at]));
            } else {
                text.push_str(&format!(" {}\n", before[at]));
            }
        }
    }
    text
}

fn git(folder: &Path, arguments: &[&str]) {
    let output = exacta_testkit::output(exacta_testkit::git().args(arguments).current_dir(folder));
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}

/// The times of two things done in alternation.
fn race(rounds: usize, ours: impl Fn(), theirs: impl Fn()) -> (Vec<Duration>, Vec<Duration>) {
    ours();
    theirs();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        left.push(time(&ours));
        right.push(time(&theirs));
    }
    (left, right)
}

fn least((ours, theirs): (Vec<Duration>, Vec<Duration>)) -> (Duration, Duration) {
    (ours.into_iter().min().unwrap(), theirs.into_iter().min().unwrap())
}

fn medians((ours, theirs): (Vec<Duration>, Vec<Duration>)) -> (Duration, Duration) {
    (median(ours), median(theirs))
}

/// How long something takes once the disk has written all that came before it, which would otherwise be waited for.
fn on_a_quiet_disk(work: impl FnOnce()) -> Duration {
    assert!(Command::new("sync").status().unwrap().success());
    time(work)
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn report(what: &str, against: &str, (ours, theirs): (Duration, Duration)) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!("| {what} | {against} | {ratio:.2} | {ours:.2?} | {theirs:.2?} |");
}
