//! A copy of a project: every file is read and written to a new one, so that the two share nothing, with a `.git` of its own.

mod git;
mod index;

pub use git::OBJECTS;

use crate::beneath;
use crate::error::AgentError;
use crate::tree::{Entry, Name, Tree};
use crate::walk::{Item, Kept, Told, walk};
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags, Stat, fchmod, fstat, mkdirat, openat, symlinkat, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// How often a file that changes meanwhile is copied again.
const TRIES: usize = 5;

/// What came of copying.
#[derive(Debug, Default)]
pub struct Copied {
    /// All that is in the copy.
    pub base: Tree,
    /// What was left out because an ignore file lists it.
    pub ignored: Vec<Name>,
    /// Where the objects of the project's repository are, if it has one that the copy could be given.
    pub objects: Option<PathBuf>,
    /// Why the copy has no repository although the project has one.
    pub no_git: Option<&'static str>,
}

/// Copies a project into an empty folder. `tell` hears how many files are done.
///
/// # Errors
/// If something cannot be read or written, or does not stay the same for long enough to be copied.
pub fn copy(
    project: BorrowedFd<'_>,
    at: &std::path::Path,
    into: BorrowedFd<'_>,
    tell: &mut dyn FnMut(usize),
) -> Result<Copied, AgentError> {
    let repository = git::Repository::find(project, at);
    let tracked = repository.as_ref().map(git::Repository::tracked).unwrap_or_default();
    let kept = Kept { names: tracked.files, all: false };
    let mut copied = Copied::default();
    let mut files = 0;
    walk(project, &kept, &mut |told| {
        match told {
            Told::Folder(item) => make_folder(into, item.name, item.facts.st_mode)?,
            Told::Thing(item) => {
                if let Some(entry) = copy_one(project, into, &item)? {
                    copied.base.entries.insert(item.name.clone(), entry);
                }
                files += 1;
                tell(files);
            }
            Told::Empty(name) => drop(copied.base.entries.insert(name.clone(), Entry::EmptyFolder)),
            Told::Nested(name) => drop(copied.base.nested.insert(name.clone())),
            Told::Ignored(name) => copied.ignored.push(name.clone()),
            Told::Unreadable(name) => return Err(AgentError::at("read", name)(Errno::ACCESS)),
        }
        Ok(())
    })?;
    copied.base.nested.extend(tracked.submodules);
    if let Some(repository) = repository {
        match repository.copy(into)? {
            git::Made::Repository => copied.objects = Some(repository.objects()),
            git::Made::Nothing(why) => copied.no_git = Some(why),
        }
    }
    Ok(copied)
}

/// Copies a file, or a folder with all that is in it, ignored or not; what is not there is passed over. Only what `wanted` says is copied.
///
/// # Errors
/// As [`copy`].
pub fn subtree(
    from: BorrowedFd<'_>,
    into: BorrowedFd<'_>,
    name: &Name,
    wanted: &mut dyn FnMut(&Stat) -> bool,
) -> Result<(), AgentError> {
    if let Ok((_, facts)) = beneath::file(from, name) {
        make_way(into, name)?;
        return if wanted(&facts) { copy_file(from, into, name).map(drop) } else { Ok(()) };
    }
    let Ok(folder) = beneath::folder(from, name) else { return Ok(()) };
    make_way(into, &name.join(b"inner"))?;
    let inner = beneath::folder(into, name).map_err(AgentError::at("open", name))?;
    walk(folder.as_fd(), &Kept::all(), &mut |told| {
        match told {
            Told::Folder(item) => make_folder(inner.as_fd(), item.name, item.facts.st_mode)?,
            Told::Thing(item) if wanted(&item.facts) => drop(copy_one(folder.as_fd(), inner.as_fd(), &item)?),
            _ => {}
        }
        Ok(())
    })
}

/// Makes the folders that lead to something.
fn make_way(into: BorrowedFd<'_>, name: &Name) -> Result<(), AgentError> {
    let mut above = Vec::new();
    let mut next = name.parent();
    while let Some(folder) = next {
        next = folder.parent();
        above.push(folder);
    }
    above.iter().rev().try_for_each(|folder| make_folder(into, folder, 0o700))
}

/// Copies one thing as it is now over whatever is there; nothing of what is special.
///
/// # Errors
/// As [`copy`].
pub fn copy_one(project: BorrowedFd<'_>, into: BorrowedFd<'_>, item: &Item<'_>) -> Result<Option<Entry>, AgentError> {
    match FileType::from_raw_mode(item.facts.st_mode) {
        FileType::RegularFile => copy_file(project, into, item.name).map(Some),
        FileType::Symlink => {
            let to = beneath::link(item.folder.as_fd(), item.leaf).map_err(AgentError::at("read", item.name))?;
            let (folder, last) = place(into, item.name)?;
            symlinkat(OsStr::from_bytes(to.bytes()), &folder, last).map_err(AgentError::at("copy", item.name))?;
            Ok(Some(Entry::Link { to }))
        }
        _ => Ok(None),
    }
}

/// Copies a file: what is noted of it is what was read and written, whatever else happens to it.
pub fn copy_file(project: BorrowedFd<'_>, into: BorrowedFd<'_>, name: &Name) -> Result<Entry, AgentError> {
    let (folder, last) = place(into, name)?;
    for _ in 0..TRIES {
        let (mut from, before) = beneath::file(project, name).map_err(AgentError::at("open", name))?;
        let _absent = unlinkat(&folder, last, rustix::fs::AtFlags::empty());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let to = openat(&folder, last, flags, Mode::RUSR | Mode::WUSR).map_err(AgentError::at("make", name))?;
        let mut to = File::from(to);
        let entry = beneath::read(&mut from, &before, &mut to).map_err(AgentError::io("copy", name.path()))?;
        let mode = Mode::from_raw_mode(before.st_mode & 0o777 | 0o600);
        fchmod(&to, mode).map_err(AgentError::at("set the mode of", name))?;
        let after = fstat(&from).map_err(AgentError::at("look at", name))?;
        if stamp(&before) == stamp(&after) {
            return Ok(entry);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Err(AgentError::Changing(name.to_string()))
}

/// Makes a folder as the project has it, open for its owner.
pub fn make_folder(into: BorrowedFd<'_>, name: &Name, mode: u32) -> Result<(), AgentError> {
    let (folder, last) = place(into, name)?;
    match mkdirat(&folder, last, Mode::from_raw_mode(mode & 0o777 | 0o700)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(errno) => Err(AgentError::at("make", name)(errno)),
    }
}

/// The folder that something is in, and its name there.
pub fn place<'n>(root: BorrowedFd<'_>, name: &'n Name) -> Result<(OwnedFd, &'n OsStr), AgentError> {
    let parent = name.parent().unwrap_or_default();
    let folder = beneath::folder(root, &parent).map_err(AgentError::at("open", &parent))?;
    Ok((folder, OsStr::from_bytes(name.last())))
}

/// What tells that a file was not written meanwhile.
fn stamp(facts: &Stat) -> (i64, i64, u64, i64, u64) {
    (facts.st_size, facts.st_mtime, facts.st_mtime_nsec, facts.st_ctime, facts.st_ctime_nsec)
}
