//! Private files: nobody else can write them, a change is whole and durable, and two processes never lose an update.
//!
//! A file is replaced only through the [`Lock`] on its folder: read, change and write under the lock. Reading needs no lock,
//! for a reader sees the file before a replacement or after it.

use crate::file_error::{FileError, Weakness};
use crate::readings::{Node, Was, note};
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, RenameFlags, flock, open, renameat, renameat_with};
use rustix::io::Errno;
use std::fs::{DirBuilder, File, Metadata};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Larger than any file that belongs here. Nothing larger is written either, so that what is written can be read back.
pub(crate) const MAX_SIZE: u64 = 4 << 20;
/// How long another process may keep a lock; changes take milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// Who may have written a file, and who may read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The user's own; others may read it.
    Own,
    /// The user's own; nobody else may read it.
    Secret,
    /// The administrator's.
    Root,
}

/// The right to replace files in one folder, shared with nobody as long as it lives.
#[derive(Debug)]
pub(crate) struct Lock {
    folder: PathBuf,
    _held: File,
}

/// The content of a file; `None` where there is none.
///
/// # Errors
/// Where others could have changed it (or, for a secret, read it), and as the system says.
pub(crate) fn read(path: &Path, trust: Trust) -> Result<Option<Zeroizing<Vec<u8>>>, FileError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = match open(path, flags, Mode::empty()) {
        Ok(handle) => File::from(handle),
        Err(Errno::NOENT) => {
            note(path, || Was::Nothing);
            return Ok(None);
        }
        Err(Errno::LOOP) => return Err(FileError::Unsafe { path: path.to_owned(), weakness: Weakness::NotAFile }),
        Err(errno) => return Err(FileError::io("open", path)(errno)),
    };
    let metadata = file.metadata().map_err(FileError::io("look at", path))?;
    let size = check_file(path, &metadata, trust)?;
    note(path, || Was::File(Node::of(&metadata)));
    // With room for one byte more, so that the end is noticed at the first try.
    let mut bytes = Zeroizing::new(Vec::with_capacity(size + 1));
    (&mut file).take(MAX_SIZE).read_to_end(&mut bytes).map_err(FileError::io("read", path))?;
    Ok(Some(bytes))
}

/// Makes a folder and its parents, mode 0700, where missing, and checks that it is nobody else's.
pub(crate) fn make_folder(path: &Path) -> Result<(), FileError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(FileError::io("make folder", path))?;
    check_folder(path, Trust::Own)
}

/// Checks that nobody else can put files into a folder. One that is not there is fine.
pub(crate) fn check_folder(path: &Path, trust: Trust) -> Result<(), FileError> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            note(path, || Was::Nothing);
            return Ok(());
        }
        Err(error) => return Err(FileError::io("look at", path)(error)),
    };
    note(path, || Was::Folder(Node::owned(&metadata)));
    if !metadata.is_dir() {
        return Err(FileError::Unsafe { path: path.to_owned(), weakness: Weakness::NotAFolder });
    }
    check_owner(path, &metadata, trust)
}

impl Lock {
    /// Waits for the lock on a folder and takes it. Makes the folder.
    pub(crate) fn on(folder: &Path) -> Result<Self, FileError> {
        Self::named(folder, ".lock")
    }

