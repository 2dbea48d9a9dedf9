//! Files in `writes` that give whoever starts them the rights of somebody else: set-user-id, set-group-id, capabilities.
//!
//! The filter keeps a command from making one. This looks at what is there before a command, which could write into such a file,
//! and at what is there after it. Everything is reached by handle, through no link and into no other file system.

use super::folders::Walk;
use crate::handle::{is_mount, kind, retry};
use rustix::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, CWD, FileType, Gid, Mode, OFlags, Statx, StatxFlags, chmodat, chownat, lgetxattr, openat, removexattr,
    statx,
};
use rustix::io::Errno;
use std::ffi::{CStr, CString};

const SET_ID: u16 = 0o6000;

const CAPABILITY: &CStr = c"security.capability";

/// What to do with a file that is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Only say so.
    Named,
    /// Take its rights away.
    Stripped,
}

/// What cannot be looked at, by its path in the project, and what the system says.
#[derive(Debug)]
pub(super) struct Closed {
    pub path: String,
    pub errno: Errno,
}

/// The files of a held folder that give rights, by their paths in the project, of which `name` is the folder's.
///
/// Nobody waits for a folder that is being changed: what is gone when it is looked at is passed over.
pub(super) fn find(folder: &OwnedFd, name: &str, then: Found) -> Result<Vec<String>, Closed> {
    let mut walk = Walk::begin(folder, name).map_err(|errno| Closed { path: name.to_owned(), errno })?;
    let mut found = Vec::new();
    loop {
        let mut folders = Vec::new();
        for entry in walk.entries().map_err(|errno| walk.closed(None, errno))? {
            match look(walk.here(), &entry, then).map_err(|errno| walk.closed(Some(&entry), errno))? {
                Looked::Folder => folders.push(entry),
                Looked::Gives => found.push(walk.path(Some(&entry))),
                Looked::Nothing => {}
            }
        }
        if !walk.next(folders)? {
            return Ok(found);
        }
    }
}

/// What an entry of a folder is.
enum Looked {
    /// A folder of the same file system.
    Folder,
    /// A file that gives rights, or gave them.
    Gives,
    /// Anything else.
    Nothing,
}

fn look(dir: BorrowedFd<'_>, name: &CStr, then: Found) -> Result<Looked, Errno> {
    let facts = match facts(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(Looked::Nothing),
        facts => facts?,
    };
    match kind(&facts) {
        // A folder hands its group on by the same bit, and gives nobody anything.
        FileType::Directory if is_mount(dir, &facts)? => Ok(Looked::Nothing),
        FileType::Directory => Ok(Looked::Folder),
        FileType::RegularFile if gives(dir, name, &facts)? => {
            if then == Found::Stripped {
                strip(dir, name)?;
            }
            Ok(Looked::Gives)
        }
        _ => Ok(Looked::Nothing),
    }
}

fn gives(dir: BorrowedFd<'_>, name: &CStr, facts: &Statx) -> Result<bool, Errno> {
    if facts.stx_mode & SET_ID != 0 {
        return Ok(true);
    }
    // By the handle of its folder: a file that nobody may read has attributes too.
    match retry(|| lgetxattr(through(dir, Some(name)), CAPABILITY, &mut [0_u8; 0])) {
        Ok(_) => Ok(true),
        Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOENT) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Takes the rights of a file away, if it still has them.
fn strip(dir: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match retry(|| openat(dir, name, flags, Mode::empty())) {
        Err(Errno::NOENT) => return Ok(()),
        file => file?,
    };
    let facts = facts(file.as_fd(), c"", AtFlags::EMPTY_PATH)?;
    if kind(&facts) != FileType::RegularFile {
        return Ok(());
    }
    let place = through(file.as_fd(), None);
    let mode = Mode::from_raw_mode(u32::from(facts.stx_mode & 0o7777 & !SET_ID));
    retry(|| chmodat(CWD, place.as_c_str(), mode, AtFlags::empty()))?;
    match retry(|| removexattr(place.as_c_str(), CAPABILITY)) {
        Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(()),
        // Its owner may not, but loses them by giving the file to its own group.
        Err(Errno::PERM) => {
            retry(|| chownat(CWD, place.as_c_str(), None, Some(Gid::from_raw(facts.stx_gid)), AtFlags::empty()))
        }
        Err(errno) => Err(errno),
    }
}

pub(super) fn facts(at: BorrowedFd<'_>, name: &CStr, flags: AtFlags) -> Result<Statx, Errno> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
    retry(|| statx(at, name, flags | AtFlags::NO_AUTOMOUNT, wanted))
}

/// What a handle, or a name in it, is to calls that know paths alone.
pub(super) fn through(handle: BorrowedFd<'_>, name: Option<&CStr>) -> CString {
    let mut path = format!("/proc/self/fd/{}", handle.as_raw_fd()).into_bytes();
    if let Some(name) = name {
        path.push(b'/');
        path.extend_from_slice(name.to_bytes());
    }
    // Neither part has a NUL.
    CString::new(path).unwrap_or_default()
}
