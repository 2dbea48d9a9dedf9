//! Proposal → plan: every file change turned into exact after-bytes, and the content hash.

use crate::diff::{self, Base, DiffError, Kind, Said};
use crate::facts::{Facts, FileContent, Obstacle, Target, TargetFact};
use crate::finding::{Code, Finding};
use crate::hash::{Digest, canonical_hash};
use crate::kept;
use crate::path::RelPath;
use crate::plan::{Content, Effect, Plan};
use crate::prelude::*;
use crate::proposal::{Action, Payload, Proposal, Step};
use alloc::borrow::Cow;
use alloc::sync::Arc;
use serde_json::{Map, Value, json};

/// The most file steps that are turned into bytes. No policy allows more, so [`crate::check`] refuses the rest anyway.
const MAX_STEPS: usize = 500;

/// Turns a proposal into a plan, given what its targets are now.
///
/// A step that cannot be turned into bytes becomes a finding that [`crate::check`] reports with the others.
///
/// # Errors
/// Only where canonical JSON cannot be written, which the strict reader rules out.
pub fn seal(proposal: Proposal, facts: &Facts) -> Result<Plan, serde_json::Error> {
    let mut sealing =
        Sealing { facts, now: BTreeMap::new(), failed: BTreeSet::new(), effects: Vec::new(), failures: Vec::new() };
    let mut order: Vec<usize> = (0..proposal.steps.len()).collect();
    order.sort_by_key(|index| (proposal.steps.get(*index).map(|step| step.order), *index));
    let file_step = |index: usize| proposal.steps.get(index).filter(|step| step.action.is_file());
    for (index, step) in order.into_iter().filter_map(|index| Some((index, file_step(index)?))).take(MAX_STEPS) {
        sealing.step(index, step);
    }
    let Sealing { effects, failures, .. } = sealing;
    let content_hash = content_hash(&proposal, &effects)?;
    let wholes = crate::plan::wholes(&effects);
    let adopts = facts.base().is_some();
    Ok(Plan { proposal, effects, wholes, failures, content_hash, adopts })
}

/// What is wrong with the targets of steps whose proposal was refused for something else ([`crate::parse::readable`]).
#[must_use]
pub fn failures(steps: &[(usize, Step)], facts: &Facts) -> Vec<Finding> {
    let mut sealing =
        Sealing { facts, now: BTreeMap::new(), failed: BTreeSet::new(), effects: Vec::new(), failures: Vec::new() };
    for (index, step) in steps.iter().filter(|(_, step)| step.action.is_file()).take(MAX_STEPS) {
        sealing.step(*index, step);
    }
    sealing.failures
}

/// The walk through the file steps, in order, each seeing what the ones before it left.
struct Sealing<'a> {
    facts: &'a Facts,
    now: BTreeMap<RelPath, Option<Content>>,
    failed: BTreeSet<RelPath>,
    effects: Vec<Effect>,
    failures: Vec<Finding>,
}

