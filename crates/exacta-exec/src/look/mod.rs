//! Reading: what the targets of a proposal are right now.

mod names;
pub mod stamp;
mod walk;
mod within;

use crate::handle::{is_mount, kind, open_beneath, retry, stat};
use crate::root::ProjectRoot;
use exacta_kernel::facts::{Facts, FileContent, Obstacle, Target, TargetFact};
use exacta_kernel::path::RelPath;
use rustix::buffer::spare_capacity;
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::sync::Arc;
use walk::{End, Walk};

/// The largest target that is read: 64 MiB.
pub const TARGET_CAP: u64 = 64 * 1024 * 1024;

/// The most that is read of all targets of one plan: 1 GiB.
pub const TARGETS_CAP: u64 = 1 << 30;

impl ProjectRoot {
    /// What each target is right now. Never fails: what cannot be looked at is a fact too.
    ///
    /// Files over `cap` bytes are not read, nor those beyond [`TARGETS_CAP`] in all: they are as good as too large. Names that look alike are listed for targets that do not exist, and where the
    /// file system folds names also for those that do.
    #[must_use]
    pub fn facts<'a>(&self, paths: impl IntoIterator<Item = &'a RelPath>, cap: u64) -> Facts {
        self.facts_within(paths, cap, TARGETS_CAP)
    }

    fn facts_within<'a>(&self, paths: impl IntoIterator<Item = &'a RelPath>, cap: u64, all: u64) -> Facts {
        let mut facts = Facts::new();
        let mut left = all;
        for path in paths.into_iter().collect::<BTreeSet<_>>() {
            let fact = self.fact(path, cap.min(left));
            if let Target::File(content) = &fact.target {
                left = left.saturating_sub(content.size());
            }
            facts.insert(path.clone(), fact);
        }
        facts
    }

    /// What one target is right now; see [`ProjectRoot::facts`].
    #[must_use]
    pub fn fact(&self, path: &RelPath, cap: u64) -> TargetFact {
        match Walk::to(self, path) {
            Ok(walk) => fact_at(&walk, path, cap),
            Err(target) => TargetFact { target, lookalikes: Vec::new(), folds: false },
        }
    }

    /// What a file of Exacta's own is right now. One that has another name may come from anywhere, and is not read.
    #[must_use]
    pub fn own_file(&self, path: &RelPath, cap: u64) -> Target {
        match Walk::to(self, path) {
            Ok(walk) => match &walk.end {
                End::Missing => Target::Absent,
                End::Entry => read_target(&walk.folder, path, cap, true),
            },
            Err(target) => target,
        }
    }
}

fn fact_at(walk: &Walk, path: &RelPath, cap: u64) -> TargetFact {
    let folds = names::folds(&walk.folder);
    let target = match &walk.end {
        End::Missing => Target::Absent,
        End::Entry => read_target(&walk.folder, path, cap, false),
    };
    let listed = target == Target::Absent || folds;
    let lookalikes =
        if listed { names::lookalikes(&walk.folder, &walk.name, walk.above.as_deref()) } else { Vec::new() };
    TargetFact { target, lookalikes, folds }
}

/// What the last part of a path is, in the folder that holds it. If `alone`, a file with another name is not read.
fn read_target(folder: &OwnedFd, path: &RelPath, cap: u64, alone: bool) -> Target {
    let answer = crate::handle::stat_in(folder, path.name());
    let (entry, mount) = match answer.and_then(|entry| Ok((entry, is_mount(folder.as_fd(), &entry)?))) {
        Ok(both) => both,
        Err(Errno::NOENT) => return Target::Absent,
        Err(errno) => return unreadable(errno),
    };
    match kind(&entry) {
        FileType::Symlink => Target::Symlink,
        _ if mount => Target::Blocked { at: path.to_string(), by: Obstacle::Mount },
        FileType::Directory => Target::Directory { files: within::files(folder, path) },
        FileType::RegularFile => read_file(folder, path.name(), cap, alone),
        _ => Target::Special,
    }
}

fn read_file(folder: &OwnedFd, name: &str, cap: u64, alone: bool) -> Target {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = match open_beneath(folder, name, flags) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Target::Absent,
        Err(Errno::LOOP) => return Target::Symlink,
        Err(errno) => return unreadable(errno),
    };
    let entry = match stat(&file) {
        Ok(entry) => entry,
        Err(errno) => return unreadable(errno),
    };
    // It may have been replaced since it was looked at by name.
    match kind(&entry) {
        FileType::RegularFile if alone && entry.stx_nlink > 1 => {
            Target::Unreadable { reason: "it has another name, somewhere else".to_owned() }
        }
        FileType::RegularFile if entry.stx_size > cap => Target::TooLarge { size: entry.stx_size },
        FileType::RegularFile => match read_whole(&file, entry.stx_size, cap) {
            Ok(Some(bytes)) => Target::File(Arc::new(FileContent::new(bytes, u32::from(entry.stx_mode)))),
            Ok(None) => Target::TooLarge { size: cap.saturating_add(1) },
            Err(errno) => unreadable(errno),
        },
        FileType::Directory => Target::Directory { files: None },
        _ => Target::Special,
    }
}

/// All bytes of a file, or `None` if there are more than `cap`.
pub(crate) fn read_whole(file: &OwnedFd, size: u64, cap: u64) -> Result<Option<Vec<u8>>, Errno> {
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(cap)).unwrap_or_default().saturating_add(1));
    loop {
        // It may have grown since.
        if bytes.len() == bytes.capacity() {
            bytes.reserve(64 * 1024);
        }
        if retry(|| rustix::io::read(file, spare_capacity(&mut bytes)))? == 0 {
            return Ok(Some(bytes));
        }
        if bytes.len() as u64 > cap {
            return Ok(None);
        }
    }
}

fn unreadable(errno: Errno) -> Target {
    Target::Unreadable { reason: errno.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_much_is_read_of_all_targets() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a", "b", "c"].map(|name| {
            std::fs::write(folder.path().join(name), [b'x'; 10]).unwrap();
            RelPath::parse(name).unwrap()
        });
        let root = ProjectRoot::open(folder.path()).unwrap();
        let read = |all: u64| -> Vec<bool> {
            let facts = root.facts_within(&paths, TARGET_CAP, all);
            paths.iter().map(|path| matches!(facts.get(path).unwrap().target, Target::File(_))).collect()
        };
        assert_eq!(read(30), [true, true, true]);
        assert_eq!(read(29), [true, true, false]);
        assert_eq!(read(9), [false, false, false]);
    }
}
