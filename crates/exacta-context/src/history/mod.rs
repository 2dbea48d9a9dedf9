//! Which files of a project were changed together lately, from the repository in its own folder.
//!
//! Git is not run: what it would do is for the repository to say. What is read is data, and every count and length in it is held
//! against a limit. A repository in another place (a linked work tree, a submodule, borrowed objects), or in a format other than the usual one, tells
//! nothing, and files are then ranked without.

mod object;
mod pack;
mod tree;

use object::{Kind, Objects};
use rustix::fd::BorrowedFd;

/// How many changes are looked at, newest first.
const CHANGES: usize = 150;
/// How many objects are read for them.
const OBJECTS: usize = 6000;
/// A change of more files than this says nothing about any of them.
const FILES: usize = 60;
/// The longest file of references.
const REFERENCES: u64 = 16 << 20;

/// The hash of an object.
pub(super) type Id = [u8; 20];

/// The files of each of the newest changes, along first parents; none where there is no repository to read.
pub(crate) fn changes(project: BorrowedFd<'_>) -> Vec<Vec<String>> {
    read(project).unwrap_or_default()
}

fn read(project: BorrowedFd<'_>) -> Option<Vec<Vec<String>>> {
    let git = crate::beneath::folder(project, ".git").ok()?;
    let git = rustix::fd::AsFd::as_fd(&git);
    let mut objects = Objects::of(git, OBJECTS);
    let mut next = head(git);
    let mut changes = Vec::new();
    while let Some(id) = next.filter(|_| changes.len() < CHANGES) {
        let Some(commit) =
            objects.read(&id).filter(|object| object.kind == Kind::Commit).and_then(|it| Commit::of(&it.bytes))
        else {
            break;
        };
        let before = match commit.parent {
            Some(parent) => {
                objects.read(&parent).and_then(|object| Commit::of(&object.bytes)).map(|parent| parent.tree)
            }
            None => break,
        };
        let Some(files) = before.and_then(|before| tree::changed(&mut objects, before, commit.tree, FILES)) else {
            break;
        };
        if files.len() <= FILES {
            changes.push(files);
        }
        next = commit.parent;
    }
    Some(changes)
}

/// What of a commit matters here.
struct Commit {
    tree: Id,
    /// The first one.
    parent: Option<Id>,
}

impl Commit {
    fn of(bytes: &[u8]) -> Option<Self> {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let tree = id(lines.next()?.strip_prefix(b"tree ")?)?;
        let parent = lines.next().and_then(|line| id(line.strip_prefix(b"parent ")?));
        Some(Self { tree, parent })
    }
}

/// The commit that is checked out.
fn head(git: BorrowedFd<'_>) -> Option<Id> {
    let file = |path: &str| crate::beneath::file(git, path, REFERENCES).ok().flatten().map(|(_, bytes)| bytes);
    let head = file("HEAD")?;
    let Some(name) = head.strip_prefix(b"ref: ") else { return id(head.trim_ascii_end()) };
    let name = std::str::from_utf8(name).ok()?.trim_end();
    if let Some(loose) = file(name) {
        return id(loose.trim_ascii_end());
    }
    let packed = file("packed-refs")?;
    packed.split(|byte| *byte == b'\n').find_map(|line| {
        let (hash, rest) = line.split_at_checked(40)?;
        (rest.strip_prefix(b" ")? == name.as_bytes()).then(|| id(hash))?
    })
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

#[cfg(test)]
mod tests;
