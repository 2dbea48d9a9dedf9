//! What a target is without its bytes: enough to tell whether it is still what was looked at.

use super::walk::{End, Walk};
use crate::handle::{kind, open_beneath, stat, stat_in};
use crate::root::ProjectRoot;
use exacta_kernel::path::RelPath;
use rustix::fd::OwnedFd;
use rustix::fs::{FileType, OFlags, Statx};
use rustix::io::Errno;
use std::time::{Duration, SystemTime};

/// Where a target is or would be, and what was there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// The deepest folder on the way, beneath the project's root.
    folder: String,
    /// The name in it that is the target, or the first folder that is missing.
    name: String,
    /// That folder; with its times where what else is in it was looked at, too.
    above: Node,
    /// Whether it was.
    listed: bool,
    entry: Option<Node>,
    /// The newest change of anything on the way, in seconds.
    newest: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    device: (u32, u32),
    mount: u64,
    inode: u64,
    mode: u16,
    owner: (u32, u32),
    links: u32,
    size: u64,
    modified: (i64, u32),
    changed: (i64, u32),
}

impl ProjectRoot {
    /// What a target is, if it is a regular file or nothing is there. `listed` says whether names beside it matter.
    #[must_use]
    pub fn stamp(&self, path: &RelPath, listed: bool) -> Option<Stamp> {
        let walk = Walk::to(self, path).ok()?;
        let folder = walk.above.clone().unwrap_or_else(|| ".".to_owned());
        let listed = listed || matches!(walk.end, End::Missing);
        let (above, entry) = nodes(&walk.folder, &walk.name, listed)?;
        let times = [Some(&above), entry.as_ref()].into_iter().flatten().map(Node::newest);
        let newest = times.chain(self.newest_on_the_way(&folder)?).max()?;
        Some(Stamp { folder, name: walk.name, above, listed, entry, newest })
    }

    /// Whether a target is still what it was: its bytes, mode and place, as far as the file system tells of every change.
    #[must_use]
    pub fn is_as(&self, stamp: &Stamp) -> bool {
        let folder = open_beneath(self.fd(), &stamp.folder, OFlags::PATH | OFlags::DIRECTORY);
        let now = folder.ok().and_then(|folder| nodes(&folder, &stamp.name, stamp.listed));
        now.is_some_and(|(above, entry)| above == stamp.above && entry == stamp.entry)
    }

    /// When each folder on the way changed: a folder that was exchanged meanwhile changes the one that holds it.
    fn newest_on_the_way(&self, folder: &str) -> Option<Vec<i64>> {
        let mut here = open_beneath(self.fd(), ".", OFlags::PATH | OFlags::DIRECTORY).ok()?;
        let mut newest = vec![Node::of(&stat(&here).ok()?).newest()];
        for part in folder.split('/').filter(|part| *part != ".") {
            here = open_beneath(&here, part, OFlags::PATH | OFlags::DIRECTORY).ok()?;
            newest.push(Node::of(&stat(&here).ok()?).newest());
        }
        Some(newest)
    }
}

impl Stamp {
    /// Whether anything is there.
    #[must_use]
    pub const fn is_file(&self) -> bool {
        self.entry.is_some()
    }

    /// Whether nothing on the way changed since so long before that moment that a later change shows: file systems count in steps.
    #[must_use]
    pub fn settled(&self, moment: SystemTime, step: Duration) -> bool {
        self.newest < seconds(moment, step)
    }

    /// The same of the entry alone, where it does not matter what happens in its folder.
    #[must_use]
    pub fn entry_settled(&self, moment: SystemTime, step: Duration) -> bool {
        self.entry.as_ref().is_none_or(|entry| entry.newest() < seconds(moment, step))
    }
}

fn seconds(moment: SystemTime, step: Duration) -> i64 {
    let moment = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().saturating_sub(step);
    i64::try_from(moment.as_secs()).unwrap_or(i64::MAX)
}

/// A folder and an entry of it; nothing where the entry is no regular file, or cannot be looked at.
fn nodes(folder: &OwnedFd, name: &str, listed: bool) -> Option<(Node, Option<Node>)> {
    let above = Node::of(&stat(folder).ok()?);
    let above = if listed { above } else { above.without_times() };
    match stat_in(folder, name) {
        Ok(entry) if kind(&entry) == FileType::RegularFile => Some((above, Some(Node::of(&entry)))),
        Err(Errno::NOENT) => Some((above, None)),
        _ => None,
    }
}