    /// Waits for the lock of this name in a folder and takes it. Makes the folder.
    pub(crate) fn named(folder: &Path, name: &str) -> Result<Self, FileError> {
        make_folder(folder)?;
        let path = folder.join(name);
        let held = create(&path, OFlags::RDWR)?;
        let until = Instant::now() + PATIENCE;
        loop {
            match flock(&held, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self { folder: folder.to_owned(), _held: held }),
                Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => return Err(FileError::Busy { path }),
                Err(errno) => return Err(FileError::io("lock", &path)(errno)),
            }
        }
    }

    /// Replaces a file in the folder: after this, also after a power cut, it holds all of this.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        let staged = self.folder.join(".new");
        self.stage(&staged, bytes, true)?;
        put(&staged, path, true)?;
        self.sync()
    }

    /// Writes a file that is to take another's place; onto the disk if `durable`.
    pub(crate) fn stage(&self, staged: &Path, bytes: &[u8], durable: bool) -> Result<(), FileError> {
        let size = bytes.len() as u64;
        if size > MAX_SIZE {
            return Err(FileError::Oversize { path: staged.to_owned(), size, most: MAX_SIZE });
        }
        let mut file = create(staged, OFlags::WRONLY | OFlags::TRUNC)?;
        file.write_all(bytes).map_err(FileError::io("write", staged))?;
        if durable { file.sync_all().map_err(FileError::io("sync", staged)) } else { Ok(()) }
    }

    /// Removes a file in the folder, if it is there.
    pub(crate) fn remove(&self, path: &Path) -> Result<(), FileError> {
        match std::fs::remove_file(path) {
            Ok(()) => self.sync(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(FileError::io("remove", path)(error)),
        }
    }

    fn sync(&self) -> Result<(), FileError> {
        let handle = File::open(&self.folder).map_err(FileError::io("open", &self.folder))?;
        handle.sync_all().map_err(FileError::io("sync", &self.folder))
    }
}

/// Gives a file that was staged its place. After a power cut the old one may be there again; if it was not `durable`, an empty one.
pub(crate) fn put(staged: &Path, path: &Path, durable: bool) -> Result<(), FileError> {
    if durable {
        return std::fs::rename(staged, path).map_err(FileError::io("replace", path));
    }
    // An exchange, so that ext4 does not write the new file out: it does that when a file is replaced by renaming.
    match renameat_with(CWD, staged, CWD, path, RenameFlags::EXCHANGE) {
        Ok(()) => match std::fs::remove_file(staged) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(FileError::io("replace", path)(error)),
            _ => Ok(()),
        },
        // There is no old one, or the file system cannot exchange.
        Err(Errno::NOENT | Errno::INVAL | Errno::NOSYS) => {
            renameat(CWD, staged, CWD, path).map_err(FileError::io("replace", path))
        }
        Err(errno) => Err(FileError::io("replace", path)(errno)),
    }
}

/// Opens a private file, made with mode 0600 where missing.
pub(crate) fn create(path: &Path, flags: OFlags) -> Result<File, FileError> {
    let flags = flags | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let handle = open(path, flags, Mode::RUSR | Mode::WUSR).map_err(FileError::io("open", path))?;
    let file = File::from(handle);
    let metadata = file.metadata().map_err(FileError::io("look at", path))?;
    check_file(path, &metadata, Trust::Own)?;
    Ok(file)
}

fn check_file(path: &Path, metadata: &Metadata, trust: Trust) -> Result<usize, FileError> {
    let weak = |weakness| FileError::Unsafe { path: path.to_owned(), weakness };
    if !metadata.is_file() {
        return Err(weak(Weakness::NotAFile));
    }
    if metadata.len() > MAX_SIZE {
        return Err(weak(Weakness::TooLarge));
    }
    check_owner(path, metadata, trust)?;
    usize::try_from(metadata.len()).map_err(|_| weak(Weakness::TooLarge))
}

fn check_owner(path: &Path, metadata: &Metadata, trust: Trust) -> Result<(), FileError> {
    let weak = |weakness| Err(FileError::Unsafe { path: path.to_owned(), weakness });
    let expected = if trust == Trust::Root { 0 } else { rustix::process::geteuid().as_raw() };
    let mode = metadata.mode() & 0o7777;
    if metadata.uid() != expected {
        return weak(Weakness::Owner { owner: metadata.uid(), expected });
    }
    if mode & 0o022 != 0 {
        return weak(Weakness::Writable(mode));
    }
    if trust == Trust::Secret && mode & 0o077 != 0 {
        return weak(Weakness::Readable(mode));
    }
    Ok(())
}
