//! Of the files that real commits touched, how many would a model have been shown? `tools/prove context REPOSITORY...`
//!
//! For each commit, the tree before it is the project and its message the request; the files that it changed and that were there
//! before are what should be in the selection. Beside ours: a plain baseline by words and paths, and aider's repository map where
//! `EXACTA_AIDER_PYTHON` names a Python that has it.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a measurement prints, and stops where something is wrong"
)]

mod aider;
mod commits;
mod plain;

use commits::{Clone, Commit};
use exacta_context::{Form, Request, select};
use rustix::fd::AsFd as _;
use std::collections::BTreeSet;
use std::fs::File;
use std::time::{Duration, Instant};

/// How many tokens a selection may take.
const BUDGET: u64 = 32_000;
/// How many commits of each repository.
const COMMITS: usize = 60;
/// Chooses the commits.
const SEED: u64 = 14;

/// What one way of selecting found.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    files: usize,
    found: usize,
    commits: usize,
    all_found: usize,
}

impl Tally {
    fn add(&mut self, wanted: &[String], got: &BTreeSet<String>) {
        let found = wanted.iter().filter(|path| got.contains(*path)).count();
        self.files += wanted.len();
        self.found += found;
        self.commits += 1;
        self.all_found += usize::from(found == wanted.len());
    }

    fn merge(&mut self, other: Self) {
        self.files += other.files;
        self.found += other.found;
        self.commits += other.commits;
        self.all_found += other.all_found;
    }

    fn shown(&self) -> String {
        let share =
            |part: usize, all: usize| format!("{}.{} %", part * 100 / all.max(1), part * 1000 / all.max(1) % 10);
        format!("{} / {}", share(self.found, self.files), share(self.all_found, self.commits))
    }
}

/// All ways, in the order of the table.
#[derive(Debug, Default, Clone, Copy)]
struct Row {
    ours: Tally,
    whole: Tally,
    plain: Tally,
    aider: Tally,
    slowest: Duration,
}

fn main() {
    let repositories: Vec<String> = std::env::args().skip(1).collect();
    let count = std::env::var("EXACTA_COMMITS").ok().and_then(|count| count.parse().ok()).unwrap_or(COMMITS);
    let mut aider = aider::Aider::start();
    println!("| repository | commits | ours | ours, whole files | words and paths | aider's map | slowest selection |");
    println!("|---|---|---|---|---|---|---|");
    let mut all = Row::default();
    for repository in &repositories {
        let clone = Clone::of(repository);
        let mut row = Row::default();
        for commit in clone.commits(SEED, count) {
            clone.check_out(&commit.parent);
            one(&clone, &commit, aider.as_mut(), &mut row);
        }
        print_row(&clone.name, &row);
        all.ours.merge(row.ours);
        all.whole.merge(row.whole);
        all.plain.merge(row.plain);
        all.aider.merge(row.aider);
        all.slowest = all.slowest.max(row.slowest);
    }
    print_row("all", &all);
}

fn one(clone: &Clone, commit: &Commit, aider: Option<&mut aider::Aider>, row: &mut Row) {
    let project = File::open(clone.path()).unwrap();
    let begin = Instant::now();
    let request = Request { text: &commit.message, budget: BUDGET, ..Request::default() };
    let selection = select(project.as_fd(), None, &request).unwrap();
    row.slowest = row.slowest.max(begin.elapsed());
    assert!(selection.tokens <= BUDGET, "over the budget");
    let files = selection.files.iter();
    let shown: BTreeSet<String> = files.clone().map(|file| file.path.to_string()).collect();
    let whole = files.filter(|file| file.form == Form::Whole).map(|file| file.path.to_string()).collect();
    row.ours.add(&commit.files, &shown);
    row.whole.add(&commit.files, &whole);
    row.plain.add(&commit.files, &plain::select(clone.path(), &commit.message, BUDGET));
    if let Some(aider) = aider {
        row.aider.add(&commit.files, &aider.select(clone.path(), &commit.message, BUDGET));
    }
    if std::env::var_os("EXACTA_MISSED").is_some() {
        for path in commit.files.iter().filter(|path| !shown.contains(*path)) {
            eprintln!("{} missed {path}: {}", &commit.parent[..8], commit.message.lines().next().unwrap_or_default());
        }
    }
}

fn print_row(name: &str, row: &Row) {
    let aider = if row.aider.commits > 0 { row.aider.shown() } else { "–".to_owned() };
    let (commits, ours, whole, plain) = (row.ours.commits, row.ours.shown(), row.whole.shown(), row.plain.shown());
    println!("| {name} | {commits} | {ours} | {whole} | {plain} | {aider} | {} ms |", row.slowest.as_millis());
}
