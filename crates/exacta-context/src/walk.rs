//! Every file of a project that may be shown, with what it is right now. By handle, level by level, through no link.

use crate::beneath;
use crate::error::ContextError;
use crate::gate::{self, Barred, Class};
use crate::ignored::Rules;
use exacta_kernel::path::RelPath;
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Stat, statat};
use std::collections::BTreeMap;

/// The most files that are looked at.
pub const MOST_FILES: usize = 100_000;

/// A file that may be shown.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub path: RelPath,
    pub class: Class,
    pub stamp: Stamp,
}

/// What tells that a file is still the same, as far as the file system tells it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub size: u64,
    pub modified: i128,
    pub changed: i128,
    pub inode: u64,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// By path, in order.
    pub files: Vec<Seen>,
    /// How many files are barred, and why.
    pub barred: BTreeMap<Barred, u64>,
    /// Whether there are more than [`MOST_FILES`].
    pub more: bool,
}

impl Stamp {
    pub fn of(stat: &Stat) -> Self {
        let time = |seconds: i64, nanoseconds: i128| i128::from(seconds) * 1_000_000_000 + nanoseconds;
        Self {
            size: u64::try_from(stat.st_size).unwrap_or(u64::MAX),
            modified: time(stat.st_mtime, i128::from(stat.st_mtime_nsec)),
            changed: time(stat.st_ctime, i128::from(stat.st_ctime_nsec)),
            inode: stat.st_ino,
        }
    }
}

/// Walks a project. What is nearer to its root comes first, so that a limit cuts off what lies deepest.
pub(crate) fn walk(root: BorrowedFd<'_>, user_ignores: &str) -> Result<Found, ContextError> {
    let device = rustix::fs::fstat(root).map_err(ContextError::Project)?.st_dev;
    beneath::folder(root, "").map_err(ContextError::Project)?;
    let mut found = Found::default();
    let mut level = vec![Folder { path: String::new(), rules: Rules::of_project(root, user_ignores) }];
    while !level.is_empty() && !found.more {
        let mut next = Vec::new();
        for listed in list_all(root, device, &level) {
            next.extend(listed.folders);
            for (why, count) in listed.barred {
                *found.barred.entry(why).or_default() += count;
            }
            found.files.extend(listed.files);
        }
        found.more = found.files.len() > MOST_FILES;
        level = next;
    }
    found.files.truncate(MOST_FILES);
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// A folder to list, with the rules of the folder above it.
#[derive(Debug, Clone)]
struct Folder {
    path: String,
    rules: Rules,
}

/// What one folder holds.
#[derive(Debug, Default)]
struct Listed {
    files: Vec<Seen>,
    folders: Vec<Folder>,
    barred: BTreeMap<Barred, u64>,
}

/// Lists the folders of a level in their order, on two threads.
fn list_all(root: BorrowedFd<'_>, device: u64, level: &[Folder]) -> Vec<Listed> {
    crate::pair::map(level, || (), |(), folder| list(root, device, folder).unwrap_or_default())
}

fn list(root: BorrowedFd<'_>, device: u64, folder: &Folder) -> Option<Listed> {
    let handle = beneath::folder(root, &folder.path).ok()?;
    let mut entries: Vec<(String, FileType)> = Vec::new();
    for entry in Dir::read_from(&handle).ok()?.flatten() {
        match entry.file_name().to_str() {
            Ok("." | "..") | Err(_) => {}
            Ok(name) => entries.push((name.to_owned(), entry.file_type())),
        }
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let has = |name: &str| entries.binary_search_by(|(entry, _)| entry.as_str().cmp(name)).is_ok();
    let rules = if folder.path.is_empty() { folder.rules.clone() } else { folder.rules.inner(root, &folder.path, has) };
    let mut listed = Listed::default();
    for (name, kind) in entries {
        let path = if folder.path.is_empty() { name.clone() } else { format!("{}/{name}", folder.path) };
        if let Err(why) = listed.add(&handle, &name, path, kind, &rules, device) {
            *listed.barred.entry(why).or_default() += 1;
        }
    }
    Some(listed)
}

impl Listed {
    fn add(
        &mut self,
        folder: &OwnedFd,
        name: &str,
        path: String,
        kind: FileType,
        rules: &Rules,
        device: u64,
    ) -> Result<(), Barred> {
        let look = || statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW).map_err(|_| Barred::Unreadable);
        // Some file systems do not tell the kind with the name.
        let kind = if kind == FileType::Unknown { FileType::from_raw_mode(look()?.st_mode) } else { kind };
        match kind {
            FileType::Directory => {
                if rules.ignores(&path, true) {
                    return Err(Barred::Ignored);
                }
                let parsed = RelPath::parse(&path).map_err(|_| Barred::Unreadable)?;
                if parsed.is_protected() || gate::is_denied(name) {
                    return Err(Barred::Denied);
                }
                self.folders.push(Folder { path, rules: rules.clone() });
            }
            FileType::RegularFile => {
                let path = RelPath::parse(&path).map_err(|_| Barred::Unreadable)?;
                let class = gate::class(&path)?;
                if rules.ignores(path.as_str(), false) {
                    return Err(Barred::Ignored);
                }
                let stat = look()?;
                if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || stat.st_dev != device {
                    return Err(Barred::NotAFile);
                }
                self.files.push(Seen { path, class, stamp: Stamp::of(&stat) });
            }
            _ => return Err(Barred::NotAFile),
        }
        Ok(())
    }
}
