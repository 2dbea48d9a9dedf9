//! Plans in the compact form of `tests/cases/attack*/*.plans`.
//!
//! `technique ID` (or `group ID`) opens a family; under it stand its `source`s, the words it hides behind (`ask`), the reasons
//! that would be right (`expect`, one is enough) and `verdict deny` where asking is too little. Each `plan NAME` has steps:
//! `create PATH` or `change PATH` with the lines of a diff (` ` kept, `-` gone, `+` new), or `diff PATH` with a diff as it is.
//! `note` is the steps' description, `world` what is at a target besides its file. In every text `\u{…}` is a character and
//! `\{}` nothing, so that the files hold neither hidden characters nor anything a scanner would take for a secret.

use exacta_kernel::facts::{Facts, FileContent, Obstacle, Target, TargetFact};
use exacta_kernel::path::RelPath;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    pub family: Arc<Family>,
    pub name: String,
    pub held_out: bool,
    ask: Option<String>,
    note: Option<String>,
    steps: Vec<Step>,
    worlds: Vec<(String, String)>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Family {
    pub id: String,
    pub sources: Vec<String>,
    pub expect: Vec<String>,
    pub deny: bool,
    ask: Option<String>,
}

#[derive(Debug, Clone)]
struct Step {
    kind: &'static str,
    path: String,
    lines: Vec<String>,
}

/// The set's files in the order of their names.
pub(super) fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Every plan of a set. Every third family, in the order of their ids, is held out.
pub(super) fn read(folder: &str) -> Vec<Plan> {
    let mut plans: Vec<Plan> = Vec::new();
    for file in files(folder) {
        plans.extend(read_file(&std::fs::read_to_string(file).unwrap()));
    }
    let mut ids: Vec<String> = plans.iter().map(|plan| plan.family.id.clone()).collect();
    ids.sort();
    ids.dedup();
    for plan in &mut plans {
        plan.held_out = ids.binary_search(&plan.family.id).unwrap() % 3 == 2;
    }
    plans
}

fn read_file(text: &str) -> Vec<Plan> {
    let mut plans: Vec<Plan> = Vec::new();
    let mut family = Family::default();
    let mut in_plan = false;
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line.starts_with([' ', '+', '-']) {
            let step = plans.last_mut().unwrap().steps.last_mut().unwrap_or_else(|| panic!("no step for {line:?}"));
            step.lines.push(expand(line));
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or_else(|| panic!("not a line of a plan: {line:?}"));
        let rest = expand(rest);
        match (word, in_plan) {
            ("technique" | "group", _) => (family, in_plan) = (Family { id: rest, ..Family::default() }, false),
            ("source", false) => family.sources.push(rest),
            ("expect", false) => family.expect = rest.split(' ').map(ToOwned::to_owned).collect(),
            ("verdict", false) => family.deny = rest == "deny",
            ("ask", false) => family.ask = Some(rest),
            ("plan", _) => {
                in_plan = true;
                plans.push(Plan { family: Arc::new(family.clone()), name: rest, ..Plan::default() });
            }
            _ => of_plan(plans.last_mut().unwrap(), word, &rest),
        }
    }
    plans
}

fn of_plan(plan: &mut Plan, word: &str, rest: &str) {
    let split = |at: &str| rest.split_once(at).map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let step = |kind| Step { kind, path: rest.to_owned(), lines: Vec::new() };
    match word {
        "ask" => plan.ask = Some(rest.to_owned()),
        "note" => plan.note = Some(rest.to_owned()),
        "world" => plan.worlds.push(split(" ")),
        "create" | "diff" => plan.steps.push(step(if word == "diff" { "diff" } else { "file_create" })),
        "change" => plan.steps.push(step("file_modify")),
        "mode" => plan.worlds.push((split(" ").0, format!("mode {}", split(" ").1))),
        _ => panic!("unknown word {word:?} in {:?}", plan.name),
    }
}

fn expand(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        if let Some(tail) = tail.strip_prefix("\\{}") {
            rest = tail;
        } else if let Some((digits, tail)) = tail.strip_prefix("\\u{").and_then(|tail| tail.split_once('}')) {
            out.push(char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap());
            rest = tail;
        } else {
            out.push('\\');
            rest = &tail[1..];
        }
    }
    out + rest
}

