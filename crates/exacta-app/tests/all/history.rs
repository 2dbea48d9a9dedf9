//! Real changes, replayed: each becomes plans of at most ten files, which are submitted, approved and executed; then the tree is
//! exactly as in git (bytes, modes, links), all of it is undone, the tree is as in the parent, and the undo is undone. git itself is the
//! judge. What cannot be a plan is counted by its reason.
//!
//! `cargo test` replays releases of packages, fetched by the package managers; `tools/replay-history REPOSITORY...` real histories.

use crate::place::{Place, id};
use crate::releases;
use exacta_app::import::{Form, import};
use exacta_app::{Error, Options};
use exacta_kernel::approval::ApproverName;
use exacta_kernel::gate::Verdict;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::proposal::IntentKind;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
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
    for repository in repositories.split(':') {
        let mut own = Count::default();
        own.replay(Path::new(repository), commits);
        eprintln!("{repository}");
        own.report();
        count.add(&own);
    }
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
    /// Replays so many changes of a repository, spread over its history, oldest first.
    fn replay(&mut self, repository: &Path, commits: usize) {
        let all = changes(repository);
        let step = (all.len() / commits).max(1);
        let chosen: Vec<&String> = all.iter().rev().step_by(step).take(commits).collect();
        for some in chosen.chunks(CHANGES_PER_PROJECT) {
            let checkout = Checkout::new(repository);
            for commit in some {
                self.change(&checkout, commit);
            }
        }
    }

    fn change(&mut self, checkout: &Checkout, commit: &str) {
        let parent = format!("{commit}^1");
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
    place: Place,
}

impl Checkout {
    fn new(repository: &Path) -> Self {
        let git = TempDir::new().unwrap();
        let folder = TempDir::new().unwrap();
        let project = folder.path().join("project");
        fs::create_dir(&project).unwrap();
        let options = Options { project: Some(project), home: Some(folder.path().join("home")) };
        exacta_app::App::first_approver(&options, &ApproverName::parse("owner").unwrap(), None).unwrap();
        let checkout = Self { git, place: Place { folder, options } };
        run(Command::new("git").args(["init", "-q", "--bare"]).arg(checkout.git.path()));
        let objects = run(Command::new("git").arg("-C").arg(repository).args(["rev-parse", "--git-path", "objects"]));
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
        self.place.options.project.clone().unwrap()
    }

    fn git(&self, args: &[&str]) -> Vec<u8> {
        self.git_on(args, &[])
    }

    fn git_on(&self, args: &[&str], paths: &[Vec<u8>]) -> Vec<u8> {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(self.git.path()).arg("--work-tree").arg(self.project());
        command.args(["-c", "core.autocrlf=false", "-c", "core.safecrlf=false"]);
        command.args(["-c", "core.quotePath=true"]).args(args).current_dir(self.project());
        if !paths.is_empty() {
            command.env("GIT_LITERAL_PATHSPECS", "1").arg("--").args(paths.iter().map(|path| OsStr::from_bytes(path)));
        }
        run(&mut command)
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
        let intent = IntentKind::FixBug;
        let text = import(&self.place.options, Form::Git, patch, intent, Some(subject)).map_err(code)?;
        let view = self.place.app().submit(&text, &exacta_app::Request::default()).map_err(code)?;
        if view.status == Some(Status::Rejected) || view.plan_id.is_none() {
            return Err(view.findings.first().map_or_else(
                || {
                    let denied = view.gates.iter().find(|gate| gate.verdict == Verdict::Deny);
                    denied.map_or("denied", |gate| gate.gate.as_str()).to_owned() + " gate"
                },
                |finding| finding.code.clone(),
            ));
        }
        let plan = id(&view);
        self.place.approve(&plan).unwrap();
        match self.place.execute(&plan) {
            Ok(run) => Ok(run.run_id),
            Err(error) if error.code == "target_refused" => Err(error.to_string()),
            Err(error) => panic!("{error}"),
        }
    }

    /// Takes runs back, newest first; the runs that did it, in that order.
    fn undo_all(&self, runs: &[String]) -> Vec<String> {
        runs.iter().rev().map(|run| self.place.undo(run).unwrap().run_id).collect()
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
            if !path.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(byte)) {
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
    let mut command = Command::new("git");
    command.arg("-C").arg(repository).args(["rev-list", "--no-merges", "--min-parents=1", "HEAD"]);
    String::from_utf8(run(&mut command)).unwrap().lines().map(str::to_owned).collect()
}

fn code(error: Error) -> String {
    error.code.to_owned()
}

/// What a program prints, if it ends well.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
