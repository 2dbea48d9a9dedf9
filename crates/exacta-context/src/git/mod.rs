//! A repository as it lies there: what is checked out, what that commit has, what is staged.
//!
//! Git is not run: what it would do (hooks, filters, a program that watches files) is for the repository to say. What is read is data, and
//! every count and length in it is held against a limit. What this does not understand, it says: an object format or a store of references
//! of a newer kind, objects that lie elsewhere.

pub mod attributes;
pub mod index;
pub(crate) mod object;
mod pack;

use crate::beneath;
use object::{Kind, Objects};
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The longest file of references.
const REFERENCES: u64 = 16 << 20;
/// The largest index that is read.
const INDEX: u64 = 256 << 20;
/// The longest configuration and list of ignored files.
const TEXT: u64 = 1 << 20;
/// The deepest folders that are looked into.
const DEPTH: usize = 256;
/// The most files that a commit may have.
const FILES: usize = 500_000;

/// The hash of an object.
pub type Id = [u8; 20];

/// Why a repository cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// The folder is not the root of a work tree that is this user's.
    #[error("`{0}` is not the root of a git work tree")]
    None(String),
    /// It is kept in a way that is not known here.
    #[error("the repository {0}")]
    Unknown(&'static str),
    /// Something in it is not there, or damaged.
    #[error("{0} of the repository cannot be read")]
    Unreadable(&'static str),
}

/// What a commit has of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// Its kind, and whether it can be executed.
    pub mode: FileMode,
    /// Its content.
    pub id: Id,
}

/// What git says of a file besides its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// A file.
    Plain,
    /// One that can be executed.
    Executable,
    /// A symbolic link.
    Link,
    /// Another repository.
    Submodule,
}

impl FileMode {
    fn of(mode: u32) -> Option<Self> {
        match mode & 0o170_000 {
            0o100_000 => Some(if mode & 0o100 == 0 { Self::Plain } else { Self::Executable }),
            0o120_000 => Some(Self::Link),
            0o160_000 => Some(Self::Submodule),
            _ => None,
        }
    }
}

/// A repository, held open.
#[derive(Debug)]
pub struct Repository {
    /// Of this work tree.
    own: OwnedFd,
    /// Of all its work trees.
    common: OwnedFd,
    objects: Objects,
}

impl Repository {
    /// The repository of a work tree: its folder `.git`, or that of a linked work tree if the link holds both ways and both ends are this
    /// user's, so that nobody who can write here alone can have other objects shown.
    ///
    /// # Errors
    /// [`GitError`] if there is none, or one that cannot be read here.
    pub fn of(work_tree: BorrowedFd<'_>, at: &Path, largest: usize) -> Result<Self, GitError> {
        let (own, common) = match beneath::folder(work_tree, ".git") {
            Ok(own) => {
                let common = beneath::folder(work_tree, ".git").map_err(|_| GitError::Unreadable("the folder"))?;
                (own, common)
            }
            Err(_) => linked(work_tree, at).ok_or_else(|| GitError::None(at.display().to_string()))?,
        };
        let repository = Self { objects: Objects::of(common.as_fd(), usize::MAX, largest), own, common };
        let settings = repository.settings();
        let says = |key: &str, value: &str| settings.iter().any(|(name, found)| name == key && found == value);
        if says("extensions.objectformat", "sha256") {
            return Err(GitError::Unknown("names its objects by SHA-256"));
        }
        if says("extensions.refstorage", "reftable") {
            return Err(GitError::Unknown("keeps its references in tables (`reftable`)"));
        }
        Ok(repository)
    }

    /// The commit that is checked out; none where there is none yet.
    #[must_use]
    pub fn head(&self) -> Option<Id> {
        head(self.own.as_fd(), self.common.as_fd())
    }

    /// Every file of a commit, by its path.
    ///
    /// # Errors
    /// If one of its folders is not there, or there are too many files.
    pub fn files(&mut self, commit: &Id) -> Result<BTreeMap<Vec<u8>, Committed>, GitError> {
        let unreadable = || GitError::Unreadable("the commit that is checked out");
        let found = self.objects.read(commit).filter(|object| object.kind == Kind::Commit);
        let tree = found.and_then(|object| Commit::of(&object.bytes)).ok_or_else(unreadable)?.tree;
        let (mut files, mut left) = (BTreeMap::new(), vec![(Vec::new(), tree, 0)]);
        while let Some((folder, tree, depth)) = left.pop() {
            let object = self.objects.read(&tree).filter(|object| object.kind == Kind::Tree).ok_or_else(unreadable)?;
            for (mode, name, id) in entries(&object.bytes).ok_or_else(unreadable)? {
                let path = if folder.is_empty() { name } else { [&folder[..], b"/", &name].concat() };
                match FileMode::of(mode) {
                    Some(mode) => drop(files.insert(path, Committed { mode, id })),
                    None if depth < DEPTH => left.push((path, id, depth + 1)),
                    None => return Err(unreadable()),
                }
            }
            if files.len() > FILES {
                return Err(GitError::Unknown("has more files than are looked at"));
            }
        }
        Ok(files)
    }

    /// The content of a file; none if it is not there or too large.
    pub fn blob(&mut self, id: &Id) -> Option<Vec<u8>> {
        self.objects.read(id).filter(|object| object.kind == Kind::Blob).map(|object| object.bytes)
    }

