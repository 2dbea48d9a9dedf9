//! Proposal → plan: every file change turned into exact after-bytes, and the content hash.

use crate::diff::{self, Kind};
use crate::facts::{FileContent, Facts, Target, TargetFact};
use crate::finding::{Code, Finding};
use crate::hash::{Digest, canonical_hash};
use crate::path::RelPath;
use crate::plan::{Content, Effect, Plan};
use crate::prelude::*;
use crate::proposal::{Action, Payload, Proposal, Step};
use alloc::sync::Arc;
use serde_json::{Value, json};

/// Turns a proposal into a plan, given what its targets are now.
///
/// Never fails: a step that cannot be turned into bytes becomes a finding that [`crate::check`] reports with the others.
///
/// # Errors
/// Only where canonical JSON cannot be written, which the strict reader rules out.
pub fn seal(proposal: Proposal, facts: &Facts) -> Result<Plan, serde_json::Error> {
    let mut sealing = Sealing { facts, now: BTreeMap::new(), effects: Vec::new(), failures: Vec::new() };
    let mut order: Vec<usize> = (0..proposal.steps.len()).collect();
    order.sort_by_key(|index| (proposal.steps.get(*index).map(|step| step.order), *index));
    for index in order {
        if let Some(step) = proposal.steps.get(index)
            && step.action.is_file()
        {
            sealing.step(index, step);
        }
    }
    let Sealing { effects, failures, .. } = sealing;
    let content_hash = content_hash(&proposal, &effects)?;
    Ok(Plan { proposal, effects, failures, content_hash })
}

/// The walk through the file steps, in order, each seeing what the ones before it left.
struct Sealing<'a> {
    facts: &'a Facts,
    now: BTreeMap<RelPath, Option<Content>>,
    effects: Vec<Effect>,
    failures: Vec<Finding>,
}

impl Sealing<'_> {
    fn step(&mut self, index: usize, step: &Step) {
        let result = RelPath::parse(&step.target)
            .map_err(|error| error.into_finding())
            .and_then(|path| self.effect(index, step, path))
            .map_err(|finding| finding.in_step(&step.id).at_path(&step.target).at(format!("/steps/{index}")));
        match result {
            Ok(effect) => {
                self.now.insert(effect.path.clone(), effect.after.clone());
                self.effects.push(effect);
            }
            Err(finding) => self.failures.push(finding),
        }
    }

    fn effect(&self, index: usize, step: &Step, path: RelPath) -> Result<Effect, Finding> {
        let before = match self.now.get(&path) {
            Some(content) => content.clone(),
            None => self.content(&path)?,
        };
        matches_base(step, before.as_deref())?;
        let (kind, payload) = match &step.action {
            Action::FileCreate(payload) => (Kind::Create, Some(payload.clone())),
            Action::FileModify(payload) => (Kind::Modify, Some(payload.clone())),
            Action::FileDelete { diff } => (Kind::Delete, diff.clone().map(Payload::Diff)),
            Action::Build | Action::Primitive { .. } | Action::ToolCall { .. } => {
                return Err(Finding::new(Code::SchemaInvalid, "not a file step", "use a file step type"));
            }
        };
        presence(kind, before.is_some())?;
        let after = diff::materialise(kind, payload.as_ref(), &path, before.as_deref())
            .map_err(diff::DiffError::into_finding)?
            .map(Arc::new);
        Ok(Effect { step: index, path, before, after })
    }

    fn content(&self, path: &RelPath) -> Result<Option<Content>, Finding> {
        let unusable = |message: String, hint: &str| Err(Finding::new(Code::TargetUnusable, message, hint));
        match self.facts.get(path).map(|TargetFact { target, .. }| target) {
            Some(Target::Absent) => Ok(None),
            Some(Target::File(content)) => Ok(Some(content.clone())),
            Some(Target::TooLarge { size }) => Err(Finding::new(
                Code::TargetTooLarge,
                format!("`{path}` has {size} bytes; at most 64 MiB can be changed"),
                "leave this file out of the plan",
            )),
            Some(Target::Symlink) => Err(Finding::new(
                Code::PathOutside,
                format!("`{path}` is a symbolic link"),
                "name the file it points to, if that is inside the project",
            )),
            Some(Target::Directory) => unusable(format!("`{path}` is a folder"), "name a file"),
            Some(Target::Special) => unusable(format!("`{path}` is not a regular file"), "name a regular file"),
            Some(Target::Unreadable { reason }) => {
                unusable(format!("`{path}` cannot be read: {reason}"), "make it readable for the user who runs exacta")
            }
            Some(Target::Blocked { at, by }) => Err(blocked(path, at, *by)),
            None => unusable(format!("nothing is known about `{path}`"), "run the command again"),
        }
    }
}

