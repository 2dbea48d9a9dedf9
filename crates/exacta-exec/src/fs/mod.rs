//! The file operations a run is made of, behind one small trait.
//!
//! [`Disk`] does them for real, by handle. Tests put a simulated file system in its place, which keeps every state a
//! crash could leave behind.

mod attributes;
mod disk;

use crate::key::JournalKey;
use crate::recorded::RecordedState;
pub(crate) use attributes::Attributes;
pub(crate) use disk::Disk;
use exacta_kernel::id::RunId;

use rustix::io::Errno;

/// What two entries share when they are the same file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId {
    pub(crate) device: (u32, u32),
    pub(crate) inode: u64,
}

/// What a name or a handle refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) id: FileId,
    pub(crate) kind: Kind,
    /// Permission bits.
    pub(crate) mode: u32,
    pub(crate) size: u64,
    pub(crate) links: u32,
    pub(crate) owner: u32,
    pub(crate) group: u32,
    /// Seconds since 1970.
    pub(crate) modified: i64,
    /// Whether it may not be changed or only be appended to, whoever asks.
    pub(crate) frozen: bool,
    /// Whether another file system begins there.
    pub(crate) mount: bool,
}

/// The kinds of entry that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Symlink,
    Special,
}

/// How a rename treats what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rename {
    /// Both must be there; they change places.
    Exchange,
    /// Fails with `EEXIST` if the new name is taken.
    NoReplace,
    /// Takes the place of what is there. Only for names that are ours.
    Replace,
}

/// File operations, relative to held folders. None follows a symbolic link or enters another file system.
pub(crate) trait Fs {
    /// A held folder.
    type Dir: Clone;
    /// An open regular file.
    type File;
    /// Files that are on their way to the disk.
    type Syncing;

    /// What journals are sealed with.
    fn key(&self) -> &JournalKey;
    /// How a run stands in the record.
    fn recorded_state(&self, run_id: &RunId) -> RecordedState;
    /// The project root.
    fn root(&self) -> Self::Dir;
    /// A folder one or more parts down.
    fn open_dir(&self, at: &Self::Dir, path: &str) -> Result<Self::Dir, Errno>;
    fn make_dir(&self, at: &Self::Dir, name: &str, mode: u32) -> Result<(), Errno>;
    /// Fails with `ENOTEMPTY` if it is not empty.
    fn remove_dir(&self, at: &Self::Dir, name: &str) -> Result<(), Errno>;
    /// The names in a folder, in any order.
    fn list(&self, dir: &Self::Dir) -> Result<Vec<String>, Errno>;

    /// A regular file, for reading.
    fn open(&self, dir: &Self::Dir, name: &str) -> Result<Self::File, Errno>;
    /// A new empty file, mode 0600, for writing and reading.
    fn create(&self, dir: &Self::Dir, name: &str) -> Result<Self::File, Errno>;
    /// As [`Fs::create`], with what `home` hands down to files made in it: group, access rules, label.
    fn create_for(&self, home: &Self::Dir, dir: &Self::Dir, name: &str) -> Result<Self::File, Errno>;
    /// Opens a lock file, making it if it is not there.
    fn open_lock(&self, dir: &Self::Dir, name: &str) -> Result<Self::File, Errno>;

    /// May read fewer bytes than asked for; none at the end.
    fn read(&self, file: &Self::File, offset: u64, into: &mut [u8]) -> Result<usize, Errno>;
    /// May write fewer bytes than given.
    fn write(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> Result<usize, Errno>;
    fn set_mode(&self, file: &Self::File, mode: u32) -> Result<(), Errno>;
    /// What an open file, which `stat` is of, has besides bytes and mode.
    fn attributes(&self, file: &Self::File, stat: &Stat) -> Result<Attributes, Errno>;
    /// Gives a file exactly these attributes, or says which of them it cannot have.
    fn give(&self, file: &Self::File, attributes: &Attributes) -> Result<(), String>;
    /// Makes a file's bytes and mode durable.
    fn sync(&self, file: &Self::File) -> Result<(), Errno>;
    /// Makes a folder's names durable.
    fn sync_dir(&self, dir: &Self::Dir) -> Result<(), Errno>;
    /// Begins to make several files durable, none of which has to wait for another; the caller does something else meanwhile.
    fn start_sync(&self, files: &[&Self::File]) -> Self::Syncing;
    /// Waits until all of them are. On failure, which of them failed.
    fn await_sync(&self, syncing: Self::Syncing) -> Result<(), (usize, Errno)>;
    /// Makes the names in several folders durable, none of which has to wait for another. On failure, which of them failed.
    fn sync_dirs(&self, dirs: &[&Self::Dir]) -> Result<(), (usize, Errno)> {
        dirs.iter().enumerate().try_for_each(|(index, dir)| self.sync_dir(dir).map_err(|errno| (index, errno)))
    }

    /// Whether names in a folder may be changed.
    fn may_change(&self, dir: &Self::Dir) -> Result<bool, Errno>;
    fn stat(&self, file: &Self::File) -> Result<Stat, Errno>;
    fn stat_dir(&self, dir: &Self::Dir) -> Result<Stat, Errno>;
    fn stat_in(&self, dir: &Self::Dir, name: &str) -> Result<Stat, Errno>;

    /// Closes files that nobody needs any more.
    fn close(&self, files: Vec<Self::File>) {
        drop(files);
    }

    fn rename(&self, from: (&Self::Dir, &str), to: (&Self::Dir, &str), how: Rename) -> Result<(), Errno>;
    /// Gives a file a second name; fails with `EEXIST` if that is taken.
    fn link(&self, from: (&Self::Dir, &str), to: (&Self::Dir, &str)) -> Result<(), Errno>;
    fn remove(&self, dir: &Self::Dir, name: &str) -> Result<(), Errno>;

    /// Takes the lock on a file until its handle is dropped or its holder dies; `false` if someone else has it.
    fn lock(&self, file: &Self::File) -> Result<bool, Errno>;
    /// The user this process acts as.
    fn user(&self) -> u32;
}
