//! A way through all folders of a held one, however deep they are nested: by handle, with one handle held at a time.
//!
//! A command may leave a folder that nobody may look into, as tests do. One of the user's own is opened up (`u+rwx`): otherwise it
//! would be in the way of every later command.

use super::set_id::{Closed, facts, through};
use crate::handle::retry;
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, Statx, chmodat, openat};
use rustix::io::Errno;
use std::ffi::{CStr, CString};

/// How much of a path is told, in bytes.
const TOLD: usize = 4096;

/// What tells a folder from all others.
type Identity = (u32, u32, u64);

/// Where a walk is.
pub(super) struct Walk<'a> {
    top: &'a OwnedFd,
    /// From the held folder down to the one that is looked at.
    levels: Vec<Level>,
    /// The last of these.
    here: OwnedFd,
}

struct Level {
    name: CString,
    identity: Identity,
    /// Folders in it that are still to be looked at.
    folders: Vec<CString>,
}

impl<'a> Walk<'a> {
    /// Begins at a held folder, which is told by this name.
    pub fn begin(top: &'a OwnedFd, name: &str) -> Result<Self, Errno> {
        let here = open(&hold(top.as_fd(), c".")?)?;
        let name = CString::new(name).map_err(|_| Errno::INVAL)?;
        let level = Level { name, identity: identity(&here)?, folders: Vec::new() };
        Ok(Self { top, levels: vec![level], here })
    }

    /// The folder that is looked at.
    pub fn here(&self) -> BorrowedFd<'_> {
        self.here.as_fd()
    }

    /// What is in it.
    pub fn entries(&self) -> Result<Vec<CString>, Errno> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.here)? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                names.push(entry.file_name().to_owned());
            }
        }
        Ok(names)
    }

    /// Goes to the next folder, of which these are in the one that was looked at. Says whether there is one.
    pub fn next(&mut self, folders: Vec<CString>) -> Result<bool, Closed> {
        if let Some(level) = self.levels.last_mut() {
            level.folders = folders;
        }
        while let Some(level) = self.levels.last_mut() {
            let Some(name) = level.folders.pop() else {
                self.up().map_err(|errno| self.closed(None, errno))?;
                continue;
            };
            let entered = enter(self.here.as_fd(), &name, None).map_err(|errno| self.closed(Some(&name), errno))?;
            if let Some((here, identity)) = entered {
                self.here = here;
                self.levels.push(Level { name, identity, folders: Vec::new() });
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn up(&mut self) -> Result<(), Errno> {
        self.levels.pop();
        let Some(above) = self.levels.last() else { return Ok(()) };
        if let Some((here, _)) = enter(self.here.as_fd(), c"..", Some(above.identity))? {
            self.here = here;
            return Ok(());
        }
        // The folder was moved, or is gone: from the top, as far as everything is in its place.
        self.here = open(&hold(self.top.as_fd(), c".")?)?;
        let mut depth = 1;
        for level in self.levels.iter().skip(1) {
            let Some((here, _)) = enter(self.here.as_fd(), &level.name, Some(level.identity))? else { break };
            self.here = here;
            depth += 1;
        }
        self.levels.truncate(depth);
        Ok(())
    }

    /// The path of the folder, or of an entry of it. Of a very long one the start.
    pub fn path(&self, entry: Option<&CStr>) -> String {
        let mut path = String::new();
        for name in self.levels.iter().map(|level| level.name.as_c_str()).chain(entry) {
            if path.len() > TOLD {
                path.push_str("/…");
                break;
            }
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(&name.to_string_lossy());
        }
        path
    }

    pub fn closed(&self, entry: Option<&CStr>, errno: Errno) -> Closed {
        Closed { path: self.path(entry), errno }
    }
}

/// A folder in another, unless it is gone by now, or another one or something else.
fn enter(at: BorrowedFd<'_>, name: &CStr, expected: Option<Identity>) -> Result<Option<(OwnedFd, Identity)>, Errno> {
    let held = match hold(at, name) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
        held => held?,
    };
    let identity = identity(&held)?;
    if expected.is_some_and(|expected| expected != identity) {
        return Ok(None);
    }
    Ok(Some((open(&held)?, identity)))
}

fn hold(at: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    retry(|| openat(at, name, flags, Mode::empty()))
}

/// Opens a held folder to be read. One of the user's own that may not be read or entered is opened up first.
fn open(held: &OwnedFd) -> Result<OwnedFd, Errno> {
    let facts = facts(held.as_fd(), c"", AtFlags::EMPTY_PATH)?;
    if facts.stx_mode & 0o500 != 0o500 && facts.stx_uid == rustix::process::geteuid().as_raw() {
        open_up(held, &facts)?;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    retry(|| openat(held, c".", flags, Mode::empty()))
}

fn open_up(folder: &OwnedFd, facts: &Statx) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(u32::from(facts.stx_mode & 0o7777 | 0o700));
    let place = through(folder.as_fd(), None);
    retry(|| chmodat(CWD, place.as_c_str(), mode, AtFlags::empty()))
}

fn identity(folder: &OwnedFd) -> Result<Identity, Errno> {
    let facts = facts(folder.as_fd(), c"", AtFlags::EMPTY_PATH)?;
    Ok((facts.stx_dev_major, facts.stx_dev_minor, facts.stx_ino))
}
