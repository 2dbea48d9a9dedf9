//! The folders that a command may write to: the project's own, held, and made where they are missing.

use super::error::SandboxError;
use crate::ProjectRoot;
use crate::handle::{open_beneath, retry};
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::command::Command;
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

/// Those of one command. Of the folders that were made here, the empty ones go away with this value.
pub(super) struct Declared<'a> {
    root: &'a ProjectRoot,
    /// By path, as the command names them.
    pub folders: Vec<(&'a RelPath, OwnedFd)>,
    /// Made here, outer ones first.
    made: Vec<RelPath>,
}

impl<'a> Declared<'a> {
    /// Holds them all.
    pub fn hold(root: &'a ProjectRoot, command: &'a Command) -> Result<Self, SandboxError> {
        let mut declared = Self { root, folders: Vec::new(), made: Vec::new() };
        for path in &command.writes {
            let held = declared.open(path).map_err(|errno| SandboxError::folder(&command.name, path, errno))?;
            declared.folders.push((path, held));
        }
        Ok(declared)
    }

    /// A folder, made if it is missing, with those above it; through no symbolic link and into no other file system.
    fn open(&mut self, path: &RelPath) -> Result<OwnedFd, Errno> {
        match folder(self.root.fd(), path.as_str()) {
            Err(Errno::NOENT) => {}
            answer => return answer,
        }
        let above = path.parent().map(|parent| self.open(&parent)).transpose()?;
        let above = above.as_ref().map_or_else(|| self.root.fd(), |above| above.as_fd());
        match retry(|| rustix::fs::mkdirat(above, path.name(), Mode::from_raw_mode(0o777))) {
            Ok(()) => self.made.push(path.clone()),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
        folder(above, path.name())
    }
}

impl Drop for Declared<'_> {
    fn drop(&mut self) {
        for path in self.made.iter().rev() {
            let above = path.parent().map(|parent| folder(self.root.fd(), parent.as_str())).transpose();
            let above =
                above.as_ref().map(|above| above.as_ref().map_or_else(|| self.root.fd(), |above| above.as_fd()));
            // One that has something in it stays; that is what it was made for.
            let _kept = above.map(|above| rustix::fs::unlinkat(above, path.name(), AtFlags::REMOVEDIR));
        }
    }
}

fn folder(at: BorrowedFd<'_>, path: &str) -> Result<OwnedFd, Errno> {
    open_beneath(at, path, OFlags::PATH | OFlags::DIRECTORY)
}
