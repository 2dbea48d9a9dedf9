//! A walk through all that is in a folder, by held handles, without what ignore files list.

use crate::beneath;
use crate::error::AgentError;
use crate::tree::{Entry, Name, Tree};
use exacta_context::ignored::Rules;
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Stat, statat};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString};

/// The longest name that a plan could have, in bytes; what lies deeper is not looked at.
const LONGEST: usize = 1024;

/// What is taken although an ignore file lists it.
#[derive(Debug, Default)]
pub struct Kept {
    /// Files and links.
    pub names: BTreeSet<Name>,
    /// Everything, whatever ignore files say.
    pub all: bool,
}

/// One thing on the way.
pub struct Item<'w> {
    /// Its whole name.
    pub name: &'w Name,
    /// The folder that it is in.
    pub folder: &'w OwnedFd,
    /// Its name there.
    pub leaf: &'w CStr,
    /// What it is, without following it.
    pub facts: Stat,
}

/// What is told of a walk.
pub enum Told<'w> {
    /// A file, link, or something special.
    Thing(Item<'w>),
    /// A folder, before what is in it.
    Folder(Item<'w>),
    /// A folder with nothing in it that would be taken.
    Empty(&'w Name),
    /// A folder that is a repository of its own.
    Nested(&'w Name),
    /// Listed by an ignore file, and left out. Of a folder, all of it.
    Ignored(&'w Name),
    /// What cannot be looked at.
    Unreadable(&'w Name),
}

impl Kept {
    /// Everything.
    #[must_use]
    pub fn all() -> Self {
        Self { all: true, ..Self::default() }
    }

    /// What a tree has, beside what is not ignored.
    #[must_use]
    pub fn of(tree: &Tree) -> Self {
        Self { names: tree.entries.keys().cloned().collect(), all: false }
    }

    fn takes(&self, name: &Name) -> bool {
        self.all || self.names.contains(name)
    }

    /// Whether something that is taken is in this folder.
    fn leads_on(&self, folder: &Name) -> bool {
        self.names.range(folder.join(b"")..).next().is_some_and(|name| name.is_beneath(folder))
    }
}

/// A folder to look into.
struct Next {
    name: Name,
    rules: Rules,
    /// Whether an ignore file lists it, so that only what is kept is taken.
    ignored: bool,
}

/// Walks through a folder. `.exacta` and `.git`, wherever they are, belong to nobody's change and are passed over.
///
/// # Errors
/// If the folder itself cannot be read, and as `tell` says.
pub fn walk(
    root: BorrowedFd<'_>,
    kept: &Kept,
    tell: &mut dyn FnMut(Told<'_>) -> Result<(), AgentError>,
) -> Result<(), AgentError> {
    walk_by(root, Rules::of_project(root, ""), kept, tell)
}

/// The same by other rules of what is ignored at the top.
///
/// # Errors
/// As [`walk`].
pub fn walk_by(
    root: BorrowedFd<'_>,
    rules: Rules,
    kept: &Kept,
    tell: &mut dyn FnMut(Told<'_>) -> Result<(), AgentError>,
) -> Result<(), AgentError> {
    beneath::folder(root, &Name::default()).map_err(AgentError::at("open", "."))?;
    let mut next = vec![Next { name: Name::default(), rules, ignored: false }];
    while let Some(folder) = next.pop() {
        match look(root, &folder) {
            Ok((handle, names, rules)) => {
                let mut taken = false;
                for leaf in names {
                    let name = folder.name.join(leaf.to_bytes());
                    let Some(facts) = facts(&handle, &leaf, &name, tell)? else { continue };
                    let is_folder = FileType::from_raw_mode(facts.st_mode) == FileType::Directory;
                    let mut ignored =
                        folder.ignored || rules.ignores(&String::from_utf8_lossy(name.bytes()), is_folder);
                    if ignored && kept.takes(&name) {
                        ignored = false;
                    }
                    if ignored && !(is_folder && kept.leads_on(&name)) {
                        tell(Told::Ignored(&name))?;
                        continue;
                    }
                    taken = true;
                    let item = Item { name: &name, folder: &handle, leaf: &leaf, facts };
                    if !is_folder {
                        tell(Told::Thing(item))?;
                    } else if name.bytes().len() > LONGEST {
                        tell(Told::Unreadable(&name))?;
                    } else {
                        tell(Told::Folder(item))?;
                        next.push(Next { name, rules: rules.clone(), ignored });
                    }
                }
                if !taken && !folder.name.bytes().is_empty() {
                    tell(Told::Empty(&folder.name))?;
                }
            }
            Err(Errno::NOENT) => {}
            Err(_) => tell(Told::Unreadable(&folder.name))?,
        }
    }
    Ok(())
}

/// A folder held, the names in it, and the rules for them.
fn look(root: BorrowedFd<'_>, next: &Next) -> Result<(OwnedFd, Vec<CString>, Rules), Errno> {
    let handle = beneath::folder(root, &next.name)?;
    let names = beneath::names(&handle)?;
    let has = |name: &str| names.iter().any(|entry| entry.to_bytes() == name.as_bytes());
    let rules = match next.name.text() {
        Some(folder) if !folder.is_empty() => next.rules.inner(root, folder, has),
        _ => next.rules.clone(),
    };
    Ok((handle, names, rules))
}

/// What something is; nothing where it is gone by now or nobody's change.
fn facts(
    folder: &OwnedFd,
    leaf: &CStr,
    name: &Name,
    tell: &mut dyn FnMut(Told<'_>) -> Result<(), AgentError>,
) -> Result<Option<Stat>, AgentError> {
    if leaf.to_bytes().eq_ignore_ascii_case(b".exacta") {
        return Ok(None);
    }
    if leaf.to_bytes().eq_ignore_ascii_case(b".git") {
        if let Some(folder) = name.parent() {
            tell(Told::Nested(&folder))?;
        }
        return Ok(None);
    }
    match statat(folder.as_fd(), leaf, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT) {
        Ok(facts) => Ok(Some(facts)),
        Err(Errno::NOENT) => Ok(None),
        Err(_) => tell(Told::Unreadable(name)).map(|()| None),
    }
}

/// All that is in a folder, each with its hash.
///
/// # Errors
/// If the folder cannot be read.
pub fn tree(root: BorrowedFd<'_>, kept: &Kept) -> Result<Tree, AgentError> {
    let mut tree = Tree::default();
    let mut entries = BTreeMap::new();
    walk(root, kept, &mut |told| {
        match told {
            Told::Thing(item) => drop(entries.insert(item.name.clone(), entry(root, &item))),
            Told::Empty(name) => drop(entries.insert(name.clone(), Entry::EmptyFolder)),
            Told::Unreadable(name) => drop(entries.insert(name.clone(), Entry::Unreadable)),
            Told::Nested(name) => drop(tree.nested.insert(name.clone())),
            Told::Folder(_) | Told::Ignored(_) => {}
        }
        Ok(())
    })?;
    tree.entries = entries;
    Ok(tree)
}

/// What one thing is.
pub fn entry(root: BorrowedFd<'_>, item: &Item<'_>) -> Entry {
    match FileType::from_raw_mode(item.facts.st_mode) {
        FileType::RegularFile => {
            let read = beneath::file(root, item.name)
                .map_err(std::io::Error::from)
                .and_then(|(mut file, facts)| beneath::read(&mut file, &facts, &mut std::io::sink()));
            read.unwrap_or(Entry::Unreadable)
        }
        FileType::Symlink => {
            beneath::link(item.folder.as_fd(), item.leaf).map_or(Entry::Unreadable, |to| Entry::Link { to })
        }
        _ => Entry::Special,
    }
}
