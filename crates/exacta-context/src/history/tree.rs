//! What differs between two trees.

use crate::git::Id;
use crate::git::object::{Kind, Objects};
use std::collections::BTreeMap;

/// The deepest folders that are looked into.
const DEPTH: usize = 64;

/// The files that differ between two trees; when there are more than `most`, some of them, but more than `most`. None if a tree cannot be
/// read.
pub(super) fn changed(objects: &mut Objects, before: Id, after: Id, most: usize) -> Option<Vec<String>> {
    let mut files = Vec::new();
    let mut left = vec![(String::new(), Some(before), Some(after), 0)];
    while let Some((path, before, after, depth)) = left.pop() {
        if files.len() > most || depth > DEPTH {
            break;
        }
        let (old, new) = (entries(objects, before)?, entries(objects, after)?);
        let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let (was, is) = (old.get(name), new.get(name));
            if was == is {
                continue;
            }
            let inner = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            let tree = |entry: Option<&Entry>| entry.filter(|entry| entry.folder).map(|entry| entry.id);
            if tree(was).is_some() || tree(is).is_some() {
                left.push((inner.clone(), tree(was), tree(is), depth + 1));
            }
            if was.or(is).is_some_and(|entry| !entry.folder) {
                files.push(inner);
            }
        }
    }
    files.sort();
    Some(files)
}

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    folder: bool,
    id: Id,
}

/// The entries of a tree by name; none is an empty tree. Names that are not UTF-8 are no files of ours.
fn entries(objects: &mut Objects, tree: Option<Id>) -> Option<BTreeMap<String, Entry>> {
    let Some(tree) = tree else { return Some(BTreeMap::new()) };
    let object = objects.read(&tree).filter(|object| object.kind == Kind::Tree)?;
    let mut entries = BTreeMap::new();
    let mut rest = object.bytes.as_slice();
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == 0)?;
        let (head, tail) = rest.split_at_checked(end)?;
        let id: Id = tail.get(1..21)?.try_into().ok()?;
        rest = tail.get(21..)?;
        let space = head.iter().position(|byte| *byte == b' ')?;
        let (mode, name) = head.split_at_checked(space)?;
        if let Ok(name) = std::str::from_utf8(name.get(1..)?) {
            entries.insert(name.to_owned(), Entry { folder: mode == b"40000", id });
        }
    }
    Some(entries)
}
