//! Real changes, replayed with the real program: each becomes plans of at most ten files, which are submitted, approved and executed; then
//! the tree is exactly as in git (bytes, modes, links), all of it is undone, the tree is as in the parent, and the undo is undone. git
//! itself is the judge. What cannot be a plan is counted by its reason.
//!
//! `cargo test` replays releases of packages, fetched by the package managers; `tools/replay-history REPOSITORY...` real histories.

use crate::releases;
use crate::world::{Done, World};
use exacta_testkit::{git, output};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{Seek as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use tempfile::TempDir;

/// The caps of a plan.
const FILES_PER_PLAN: usize = 10;

/// A change with more plans than this is counted, not replayed.
const PLANS_PER_CHANGE: usize = 12;

/// So many changes share one project, whose record is verified before every act.
const CHANGES_PER_PROJECT: usize = 20;

#[test]
fn releases_of_packages_are_replayed_and_undone() {
    let Some(repositories) = releases::fetched() else { return };
    let mut count = Count::default();
    for repository in &repositories {
        count.replay(repository.path(), usize::MAX);
    }
    count.report();
    assert!(count.replayed >= 6, "releases that can be plans");
}

#[test]
#[ignore = "needs repositories: tools/replay-history REPOSITORY..."]
fn real_history_is_replayed_and_undone() {
    let repositories = std::env::var("EXACTA_HISTORY").expect("tools/replay-history sets it");
    let commits = std::env::var("EXACTA_COMMITS").map_or(100, |count| count.parse().unwrap());
    let mut count = Count::default();
    // Side by side: most of the time goes into waiting for the disk.
    thread::scope(|scope| {
        let replay = |repository: &str| {
            let mut own = Count::default();
            own.replay(Path::new(repository), commits);
            own
        };
        let under_way: Vec<_> =
            repositories.split(':').map(|repository| (repository, scope.spawn(move || replay(repository)))).collect();
        for (repository, replayed) in under_way {
            let own = replayed.join().unwrap();
            eprintln!("{repository}");
            own.report();
            count.add(&own);
        }
    });
    eprintln!("all");
    count.report();
}

/// What became of the changes.
#[derive(Default)]
struct Count {
    replayed: usize,
    plans: usize,
    files: usize,
    /// Changes that could not be plans, by reason.
    reasons: BTreeMap<String, usize>,
    /// Changes with something unusual in them.
    features: BTreeMap<&'static str, usize>,
}

impl Count {
    /// Replays so many changes of a repository, spread over its history, oldest first; a fifth of them are unusual ones.
    fn replay(&mut self, repository: &Path, commits: usize) {
        let all = changes(repository);
        let unusual = unusual(repository, commits / 5);
        let step = (all.len() / commits).max(1);
        let usual = all.iter().rev().step_by(step).filter(|commit| !unusual.contains(commit));
        let chosen: Vec<&String> = usual.take(commits.saturating_sub(unusual.len())).chain(&unusual).collect();
        for some in chosen.chunks(CHANGES_PER_PROJECT) {
            let checkout = Checkout::new(repository);
            for commit in some {
                self.change(&checkout, commit);
            }
        }
    }

    fn change(&mut self, checkout: &Checkout, commit: &str) {
        let parent = format!("{commit}^1");
        if !checkout.has(&parent, commit) {
            return self.reason("the repository lacks objects");
        }
        checkout.switch_to(&parent);
        let paths = checkout.changed(&parent, commit);
        let groups: Vec<_> = paths.chunks(FILES_PER_PLAN).collect();
        if groups.is_empty() || groups.len() > PLANS_PER_CHANGE {
            return self.reason(if groups.is_empty() { "changes nothing" } else { "more than 120 files" });
        }
        let folders = checkout.folders();
        let mut runs = Vec::new();
        for group in &groups {
            match checkout.execute(&checkout.diff(&parent, commit, group), &checkout.subject(commit)) {
                Ok(run) => runs.push(run),
                Err(reason) => {
                    checkout.undo_all(&runs);
                    checkout.assert_is(&parent);
                    return self.reason(&reason);
                }
            }
        }
        checkout.assert_is(commit);
        let undos = checkout.undo_all(&runs);
        checkout.assert_is(&parent);
        assert_eq!(checkout.folders(), folders, "{commit}: folders are left");
        checkout.undo_all(&undos);
        checkout.assert_is(commit);
        self.replayed += 1;
        self.plans += groups.len();
        self.files += paths.len();
        for feature in checkout.features(&parent, commit, &paths) {
            *self.features.entry(feature).or_default() += 1;
        }
    }

    fn reason(&mut self, reason: &str) {
        *self.reasons.entry(reason.to_owned()).or_default() += 1;
    }

    fn add(&mut self, other: &Self) {
        self.replayed += other.replayed;
        self.plans += other.plans;
        self.files += other.files;
        for (reason, count) in &other.reasons {
            *self.reasons.entry(reason.clone()).or_default() += count;
        }
        for (feature, count) in &other.features {
            *self.features.entry(feature).or_default() += count;
        }
    }

    fn report(&self) {
        let (replayed, plans, files) = (self.replayed, self.plans, self.files);
        eprintln!("  {replayed} changes ({plans} plans, {files} files) executed, undone and done again: all equal");
        for (feature, count) in &self.features {
            eprintln!("  {count:5} with {feature}");
        }
        for (reason, count) in &self.reasons {
            eprintln!("  {count:5} not replayed: {reason}");
        }
    }
}

/// A project whose files git can judge. Neither knows of the other: git's folder is elsewhere.
struct Checkout {
    git: TempDir,
    world: World,
}

impl Checkout {
    fn new(repository: &Path) -> Self {
        let checkout = Self { git: TempDir::new().unwrap(), world: World::empty() };
        checkout.world.run(&["init", "--approver", "tester", "--no-passphrase"]).expect(0);
        run(git().args(["init", "-q", "--bare"]).arg(checkout.git.path()));
        let objects = run(git().arg("-C").arg(repository).args(["rev-parse", "--git-path", "objects"]));
        let objects = repository.join(String::from_utf8(objects).unwrap().trim()).canonicalize().unwrap();
        let at = |name: &str| checkout.git.path().join(name);
        fs::write(at("objects/info/alternates"), format!("{}\n", objects.display())).unwrap();
        // Bytes as they are, whatever the project's own attributes say.
        let attributes = "* !text !eol !crlf !filter !ident !working-tree-encoding !diff\n";
        fs::create_dir_all(at("info")).unwrap();
        fs::write(at("info/attributes"), attributes).unwrap();
        checkout
    }

    fn project(&self) -> PathBuf {
        self.world.project()
    }

    fn git(&self, args: &[&str]) -> Vec<u8> {
        self.git_on(args, &[])
    }

    fn git_on(&self, args: &[&str], paths: &[Vec<u8>]) -> Vec<u8> {
        let mut command = git();
        command.arg("--git-dir").arg(self.git.path()).arg("--work-tree").arg(self.project());
        command.args(["-c", "core.safecrlf=false"]);
        command.args(["-c", "core.quotePath=true"]).args(args).current_dir(self.project());
        if !paths.is_empty() {
            command.env("GIT_LITERAL_PATHSPECS", "1").arg("--").args(paths.iter().map(|path| OsStr::from_bytes(path)));
        }
        run(&mut command)
    }

    /// Whether every file of both is there: stored copies of a repository may lack the largest.
    fn has(&self, parent: &str, commit: &str) -> bool {
        let listed =
            [parent, commit].map(|tree| self.git(&["ls-tree", "-r", "--format=%(objecttype) %(objectname)", tree]));
        let mut check = git();
        check.arg("--git-dir").arg(self.git.path()).args(["cat-file", "--batch-check"]);
        let mut input = tempfile::tempfile().unwrap();
        let blobs = listed.iter().flat_map(|list| list.split(|byte| *byte == b'\n'));
        let wanted: BTreeSet<&[u8]> = blobs.filter_map(|line| line.strip_prefix(b"blob ")).collect();
        input.write_all(&wanted.into_iter().collect::<Vec<_>>().join(&b'\n')).and_then(|()| input.rewind()).unwrap();
        let answer = run(check.stdin(input));
        !answer.windows(9).any(|word| word == b" missing\n")
    }

    fn switch_to(&self, commit: &str) {
        self.git(&["read-tree", "--reset", "-u", commit]);
        self.assert_is(commit);
    }

    /// Every byte, mode and link of the project is as in the commit.
    #[track_caller]
    fn assert_is(&self, commit: &str) {
        self.git(&["add", "-A", "-f", "--", ".", ":(exclude).exacta"]);
        // Entry by entry: old trees spell some modes otherwise, so that their own hashes cannot be had again.
        let difference =
            self.git(&["diff-index", "--cached", "--raw", "--no-renames", "--ignore-submodules=none", commit]);
        assert!(difference.is_empty(), "not as in {commit}: {}", String::from_utf8_lossy(&difference));
    }

    fn changed(&self, parent: &str, commit: &str) -> Vec<Vec<u8>> {
        let names = self.git(&["diff-tree", "-r", "-z", "--no-renames", "--name-only", parent, commit]);
        names.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect()
    }

    fn diff(&self, parent: &str, commit: &str, paths: &[Vec<u8>]) -> Vec<u8> {
        self.git_on(&["diff", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", parent, commit], paths)
    }

    fn subject(&self, commit: &str) -> String {
        String::from_utf8_lossy(&self.git(&["log", "-1", "--format=%s", commit])).trim().to_owned()
    }

    /// Carries out a patch as a plan, and names its run; or the reason why it cannot be a plan.
    fn execute(&self, patch: &[u8], subject: &str) -> Result<String, String> {
        let file = self.world.file("change.patch", patch);
        // In one word: a subject may begin with a dash.
        let text = format!("--text={subject}");
        let made = self.world.run(&["submit", &file, "--from-git", "--intent", "FixBug", &text, "--json"]);
        if matches!(made.code, 2 | 10) {
            return Err(refusal(&made.json()));
        }
        let plan = made.expect(30).json()["plan_id"].as_str().unwrap().to_owned();
        self.world.run(&["approve", &plan, "--approver-key", &self.world.key()]).expect(0);
        let run = self.world.run(&["execute", &plan, "--json"]);
        match run.code {
            10 if run.json()["error"]["code"] == "target_refused" => Err(refusal(&run.json())),
            _ => Ok(run_id(run)),
        }
    }

    /// Takes runs back, newest first; the runs that did it, in that order.
    fn undo_all(&self, runs: &[String]) -> Vec<String> {
        let undo = |run: &String| self.world.run(&["undo", run, "--approver-key", &self.world.key(), "--json"]);
        runs.iter().rev().map(|run| run_id(undo(run))).collect()
    }

    /// The folders of the project.
    fn folders(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut todo = vec![self.project()];
        while let Some(folder) = todo.pop() {
            for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_dir() && entry.file_name() != ".exacta" {
                    todo.push(entry.path());
                    found.insert(entry.path());
                }
            }
        }
        found
    }

    /// What is unusual about a change, for the count.
    fn features(&self, parent: &str, commit: &str, paths: &[Vec<u8>]) -> BTreeSet<&'static str> {
        let mut found = BTreeSet::new();
        let raw = self.git(&["diff-tree", "-r", "--no-renames", "--raw", parent, commit]);
        for line in String::from_utf8_lossy(&raw).lines() {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            match (words[0], words[1]) {
                (":000000", _) => found.insert("a new file"),
                (_, "000000") => found.insert("a deleted file"),
                (before, after) => before[1..] != *after && found.insert("a change of mode"),
            };
        }
        if self.git(&["ls-files", "-s"]).windows(7).any(|mode| mode == b"\n120000") {
            found.insert("a symbolic link beside it");
        }
        for path in paths {
            if path.iter().filter(|byte| **byte == b'/').count() >= 4 {
                found.insert("deep folders");
            }
            if is_odd(path) {
                found.insert("an odd name");
            }
            let Ok(bytes) = fs::read(self.project().join(OsStr::from_bytes(path))) else { continue };
            if bytes.windows(2).any(|pair| pair == b"\r\n") {
                found.insert("CRLF");
            }
            if bytes.last().is_some_and(|last| *last != b'\n') {
                found.insert("no newline at the end");
            }
            if str::from_utf8(&bytes).is_err() {
                found.insert("bytes beside it that are not UTF-8");
            }
        }
        found
    }
}

/// The commits with one parent or more, newest first.
fn changes(repository: &Path) -> Vec<String> {
    let mut command = git();
    command.arg("-C").arg(repository).args(["rev-list", "--no-merges", "--min-parents=1", "HEAD"]);
    String::from_utf8(run(&mut command)).unwrap().lines().map(str::to_owned).collect()
}

/// Commits among the last thousands that change a mode, or a file with an odd name.
fn unusual(repository: &Path, most: usize) -> Vec<String> {
    let mut command = git();
    command.arg("-C").arg(repository).args(["log", "--no-merges", "--min-parents=1", "-n", "5000"]);
    command.args(["--raw", "--no-renames", "--no-abbrev", "--format=commit %H", "HEAD"]);
    let log = run(&mut command);
    let mut found = [Vec::new(), Vec::new()];
    let mut commit = String::new();
    for line in String::from_utf8_lossy(&log).lines() {
        if let Some(id) = line.strip_prefix("commit ") {
            commit = id.to_owned();
            continue;
        }
        let Some((modes, path)) = line.split_once('\t') else { continue };
        let (before, after) = (modes.get(1..7).unwrap_or_default(), modes.get(8..14).unwrap_or_default());
        let files = |mode: &str| mode.starts_with("100");
        let kinds = [before != after && files(before) && files(after), is_odd(path.as_bytes())];
        for (kind, commits) in kinds.into_iter().zip(&mut found) {
            if kind && commits.last() != Some(&commit) {
                commits.push(commit.clone());
            }
        }
    }
    let mut chosen = BTreeSet::new();
    for commits in &found {
        chosen.extend(commits.iter().step_by((commits.len() * 2 / most.max(1)).max(1)).take(most / 2).cloned());
    }
    chosen.into_iter().collect()
}

fn is_odd(path: &[u8]) -> bool {
    !path.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(byte))
}

#[track_caller]
fn run_id(done: Done) -> String {
    done.expect(0).json()["run_id"].as_str().unwrap().to_owned()
}

/// Why something was refused: its first finding, the gate that denied it, or the error.
fn refusal(said: &Value) -> String {
    let gates = said["gates"].as_array().into_iter().flatten();
    let denied = gates.filter(|gate| gate["verdict"] == "deny").find_map(|gate| gate["gate"].as_str());
    let told = |at: &Value| Some(format!("{}: {}", at["code"].as_str()?, without_numbers(at["message"].as_str()?)));
    let why = told(&said["findings"][0]).or_else(|| told(&said["error"])).or(denied.map(|gate| format!("{gate} gate")));
    why.unwrap_or_else(|| said.to_string())
}

/// So that the same reason at another line is the same.
fn without_numbers(message: &str) -> String {
    message.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("…")
}

/// What a program prints, if it ends well.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> Vec<u8> {
    let output = output(command);
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