fn blocked(path: &RelPath, at: &str, by: crate::facts::Obstacle) -> Finding {
    use crate::facts::Obstacle;
    let (code, what) = match by {
        Obstacle::Symlink => (Code::PathOutside, "a symbolic link"),
        Obstacle::NotAFolder => (Code::PathInvalid, "not a folder"),
        Obstacle::Mount => (Code::PathOutside, "on another file system"),
    };
    Finding::new(code, format!("`{at}`, on the way to `{path}`, is {what}"), "use a path of real folders inside the project")
}

fn presence(kind: Kind, exists: bool) -> Result<(), Finding> {
    match (kind, exists) {
        (Kind::Create, true) => Err(Finding::new(
            Code::TargetExists,
            "the file to create exists already",
            "use `file_modify`, or choose another name",
        )),
        (Kind::Modify | Kind::Delete, false) => Err(Finding::new(
            Code::TargetMissing,
            "the file does not exist",
            "use `file_create`, or check the path against the project",
        )),
        _ => Ok(()),
    }
}

fn matches_base(step: &Step, before: Option<&FileContent>) -> Result<(), Finding> {
    let Some(base) = step.base_sha256 else { return Ok(()) };
    let now = before.map(FileContent::sha256);
    if now == Some(base) {
        return Ok(());
    }
    Err(Finding::new(
        Code::TargetChanged,
        "the file is not in the state its author saw (`base_sha256` differs)",
        "read the file again and make the plan from its present content",
    ))
}

/// The content hash: the proposal's own object, with each file payload replaced by its before and after.
fn content_hash(proposal: &Proposal, effects: &[Effect]) -> Result<Digest, serde_json::Error> {
    const PAYLOADS: [&str; 3] = ["diff", "edits", "content"];
    let mut document = serde_json::Map::new();
    for (key, value) in proposal.document.iter().filter(|(key, _)| *key != "steps") {
        document.insert(key.clone(), value.clone());
    }
    let steps = proposal.document.get("steps").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let steps = steps.iter().enumerate().map(|(index, step)| {
        let Some(step) = step.as_object() else { return step.clone() };
        let is_file = proposal.steps.get(index).is_some_and(|step| step.action.is_file());
        let mut sealed: serde_json::Map<String, Value> = step
            .iter()
            .filter(|(key, _)| !is_file || !PAYLOADS.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if is_file {
            let effect = effects.iter().find(|effect| effect.step == index);
            sealed.insert("before".to_owned(), effect.map_or(Value::Null, |effect| portable(effect.before.as_deref())));
            sealed.insert("after".to_owned(), effect.map_or(Value::Null, |effect| portable(effect.after.as_deref())));
        }
        Value::Object(sealed)
    });
    document.insert("steps".to_owned(), Value::Array(steps.collect()));
    canonical_hash(&document)
}

/// A file's state as every machine sees it: like git, only the executable bit counts, not the umask.
fn portable(content: Option<&FileContent>) -> Value {
    content.map_or_else(
        || json!("absent"),
        |file| {
            let mode = if file.is_executable() { "100755" } else { "100644" };
            json!({ "sha256": file.sha256(), "size": file.size(), "mode": mode })
        },
    )
}