    /// What is staged.
    ///
    /// # Errors
    /// If the index cannot be read, or is kept in parts.
    pub fn index(&self) -> Result<index::Index, GitError> {
        match beneath::file(self.own.as_fd(), "index", INDEX) {
            Ok(Some((stat, bytes))) => index::read(&bytes, &stat).ok_or(GitError::Unreadable("the index")),
            Err(rustix::io::Errno::NOENT) => Ok(index::Index::default()),
            Ok(None) | Err(_) => Err(GitError::Unreadable("the index")),
        }
    }

    /// The lines of the repository's own list of ignored files.
    #[must_use]
    pub fn exclude(&self) -> String {
        self.text("info/exclude")
    }

    /// The lines of the repository's own list of attributes.
    #[must_use]
    pub fn attributes(&self) -> String {
        self.text("info/attributes")
    }

    /// Its configuration: names in lower case and values, in order. Files that it includes are not read.
    #[must_use]
    pub fn settings(&self) -> Vec<(String, String)> {
        settings(&self.text("config"))
    }

    fn text(&self, name: &str) -> String {
        let found = beneath::file(self.common.as_fd(), name, TEXT).ok().flatten();
        found.map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }
}

/// The settings in a text that is written as git's configuration is: names in lower case and values, in order.
#[must_use]
pub fn settings(text: &str) -> Vec<(String, String)> {
    let (mut section, mut found) = (String::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            name.trim_end_matches(']').trim().to_ascii_lowercase().clone_into(&mut section);
        } else if !line.is_empty() && !line.starts_with(['#', ';']) {
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            let value = value.trim().trim_matches('"').to_owned();
            found.push((format!("{section}.{}", key.trim().to_ascii_lowercase()), value));
        }
    }
    found
}

/// The folders of the repository that a work tree is linked to, if the link holds both ways and both are this user's.
fn linked(work_tree: BorrowedFd<'_>, at: &Path) -> Option<(OwnedFd, OwnedFd)> {
    let line = line(work_tree, ".git")?;
    let own = PathBuf::from(std::ffi::OsStr::from_bytes(line.strip_prefix(b"gitdir: ")?));
    let held = hold(&own).filter(|_| own.is_absolute())?;
    let back = self::line(held.as_fd(), "gitdir")?;
    let links_back = back == at.join(".git").as_os_str().as_bytes();
    let worktrees = own.parent().filter(|folder| links_back && folder.ends_with("worktrees"))?;
    let common = hold(worktrees.parent()?)?;
    let user = rustix::process::getuid().as_raw();
    let is_own = |fd: &OwnedFd| rustix::fs::fstat(fd).is_ok_and(|facts| facts.st_uid == user);
    (is_own(&held) && is_own(&common)).then_some((held, common))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the way to the repository that a work tree names; what lies in it is reached by this handle"
)]
fn hold(path: &Path) -> Option<OwnedFd> {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
}

fn line(folder: BorrowedFd<'_>, name: &str) -> Option<Vec<u8>> {
    let (_, bytes) = beneath::file(folder, name, 8 << 10).ok().flatten()?;
    Some(bytes.trim_ascii_end().to_vec())
}

/// What of a commit matters here.
pub(crate) struct Commit {
    pub tree: Id,
    /// The first one.
    pub parent: Option<Id>,
}

impl Commit {
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let tree = id(lines.next()?.strip_prefix(b"tree ")?)?;
        let parent = lines.next().and_then(|line| id(line.strip_prefix(b"parent ")?));
        Some(Self { tree, parent })
    }
}

/// The commit that is checked out.
pub(crate) fn head(own: BorrowedFd<'_>, common: BorrowedFd<'_>) -> Option<Id> {
    let file = |at: BorrowedFd<'_>, path: &str| Some(beneath::file(at, path, REFERENCES).ok().flatten()?.1);
    let head = file(own, "HEAD")?;
    let Some(name) = head.strip_prefix(b"ref: ") else { return id(head.trim_ascii_end()) };
    let name = std::str::from_utf8(name).ok()?.trim_end();
    if let Some(loose) = file(common, name) {
        return id(loose.trim_ascii_end());
    }
    let packed = file(common, "packed-refs")?;
    packed.split(|byte| *byte == b'\n').find_map(|line| {
        let (hash, rest) = line.split_at_checked(40)?;
        (rest.strip_prefix(b" ")? == name.as_bytes()).then(|| id(hash))?
    })
}

/// The entries of a tree: mode, name and object.
fn entries(tree: &[u8]) -> Option<Vec<(u32, Vec<u8>, Id)>> {
    let (mut rest, mut entries) = (tree, Vec::new());
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == 0)?;
        let (head, tail) = rest.split_at_checked(end)?;
        let id: Id = tail.get(1..21)?.try_into().ok()?;
        rest = tail.get(21..)?;
        let space = head.iter().position(|byte| *byte == b' ')?;
        let (mode, name) = head.split_at_checked(space)?;
        let mode = u32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
        entries.push((mode, name.get(1..)?.to_vec(), id));
    }
    Some(entries)
}

/// A hash in hexadecimal digits.
fn id(text: &[u8]) -> Option<Id> {
    let (pairs, []) = text.as_chunks::<2>() else { return None };
    let mut id = [0; 20];
    if pairs.len() != id.len() {
        return None;
    }
    for (byte, [high, low]) in id.iter_mut().zip(pairs) {
        let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(id)
}

/// A hash as people write it.
#[must_use]
pub fn hex(id: &Id) -> String {
    use std::fmt::Write as _;
    id.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
