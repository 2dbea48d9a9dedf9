//! Whether a process still holds the file of a session.

use crate::file_error::FileError;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;
use std::path::Path;

/// Whether some process holds the lock on a session's file.
pub(crate) fn is_held(path: &Path) -> Result<bool, FileError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match open(path, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(false),
        Err(errno) => return Err(FileError::io("open", path)(errno)),
    };
    // Shared, so that two who ask at once do not take each other for the holder.
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(false),
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(errno) => Err(FileError::io("lock", path)(errno)),
    }
}
