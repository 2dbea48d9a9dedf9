//! A copy against the project as it is now: what can become a plan, what cannot, and where both went their own ways.

use super::error;
use crate::app::App;
use crate::error::Error;
use exacta_agent::difference::{Changed, Rest, Why, compare};
use exacta_agent::place::{Note, Place};
use exacta_agent::tree::{Entry, Name};
use exacta_agent::walk::{Kept, tree};
use exacta_exec::look::TARGET_CAP;
use exacta_kernel::diff::{self, DiffError};
use exacta_kernel::facts::{FileContent, Target};
use exacta_kernel::import::{self, FileChange, ImportError};
use exacta_kernel::parse::Size;
use exacta_kernel::path::RelPath;
use rustix::fd::{AsFd as _, OwnedFd};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What an agent changed in its copy.
#[derive(Debug, Clone, Serialize)]
pub struct AgentDifference {
    /// The copy.
    pub name: String,
    /// What a plan carries, by path.
    pub files: Vec<ChangedFile>,
    /// What it cannot.
    pub rest: Vec<Rest>,
    /// What the project changed since in another way.
    pub apart: Vec<String>,
    /// The same as `files`, to the byte.
    #[serde(skip)]
    pub(super) changes: Vec<FileChange>,
}

/// One file of a difference.
#[derive(Debug, Clone, Serialize)]
pub struct ChangedFile {
    /// Where it is.
    pub path: String,
    /// `create`, `modify` or `delete`.
    pub kind: &'static str,
    /// Lines that come.
    pub added: u64,
    /// Lines that go.
    pub removed: u64,
    /// All of it, as a unified diff.
    pub diff: String,
}

/// What became of one file.
enum Fate {
    /// A plan can do it.
    Plan(FileChange),
    /// The project is like that already.
    Done,
    /// A plan cannot.
    Rest(Why),
    /// The project has something else than the copy began with.
    Apart,
}

impl App {
    /// Compares a copy with what it was and with the project as it is now. The copy is read by held handles; nothing in it is believed.
    pub(super) fn compare(&self, place: &Place, note: &Note) -> Result<AgentDifference, Error> {
        let copy = exacta_agent::hold(&place.copy()).map_err(error)?;
        let now = tree(copy.as_fd(), &Kept::of(&note.base)).map_err(error)?;
        let found = compare(&note.base, &now);
        let gone: BTreeSet<&RelPath> =
            found.changed.iter().filter(|changed| changed.after.is_none()).map(|changed| &changed.path).collect();
        let largest = Size::of(self.in_force()?.policy.caps());
        let mut difference = AgentDifference {
            name: place.name().to_owned(),
            files: Vec::new(),
            rest: found.rest,
            apart: Vec::new(),
            changes: Vec::new(),
        };
        for changed in &found.changed {
            match self.fate(&copy, changed, &gone, largest) {
                Fate::Plan(change) => {
                    difference.files.push(shown(&change));
                    difference.changes.push(change);
                }
                Fate::Done => {}
                Fate::Rest(why) => difference.rest.push(Rest { path: changed.path.to_string(), why }),
                Fate::Apart => difference.apart.push(changed.path.to_string()),
            }
        }
        difference.rest.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(difference)
    }

    fn fate(&self, copy: &OwnedFd, changed: &Changed, gone: &BTreeSet<&RelPath>, largest: Size) -> Fate {
        let after = match &changed.after {
            None => None,
            Some(entry) => match content(copy, &changed.path, entry) {
                Ok(content) => Some(content),
                Err(why) => return Fate::Rest(why),
            },
        };
        let target = self.root.fact(&changed.path, TARGET_CAP).target;
        let before = match (&changed.before, target) {
            (_, Target::File(now)) if after.as_ref().is_some_and(|after| is_same(&now, after)) => return Fate::Done,
            (Some(was), Target::File(now)) if is_entry(&now, was) => Some(now),
            (None, Target::Absent) => None,
            (Some(_), Target::Absent) if after.is_none() => return Fate::Done,
            // A new file where a folder was, or beneath what was a file: what is in the way goes with the same plan.
            (None, Target::Directory { files: Some(files) }) if files.iter().all(|file| gone.contains(file)) => None,
            (None, Target::Blocked { at, .. }) if gone.iter().any(|path| path.as_str() == at) => None,
            _ => return Fate::Apart,
        };
        let after = after.map(|after| Arc::new(with_mode(after, before.as_deref())));
        // A new file may be any bytes; one that was there stays text, and a binary one as it is.
        if let (Some(before), Some(after)) = (&before, &after)
            && (before.is_binary() || after.is_binary())
        {
            return Fate::Rest(Why::Binary);
        }
        let change = FileChange { path: changed.path.clone(), before, after };
        let largest = largest.of_step(change.carries_bytes());
        match import::size(&change) {
            Ok(size) if size as u64 > largest => Fate::Rest(Why::TooLarge),
            Err(ImportError::Misfit { error: DiffError::BytesTooLarge { .. }, .. }) => Fate::Rest(Why::TooLarge),
            Ok(_) => Fate::Plan(change),
            Err(ImportError::NotUtf8 { .. }) => Fate::Rest(Why::NotUtf8),
            Err(_) => Fate::Rest(Why::Binary),
        }
    }
}

/// A file of the copy, whole, as it is at this moment.
fn content(copy: &OwnedFd, path: &RelPath, entry: &Entry) -> Result<FileContent, Why> {
    match entry {
        Entry::File { size, .. } if *size > TARGET_CAP => Err(Why::TooLarge),
        _ => {
            let read = exacta_agent::read(copy.as_fd(), &Name::from(path.as_str().as_bytes()), TARGET_CAP);
            let (bytes, executable) = read.map_err(|_| Why::Unreadable)?.ok_or(Why::TooLarge)?;
            Ok(FileContent::new(bytes, if executable { 0o755 } else { 0o644 }))
        }
    }
}

/// Of a mode a plan says whether the file can be executed, and nothing else: what is the same keeps the mode it has.
fn with_mode(after: FileContent, before: Option<&FileContent>) -> FileContent {
    match before {
        Some(before) if before.is_executable() == after.is_executable() => {
            FileContent::new(after.bytes().to_vec(), before.mode())
        }
        _ => after,
    }
}

fn is_same(one: &FileContent, other: &FileContent) -> bool {
    one.sha256() == other.sha256() && one.is_executable() == other.is_executable()
}

fn is_entry(content: &FileContent, entry: &Entry) -> bool {
    matches!(entry, Entry::File { sha256, executable, .. } if *sha256 == content.sha256() && *executable == content.is_executable())
}

fn shown(change: &FileChange) -> ChangedFile {
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let (added, removed) = diff::stat(before, after);
    let kind = match (before, after) {
        (None, _) => "create",
        (_, None) => "delete",
        _ => "modify",
    };
    ChangedFile { path: change.path.to_string(), kind, added, removed, diff: diff::render(&change.path, before, after) }
}
