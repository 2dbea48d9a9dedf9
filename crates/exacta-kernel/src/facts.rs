//! What the kernel is told of the world: the only way the outside gets in.
//!
//! Gathered by handle beneath the project root (see `exacta-exec`), so that nothing here was reached through a symbolic link.

pub mod source;

use crate::hash::Digest;
use crate::path::RelPath;
use crate::prelude::*;
use alloc::sync::Arc;
use serde::{Deserialize, Serialize};

/// A regular file's bytes and permission bits, hashed once.
#[derive(Clone, PartialEq, Eq)]
pub struct FileContent {
    bytes: Vec<u8>,
    mode: u32,
    sha256: Digest,
}

/// What a target is right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Nothing is there.
    Absent,
    /// A regular file, read whole.
    File(Arc<FileContent>),
    /// A regular file over the size cap; not read.
    TooLarge {
        /// Its size in bytes.
        size: u64,
    },
    /// The target itself is a symbolic link.
    Symlink,
    /// A folder.
    Directory {
        /// The files in it and in its folders, sorted; `None` if something else is in it, or too much.
        files: Option<Vec<RelPath>>,
    },
    /// A device, socket or pipe.
    Special,
    /// It is there but cannot be read.
    Unreadable {
        /// Why, in words.
        reason: String,
    },
    /// A part of the way is a symbolic link, a file, or another file system.
    Blocked {
        /// The part of the path that is in the way.
        at: String,
        /// What it is.
        by: Obstacle,
    },
}

/// What can stand on the way to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A symbolic link.
    Symlink,
    /// Something that is not a folder.
    NotAFolder,
    /// A mount point: another file system begins there.
    Mount,
}

/// What is known about one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetFact {
    /// What it is.
    pub target: Target,
    /// Names beside it that differ only by case or normalisation.
    pub lookalikes: Vec<String>,
    /// Whether the file system takes such names for the same.
    pub folds: bool,
}

/// What is known about all targets of a proposal, and what their code tells. A target without a fact counts as unreadable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    targets: BTreeMap<RelPath, TargetFact>,
    source: source::SourceFacts,
    base: Option<BTreeMap<RelPath, Option<Arc<FileContent>>>>,
}

impl Facts {
    /// Nothing known yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what is known about one target.
    pub fn insert(&mut self, path: RelPath, fact: TargetFact) {
        self.targets.insert(path, fact);
    }

    /// Adds what the plan's code tells; that takes the plan's exact bytes, so it comes last.
    pub fn set_source(&mut self, source: source::SourceFacts) {
        self.source = source;
    }

    /// Says that what lies in the work tree is to be adopted, and what the commit that is checked out has of each target, with a mode as git
    /// knows it; nothing where it has no such file.
    pub fn set_base(&mut self, base: BTreeMap<RelPath, Option<Arc<FileContent>>>) {
        self.base = Some(base);
    }

    /// What the commit that is checked out has of each target; only where the targets are to be adopted.
    #[must_use]
    pub const fn base(&self) -> Option<&BTreeMap<RelPath, Option<Arc<FileContent>>>> {
        self.base.as_ref()
    }

    /// What the plan's code tells.
    #[must_use]
    pub const fn source(&self) -> &source::SourceFacts {
        &self.source
    }

    /// The targets that something is known about, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &RelPath> {
        self.targets.keys()
    }

    /// Why a target could not be looked at, if there is such a one: then nobody knows whether it has changed.
    #[must_use]
    pub fn unknown(&self) -> Option<(&RelPath, &str)> {
        self.targets.iter().find_map(|(path, fact)| match &fact.target {
            Target::Unreadable { reason } => Some((path, reason.as_str())),
            _ => None,
        })
    }

    /// What is known about one target.
    #[must_use]
    pub fn get(&self, path: &RelPath) -> Option<&TargetFact> {
        self.targets.get(path)
    }
}

/// The state a plan expects its target in, or leaves it in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum FileState {
    /// Nothing is there.
    Absent,
    /// A regular file.
    File {
        /// Of its bytes.
        sha256: Digest,
        /// In bytes.
        size: u64,
        /// Permission bits.
        mode: u32,
    },
}

impl FileState {
    /// The state of some content, or of its absence.
    #[must_use]
    pub fn of(content: Option<&FileContent>) -> Self {
        content.map_or(Self::Absent, |file| Self::File { sha256: file.sha256, size: file.size(), mode: file.mode })
    }
}

impl FileContent {
    /// Some bytes with permission bits (`0o7777` at most).
    #[must_use]
    pub fn new(bytes: Vec<u8>, mode: u32) -> Self {
        Self { sha256: Digest::of(&bytes), bytes, mode: mode & 0o7777 }
    }

    /// All of it.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// In bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Permission bits.
    #[must_use]
    pub const fn mode(&self) -> u32 {
        self.mode
    }

    /// Of the bytes.
    #[must_use]
    pub const fn sha256(&self) -> Digest {
        self.sha256
    }

    /// Whether it counts as binary: a NUL byte in the first 8 KB.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        memchr::memchr(0, self.bytes.get(..8192).unwrap_or(&self.bytes)).is_some()
    }

    /// The same bytes, as executable as is said, for whoever may read them.
    #[must_use]
    pub fn made_executable(&self, executable: bool) -> Self {
        let mode = if executable { self.mode | (self.mode & 0o444) >> 2 } else { self.mode & !0o111 };
        Self { mode, ..self.clone() }
    }

    /// Whether its owner may execute it: all that git records of a mode.
    #[must_use]
    pub const fn is_executable(&self) -> bool {
        self.mode & 0o100 != 0
    }
}

impl core::fmt::Debug for FileContent {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "FileContent({} bytes, mode {:o}, sha256 {})", self.bytes.len(), self.mode, self.sha256)
    }
}
