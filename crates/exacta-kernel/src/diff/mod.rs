//! Changes of one file: strict reading, exact application, rendering.
//!
//! Whatever form a change arrives in (a unified diff, edits, or the whole content), [`materialise`] turns it into the exact
//! bytes that will be written, or says why not. The diff that people see is made from before and after by [`render()`].

pub(crate) mod binary;
mod compare;
mod edits;
mod error;
mod escape;
mod explain;
pub(crate) mod header;
mod lines;
mod locate;
pub(crate) mod name;
mod near;
mod number;
pub(crate) mod parse;
mod part;
mod place;
mod render;

pub use error::{DiffError, Form, Misfit};
pub use explain::{Misplaced, explain};
pub use lines::{ChangeKind, LineChange, line_changes, stat};
pub(crate) use lines::{Comparison, Piece};
pub use near::{Blank, Near};
pub(crate) use part::{hunks, with_hunks};
pub use place::Base;
pub(crate) use render::render_compared;
pub use render::{exact_holds_secret, render, render_exact};

use crate::facts::FileContent;
use crate::path::RelPath;
use crate::prelude::*;
use crate::proposal::Payload;
use header::{Mode, ModeChange};
use parse::{Patch, Side};

/// The largest file that is written, in bytes.
pub const MAX_FILE: u64 = 64 << 20;

/// The lines of a diff that are of neither file: names and times at its head, places and headings of hunks, marks.
pub(crate) fn heads(diff: &str) -> impl Iterator<Item = &str> {
    let mut in_hunks = false;
    diff.lines().filter(move |line| {
        in_hunks |= line.starts_with("@@");
        !in_hunks || line.starts_with(['@', '\\'])
    })
}

/// What a file step does to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Makes a file where there is none.
    Create,
    /// Changes a file.
    Modify,
    /// Removes a file.
    Delete,
}

impl Kind {
    /// The step type as it is written in a proposal.
    #[must_use]
    pub const fn step_type(self) -> &'static str {
        match self {
            Self::Create => "file_create",
            Self::Modify => "file_modify",
            Self::Delete => "file_delete",
        }
    }
}

/// The exact content that a step leaves; `None` where it deletes the file.
///
/// # Errors
/// [`DiffError`] if the change is malformed, is of another file, does not fit `before` exactly, or changes nothing.
pub fn materialise(
    kind: Kind,
    payload: Option<&Payload>,
    path: &RelPath,
    before: Option<&FileContent>,
) -> Result<Option<FileContent>, DiffError> {
    materialise_on(Said::default(), kind, payload, path, before)
}

/// What a step says beside its payload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Said {
    /// Whether `before` is what the author of the change saw.
    pub base: Base,
    /// Whether the file is to be executable; a diff says that by itself.
    pub executable: Option<bool>,
}

impl Said {
    /// The permission bits of a new file.
    fn new_bits(self) -> u32 {
        Mode::of(self.executable == Some(true)).bits()
    }

    /// The permission bits of a file that changes: its own, but for what is said otherwise.
    fn bits(self, before: &FileContent) -> u32 {
        match self.executable.filter(|executable| *executable != before.is_executable()) {
            Some(executable) => Mode::of(executable).applied_to(before.mode()),
            None => before.mode(),
        }
    }
}

/// [`materialise`], with what the step says beside its payload.
///
/// # Errors
/// As for [`materialise`].
pub fn materialise_on(
    said: Said,
    kind: Kind,
    payload: Option<&Payload>,
    path: &RelPath,
    before: Option<&FileContent>,
) -> Result<Option<FileContent>, DiffError> {
    match (kind, before) {
        (Kind::Create, None) => create(said, payload, path).map(Some),
        (Kind::Modify, Some(before)) => modify(said, payload, path, before).map(Some),
        (Kind::Delete, Some(before)) => delete(payload, path, before).map(|()| None),
        (Kind::Create, Some(before)) if create(said, payload, path).as_ref() == Ok(before) => Err(DiffError::Made),
        (Kind::Create, Some(_)) => Err(DiffError::Exists),
        (Kind::Modify | Kind::Delete, None) => Err(DiffError::Missing),
    }
}

fn create(said: Said, payload: Option<&Payload>, path: &RelPath) -> Result<FileContent, DiffError> {
    match payload {
        Some(Payload::Content(content)) => reviewable(content.as_bytes().to_vec(), said.new_bits()),
        Some(Payload::Bytes(bytes)) => Ok(FileContent::new(bytes.clone(), said.new_bits())),
        Some(Payload::Diff(diff)) => {
            let content = new_content(&read(diff, Kind::Create, path)?)?;
            if content.is_binary() { Err(DiffError::BecomesBinary) } else { Ok(content) }
        }
        Some(Payload::Edits(_) | Payload::Kept(_)) | None => Err(DiffError::Payload { kind: Kind::Create }),
    }
}

