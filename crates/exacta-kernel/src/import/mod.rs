//! Patches in other forms → proposals.
//!
//! What comes out is the text of a proposal, and goes through [`crate::parse`] like any other: nothing here is trusted by what
//! follows. Content is only looked up where a form leaves it out (a renamed file, a change without line numbers).

mod codex;
mod git;
mod mail;
mod tree;
mod utf8;

pub use codex::codex;
pub use git::git;
pub use tree::{FileChange, fields, size, tree};

use crate::diff::{self, Base, DiffError, Kind, Said};
use crate::facts::FileContent;
use crate::finding::Finding;
use crate::hash::Digest;
use crate::limit;
use crate::path::{PathError, RelPath};
use crate::plan::Content;
use crate::prelude::*;
use crate::proposal::{IntentKind, Payload, SCHEMA};
use crate::text;
use alloc::sync::Arc;
use base64ct::{Base64, Encoding as _};
use serde_json::{Value, json};

/// What a proposal answers, since a patch does not say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<'a> {
    /// What kind of request.
    pub intent: IntentKind,
    /// In words; left out, the patch's own subject.
    pub text: Option<&'a str>,
}

/// The content of a file as it is now, or `None` where there is none.
pub type Lookup<'l> = dyn FnMut(&RelPath) -> Option<Content> + 'l;

/// A patch that cannot be made into a proposal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// There is no change in it.
    #[error("the text holds no {0}")]
    Nothing(&'static str),
    /// Not well formed, or something that a step cannot express.
    #[error("{0}")]
    Malformed(DiffError),
    /// A line that does not belong where it is.
    #[error("line {line} of the patch: {problem}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong there.
        problem: &'static str,
    },
    /// A file whose names or lines are not UTF-8, which a proposal cannot hold.
    #[error("the change at line {line} of the patch is not UTF-8")]
    NotUtf8 {
        /// From 1.
        line: usize,
    },
    /// A name that is not a path beneath the project root.
    #[error("{0}")]
    Path(PathError),
    /// A change of a file that does not exist.
    #[error("`{path}` does not exist")]
    Missing {
        /// As it may be shown.
        path: String,
    },
    /// A change that does not fit the file as it is.
    #[error("`{path}`: {error}")]
    Misfit {
        /// As it may be shown.
        path: String,
        /// Why.
        error: DiffError,
    },
}

impl ImportError {
    /// What would fix it.
    #[must_use]
    pub fn hint(&self) -> &str {
        match self {
            Self::Nothing(_) => "a git diff, a unified diff or a codex patch is read",
            Self::Malformed(error) | Self::Misfit { error, .. } => error.hint(),
            Self::Line { .. } => "make the patch again; it may have been cut or edited",
            Self::NotUtf8 { .. } => "convert the file to UTF-8 first, or leave it out of the patch",
            Self::Path(error) => &error.hint,
            Self::Missing { .. } => "make the patch against the files as they are, from the project root",
        }
    }

    /// The same as a finding.
    #[must_use]
    pub fn into_finding(self) -> Finding {
        use crate::finding::Code;
        let code = match &self {
            Self::Nothing(_) | Self::Line { .. } | Self::NotUtf8 { .. } => Code::DiffInvalid,
            Self::Malformed(error) | Self::Misfit { error, .. } => error.code(),
            Self::Path(error) => error.code,
            Self::Missing { .. } => Code::TargetMissing,
        };
        let finding = Finding::new(code, self.to_string(), self.hint());
        match &self {
            Self::Missing { path } | Self::Misfit { path, .. } => finding.at_path(path),
            _ => finding,
        }
    }
}

/// The steps of a proposal in the making.
struct Draft<'l> {
    lookup: &'l mut Lookup<'l>,
    steps: Vec<Drafted>,
}

