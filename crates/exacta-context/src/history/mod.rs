//! Which files of a project were changed together lately, from the repository in its own folder.
//!
//! Git is not run: what it would do is for the repository to say. What is read is data, and every count and length in it is held
//! against a limit. A repository in another place (a linked work tree, a submodule, borrowed objects), or in a format other than the usual one, tells
//! nothing, and files are then ranked without.

mod tree;

use crate::git::object::{Kind, LARGEST, Objects};
use crate::git::{Commit, head};
use rustix::fd::BorrowedFd;

/// How many changes are looked at, newest first.
const CHANGES: usize = 150;
/// How many objects are read for them.
const OBJECTS: usize = 6000;
/// A change of more files than this says nothing about any of them.
const FILES: usize = 60;
/// The files of each of the newest changes, along first parents; none where there is no repository to read.
pub(crate) fn changes(project: BorrowedFd<'_>) -> Vec<Vec<String>> {
    read(project).unwrap_or_default()
}

fn read(project: BorrowedFd<'_>) -> Option<Vec<Vec<String>>> {
    let git = crate::beneath::folder(project, ".git").ok()?;
    let git = rustix::fd::AsFd::as_fd(&git);
    let mut objects = Objects::of(git, OBJECTS, LARGEST);
    let mut next = head(git, git);
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

#[cfg(test)]
mod tests;
