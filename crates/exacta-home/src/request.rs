//! Asking another process to cancel a run: one that is at several runs, or at more than runs, is not told by a signal, which would end all of it.
//!
//! Such a process holds a locked file in the state folder for each of its runs, named by the plan (which runs once, ever). Whoever wants the run
//! cancelled writes a word into it. Nothing is granted by that: a cancelled run leaves every file as it was.

use crate::file;
use crate::{FileError, Home, HomeError};
use exacta_kernel::id::PlanId;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

/// Where a run is asked to end, for as long as this lives.
#[derive(Debug)]
pub struct CancelBox {
    path: PathBuf,
    held: File,
}

impl Home {
    /// Begins to listen for whoever wants the run of a plan cancelled.
    ///
    /// # Errors
    /// Where the file cannot be made.
    pub fn cancel_box(&self, plan: &PlanId) -> Result<CancelBox, HomeError> {
        let folder = self.cancel_folder();
        file::make_folder(&folder)?;
        let path = folder.join(plan.as_str());
        let held = file::create(&path, OFlags::RDWR)?;
        flock(&held, FlockOperation::NonBlockingLockExclusive).map_err(FileError::io("lock", &path))?;
        // Emptied only now: whoever is at the run already keeps what they were told.
        held.set_len(0).map_err(FileError::io("empty", &path))?;
        Ok(CancelBox { path, held })
    }

    /// Asks for the run of a plan to be cancelled; `false` where nobody listens.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn ask_to_cancel(&self, plan: &PlanId) -> Result<bool, HomeError> {
        let path = self.cancel_folder().join(plan.as_str());
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = match open(&path, flags, Mode::empty()) {
            Ok(handle) => File::from(handle),
            Err(Errno::NOENT) => return Ok(false),
            Err(errno) => return Err(FileError::io("open", &path)(errno).into()),
        };
        // A file that nobody holds was left behind by a process that died.
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => return Ok(false),
            Err(Errno::WOULDBLOCK) => {}
            Err(errno) => return Err(FileError::io("lock", &path)(errno).into()),
        }
        file.write_all(b"cancel\n").map_err(FileError::io("write", &path))?;
        Ok(true)
    }

    fn cancel_folder(&self) -> PathBuf {
        self.state.join("cancel")
    }
}

impl CancelBox {
    /// Whether somebody asked.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.held.metadata().is_ok_and(|metadata| metadata.len() > 0)
    }
}

impl Drop for CancelBox {
    fn drop(&mut self) {
        // Only tidiness: without its lock the file says nothing.
        let _gone = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_that_listens_is_asked() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path()).unwrap();
        let plan = PlanId::parse("019a2f3e-7c1d-7e2a-9b4f-000000000001").unwrap();
        assert!(!home.ask_to_cancel(&plan).unwrap(), "nobody is there");
        let listening = home.cancel_box(&plan).unwrap();
        assert!(!listening.is_asked());
        assert!(home.ask_to_cancel(&plan).unwrap());
        assert!(listening.is_asked());
        drop(listening);
        assert!(!home.ask_to_cancel(&plan).unwrap(), "the run has ended");
        std::fs::write(dir.path().join("state/cancel").join(plan.as_str()), "").unwrap();
        assert!(!home.ask_to_cancel(&plan).unwrap(), "a file that a dead process left");
        assert!(!home.cancel_box(&plan).unwrap().is_asked());
    }
}