struct Drafted {
    kind: Kind,
    target: String,
    payload: Option<Payload>,
    description: String,
    /// What the file must be before the step, where its diff alone does not tell its place.
    base: Option<Digest>,
    /// Beside a payload that does not say it.
    executable: Option<bool>,
    /// The steps that must come before it.
    after: Vec<usize>,
}

impl<'l> Draft<'l> {
    fn new(lookup: &'l mut Lookup<'l>) -> Self {
        Self { lookup, steps: Vec::new() }
    }

    /// Adds a step; one on a file that an earlier step touches comes after that.
    fn add(&mut self, kind: Kind, target: &str, payload: Option<Payload>, description: String) {
        let after = self.steps.iter().rposition(|step| step.target == target).into_iter().collect();
        let target = target.to_owned();
        self.steps.push(Drafted { kind, target, payload, description, base: None, executable: None, after });
    }

    /// Adds a step that changes a file, given what it is before and after. Context that is not UTF-8 cannot stand in its diff;
    /// then it is for this very file.
    fn add_change(
        &mut self,
        path: &RelPath,
        before: &FileContent,
        after: &FileContent,
        line: usize,
        words: String,
    ) -> Result<(), ImportError> {
        if before == after {
            return Err(misfit(path, DiffError::NoChange));
        }
        let exact = diff::render_exact(path, Some(before), Some(after));
        let whole = core::str::from_utf8(&exact).is_ok();
        self.add(Kind::Modify, path.as_str(), Some(Payload::Diff(utf8::text(&exact, line)?)), words);
        self.steps.last_mut().into_iter().for_each(|step| step.base = (!whole).then(|| before.sha256()));
        Ok(())
    }

    /// Adds the steps of a move: the new file with its content, then the end of the old one.
    fn add_move(&mut self, from: &RelPath, to: &RelPath, after: &FileContent, line: usize) -> Result<(), ImportError> {
        self.add_new(to, after, line, format!("create `{to}` with the content of `{from}`, which is renamed"))?;
        let created = self.steps.len() - 1;
        self.add(Kind::Delete, from.as_str(), None, format!("delete `{from}`, which is renamed to `{to}`"));
        self.steps.last_mut().into_iter().for_each(|step| step.after.push(created));
        Ok(())
    }

    fn add_new(
        &mut self,
        path: &RelPath,
        content: &FileContent,
        line: usize,
        words: String,
    ) -> Result<(), ImportError> {
        if text::is_text(content.bytes()) {
            let diff = utf8::text(&diff::render_exact(path, None, Some(content)), line)?;
            self.add(Kind::Create, path.as_str(), Some(Payload::Diff(diff)), words);
            return Ok(());
        }
        if content.size() > limit::BINARY as u64 {
            return Err(misfit(path, DiffError::BytesTooLarge { size: content.size() }));
        }
        self.add(Kind::Create, path.as_str(), Some(Payload::Bytes(content.bytes().to_vec())), words);
        self.steps.last_mut().into_iter().for_each(|step| step.executable = content.is_executable().then_some(true));
        Ok(())
    }

    /// What a file is after the first steps.
    fn content(&mut self, path: &RelPath, steps: usize) -> Result<Content, ImportError> {
        let mut now = (self.lookup)(path);
        for step in self.steps.iter().take(steps).filter(|step| step.target == path.as_str()) {
            let base = if step.base.is_some() { Base::Seen } else { Base::Unknown };
            let said = Said { base, executable: step.executable };
            let after = diff::materialise_on(said, step.kind, step.payload.as_ref(), path, now.as_deref());
            now = after.map_err(|error| misfit(path, error))?.map(Arc::new);
        }
        now.ok_or_else(|| ImportError::Missing { path: text::excerpt(path.as_str(), 120) })
    }

