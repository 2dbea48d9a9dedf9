//! A folder of the user's state, held by handle: nothing beneath it is reached by a path, and no symbolic link is followed.

use crate::error::IoError;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::path::Path;
use std::sync::Arc;

/// A held folder.
#[derive(Debug, Clone)]
pub struct Folder(Arc<OwnedFd>);

impl Folder {
    /// Opens a folder that must be there. The way to it is the user's own.
    ///
    /// # Errors
    /// If it is no folder, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self, IoError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let opened = retry(|| rustix::fs::openat(CWD, path, flags, Mode::empty()));
        Ok(Self(Arc::new(opened.map_err(IoError::of("open folder", &path.display().to_string()))?)))
    }

    /// A folder in it, made durably if it is missing.
    ///
    /// # Errors
    /// If it cannot be opened or made.
    pub fn within(&self, name: &str) -> Result<Self, IoError> {
        self.folder_or_make(name).map_err(IoError::of("open folder", name))
    }

    /// The bytes of a file in it, but no more than `cap`; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read, or has more.
    pub fn bytes(&self, name: &str, cap: u64) -> Result<Option<Vec<u8>>, IoError> {
        let Some(file) = self.file(name, false).map_err(IoError::of("open", name))? else { return Ok(None) };
        read(&file, cap).map(Some).map_err(IoError::of("read", name))
    }

    /// Writes a file of mode 0600 that nobody ever sees in part, durably; `false` if the name is taken, and then nothing changes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<bool, IoError> {
        let unfinished = format!(".{name}.{}", std::process::id());
        let written = self.write_whole(&unfinished, name, bytes);
        if written != Ok(true) {
            let _next_time = self.remove(&unfinished);
        }
        written.map_err(IoError::of("write", name))
    }

    fn write_whole(&self, unfinished: &str, name: &str, bytes: &[u8]) -> Result<bool, Errno> {
        self.remove(unfinished)?;
        let file = self.create(unfinished)?;
        write_at(&file, 0, bytes)?;
        rustix::fs::fsync(&file)?;
        match self.rename(unfinished, (self, name)) {
            Ok(()) => self.sync().map(|()| true),
            Err(Errno::EXIST) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    /// A folder in it; `None` if there is none.
    pub(crate) fn folder(&self, name: &str) -> Result<Option<Self>, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        match retry(|| rustix::fs::openat(&self.0, name, flags, Mode::empty())) {
            Ok(fd) => Ok(Some(Self(Arc::new(fd)))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// A folder in it, made durably if it is missing.
    pub(crate) fn folder_or_make(&self, name: &str) -> Result<Self, Errno> {
        if let Some(found) = self.folder(name)? {
            return Ok(found);
        }
        match retry(|| rustix::fs::mkdirat(&self.0, name, Mode::RWXU)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
        self.sync()?;
        self.folder(name)?.ok_or(Errno::NOENT)
    }

    /// A regular file in it, to read or to append to; `None` if there is nothing.
    pub(crate) fn file(&self, name: &str, write: bool) -> Result<Option<OwnedFd>, Errno> {
        let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
        let flags = access | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let fd = match retry(|| rustix::fs::openat(&self.0, name, flags, Mode::empty())) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(errno),
        };
        let stat = rustix::fs::fstat(&fd)?;
        let regular = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file();
        if regular { Ok(Some(fd)) } else { Err(Errno::INVAL) }
    }

    /// A new file of mode 0600; fails with `EEXIST` if the name is taken.
    pub(crate) fn create(&self, name: &str) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        retry(|| rustix::fs::openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR))
    }

    /// Gives a file another name, which must be free.
    pub(crate) fn rename(&self, from: &str, to: (&Self, &str)) -> Result<(), Errno> {
        retry(|| rustix::fs::renameat_with(&self.0, from, &to.0.0, to.1, RenameFlags::NOREPLACE))
    }

    pub(crate) fn remove(&self, name: &str) -> Result<(), Errno> {
        match retry(|| rustix::fs::unlinkat(&self.0, name, AtFlags::empty())) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// Removes a folder in it if nothing is in that.
    pub(crate) fn remove_empty(&self, name: &str) -> Result<(), Errno> {
        match retry(|| rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// The names in it, sorted.
    pub(crate) fn names(&self) -> Result<Vec<String>, Errno> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    pub(crate) fn sync(&self) -> Result<(), Errno> {
        rustix::fs::fsync(&self.0)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Takes the lock on a file until it is dropped or its holder dies; `false` if someone else has it.
pub(crate) fn lock(file: &OwnedFd) -> Result<bool, Errno> {
    match retry(|| rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// All bytes of a file, but no more than `cap`.
pub(crate) fn read(file: &OwnedFd, cap: u64) -> Result<Vec<u8>, Errno> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 1 << 14];
    loop {
        let count = retry(|| rustix::io::pread(file, &mut buffer, bytes.len() as u64))?;
        if count == 0 {
            return Ok(bytes);
        }
        bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
        if bytes.len() as u64 > cap {
            return Err(Errno::FBIG);
        }
    }
}

/// Writes all bytes at a place in a file.
pub(crate) fn write_at(file: &OwnedFd, mut offset: u64, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let count = retry(|| rustix::io::pwrite(file, bytes, offset))?;
        if count == 0 {
            return Err(Errno::IO);
        }
        bytes = bytes.get(count..).unwrap_or_default();
        offset = offset.saturating_add(count as u64);
    }
    Ok(())
}

/// Repeats a call that a signal interrupted.
fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            answer => return answer,
        }
    }
}
