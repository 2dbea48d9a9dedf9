//! Brings a copy to the project's present state, file by file, and says where the two went apart.

use crate::copy::{copy_file, copy_one, make_folder, place};
use crate::error::AgentError;
use crate::tree::{Entry, Name, Tree};
use crate::walk::{Kept, Told, tree, walk};
use rustix::fd::BorrowedFd;
use rustix::fs::{AtFlags, unlinkat};
use std::collections::BTreeSet;

/// What becomes of a file that both sides changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Take {
    /// It is named, and stays as it is on both sides.
    #[default]
    Neither,
    /// The project's, and what the agent did to it is gone.
    Project,
    /// The copy's: from now on it is a change of what the project has now.
    Copy,
}

/// What an update did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Updated {
    /// What the copy is compared with from now on.
    pub base: Tree,
    /// What was brought over from the project.
    pub brought: Vec<Name>,
    /// What both sides changed, each in its own way.
    pub apart: Vec<Name>,
}

/// Brings over what changed in the project and not in the copy. `kept` are ignored names that belong to the copy all the same.
///
/// # Errors
/// If something cannot be read or written. What was brought over until then stays, and the base as it was: another update goes on.
pub fn update(
    project: BorrowedFd<'_>,
    copy: BorrowedFd<'_>,
    base: &Tree,
    kept: &Kept,
    take: Take,
) -> Result<Updated, AgentError> {
    let (here, there) = (tree(project, kept)?, tree(copy, kept)?);
    let mut updated = Updated { base: base.clone(), ..Updated::default() };
    updated.base.nested.extend(here.nested.iter().cloned());
    let names: BTreeSet<&Name> = base.entries.keys().chain(here.entries.keys()).chain(there.entries.keys()).collect();
    let mut bring = BTreeSet::new();
    for name in names {
        let [was, project, copy] = [base, &here, &there].map(|tree| tree.entries.get(name));
        if project == was || matches!(project, Some(Entry::Special | Entry::Unreadable)) {
            continue;
        }
        if project == copy {
            settle(&mut updated.base, name, project);
        } else if copy == was || take == Take::Project {
            bring.insert(name.clone());
        } else if take == Take::Copy {
            settle(&mut updated.base, name, project);
        } else {
            updated.apart.push(name.clone());
        }
    }
    // What goes makes room for what comes.
    for name in bring.iter().filter(|name| !here.entries.contains_key(name)) {
        clear(copy, name, there.entries.get(name))?;
        settle(&mut updated.base, name, None);
    }
    fetch(project, copy, kept, &bring, &mut updated.base)?;
    updated.brought = bring.into_iter().collect();
    Ok(updated)
}

fn settle(base: &mut Tree, name: &Name, entry: Option<&Entry>) {
    match entry {
        Some(entry) => drop(base.entries.insert(name.clone(), entry.clone())),
        None => drop(base.entries.remove(name)),
    }
}

/// Removes something from the copy, and the folders that are empty without it.
fn clear(copy: BorrowedFd<'_>, name: &Name, there: Option<&Entry>) -> Result<(), AgentError> {
    let Ok((folder, last)) = place(copy, name) else { return Ok(()) };
    let flags = if there == Some(&Entry::EmptyFolder) { AtFlags::REMOVEDIR } else { AtFlags::empty() };
    if there.is_some() {
        unlinkat(&folder, last, flags).map_err(AgentError::at("remove", name))?;
    }
    let mut above = name.parent();
    while let Some(name) = above {
        let Ok((folder, last)) = place(copy, &name) else { break };
        // One that has something in it stays.
        if unlinkat(&folder, last, AtFlags::REMOVEDIR).is_err() {
            break;
        }
        above = name.parent();
    }
    Ok(())
}

/// Copies what is to come from the project, with the folders that lead to it.
fn fetch(
    project: BorrowedFd<'_>,
    copy: BorrowedFd<'_>,
    kept: &Kept,
    bring: &BTreeSet<Name>,
    base: &mut Tree,
) -> Result<(), AgentError> {
    let leads = |folder: &Name| bring.range(folder.join(b"")..).next().is_some_and(|name| name.is_beneath(folder));
    walk(project, kept, &mut |told| {
        match told {
            Told::Folder(item) if leads(item.name) || bring.contains(item.name) => {
                make_folder(copy, item.name, item.facts.st_mode)?;
            }
            Told::Empty(name) if bring.contains(name) => settle(base, name, Some(&Entry::EmptyFolder)),
            Told::Thing(item) if bring.contains(item.name) => {
                let is_file = rustix::fs::FileType::from_raw_mode(item.facts.st_mode).is_file();
                let entry = if is_file {
                    Some(copy_file(project, copy, item.name)?)
                } else {
                    clear(copy, item.name, base.entries.get(item.name))?;
                    copy_one(project, copy, &item)?
                };
                settle(base, item.name, entry.as_ref());
            }
            _ => {}
        }
        Ok(())
    })
}