    /// Deletions that make room for a new file come first: of a file where a folder is to be, and of what is in a folder where a file
    /// is to be. Of a move, too.
    fn make_room(&mut self) {
        let is_beneath = |path: &str, folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let makes_room = |step: &Drafted, new: &Drafted| {
            let related = is_beneath(&step.target, &new.target) || is_beneath(&new.target, &step.target);
            related && matches!((step.kind, new.kind), (Kind::Delete, Kind::Create))
        };
        let first: Vec<bool> =
            self.steps.iter().map(|step| self.steps.iter().any(|new| makes_room(step, new))).collect();
        let is_first = |index: &usize| first.get(*index) == Some(&true);
        if !first.contains(&true) {
            return;
        }
        let (early, late): (Vec<usize>, Vec<usize>) = (0..self.steps.len()).partition(is_first);
        let order: Vec<usize> = early.into_iter().chain(late).collect();
        let place = |old: &usize| order.iter().position(|index| index == old);
        let mut old: Vec<Option<Drafted>> = core::mem::take(&mut self.steps).into_iter().map(Some).collect();
        let steps = order.iter().filter_map(|index| {
            let mut step = old.get_mut(*index)?.take()?;
            step.after = if is_first(index) { Vec::new() } else { step.after.iter().filter_map(place).collect() };
            Some(step)
        });
        self.steps = steps.collect();
    }

    fn finish(mut self, request: &Request<'_>, subject: Option<&str>) -> String {
        self.make_room();
        let id = |index: usize| format!("step-{}", index + 1);
        let step = |(index, step): (usize, &Drafted)| {
            let mut value = json!({
                "id": id(index),
                "order": index + 1,
                "type": step.kind.step_type(),
                "target": step.target,
                "description": step.description,
                "dependencies": step.after.iter().map(|index| id(*index)).collect::<Vec<_>>(),
            });
            if let Some(value) = value.as_object_mut() {
                value.extend(step.fields().map(|(name, field)| (name.to_owned(), field)));
            }
            value
        };
        let steps: Vec<Value> = self.steps.iter().enumerate().map(step).collect();
        let text = request
            .text
            .or(subject)
            .map_or_else(|| format!("apply a patch of {}", counted(steps.len())), ToOwned::to_owned);
        let intent = json!({ "type": request.intent.name(), "text": text });
        json!({ "schema": SCHEMA, "intent": intent, "steps": steps }).to_string()
    }
}

impl Drafted {
    /// What the step has beside the fields of every step.
    fn fields(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let change = match &self.payload {
            Some(Payload::Diff(diff)) => Some(("diff", json!(diff))),
            Some(Payload::Bytes(bytes)) => Some(("content_base64", json!(base64(bytes)))),
            _ => None,
        };
        let mode = self.executable.map(|yes| ("mode", json!(if yes { "100755" } else { "100644" })));
        let base = self.base.map(|base| ("base_sha256", json!(base)));
        [change, mode, base].into_iter().flatten()
    }
}

fn base64(bytes: &[u8]) -> String {
    let mut room = vec![0; bytes.len().div_ceil(3) * 4];
    Base64::encode(bytes, &mut room).map(ToOwned::to_owned).unwrap_or_default()
}

fn counted(steps: usize) -> String {
    if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") }
}

/// What a step does, as far as a patch tells.
fn description(kind: Kind, target: &str) -> String {
    let verb = match kind {
        Kind::Create => "create",
        Kind::Modify => "change",
        Kind::Delete => "delete",
    };
    format!("{verb} `{}` as the patch says", text::excerpt(target, 200))
}

fn misfit(path: &RelPath, error: DiffError) -> ImportError {
    ImportError::Misfit { path: text::excerpt(path.as_str(), 120), error }
}

fn text_of(bytes: &[u8], line: usize) -> Result<&str, ImportError> {
    core::str::from_utf8(bytes).map_err(|_| ImportError::NotUtf8 { line })
}

fn rel_path(name: &[u8], line: usize) -> Result<RelPath, ImportError> {
    RelPath::parse(text_of(name, line)?).map_err(ImportError::Path)
}
