//! The kernel alone, from text to decision, against what nobody can leave out: `cargo bench -p exacta-kernel`.
//!
//! Every figure is the least of many rounds, taken in alternation: what the work takes when nothing else gets in its way,
//! which a busy machine tells too. With `EXACTA_BENCH_ROUNDS=n` the work of one side (`EXACTA_BENCH_SIDE=ours` or `theirs`)
//! is done n times and nothing is measured, for counting instructions with `valgrind --tool=callgrind`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::float_arithmetic,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark measures, prints ratios and may stop"
)]

use exacta_kernel::check::{self, Allowed, Context, ValidPlan};
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::gate::{self, Circumstances, Verdict};
use exacta_kernel::hash::Digest;
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::{assess, seal};
use serde_json::json;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A project in which nothing stands against a plan.
const ORDINARY: Circumstances<'_> =
    Circumstances { has_build_command: true, checks_off: false, made: None, connected: false, oversize: None };
const FILES: usize = 10;
const LINES: usize = 370;
const ROUNDS: usize = 400;

fn main() {
    // `cargo test` builds and starts benches too; only `cargo bench` measures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let case = Case::new();
    if let Some(rounds) = std::env::var("EXACTA_BENCH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()) {
        return case.repeat(rounds);
    }
    println!("| what | against | ratio | ours | theirs |");
    println!("|---|---|---|---|---|");
    let (ours, theirs) = race(|| case.decide(), || case.parse_and_hash());
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!(
        "| parse to decision, 10 steps, 100 KB of diffs | parsing and hashing the same bytes | {ratio:.2} | {ours:.2?} | {theirs:.2?} |"
    );
    println!();
    println!("| stage | time | share of the whole |");
    println!("|---|---|---|");
    for (stage, time) in case.stages() {
        println!("| {stage} | {time:.2?} | {:.0} % |", 100.0 * time.as_secs_f64() / ours.as_secs_f64());
    }
}

/// Ten files, all in memory, and a proposal that changes each of them.
struct Case {
    text: Vec<u8>,
    files: Vec<File>,
    policy: Policy,
}

struct File {
    path: RelPath,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Case {
    fn new() -> Self {
        let files: Vec<File> = (0..FILES).map(File::new).collect();
        let steps: Vec<_> = files
            .iter()
            .enumerate()
            .map(|(index, file)| {
                json!({
                    "id": format!("s{index}"), "order": index + 1, "type": "file_modify", "target": file.path.as_str(),
                    "description": format!("count the calls of every function in module {index} and report the total"),
                    "dependencies": [], "diff": file.diff(),
                })
            })
            .collect();
        let proposal = json!({
            "schema": "exacta.plan/1",
            "intent": { "type": "AddFeature", "text": "every module counts its calls and reports the count at the end" },
            "steps": steps,
        });
        let policy = Policy::combine(SafetyPolicy::default(), ProjectConfig::default(), Profile::Safe).unwrap();
        Self { text: proposal.to_string().into_bytes(), files, policy }
    }

    /// Ours: the whole way from text to decision, the targets' hashes included.
    fn decide(&self) -> Verdict {
        let facts = self.facts();
        let valid = self.check(&facts);
        gate::decide(assess::assess(valid, &facts), &self.policy, &ORDINARY).verdict()
    }

    /// Theirs: the same text parsed, and every byte that comes in or goes out hashed once.
    fn parse_and_hash(&self) {
        black_box(parse(&self.text).unwrap());
        black_box(Digest::of(&self.text));
        for file in &self.files {
            black_box((Digest::of(&file.before), Digest::of(&file.after)));
        }
    }

    fn facts(&self) -> Facts {
        let mut facts = Facts::new();
        for file in &self.files {
            let content = Arc::new(FileContent::new(file.before.clone(), 0o644));
            let fact = TargetFact { target: Target::File(content), lookalikes: Vec::new(), folds: false };
            facts.insert(file.path.clone(), fact);
        }
        facts
    }

    fn check(&self, facts: &Facts) -> ValidPlan {
        let plan = seal::seal(parse(&self.text).unwrap(), facts).unwrap();
        let allowed = Allowed::default();
        let context =
            Context { facts, caps: self.policy.caps(), constraints: &[], allowed: &allowed, generated: false };
        check::check(plan, &context).unwrap()
    }

    /// What each stage takes.
    fn stages(&self) -> Vec<(&'static str, Duration)> {
        let facts = self.facts();
        let allowed = Allowed::default();
        let context =
            Context { facts: &facts, caps: self.policy.caps(), constraints: &[], allowed: &allowed, generated: false };
        let mut times: [Vec<Duration>; 6] = Default::default();
        for _ in 0..ROUNDS {
            let mut took = Vec::new();
            let mut timed = Instant::now();
            let mut lap = || {
                took.push(timed.elapsed());
                timed = Instant::now();
            };
            black_box(self.facts());
            lap();
            let proposal = parse(&self.text).unwrap();
            lap();
            let plan = seal::seal(proposal, &facts).unwrap();
            lap();
            let valid = check::check(plan, &context).unwrap();
            lap();
            let assessment = assess::assess(valid, &facts);
            lap();
            black_box(gate::decide(assessment, &self.policy, &ORDINARY));
            lap();
            times.iter_mut().zip(took).for_each(|(times, took)| times.push(took));
        }
        ["facts", "parse", "seal", "check", "assess", "decide"].into_iter().zip(times.map(least)).collect()
    }

    fn repeat(&self, rounds: usize) {
        let ours = std::env::var("EXACTA_BENCH_SIDE").is_ok_and(|side| side == "ours");
        for _ in 0..rounds {
            if ours {
                black_box(self.decide());
            } else {
                self.parse_and_hash();
            }
        }
    }
}

impl File {
    fn new(index: usize) -> Self {
        let path = RelPath::parse(&format!("src/file{index}.rs")).unwrap();
        Self { path, before: content(index, false).into_bytes(), after: content(index, true).into_bytes() }
    }

    /// A unified diff with three lines of context.
    fn diff(&self) -> String {
        let (before, after) = (std::str::from_utf8(&self.before).unwrap(), std::str::from_utf8(&self.after).unwrap());
        let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
        let mut text = format!("diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n", self.path);
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
}

/// A module of many small functions; changed, every tenth line differs. As `exacta-cli`'s benchmark has it.
fn content(file: usize, changed: bool) -> String {
    let line = |index: usize| {
        let suffix = if changed && index % 10 == 5 { " // counted" } else { "" };
        format!("fn f{file}_{index}() -> usize {{ {index} }}{suffix}\n")
    };
    (0..LINES).map(line).collect()
}

/// The least times of two things done in alternation.
fn race<O, T>(ours: impl Fn() -> O, theirs: impl Fn() -> T) -> (Duration, Duration) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        left.push(time(&ours));
        right.push(time(&theirs));
    }
    (least(left), least(right))
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn least(times: Vec<Duration>) -> Duration {
    times.into_iter().min().unwrap_or_default()
}
