//! The real file system, by handle.

use super::{Attributes, FileId, Fs, Kind, Rename, Stat, attributes};
use crate::handle::{is_mount, kind, open_beneath, retry, stat, stat_in};
use crate::key::JournalKey;
use crate::recorded::{OpenRuns, RecordedState};
use exacta_kernel::id::RunId;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{Access, AtFlags, FileType, FlockOperation, Mode, OFlags, RenameFlags, Statx, StatxAttributes};
use rustix::io::Errno;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The real file system beneath one project root.
pub(crate) struct Disk {
    root: Arc<OwnedFd>,
    durable: bool,
    key: JournalKey,
    open_runs: OpenRuns,
}

impl Disk {
    /// The files beneath a project's held folder. `durable`: whether syncs are really made.
    pub(crate) fn new(
        project: BorrowedFd<'_>,
        durable: bool,
        key: JournalKey,
        open_runs: OpenRuns,
    ) -> Result<Self, Errno> {
        let root = open_beneath(project, ".", OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(Self { root: Arc::new(root), durable, key, open_runs })
    }
}

/// An open file. A lock on it is given up when it is dropped, also if a child that is just being started has a copy.
pub(crate) struct Open {
    fd: Arc<OwnedFd>,
    locked: AtomicBool,
}

impl Open {
    fn new(fd: OwnedFd) -> Self {
        Self { fd: Arc::new(fd), locked: AtomicBool::new(false) }
    }
}

impl AsFd for Open {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if *self.locked.get_mut() {
            let _ = rustix::fs::flock(&self.fd, FlockOperation::Unlock);
        }
    }
}

impl Fs for Disk {
    type Dir = Arc<OwnedFd>;
    type File = Open;
    type Syncing = Syncing;

    fn key(&self) -> &JournalKey {
        &self.key
    }

    fn recorded_state(&self, run_id: &RunId) -> RecordedState {
        match &self.open_runs {
            None => RecordedState::Unknown,
            Some(runs) => runs.get(run_id).copied().unwrap_or(RecordedState::Over),
        }
    }

    fn root(&self) -> Self::Dir {
        Arc::clone(&self.root)
    }

    fn open_dir(&self, at: &Self::Dir, path: &str) -> Result<Self::Dir, Errno> {
        open_beneath(at, path, OFlags::RDONLY | OFlags::DIRECTORY).map(Arc::new)
    }

    fn make_dir(&self, at: &Self::Dir, name: &str, mode: u32) -> Result<(), Errno> {
        retry(|| rustix::fs::mkdirat(at, name, Mode::from_raw_mode(mode)))
    }

    fn remove_dir(&self, at: &Self::Dir, name: &str) -> Result<(), Errno> {
        retry(|| rustix::fs::unlinkat(at, name, AtFlags::REMOVEDIR))
    }