impl Node {
    const fn of(found: &Statx) -> Self {
        Self {
            device: (found.stx_dev_major, found.stx_dev_minor),
            mount: found.stx_mnt_id,
            inode: found.stx_ino,
            mode: found.stx_mode,
            owner: (found.stx_uid, found.stx_gid),
            links: found.stx_nlink,
            size: found.stx_size,
            modified: (found.stx_mtime.tv_sec, found.stx_mtime.tv_nsec),
            changed: (found.stx_ctime.tv_sec, found.stx_ctime.tv_nsec),
        }
    }

    /// Of a folder whose other entries do not matter.
    const fn without_times(self) -> Self {
        Self { links: 0, size: 0, modified: (0, 0), changed: (0, 0), ..self }
    }

    fn newest(&self) -> i64 {
        self.modified.0.max(self.changed.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    fn path(text: &str) -> RelPath {
        RelPath::parse(text).unwrap()
    }

    /// Whatever happens to a target or to the way there, its stamp no longer holds; what happens beside it does not matter.
    #[test]
    fn every_change_of_a_target_shows() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::create_dir_all(at("c/b")).unwrap();
        let root = ProjectRoot::open(dir.path()).unwrap();
        let write = |name: &str, text: &str| fs::write(at(name), text).unwrap();
        let swap = || {
            for (from, to) in [("a", "x"), ("c", "a"), ("x", "c")] {
                fs::rename(at(from), at(to)).unwrap();
            }
        };
        type Change<'a> = (&'a str, Box<dyn Fn() + 'a>);
        let changes: [Change<'_>; 6] = [
            ("longer", Box::new(|| write("a/b/file", "other"))),
            ("another file", Box::new(|| fs::rename(at("a/b/other"), at("a/b/file")).unwrap())),
            (
                "another mode",
                Box::new(|| fs::set_permissions(at("a/b/file"), fs::Permissions::from_mode(0o600)).unwrap()),
            ),
            ("another folder", Box::new(swap)),
            ("gone", Box::new(|| fs::remove_file(at("a/b/file")).unwrap())),
            ("a folder", Box::new(|| fs::create_dir(at("a/b/file")).unwrap())),
        ];
        for (what, change) in changes {
            write("a/b/other", "same");
            if what != "a folder" {
                write("a/b/file", "same");
                write("c/b/file", "same");
            }
            let stamp = root.stamp(&path("a/b/file"), false).unwrap();
            write("a/b/beside", what);
            assert!(root.is_as(&stamp), "{what}: beside it");
            change();
            assert!(!root.is_as(&stamp), "{what}");
        }
    }

    /// Bytes of the same length, written where the clock of the file system went on: its time tells.
    #[test]
    fn the_same_length_shows_once_the_times_are_settled() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "one").unwrap();
        let root = ProjectRoot::open(dir.path()).unwrap();
        let stamp = root.stamp(&path("file"), false).unwrap();
        assert!(!stamp.settled(SystemTime::now(), Duration::from_secs(2)), "it changed just now");
        assert!(stamp.settled(SystemTime::now() + Duration::from_secs(10), Duration::from_secs(2)));
        std::thread::sleep(Duration::from_millis(30));
        fs::write(&file, "two").unwrap();
        assert!(!root.is_as(&stamp));
    }

    /// A file that is not there yet: so is every name beside it that it could be taken for, and each folder that is missing.
    #[test]
    fn what_comes_shows() {
        let dir = tempfile::tempdir().unwrap();
        let root = ProjectRoot::open(dir.path()).unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        for (target, listed, comes) in [("a/new", true, "a/New"), ("a/new", false, "a/new"), ("b/c/new", false, "b")] {
            let stamp = root.stamp(&path(target), listed).unwrap();
            assert!(!stamp.is_file() && root.is_as(&stamp), "{target}");
            std::thread::sleep(Duration::from_millis(30));
            fs::write(dir.path().join(comes), "").unwrap();
            assert!(!root.is_as(&stamp), "{comes}");
        }
        assert!(root.stamp(&path("a"), false).is_none(), "a folder");
        std::os::unix::fs::symlink("a", dir.path().join("link")).unwrap();
        assert!(root.stamp(&path("link"), false).is_none() && root.stamp(&path("link/new"), false).is_none());
    }
}
