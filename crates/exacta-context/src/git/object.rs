//! Objects of a repository: each in a file of its own, or in a pack.

use super::Id;
use super::pack::Pack;
use crate::beneath;
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::Dir;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The largest object that is read of a history: a tree of a great many files.
pub const LARGEST: usize = 8 << 20;
/// The largest object that is kept at hand.
const KEPT: usize = 1 << 20;
/// The most packs of a repository.
const PACKS: usize = 200;

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A state of the project.
    Commit,
    /// A folder.
    Tree,
    /// A file.
    Blob,
    /// Anything else.
    Other,
}

/// An object as it was before it was packed.
#[derive(Debug, Clone)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// The objects of one repository.
#[derive(Debug)]
pub struct Objects {
    folder: Option<OwnedFd>,
    packs: Vec<Pack>,
    /// How many may still be read.
    left: usize,
    /// The largest that is read.
    largest: usize,
    /// Trees are asked for again right after: once as what was, once as what is.
    trees: BTreeMap<Id, Object>,
}

impl Objects {
    /// Those of the repository in this folder, of which this many may be read, none larger than this.
    pub fn of(git: BorrowedFd<'_>, left: usize, largest: usize) -> Self {
        let folder = beneath::folder(git, "objects").ok();
        let packs = beneath::folder(git, "objects/pack").ok().map(packs).unwrap_or_default();
        Self { folder, packs, left, largest, trees: BTreeMap::new() }
    }

    /// An object; none if it is not there, not sound, or one too many.
    pub fn read(&mut self, id: &Id) -> Option<Object> {
        if let Some(object) = self.trees.get(id) {
            return Some(object.clone());
        }
        self.left = self.left.checked_sub(1)?;
        let object = self.packs.iter().find_map(|pack| pack.find(id, self.largest)).or_else(|| self.loose(id))?;
        if self.trees.len() > 400 {
            self.trees.clear();
        }
        if object.kind != Kind::Blob && object.bytes.len() <= KEPT {
            self.trees.insert(*id, object.clone());
        }
        Some(object)
    }

    fn loose(&self, id: &Id) -> Option<Object> {
        use rustix::fd::AsFd as _;
        let mut name = String::new();
        for (at, byte) in id.iter().enumerate() {
            let _ = write!(name, "{}{byte:02x}", if at == 1 { "/" } else { "" });
        }
        let (_, packed) =
            beneath::file(self.folder.as_ref()?.as_fd(), &name, self.largest as u64 + 1024).ok().flatten()?;
        let mut bytes =
            miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&packed, self.largest.saturating_add(64)).ok()?;
        let end = bytes.iter().take(40).position(|byte| *byte == 0)?;
        let kind = match bytes.get(..end)?.split(|byte| *byte == b' ').next()? {
            b"commit" => Kind::Commit,
            b"tree" => Kind::Tree,
            b"blob" => Kind::Blob,
            _ => Kind::Other,
        };
        bytes.drain(..=end);
        Some(Object { kind, bytes })
    }
}

/// The packs in a folder, in order of their names.
fn packs(folder: OwnedFd) -> Vec<Pack> {
    use rustix::fd::AsFd as _;
    let Ok(entries) = Dir::read_from(&folder) else { return Vec::new() };
    let names =
        entries.flatten().filter_map(|entry| entry.file_name().to_str().ok()?.strip_suffix(".idx").map(str::to_owned));
    let mut names: Vec<String> = names.take(PACKS).collect();
    names.sort();
    names.iter().filter_map(|name| Pack::open(folder.as_fd(), name)).collect()
}