    fn list(&self, dir: &Self::Dir) -> Result<Vec<String>, Errno> {
        let readable = open_beneath(dir, ".", OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::new(readable)? {
            // A name that is not UTF-8 is not one of ours.
            if let Ok(name) = entry?.file_name().to_str()
                && !matches!(name, "." | "..")
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    fn open(&self, dir: &Self::Dir, name: &str) -> Result<Self::File, Errno> {
        open_beneath(dir, name, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY).map(Open::new)
    }

    fn create(&self, dir: &Self::Dir, name: &str) -> Result<Self::File, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        retry(|| rustix::fs::openat(dir, name, flags, Mode::RUSR | Mode::WUSR)).map(Open::new)
    }

    fn create_for(&self, home: &Self::Dir, dir: &Self::Dir, name: &str) -> Result<Self::File, Errno> {
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        let file = match retry(|| rustix::fs::openat(home, ".", flags, Mode::RUSR | Mode::WUSR)) {
            Ok(file) => file,
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => return self.create_beside(home, dir, name),
            Err(errno) => return Err(errno),
        };
        match name_it(&file, dir, name) {
            Ok(()) => Ok(Open::new(file)),
            Err(Errno::OPNOTSUPP | Errno::NOENT | Errno::PERM) => self.create_beside(home, dir, name),
            Err(errno) => Err(errno),
        }
    }

    fn open_lock(&self, dir: &Self::Dir, name: &str) -> Result<Self::File, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        retry(|| rustix::fs::openat(dir, name, flags, Mode::RUSR | Mode::WUSR)).map(Open::new)
    }

    fn read(&self, file: &Self::File, offset: u64, into: &mut [u8]) -> Result<usize, Errno> {
        retry(|| rustix::io::pread(file, &mut *into, offset))
    }

    fn write(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> Result<usize, Errno> {
        retry(|| rustix::io::pwrite(file, bytes, offset))
    }

    fn set_mode(&self, file: &Self::File, mode: u32) -> Result<(), Errno> {
        retry(|| rustix::fs::fchmod(file, Mode::from_raw_mode(mode)))
    }

    fn attributes(&self, file: &Self::File, stat: &Stat) -> Result<Attributes, Errno> {
        let (flags, extended) = (attributes::flags(file.as_fd())?, attributes::extended(file.as_fd())?);
        Ok(Attributes { owner: stat.owner, group: stat.group, flags, extended })
    }

    fn give(&self, file: &Self::File, attributes: &Attributes) -> Result<(), String> {
        attributes::give(file.as_fd(), attributes)
    }

    fn sync(&self, file: &Self::File) -> Result<(), Errno> {
        // Not repeated when interrupted: after a failure nobody knows what is on the disk.
        if self.durable { rustix::fs::fsync(file) } else { Ok(()) }
    }

    fn sync_dir(&self, dir: &Self::Dir) -> Result<(), Errno> {
        if self.durable { rustix::fs::fsync(dir) } else { Ok(()) }
    }

    fn start_sync(&self, files: &[&Self::File]) -> Syncing {
        let files = if self.durable { files } else { &[] };
        Syncing::start(files.iter().map(|file| &file.fd))
    }

    fn await_sync(&self, syncing: Syncing) -> Result<(), (usize, Errno)> {
        syncing.finish()
    }

    fn sync_dirs(&self, dirs: &[&Self::Dir]) -> Result<(), (usize, Errno)> {
        let Some((last, others)) = dirs.split_last().filter(|_| self.durable) else { return Ok(()) };
        let others = Syncing::start(others.iter().copied());
        // Whoever has nothing else to do syncs the last one.
        let synced = sync(dirs.len() - 1, last);
        others.finish().and(synced)
    }

    fn may_change(&self, dir: &Self::Dir) -> Result<bool, Errno> {
        let asked = Access::WRITE_OK | Access::EXEC_OK;
        match retry(|| rustix::fs::accessat(dir, ".", asked, AtFlags::EACCESS)) {
            // Where the kernel cannot be asked, the rename tells.
            Ok(()) | Err(Errno::NOSYS) => Ok(true),
            Err(Errno::ACCESS | Errno::ROFS | Errno::PERM) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    fn stat(&self, file: &Self::File) -> Result<Stat, Errno> {
        stat(file).map(|entry| answer(&entry, false))
    }

    fn stat_dir(&self, dir: &Self::Dir) -> Result<Stat, Errno> {
        stat(dir).map(|entry| answer(&entry, false))
    }

    fn stat_in(&self, dir: &Self::Dir, name: &str) -> Result<Stat, Errno> {
        let entry = stat_in(dir, name)?;
        Ok(answer(&entry, is_mount(dir.as_fd(), &entry)?))
    }

    /// With the last handle of a file that has no name its blocks are freed, which takes as long as writing them: time enough
    /// while the disk is waited for.
    fn close(&self, files: Vec<Self::File>) {
        if self.durable && !files.is_empty() {
            // If no thread is to be had, they are closed here and now.
            drop(thread::Builder::new().stack_size(SMALL_STACK).spawn(move || drop(files)));
        }
    }

    fn rename(&self, from: (&Self::Dir, &str), to: (&Self::Dir, &str), how: Rename) -> Result<(), Errno> {
        let flags = match how {
            Rename::Exchange => RenameFlags::EXCHANGE,
            Rename::NoReplace => RenameFlags::NOREPLACE,
            Rename::Replace => RenameFlags::empty(),
        };
        retry(|| rustix::fs::renameat_with(from.0, from.1, to.0, to.1, flags))
    }

    fn link(&self, from: (&Self::Dir, &str), to: (&Self::Dir, &str)) -> Result<(), Errno> {
        retry(|| rustix::fs::linkat(from.0, from.1, to.0, to.1, AtFlags::empty()))
    }

    fn remove(&self, dir: &Self::Dir, name: &str) -> Result<(), Errno> {
        retry(|| rustix::fs::unlinkat(dir, name, AtFlags::empty()))
    }

    fn lock(&self, file: &Self::File) -> Result<bool, Errno> {
        match retry(|| rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive)) {
            Ok(()) => {
                file.locked.store(true, Ordering::Relaxed);
                Ok(true)
            }
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    fn user(&self) -> u32 {
        rustix::process::geteuid().as_raw()
    }
}

impl Disk {
    /// For file systems without nameless files: as strict, because what `home` would have handed down is given by hand or
    /// refused.
    fn create_beside(&self, home: &Arc<OwnedFd>, dir: &Arc<OwnedFd>, name: &str) -> Result<Open, Errno> {
        if attributes::hands_down_access(home.as_fd())? {
            return Err(Errno::OPNOTSUPP);
        }
        let file = self.create(dir, name)?;
        let outer = stat(home)?;
        if outer.stx_mode & 0o2000 != 0 {
            let group = rustix::fs::Gid::from_raw(outer.stx_gid);
            retry(|| rustix::fs::fchown(&file, None, Some(group)))?;
        }
        Ok(file)
    }
}

/// Files and folders that are synced at the same time. File systems write what they are asked for together in one go, so ten
/// cost little more than one.
pub(crate) struct Syncing {
    under_way: Vec<(usize, thread::JoinHandle<Synced>)>,
    /// Of those that no thread was to be had for.
    outcome: Synced,
}

/// On failure, which of them failed.
type Synced = Result<(), (usize, Errno)>;

impl Syncing {
    fn start<'h>(handles: impl Iterator<Item = &'h Arc<OwnedFd>>) -> Self {
        let mut syncing = Self { under_way: Vec::new(), outcome: Ok(()) };
        for (index, handle) in handles.enumerate() {
            let held = Arc::clone(handle);
            match thread::Builder::new().stack_size(SMALL_STACK).spawn(move || sync(index, &held)) {
                Ok(thread) => syncing.under_way.push((index, thread)),
                // No more threads to be had: then one after the other.
                Err(_) => syncing.outcome = syncing.outcome.and(sync(index, handle)),
            }
        }
        syncing
    }

    /// Waits for all of them, also where one failed.
    fn finish(self) -> Synced {
        self.under_way.into_iter().fold(self.outcome, |outcome, (index, thread)| {
            outcome.and(thread.join().unwrap_or(Err((index, Errno::IO))))
        })
    }
}

/// Not repeated when interrupted: after a failure nobody knows what is on the disk.
fn sync(index: usize, handle: &OwnedFd) -> Synced {
    rustix::fs::fsync(handle).map_err(|errno| (index, errno))
}

/// Enough for a system call.
const SMALL_STACK: usize = 64 << 10;

/// Gives a nameless file its first name.
fn name_it(file: &OwnedFd, dir: &Arc<OwnedFd>, name: &str) -> Result<(), Errno> {
    let source = format!("/proc/self/fd/{}", file.as_raw_fd());
    retry(|| rustix::fs::linkat(rustix::fs::CWD, &source, dir, name, AtFlags::SYMLINK_FOLLOW))
}

fn answer(entry: &Statx, mount: bool) -> Stat {
    Stat {
        id: FileId { device: (entry.stx_dev_major, entry.stx_dev_minor), inode: entry.stx_ino },
        kind: match kind(entry) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Symlink,
            _ => Kind::Special,
        },
        mode: u32::from(entry.stx_mode) & 0o7777,
        size: entry.stx_size,
        links: entry.stx_nlink,
        owner: entry.stx_uid,
        group: entry.stx_gid,
        modified: entry.stx_mtime.tv_sec,
        frozen: entry.stx_attributes.intersects(StatxAttributes::IMMUTABLE | StatxAttributes::APPEND),
        mount,
    }
}
