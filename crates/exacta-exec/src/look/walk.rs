//! The way from the project root to the folder a target is in.

use super::unreadable;
use crate::handle::{is_mount, kind, open_beneath, stat_in};
use crate::root::ProjectRoot;
use exacta_kernel::facts::{Obstacle, Target};
use exacta_kernel::path::RelPath;
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;

/// Where the way ended: at the deepest folder that exists.
pub(super) struct Walk {
    /// The deepest folder on the way.
    pub(super) folder: OwnedFd,
    /// Its path; `None` for the project root.
    pub(super) above: Option<String>,
    /// The first part that is not a folder on the way: the target's own name, or the first missing folder.
    pub(super) name: String,
    /// Whether that part is the target.
    pub(super) end: End,
}

/// Whether the whole way exists.
pub(super) enum End {
    /// Yes: the target would be in that folder.
    Entry,
    /// No: a folder on the way is missing, so the target is absent.
    Missing,
}

impl Walk {
    /// Goes down part by part, so that an obstacle can be named.
    pub(super) fn to(root: &ProjectRoot, path: &RelPath) -> Result<Self, Target> {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let mut folder = open_beneath(root.fd(), ".", flags).map_err(unreadable)?;
        let mut above: Option<String> = None;
        let mut parts = path.parts().peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return Ok(Self { folder, above, name: part.to_owned(), end: End::Entry });
            }
            let at = above.as_ref().map_or_else(|| part.to_owned(), |above| format!("{above}/{part}"));
            match step(&folder, part, &at)? {
                Some(next) => folder = next,
                None => return Ok(Self { folder, above, name: part.to_owned(), end: End::Missing }),
            }
            above = Some(at);
        }
        Err(unreadable(Errno::INVAL))
    }
}

/// One folder down; `None` if there is nothing.
fn step(folder: &OwnedFd, part: &str, at: &str) -> Result<Option<OwnedFd>, Target> {
    let blocked = |by| Target::Blocked { at: at.to_owned(), by };
    match open_beneath(folder, part, OFlags::PATH | OFlags::DIRECTORY) {
        Ok(next) => Ok(Some(next)),
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::XDEV) => Err(blocked(Obstacle::Mount)),
        Err(Errno::LOOP) => Err(blocked(Obstacle::Symlink)),
        Err(Errno::NOTDIR) => {
            let entry = stat_in(folder, part).map_err(unreadable)?;
            let mount = is_mount(folder.as_fd(), &entry).map_err(unreadable)?;
            Err(blocked(match kind(&entry) {
                FileType::Symlink => Obstacle::Symlink,
                _ if mount => Obstacle::Mount,
                _ => Obstacle::NotAFolder,
            }))
        }
        Err(errno) => Err(Target::Unreadable { reason: format!("cannot open `{at}`: {errno}") }),
    }
}