fn modify(
    said: Said,
    payload: Option<&Payload>,
    path: &RelPath,
    before: &FileContent,
) -> Result<FileContent, DiffError> {
    let payload = payload.ok_or(DiffError::Payload { kind: Kind::Modify })?;
    if before.is_binary() {
        return Err(DiffError::Binary);
    }
    let (bytes, mode) = match payload {
        Payload::Content(content) => (content.as_bytes().to_vec(), said.bits(before)),
        Payload::Edits(edits) => (edits::apply(edits, before.bytes())?, said.bits(before)),
        Payload::Bytes(_) => return Err(DiffError::Payload { kind: Kind::Modify }),
        Payload::Kept(change) => {
            let said = Said { executable: Some(change.executable), ..said };
            (change.apply(before).ok_or(DiffError::KeptForAnother)?, said.bits(before))
        }
        Payload::Diff(diff) => {
            let patch = read(diff, Kind::Modify, path)?;
            let mode = changed_mode(patch.header.mode, before)?;
            (apply(&patch, before.bytes(), said.base)?, mode)
        }
    };
    if bytes == before.bytes() && mode == before.mode() {
        return Err(DiffError::NoChange);
    }
    reviewable(bytes, mode)
}

fn delete(payload: Option<&Payload>, path: &RelPath, before: &FileContent) -> Result<(), DiffError> {
    let diff = match payload {
        None => return Ok(()),
        Some(Payload::Diff(diff)) => diff,
        Some(Payload::Edits(_) | Payload::Content(_) | Payload::Bytes(_) | Payload::Kept(_)) => {
            return Err(DiffError::Payload { kind: Kind::Delete });
        }
    };
    if before.is_binary() {
        return Err(DiffError::Binary);
    }
    let patch = read(diff, Kind::Delete, path)?;
    if let ModeChange::Delete(mode) = patch.header.mode {
        same_mode(mode, before)?;
    }
    match apply(&patch, before.bytes(), Base::Unknown) {
        Ok(rest) if rest.is_empty() => Ok(()),
        Ok(_) => Err(DiffError::NotWhole),
        Err(error) => Err(error),
    }
}

/// The content of a new file, text or not.
pub(crate) fn new_content(patch: &Patch<'_>) -> Result<FileContent, DiffError> {
    if let Some(hunk) = patch.hunks.iter().find(|hunk| hunk.old_count > 0) {
        return Err(DiffError::Invalid { line: hunk.line, problem: "a new file has no old lines".to_owned() });
    }
    let mode = match patch.header.mode {
        ModeChange::Create(mode) => mode.value,
        _ => Mode::Plain,
    };
    let bytes = apply(patch, &[], Base::Unknown)?;
    match bytes.len() as u64 {
        size if size > MAX_FILE => Err(DiffError::TooLarge { size }),
        _ => Ok(FileContent::new(bytes, mode.bits())),
    }
}

/// The content of a copy or renamed file: what the source has, with the diff's hunks and mode.
pub(crate) fn apply_to_copy(patch: &Patch<'_>, source: &FileContent) -> Result<FileContent, DiffError> {
    if source.is_binary() {
        // What is moved as it is, bytes and all, is a new file elsewhere.
        let moved = patch.hunks.is_empty() && patch.header.moved.is_some();
        let mode = changed_mode(patch.header.mode, source)?;
        return if moved { Ok(FileContent::new(source.bytes().to_vec(), mode)) } else { Err(DiffError::Binary) };
    }
    reviewable(apply(patch, source.bytes(), Base::Unknown)?, changed_mode(patch.header.mode, source)?)
}

fn read<'a>(diff: &'a str, kind: Kind, path: &RelPath) -> Result<Patch<'a>, DiffError> {
    let patch = parse::parse(diff.as_bytes())?;
    patch.header.check(kind, path)?;
    Ok(patch)
}

fn apply(patch: &Patch<'_>, before: &[u8], base: Base) -> Result<Vec<u8>, DiffError> {
    let places = place::places(&patch.hunks, before, base)
        .map_err(|error| if place::is_applied(&patch.hunks, before) { DiffError::Applied } else { error })?;
    let mut after = Vec::with_capacity(before.len());
    let mut copied = 0;
    for (hunk, place) in patch.hunks.iter().zip(places) {
        // Lines that stay are in both, and are copied together with what surrounds the hunk.
        let mut at = place.start;
        for line in &hunk.lines {
            if line.side != Side::Both {
                after.extend_from_slice(before.get(copied..at).unwrap_or_default());
                copied = at;
            }
            match line.side {
                Side::Both => at += line.size(),
                Side::Old => {
                    at += line.size();
                    copied = at;
                }
                Side::New => line.push_to(&mut after),
            }
        }
    }
    after.extend_from_slice(before.get(copied..).unwrap_or_default());
    Ok(after)
}

fn changed_mode(change: ModeChange, before: &FileContent) -> Result<u32, DiffError> {
    let ModeChange::Change { from, to } = change else { return Ok(before.mode()) };
    same_mode(from, before)?;
    Ok(if from.value == to { before.mode() } else { to.applied_to(before.mode()) })
}

fn same_mode(said: header::Numbered<Mode>, before: &FileContent) -> Result<(), DiffError> {
    let found = Mode::of(before.is_executable());
    if said.value == found {
        return Ok(());
    }
    Err(DiffError::Mode { line: said.line, said: said.value.as_str(), found: found.as_str() })
}

/// A content that people can be shown: not too large, and text.
fn reviewable(bytes: Vec<u8>, mode: u32) -> Result<FileContent, DiffError> {
    let size = bytes.len() as u64;
    if size > MAX_FILE {
        return Err(DiffError::TooLarge { size });
    }
    let content = FileContent::new(bytes, mode);
    if content.is_binary() { Err(DiffError::BecomesBinary) } else { Ok(content) }
}