impl Plan {
    /// The targets of its steps.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| step.path.as_str())
    }

    /// The proposal as an agent would hand it in.
    pub fn proposal(&self) -> String {
        let ask = self.ask.as_ref().or(self.family.ask.as_ref()).unwrap_or(&self.name);
        let kind = if ask.starts_with("Fix ") { "FixBug" } else { "AddFeature" };
        let note = self.note.as_ref().unwrap_or(ask);
        let steps: Vec<Value> = self.steps.iter().enumerate().map(|(at, step)| self.step(at + 1, step, note)).collect();
        json!({ "schema": "exacta.plan/1", "intent": { "type": kind, "text": ask }, "steps": steps }).to_string()
    }

    /// The same plan with every file written in several steps: after each cut a step, the last one with the same bytes. A cut is
    /// the number of changed lines that are done by then; `deleted` puts a deletion before the last step. None where a step has
    /// no content of its own.
    pub fn split(&self, cuts: &[usize], deleted: bool) -> Option<String> {
        let mut proposal: Value = serde_json::from_str(&self.proposal()).unwrap();
        let mut split: Vec<Value> = Vec::new();
        for (step, whole) in self.steps.iter().zip(proposal["steps"].as_array()?) {
            let last = whole["content"].as_str()?;
            let mut contents: Vec<String> = cuts.iter().map(|cut| step.until(*cut)).collect();
            contents.push(last.to_owned());
            let mut now = (step.kind == "file_modify").then(|| step.side('-'));
            let mut dependencies = json!([]);
            let count = contents.len();
            for (at, content) in contents.into_iter().enumerate() {
                if now.as_ref() == Some(&content) {
                    continue;
                }
                let mut push = |kind: &str, content: Option<&str>| {
                    let id = format!("s{}", split.len() + 1);
                    let mut part = whole.clone();
                    (part["id"], part["order"]) = (json!(id), json!(split.len() + 1));
                    (part["type"], part["dependencies"]) = (json!(kind), dependencies.clone());
                    match content {
                        Some(content) => part["content"] = json!(content),
                        None => drop(part.as_object_mut().unwrap().remove("content")),
                    }
                    dependencies = json!([id]);
                    split.push(part);
                };
                if deleted && at + 1 == count && now.take().is_some() {
                    push("file_delete", None);
                }
                push(if now.is_some() { "file_modify" } else { "file_create" }, Some(&content));
                now = Some(content);
            }
        }
        proposal["steps"] = Value::Array(split);
        Some(proposal.to_string())
    }

    fn step(&self, number: usize, step: &Step, note: &str) -> Value {
        let mut value = json!({
            "id": format!("s{number}"), "order": number, "type": step.kind, "target": step.path,
            "description": note, "dependencies": [],
        });
        let mode =
            self.worlds.iter().find_map(|(path, world)| (*path == step.path).then(|| world.strip_prefix("mode "))?);
        if step.kind == "diff" {
            value["type"] = json!("file_create");
            value["diff"] = json!(step.lines.iter().map(|line| format!("{}\n", &line[1..])).collect::<String>());
        } else if let Some((old, new)) = mode.and_then(|mode| mode.split_once(' ')) {
            let (before, after) = (step.side('-').lines().count(), step.side('+').lines().count());
            let path = &step.path;
            let lines: String = step.lines.iter().map(|line| format!("{line}\n")).collect();
            value["diff"] = json!(format!(
                "diff --git a/{path} b/{path}\nold mode 100{old}\nnew mode 100{new}\n--- a/{path}\n+++ b/{path}\n@@ -1,{before} +1,{after} @@\n{lines}"
            ));
        } else {
            value["content"] = json!(step.side('+'));
        }
        value
    }

    /// The project as it is before the plan.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::new();
        let worlds: BTreeMap<&str, &str> =
            self.worlds.iter().map(|(path, world)| (path.as_str(), world.as_str())).collect();
        for step in &self.steps {
            let Ok(path) = RelPath::parse(&step.path) else { continue };
            let (word, rest) =
                worlds.get(step.path.as_str()).and_then(|world| world.split_once(' ')).unwrap_or_default();
            let file = || Target::File(Arc::new(FileContent::new(step.side('-').into_bytes(), 0o644)));
            let target = match (word, worlds.get(step.path.as_str())) {
                (_, Some(&"link")) => Target::Symlink,
                ("behind", _) => Target::Blocked { at: rest.to_owned(), by: Obstacle::Symlink },
                _ if step.kind == "file_modify" => file(),
                _ => Target::Absent,
            };
            let lookalikes = if word == "beside" { vec![rest.to_owned()] } else { Vec::new() };
            facts.insert(path, TargetFact { target, lookalikes, folds: false });
        }
        facts
    }
}

impl Step {
    /// The file when this many of its changed lines are done.
    fn until(&self, cut: usize) -> String {
        let mut changed = 0;
        let mut out = String::new();
        for line in &self.lines {
            let sign = line.chars().next().unwrap();
            changed += usize::from(sign != ' ');
            if sign == ' ' || (sign == '+') == (changed <= cut) {
                out.push_str(&line[1..]);
                out.push('\n');
            }
        }
        out
    }

    /// The file with the kept lines and those of one side.
    fn side(&self, sign: char) -> String {
        let lines = self.lines.iter().filter(|line| line.starts_with([' ', sign]));
        lines.map(|line| format!("{}\n", &line[1..])).collect()
    }
}
