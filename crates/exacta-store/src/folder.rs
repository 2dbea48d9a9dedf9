//! The `.exacta/` folder, held by handle so that nothing in it can be swapped for a link to elsewhere.

use crate::error::{Place, StoreError, Tampered};
use rustix::fs::{self, Access, AtFlags, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use rustix::path::Arg;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What two names share when they are the same file: device and inode.
pub type FileId = (u64, u64);

/// The database: where there is none there are no records.
pub const DATABASE: &str = "state.db";
/// Its write-ahead log.
pub const WAL: &str = "state.db-wal";
/// The largest file that is read whole: a plan's text, its view and their escapes fit in many times over.
const MAX_FILE: u64 = 256 << 20;
/// The audit log: one entry a line.
pub const LOG: &str = "audit.log";
/// The newest signed checkpoint.
pub const CHECKPOINT: &str = "checkpoint";
/// One file per plan, written for people and tools.
pub const PLANS: &str = "plans";
/// One file per operation with its audit entries, written for people and tools.
pub const ENTRIES: &str = "audit-log";

/// Where runs prepare and leave their journals; made here, so that no run has to wait until its name is durable.
const EXEC: &str = "exec";
const LOCK: &str = "lock";
const TEMPORARY: &str = ".tmp";
const FOLDER_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
/// How long we wait for another process.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The open folder.
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

/// The right to write in the folder; given back when dropped, or when the process dies.
#[derive(Debug)]
pub struct Lock {
    _file: OwnedFd,
}

impl Folder {
    /// Opens the folder, making what is missing of it.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let is_new = match fs::mkdir(path, FOLDER_MODE) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(errno) => return Err(StoreError::io("make", path)(errno.into())),
        };
        let folder = Self::open(path)?;
        if is_new {
            // What is pinned elsewhere must not outlive the folder it is about.
            let parent = fs::openat(&folder.handle, "..", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
            parent.and_then(fs::fsync).map_err(folder.failed("sync", ".."))?;
        }
        folder.keep_private()?;
        if folder.read(".gitignore")?.is_none() {
            // Another process may be making the same folder.
            let _lock = folder.lock()?;
            folder.replace(".gitignore", &[b"*\n"])?;
        }
        let mut made = false;
        for name in [PLANS, ENTRIES, EXEC] {
            match fs::mkdirat(&folder.handle, name, FOLDER_MODE) {
                Ok(()) => made = true,
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(folder.failed("make", name)(errno)),
            }
        }
        if made {
            folder.sync()?;
        }
        Ok(folder)
    }

    /// Opens the folder as it is.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        // The way to the folder may hold links; the folder itself may not be one.
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = parent.canonicalize().map_err(StoreError::io("open", path))?;
        let path = path.file_name().map_or_else(|| parent.clone(), |name| parent.join(name));
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match fs::open(&path, flags, Mode::empty()) {
            Ok(handle) => Ok(Self { handle, path }),
            Err(Errno::NOENT) => Err(StoreError::Missing(path)),
            Err(errno) => Err(StoreError::io("open", &path)(errno.into())),
        }
    }

    /// Takes away what others may do in the folder; what its owner may do stays.
    fn keep_private(&self) -> Result<(), StoreError> {
        let mode = Mode::from_raw_mode(fs::fstat(&self.handle).map_err(self.failed("look at", ""))?.st_mode);
        if mode.intersects(Mode::RWXG | Mode::RWXO) {
            fs::fchmod(&self.handle, mode & FOLDER_MODE).map_err(self.failed("protect", ""))?;
        }
        Ok(())
    }

    /// A folder in this one.
    pub fn inner(&self, name: &str) -> Result<Self, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = fs::openat(&self.handle, name, flags, Mode::empty()).map_err(self.failed("open", name))?;
        Ok(Self { handle, path: self.path.join(name) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the right to write.
    pub fn lock(&self) -> Result<Lock, StoreError> {
        // Files in it may be writable all the same; a change must not begin that could not be finished.
        if fs::accessat(&self.handle, ".", Access::WRITE_OK, AtFlags::EACCESS).is_err() {
            return Err(StoreError::ReadOnly { path: self.path.clone(), why: "the folder is read-only" });
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = fs::openat(&self.handle, LOCK, flags, FILE_MODE).map_err(self.failed("lock", LOCK))?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(Errno::WOULDBLOCK | Errno::INTR) if start.elapsed() < PATIENCE => {
                    sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(10));
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => return Err(StoreError::Busy(self.path.join(LOCK))),
                Err(errno) => return Err(self.failed("lock", LOCK)(errno)),
            }
        }
    }

    /// As [`Folder::lock`]; `None` where the folder cannot be written, and so nobody else can be writing.
    pub fn lock_if_writable(&self) -> Result<Option<Lock>, StoreError> {
        match self.lock() {
            Ok(lock) => Ok(Some(lock)),
            Err(StoreError::ReadOnly { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a file to read and, if `write`, to write; `None` if there is none.
    pub fn file(&self, name: &str, write: bool) -> Result<Option<File>, StoreError> {
        let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
        // A named pipe put in the file's place must not make us wait for its other end.
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = match fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => File::from(handle),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(self.not_a_file(name)),
            Err(errno) => return Err(self.failed("open", name)(errno)),
        };
        let kind = file.metadata().map_err(StoreError::io("open", &self.path.join(name)))?.file_type();
        if kind.is_file() { Ok(Some(file)) } else { Err(self.not_a_file(name)) }
    }

    /// Which file a name is; `None` if there is none. Nothing is opened: to close a file of SQLite's would take
    /// its locks away.
    pub fn identity(&self, name: &str) -> Result<Option<FileId>, StoreError> {
        match fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some((found.st_dev, found.st_ino))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.failed("look at", name)(errno)),
        }
    }

    /// Makes an empty file that is not there yet.
    pub fn new_file(&self, name: &str) -> Result<File, StoreError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        fs::openat(&self.handle, name, flags, FILE_MODE).map(File::from).map_err(self.failed("make", name))
    }

    /// A file's content; `None` if there is none.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(file) = self.file(name, false)? else { return Ok(None) };
        let read = || -> io::Result<Vec<u8>> {
            let size = file.metadata()?.len();
            if size > MAX_FILE {
                return Err(io::Error::other("it is larger than anything that is written there"));
            }
            let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
            file.take(MAX_FILE).read_to_end(&mut content)?;
            Ok(content)
        };
        read().map(Some).map_err(StoreError::io("read", &self.path.join(name)))
    }

    /// Replaces a file at once: readers see the old content or the new. The folder must be locked, or new. After a power cut
    /// the file may be empty. The content comes in parts, so that nobody has to put them together first.
    pub fn replace(&self, name: &str, content: &[&[u8]]) -> Result<(), StoreError> {
        match fs::unlinkat(&self.handle, TEMPORARY, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(self.failed("replace", TEMPORARY)(errno)),
        }
        let mut file = self.new_file(TEMPORARY)?;
        for part in content {
            file.write_all(part).map_err(StoreError::io("write", &self.path.join(name)))?;
        }
        take_the_place(&self.handle, TEMPORARY, name).map_err(self.failed("replace", name))
    }

    /// Makes the names of new files durable.
    pub fn sync(&self) -> Result<(), StoreError> {
        fs::fsync(&self.handle).map_err(self.failed("sync", ""))
    }

    /// The names in the folder, sorted.
    pub fn names(&self) -> Result<Vec<String>, StoreError> {
        let listed = fs::Dir::read_from(&self.handle).map_err(self.failed("list", ""))?;
        let mut names = Vec::new();
        for entry in listed {
            let entry = entry.map_err(self.failed("list", ""))?;
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
        names.retain(|name| name != "." && name != ".." && name != TEMPORARY);
        names.sort_unstable();
        Ok(names)
    }

    fn failed(&self, action: &'static str, name: &str) -> impl FnOnce(Errno) -> StoreError + use<> {
        let path = if name.is_empty() { self.path.clone() } else { self.path.join(name) };
        move |errno| StoreError::io(action, &path)(io::Error::from(errno))
    }

    fn not_a_file(&self, name: &str) -> StoreError {
        Tampered { place: Place::File(self.path.join(name)), what: "it is not a regular file".to_owned() }.into()
    }
}

/// Gives a new file the name of an old one, and removes the old one. A plain rename would do the same, but then ext4 begins to
/// write the new file out, and the disk is busy with it when the next sync comes.
pub fn take_the_place<P: Arg + Copy>(folder: impl AsFd, new: P, old: P) -> Result<(), Errno> {
    match fs::renameat_with(&folder, new, &folder, old, RenameFlags::EXCHANGE) {
        Ok(()) => match fs::unlinkat(&folder, new, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(errno),
        },
        // There is no old one, or the file system cannot exchange.
        Err(Errno::NOENT | Errno::INVAL | Errno::NOSYS) => fs::renameat(&folder, new, &folder, old),
        Err(errno) => Err(errno),
    }
}
