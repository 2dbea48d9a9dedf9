//! The project folder as a held handle.

use crate::error::IoError;
use crate::fs::Disk;
use crate::key::JournalKey;
use crate::recorded::{OpenRuns, RecordedState};
use exacta_kernel::id::RunId;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A project folder, opened once. All later work starts from this handle, whatever happens to the path.
#[derive(Debug)]
pub struct ProjectRoot {
    path: PathBuf,
    fd: OwnedFd,
    key: JournalKey,
    open_runs: Mutex<OpenRuns>,
}

impl ProjectRoot {
    /// Opens a folder as a project. Symbolic links on the way to it are the caller's own and are followed.
    ///
    /// # Errors
    /// If it is not a folder or cannot be opened.
    #[expect(clippy::disallowed_methods, reason = "the way to the project is the user's own; from here on by handle")]
    pub fn open(path: impl AsRef<Path>) -> Result<Self, IoError> {
        let path = path.as_ref();
        let shown = path.display().to_string();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = crate::handle::retry(|| rustix::fs::open(path, flags, Mode::empty()))
            .map_err(IoError::of("open project", &shown))?;
        Ok(Self { path: path.to_owned(), fd, key: JournalKey::default(), open_runs: Mutex::default() })
    }

    /// The same, with the key that journals are sealed with. Without one a seal shows damage but not forgery.
    #[must_use]
    pub fn with_key(mut self, key: JournalKey) -> Self {
        self.key = key;
        self
    }

    /// Says which runs the record knows as having no end, and which of them a person has to look at. From now on no other run is
    /// finished or put back, and those only put back: a journal of a run that is over cannot be played again.
    pub fn admit(&self, running: impl IntoIterator<Item = RunId>, attention: impl IntoIterator<Item = RunId>) {
        let running = running.into_iter().map(|run| (run, RecordedState::Running));
        let attention = attention.into_iter().map(|run| (run, RecordedState::Attention));
        let runs: BTreeMap<RunId, RecordedState> = running.chain(attention).collect();
        *self.open_runs.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(runs));
    }

    /// The path it was opened by; for messages only.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder itself, for those that read what lies in it by handle.
    #[must_use]
    pub fn folder(&self) -> BorrowedFd<'_> {
        self.fd()
    }

    /// Whether the folder is still where it was opened.
    ///
    /// # Errors
    /// If it cannot be told.
    #[expect(clippy::disallowed_methods, reason = "asks where the path leads now; nothing is done there")]
    pub fn is_in_place(&self) -> Result<bool, IoError> {
        let io = |errno| IoError { call: "look at", path: self.path.display().to_string(), errno };
        let held = rustix::fs::fstat(&self.fd).map_err(io)?;
        match rustix::fs::stat(&self.path) {
            Ok(found) => Ok((held.st_dev, held.st_ino) == (found.st_dev, found.st_ino)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
            Err(errno) => Err(io(errno)),
        }
    }

    /// What lies beneath it, with every sync really made.
    pub(crate) fn disk(&self) -> Result<Disk, IoError> {
        self.disk_with(true)
    }

    /// What lies beneath it; `durable` says whether syncs are really made.
    pub(crate) fn disk_with(&self, durable: bool) -> Result<Disk, IoError> {
        Disk::new(self.fd(), durable, self.key.clone(), self.open_runs()).map_err(IoError::of("open project", "."))
    }

    fn open_runs(&self) -> OpenRuns {
        self.open_runs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
