//! A full assessment against parsing the same files once: `cargo bench -p exacta-source`.
//!
//! Ratios of medians, taken in alternation, so that whatever else the machine does hits both sides. With
//! `EXACTA_BENCH_ROUNDS=n` the work of one side (`EXACTA_BENCH_SIDE=ours` or `theirs`) is done n times and nothing is
//! measured, for counting instructions with `valgrind --tool=callgrind`.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::float_arithmetic,
    reason = "a benchmark prints ratios and may stop"
)]

use exacta_kernel::check::{self, Allowed, Context, ValidPlan};
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::{assess, seal};
use serde_json::json;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FILES: usize = 10;
const LINES: usize = 1000;
const ROUNDS: usize = 40;

fn main() {
    // `cargo test` builds and starts benches too; only `cargo bench` measures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let cases = [Case::new("rs", rust), Case::new("py", python), Case::new("ts", script)];
    if let Some(rounds) = std::env::var("EXACTA_BENCH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()) {
        return cases.iter().for_each(|case| case.repeat(rounds));
    }
    println!("| assessment of 10 files of 1 000 lines | ratio to parsing them | ours | theirs |");
    println!("|---|---|---|---|");
    for case in &cases {
        let (ours, theirs) = case.race();
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        println!("| `.{}` | {ratio:.2} | {ours:.2?} | {theirs:.2?} |", case.extension);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    println!("\npeak memory: {}", peak.trim_start_matches("VmHWM:").trim());
}

/// Ten files in memory, and a plan that changes each of them.
struct Case {
    extension: &'static str,
    files: Vec<(RelPath, String, String)>,
    proposal: String,
}

impl Case {
    fn new(extension: &'static str, block: fn(usize, bool) -> String) -> Self {
        let is_changed = |index: &usize| index % 10 == 5;
        let content = |file: usize, changed: bool| {
            let blocks = (0..LINES / 10).map(|index| block(file * LINES + index, changed && is_changed(&index)));
            blocks.collect::<String>()
        };
        let edits = |file: usize| -> Vec<_> {
            let blocks = (0..LINES / 10).filter(is_changed).map(|index| file * LINES + index);
            blocks.map(|block_of| json!({ "find": block(block_of, false), "replace": block(block_of, true) })).collect()
        };
        let file = |index: usize| {
            let path = RelPath::parse(&format!("src/file{index}.{extension}")).unwrap();
            (path, content(index, false), content(index, true))
        };
        let files: Vec<_> = (0..FILES).map(file).collect();
        let steps: Vec<_> = files
            .iter()
            .enumerate()
            .map(|(index, (path, ..))| {
                json!({ "id": format!("s{index}"), "order": index + 1, "type": "file_modify", "target": path.as_str(),
                    "description": "count what is passed over", "dependencies": [], "edits": edits(index) })
            })
            .collect();
        let intent = json!({ "type": "AddFeature", "text": "count what is passed over in every module" });
        let proposal = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": steps }).to_string();
        Self { extension, files, proposal }
    }

    /// A plan of its own for each round, since a plan remembers how its files compare.
    fn plan(&self) -> (ValidPlan, Facts) {
        let mut facts = Facts::new();
        for (path, before, _) in &self.files {
            let target = Target::File(Arc::new(FileContent::new(before.clone().into_bytes(), 0o644)));
            facts.insert(path.clone(), TargetFact { target, lookalikes: Vec::new(), folds: false });
        }
        let plan = seal::seal(parse(self.proposal.as_bytes()).unwrap(), &facts).unwrap();
        let context = Context {
            facts: &facts,
            caps: &Caps::default(),
            constraints: &[],
            allowed: &Allowed::default(),
            generated: false,
        };
        (check::check(plan, &context).unwrap(), facts)
    }

    fn assess(plan: ValidPlan, facts: &mut Facts) {
        facts.set_source(exacta_source::read(plan.plan()));
        black_box(assess::assess(plan, facts));
    }

    fn parse_only(&self) {
        let language = match self.extension {
            "rs" => tree_sitter_rust::LANGUAGE.into(),
            "py" => tree_sitter_python::LANGUAGE.into(),
            _ => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        };
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&language).unwrap();
        for (_, before, after) in &self.files {
            black_box(parser.parse(before, None));
            black_box(parser.parse(after, None));
        }
    }

    fn race(&self) -> (Duration, Duration) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (plan, mut facts) = self.plan();
            let start = Instant::now();
            Self::assess(plan, &mut facts);
            ours.push(start.elapsed());
            let start = Instant::now();
            self.parse_only();
            theirs.push(start.elapsed());
        }
        (median(ours), median(theirs))
    }

    fn repeat(&self, rounds: usize) {
        let ours = std::env::var("EXACTA_BENCH_SIDE").is_ok_and(|side| side == "ours");
        let (plan, mut facts) = self.plan();
        for _ in 0..rounds {
            if ours {
                Self::assess(plan.clone(), &mut facts);
            } else {
                self.parse_only();
            }
        }
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Ten lines of Rust.
fn rust(index: usize, changed: bool) -> String {
    let more = if changed { " && self.limit > 0" } else { "" };
    format!(
        "/// Passes over what is not wanted, and says how much of `{index}` is left.\npub fn pass_{index}(items: &[Item], wanted: &str) -> Result<usize, Error> {{\n    let mut left = 0;\n    for item in items.iter().filter(|item| !item.name.is_empty()) {{\n        if item.name == wanted && item.size > {index}{more} {{\n            left += item.size.checked_sub({index}).ok_or(Error::TooSmall)?;\n        }}\n    }}\n    Ok(left)\n}}\n"
    )
}

/// Ten lines of Python.
fn python(index: usize, changed: bool) -> String {
    let more = if changed { " and self.limit > 0" } else { "" };
    format!(
        "def pass_{index}(items, wanted=None):\n    \"\"\"Passes over what is not wanted.\"\"\"\n    left = 0\n    for item in (it for it in items if it.name):\n        if item.name == wanted and item.size > {index}{more}:\n            left += item.size - {index}\n        elif item.size < 0:\n            raise ValueError(f\"too small: {{item.name}}\")\n    return left\n\n"
    )
}

/// Ten lines of TypeScript.
fn script(index: usize, changed: bool) -> String {
    let more = if changed { " && limit > 0" } else { "" };
    format!(
        "/** Passes over what is not wanted. */\nexport function pass{index}(items: Item[], wanted?: string): number {{\n  let left = 0\n  for (const item of items.filter((it) => it.name.length > 0)) {{\n    if (item.name === wanted && item.size > {index}{more}) {{\n      left += item.size - {index}\n    }}\n  }}\n  return left\n}}\n"
    )
}