impl Sealing<'_> {
    fn step(&mut self, index: usize, step: &Step) {
        let place = |finding: Finding| finding.in_step(&step.id).at(format!("/steps/{index}"));
        let path = match RelPath::parse(&step.target) {
            Ok(path) => path,
            Err(error) => return self.failures.push(place(error.into_finding())),
        };
        // What a failed step would have left is not known, so later steps on its file are not judged.
        if self.failed.contains(&path) {
            return;
        }
        match self.effect(index, step, path.clone()) {
            Ok(effect) => {
                self.now.insert(path, effect.after.clone());
                self.effects.push(effect);
            }
            Err(findings) => {
                let placed = findings.into_iter().map(|(within, finding)| {
                    finding.at_path(path.as_str()).in_step(&step.id).at(format!("/steps/{index}{within}"))
                });
                self.failures.extend(placed);
                self.failed.insert(path);
            }
        }
    }

    fn effect(&self, index: usize, step: &Step, path: RelPath) -> Result<Effect, Vec<Placed>> {
        let whole = |finding: Finding| vec![(String::new(), finding)];
        let before = match self.now.get(&path) {
            Some(content) => content.clone(),
            None => self.before(&path).map_err(whole)?,
        };
        let base = matches_base(step, before.as_deref()).map_err(whole)?;
        let (kind, payload) = match &step.action {
            Action::FileCreate(payload) => (Kind::Create, Some(Cow::Borrowed(payload))),
            Action::FileModify(payload) => (Kind::Modify, Some(Cow::Borrowed(payload))),
            Action::FileDelete { diff } => (Kind::Delete, diff.clone().map(|diff| Cow::Owned(Payload::Diff(diff)))),
            Action::Build | Action::Primitive { .. } | Action::ToolCall { .. } => {
                return Err(whole(Finding::new(Code::SchemaInvalid, "not a file step", "use a file step type")));
            }
        };
        let said = Said { base, executable: step.executable };
        let after = diff::materialise_on(said, kind, payload.as_deref(), &path, before.as_deref())
            .map_err(|error| misfits(error, payload.as_deref(), before.as_deref()))?
            .map(Arc::new);
        let after = self.adopted(&path, after).map_err(whole)?;
        Ok(Effect::new(index, path, before, after))
    }

    /// What a step begins with: the target as it is, or, where that is adopted, as the commit has it that is checked out.
    fn before(&self, path: &RelPath) -> Result<Option<Content>, Finding> {
        let Some(base) = self.facts.base() else { return self.content(path) };
        match base.get(path) {
            Some(Some(content)) => Ok(Some(match self.present(path)? {
                // Of a mode git knows whether a file can be executed; the rest is as it lies there.
                Some(now) => {
                    let mode = now.made_executable(content.is_executable()).mode();
                    Arc::new(FileContent::new(content.bytes().to_vec(), mode))
                }
                None => content.clone(),
            })),
            Some(None) => Ok(None),
            None => Err(Finding::new(
                Code::TargetUnusable,
                format!("nothing is known about `{path}` in the commit that is checked out"),
                "run the command again",
            )),
        }
    }

    /// What a step leaves: as it says, or, where that is adopted, what lies there, which must be the same.
    fn adopted(&self, path: &RelPath, after: Option<Content>) -> Result<Option<Content>, Finding> {
        if self.facts.base().is_none() {
            return Ok(after);
        }
        match (after, self.present(path)?) {
            (None, None) => Ok(None),
            (Some(after), Some(now))
                if (after.sha256(), after.is_executable()) == (now.sha256(), now.is_executable()) =>
            {
                Ok(Some(now))
            }
            _ => Err(Finding::new(
                Code::TargetChanged,
                format!("`{path}` is not in the work tree as the step says, so it cannot be adopted"),
                "adopt what is there now, or submit the change as a plan that writes it",
            )),
        }
    }

    /// The file that lies at a target, if there is one.
    fn present(&self, path: &RelPath) -> Result<Option<Content>, Finding> {
        match self.facts.get(path).map(|TargetFact { target, .. }| target) {
            Some(Target::Directory { .. } | Target::Blocked { by: Obstacle::NotAFolder, .. }) => Ok(None),
            _ => self.content(path),
        }
    }

    /// Whether the steps so far delete all of these files, and there are some.
    fn empties(&self, files: &[RelPath]) -> bool {
        !files.is_empty() && files.iter().all(|file| matches!(self.now.get(file), Some(None)))
    }

    /// Whether the steps so far delete this file.
    fn deletes(&self, at: &str) -> bool {
        RelPath::parse(at).is_ok_and(|at| matches!(self.now.get(&at), Some(None)))
    }

    fn content(&self, path: &RelPath) -> Result<Option<Content>, Finding> {
        let unusable = |message: String, hint: &str| Err(Finding::new(Code::TargetUnusable, message, hint));
        match self.facts.get(path).map(|TargetFact { target, .. }| target) {
            Some(Target::Absent) => Ok(None),
            Some(Target::File(content)) => Ok(Some(content.clone())),
            Some(Target::TooLarge { size }) => Err(Finding::new(
                Code::TargetTooLarge,
                format!("`{path}` has {size} bytes; a target may have at most 64 MiB, and all together 1 GiB"),
                "leave this file out of the plan",
            )),
            Some(Target::Symlink) => Err(Finding::new(
                Code::PathOutside,
                format!("`{path}` is a symbolic link"),
                "name the file it points to, if that is inside the project",
            )),
            // Steps before this one delete what is in the folder, or on the way: it gives way.
            Some(Target::Directory { files: Some(files) }) if self.empties(files) => Ok(None),
            Some(Target::Blocked { at, by: Obstacle::NotAFolder }) if self.deletes(at) => Ok(None),
            Some(Target::Directory { .. }) => unusable(format!("`{path}` is a folder"), "name a file"),
            Some(Target::Special) => unusable(format!("`{path}` is not a regular file"), "name a regular file"),
            Some(Target::Unreadable { reason }) => {
                unusable(format!("`{path}` cannot be read: {reason}"), "make it readable for the user who runs exacta")
            }
            Some(Target::Blocked { at, by }) => Err(blocked(path, at, *by)),
            None => unusable(format!("nothing is known about `{path}`"), "run the command again"),
        }
    }
}

