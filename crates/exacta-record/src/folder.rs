//! The `.exacta/` folder, held by handle so that nothing in it can be swapped for a link to elsewhere.

use crate::error::{Place, RecordError, Tampered};
use rustix::fs::{self, Access, AtFlags, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What two names share when they are the same file: device and inode.
pub type FileId = (u64, u64);

/// The database: where there is none there are no records.
pub const DATABASE: &str = "state.db";
/// Its write-ahead log.
pub const WAL: &str = "state.db-wal";
/// The journal it has without that one.
pub const JOURNAL: &str = "state.db-journal";
/// What processes that have it open share about that.
pub const SHM: &str = "state.db-shm";
/// The folder of a project's records.
pub const RECORDS: &str = ".exacta";
/// The project's own configuration.
pub const CONFIGURATION: &str = "config.toml";
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
/// Where runs say which targets they hold.
const LOCKS: &str = "exec/locks";
const IGNORE: &str = ".gitignore";
const LOCK: &str = "lock";
const TEMPORARY: &str = ".tmp";
/// What holds no record and is made again where it is missing.
const PLAIN: [(&str, FileType); 6] = [
    (IGNORE, FileType::RegularFile),
    (LOCK, FileType::RegularFile),
    (PLANS, FileType::Directory),
    (ENTRIES, FileType::Directory),
    (EXEC, FileType::Directory),
    (LOCKS, FileType::Directory),
];
const FOLDER_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
/// How long we wait for another process.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What a file is without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    file: FileId,
    size: i64,
    modified: (i64, u64),
    changed: (i64, u64),
}

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
    pub fn create(path: &Path) -> Result<Self, RecordError> {
        let outer = Outer::of(path)?;
        let is_new = match fs::mkdirat(&outer.handle, &outer.name, FOLDER_MODE) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(errno) => return Err(RecordError::io("make", path)(errno.into())),
        };
        let folder = outer.inner()?;
        if is_new {
            // What is pinned elsewhere must not outlive the folder it is about.
            fs::fsync(&outer.handle).map_err(folder.failed("sync", ".."))?;
        }
        folder.keep_private()?;
        folder.check_kinds()?;
        if folder.entry(IGNORE)?.is_none() {
            // Another process may be making the same folder.
            let _lock = folder.lock()?;
            folder.replace(IGNORE, &[b"*\n"])?;
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
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        Outer::of(path)?.inner()
    }

    /// That everything which is made again where it is missing is of its kind: nothing could be made in the place of another thing.
    pub fn check_kinds(&self) -> Result<(), RecordError> {
        for (name, wanted) in PLAIN {
            match self.entry(name)? {
                Some(found) if kind(&found) != wanted => return Err(self.wrong_kind(name, wanted, kind(&found))),
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes away what others may do in the folder; what its owner may do stays.
    fn keep_private(&self) -> Result<(), RecordError> {
        let mode = Mode::from_raw_mode(fs::fstat(&self.handle).map_err(self.failed("look at", ""))?.st_mode);
        if mode.intersects(Mode::RWXG | Mode::RWXO) {
            fs::fchmod(&self.handle, mode & FOLDER_MODE).map_err(self.failed("protect", ""))?;
        }
        Ok(())
    }

    /// A folder in this one.
    pub fn inner(&self, name: &str) -> Result<Self, RecordError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = fs::openat(&self.handle, name, flags, Mode::empty()).map_err(self.failed("open", name))?;
        Ok(Self { handle, path: self.path.join(name) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the right to write.
    pub fn lock(&self) -> Result<Lock, RecordError> {
        // Files in it may be writable all the same; a change must not begin that could not be finished.
        if fs::accessat(&self.handle, ".", Access::WRITE_OK, AtFlags::EACCESS).is_err() {
            return Err(RecordError::ReadOnly { path: self.path.clone(), why: "the folder is read-only" });
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match fs::openat(&self.handle, LOCK, flags | OFlags::NONBLOCK, FILE_MODE) {
            Ok(file) => file,
            Err(errno) => return Err(self.check_kinds().err().unwrap_or_else(|| self.failed("lock", LOCK)(errno))),
        };
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(Errno::WOULDBLOCK | Errno::INTR) if start.elapsed() < PATIENCE => {
                    sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(10));
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => return Err(RecordError::Busy(self.path.join(LOCK))),
                Err(errno) => return Err(self.failed("lock", LOCK)(errno)),
            }
        }
    }

    /// As [`Folder::lock`]; `None` where the folder cannot be written, and so nobody else can be writing.
    pub fn lock_if_writable(&self) -> Result<Option<Lock>, RecordError> {
        match self.lock() {
            Ok(lock) => Ok(Some(lock)),
            Err(RecordError::ReadOnly { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a file to read and, if `write`, to write; `None` if there is none.
    pub fn file(&self, name: &str, write: bool) -> Result<Option<File>, RecordError> {
        let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
        // A named pipe put in the file's place must not make us wait for its other end.
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = match fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => File::from(handle),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NXIO) => return Err(self.not_ours(name, NOT_A_FILE)),
            Err(errno) => return Err(self.failed("open", name)(errno)),
        };
        let found = fs::fstat(&file).map_err(self.failed("open", name))?;
        self.is_ours(name, &found).map(|()| Some(file))
    }

    /// That a file is a regular one and has no other name: what is in one that has may come from anywhere, and what is written
    /// goes there.
    fn is_ours(&self, name: &str, found: &Stat) -> Result<(), RecordError> {
        match kind(found) {
            FileType::RegularFile if found.st_nlink > 1 => Err(self.not_ours(name, OTHER_NAME)),
            FileType::RegularFile => Ok(()),
            _ => Err(self.not_ours(name, NOT_A_FILE)),
        }
    }

    /// How long a file is that is not opened here; `None` if there is none.
    pub fn size(&self, name: &str) -> Result<Option<u64>, RecordError> {
        let Some(found) = self.entry(name)? else { return Ok(None) };
        self.is_ours(name, &found)?;
        Ok(Some(u64::try_from(found.st_size).unwrap_or_default()))
    }

    /// Which file a name is; `None` if there is none. Nothing is opened: to close a file of SQLite's would take
    /// its locks away.
    pub fn identity(&self, name: &str) -> Result<Option<FileId>, RecordError> {
        Ok(self.entry(name)?.map(|found| (found.st_dev, found.st_ino)))
    }

    /// What a file is without its content; `None` if there is none.
    pub fn state(&self, name: &str) -> Result<Option<Entry>, RecordError> {
        Ok(self.entry(name)?.map(|found| Entry {
            file: (found.st_dev, found.st_ino),
            size: found.st_size,
            modified: (found.st_mtime, found.st_mtime_nsec),
            changed: (found.st_ctime, found.st_ctime_nsec),
        }))
    }

    /// Whether it is still the records' folder of the project in that folder.
    pub fn is_in(&self, project: BorrowedFd<'_>) -> Result<bool, RecordError> {
        let held = fs::fstat(&self.handle).map_err(self.failed("look at", ""))?;
        match fs::statat(project, RECORDS, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok((found.st_dev, found.st_ino) == (held.st_dev, held.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(self.failed("look at", "")(errno)),
        }
    }

    /// What a name is, itself; `None` if it is nothing.
    fn entry(&self, name: &str) -> Result<Option<Stat>, RecordError> {
        match fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.failed("look at", name)(errno)),
        }
    }

    /// Makes an empty file that is not there yet.
    pub fn new_file(&self, name: &str) -> Result<File, RecordError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        fs::openat(&self.handle, name, flags, FILE_MODE).map(File::from).map_err(self.failed("make", name))
    }

    /// A file's content; `None` if there is none.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, RecordError> {
        self.read_up_to(name, MAX_FILE)
    }

    /// A file's content, where it is not longer than `most`; `None` if there is none.
    pub fn read_up_to(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, RecordError> {
        let Some(file) = self.file(name, false)? else { return Ok(None) };
        let read = || -> io::Result<Vec<u8>> {
            let size = file.metadata()?.len();
            if size > most {
                return Err(io::Error::other("it is larger than anything that is written there"));
            }
            let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
            file.take(most).read_to_end(&mut content)?;
            Ok(content)
        };
        read().map(Some).map_err(RecordError::io("read", &self.path.join(name)))
    }

    /// Replaces a file at once: readers see the old content or the new. The folder must be locked, or new. After a power cut
    /// the file may be empty. The content comes in parts, so that nobody has to put them together first.
    pub fn replace(&self, name: &str, content: &[&[u8]]) -> Result<(), RecordError> {
        for name in [TEMPORARY, name] {
            if let Some(found @ FileType::Directory) = self.entry(name)?.as_ref().map(kind) {
                return Err(self.wrong_kind(name, FileType::RegularFile, found));
            }
        }
        match fs::unlinkat(&self.handle, TEMPORARY, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(self.failed("replace", TEMPORARY)(errno)),
        }
        let mut file = self.new_file(TEMPORARY)?;
        for part in content {
            file.write_all(part).map_err(RecordError::io("write", &self.path.join(name)))?;
        }
        take_the_place(&self.handle, TEMPORARY, name).map_err(self.failed("replace", name))
    }

    /// Removes a file. The folder must be locked.
    pub fn remove(&self, name: &str) -> Result<(), RecordError> {
        fs::unlinkat(&self.handle, name, AtFlags::empty()).map_err(self.failed("remove", name))
    }

    /// Makes the names of new files durable.
    pub fn sync(&self) -> Result<(), RecordError> {
        fs::fsync(&self.handle).map_err(self.failed("sync", ""))
    }

    /// The names in the folder, sorted.
    pub fn names(&self) -> Result<Vec<String>, RecordError> {
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

    fn failed(&self, action: &'static str, name: &str) -> impl FnOnce(Errno) -> RecordError + use<> {
        let path = if name.is_empty() { self.path.clone() } else { self.path.join(name) };
        move |errno| RecordError::io(action, &path)(io::Error::from(errno))
    }

    fn not_ours(&self, name: &str, what: &str) -> RecordError {
        Tampered { place: Place::File(self.path.join(name)), what: what.to_owned() }.into()
    }

    /// That something lies where nothing belongs, and holds no record.
    pub fn not_wanted(&self, name: &str, found: &'static str) -> RecordError {
        RecordError::WrongKind { path: self.path.join(name), wanted: "nothing", found, remade: true }
    }

    fn wrong_kind(&self, name: &str, wanted: FileType, found: FileType) -> RecordError {
        RecordError::WrongKind { path: self.path.join(name), wanted: word(wanted), found: word(found), remade: true }
    }
}

/// The folder that the records' folder lies in, held, and the name it has there.
pub struct Outer {
    pub handle: OwnedFd,
    pub path: PathBuf,
    pub name: OsString,
}

impl Outer {
    /// The way to it may hold links; that is the caller's own.
    #[expect(clippy::disallowed_methods, reason = "the way to the project is the user's own; from here on by handle")]
    pub fn of(path: &Path) -> Result<Self, RecordError> {
        let outer = path.parent().filter(|outer| !outer.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let failed = || RecordError::io("open", path);
        let (outer, name) = (outer.canonicalize().map_err(failed())?, path.file_name().unwrap_or_default().to_owned());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = fs::open(&outer, flags, Mode::empty()).map_err(|errno| failed()(errno.into()))?;
        Ok(Self { handle, path: outer, name })
    }

    /// The records' folder, which may not be a link, nor somebody else's.
    pub fn inner(&self) -> Result<Folder, RecordError> {
        let path = self.path.join(&self.name);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match fs::openat(&self.handle, &self.name, flags, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Err(RecordError::Missing(path)),
            Err(Errno::LOOP | Errno::NOTDIR) => return Err(self.no_folder(path)),
            Err(errno) => return Err(RecordError::io("open", &path)(errno.into())),
        };
        let owner = fs::fstat(&handle).map_err(|errno| RecordError::io("look at", &path)(errno.into()))?.st_uid;
        if owner != rustix::process::geteuid().as_raw() {
            return Err(RecordError::Foreign { path, owner });
        }
        Ok(Folder { handle, path })
    }

    fn no_folder(&self, path: PathBuf) -> RecordError {
        let found = fs::statat(&self.handle, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        let found = found.map_or(FileType::Unknown, |found| kind(&found));
        RecordError::WrongKind { path, wanted: word(FileType::Directory), found: word(found), remade: false }
    }
}

/// Why a file is not taken for one of ours.
const NOT_A_FILE: &str = "it is not a regular file";
const OTHER_NAME: &str = "it has another name, somewhere else";

fn kind(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

const fn word(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a file",
        FileType::Directory => "a folder",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        _ => "something else",
    }
}

/// Gives a new file the name of an old one, and removes the old one. A plain rename would do the same, but then ext4 begins to
/// write the new file out, and the disk is busy with it when the next sync comes.
fn take_the_place(folder: &OwnedFd, new: &str, old: &str) -> Result<(), Errno> {
    match fs::renameat_with(folder, new, folder, old, RenameFlags::EXCHANGE) {
        Ok(()) => match fs::unlinkat(folder, new, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(errno),
        },
        // There is no old one, or the file system cannot exchange.
        Err(Errno::NOENT | Errno::INVAL | Errno::NOSYS) => fs::renameat(folder, new, folder, old),
        Err(errno) => Err(errno),
    }
}