/// A finding, and where in its step it is: the rest of a JSON pointer.
type Placed = (String, Finding);

/// Every edit or hunk that does not fit, with what in the file is nearest to it.
fn misfits(error: DiffError, payload: Option<&Payload>, before: Option<&FileContent>) -> Vec<Placed> {
    let bytes = before.map(FileContent::bytes).unwrap_or_default();
    let of_diff = matches!(payload, Some(Payload::Diff(_)));
    let placed = |it: diff::Misplaced| {
        let in_diff = of_diff && matches!(it.error, DiffError::Context { .. } | DiffError::Invalid { .. });
        let within = match it.edit {
            Some(edit) => format!("/edits/{edit}"),
            None if in_diff => "/diff".to_owned(),
            None => String::new(),
        };
        (within, it.into_finding())
    };
    diff::explain(error, payload, bytes).into_iter().map(placed).collect()
}

fn blocked(path: &RelPath, at: &str, by: Obstacle) -> Finding {
    let (code, what) = match by {
        Obstacle::Symlink => (Code::PathOutside, "a symbolic link"),
        Obstacle::NotAFolder => (Code::PathInvalid, "not a folder"),
        Obstacle::Mount => (Code::PathOutside, "on another file system"),
    };
    Finding::new(
        code,
        format!("`{at}`, on the way to `{path}`, is {what}"),
        "use a path of real folders inside the project",
    )
}

fn matches_base(step: &Step, before: Option<&FileContent>) -> Result<Base, Finding> {
    let Some(base) = step.base_sha256 else { return Ok(Base::Unknown) };
    let now = before.map(FileContent::sha256);
    if now == Some(base) {
        return Ok(Base::Seen);
    }
    Err(Finding::new(
        Code::TargetChanged,
        "the file is not in the state its author saw (`base_sha256` differs)",
        "read the file again and make the plan from its present content",
    ))
}

/// The content hash: the proposal's own object, with each file payload replaced by its before and after. A payload that
/// could not be turned into bytes stays as it is.
fn content_hash(proposal: &Proposal, effects: &[Effect]) -> Result<Digest, serde_json::Error> {
    let effects: BTreeMap<usize, &Effect> = effects.iter().map(|effect| (effect.step, effect)).collect();
    let steps = proposal.document.get("steps").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let steps = steps.iter().enumerate().map(|(index, step)| match (step.as_object(), effects.get(&index)) {
        (Some(step), Some(effect)) => Value::Object(sealed(step, effect)),
        _ => step.clone(),
    });
    let rest = proposal.document.iter().filter(|(key, _)| *key != "steps");
    let mut document: Map<String, Value> = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
    document.insert("steps".to_owned(), Value::Array(steps.collect()));
    canonical_hash(&document)
}

/// The fields that say what becomes of a file, in whatever form.
const PAYLOAD: &[&str] = &["diff", "edits", "content", "content_base64", "mode", kept::FIELD];

/// A file step with its exact effect in place of its payload.
fn sealed(step: &Map<String, Value>, effect: &Effect) -> Map<String, Value> {
    let rest = step.iter().filter(|(key, _)| !PAYLOAD.contains(&key.as_str()));
    let mut sealed: Map<String, Value> = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
    sealed.insert("before".to_owned(), portable(effect.before.as_deref()));
    sealed.insert("after".to_owned(), portable(effect.after.as_deref()));
    sealed
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
