//! Sessions: a plan does not outlive the one it was made in.
//!
//! Single commands share a session per user, boot and project, until it is ended. A long-running process holds one of its
//! own: a locked file, so that the session ends with the process however that dies.

use crate::document::{self, Document};
use crate::file::{self, Lock};
use crate::held::is_held;
use crate::readings::{Was, note};
use crate::{FileError, Home, HomeError};
use exacta_kernel::id::{BadId, ProjectId, SessionId};
use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use uuid::Uuid;

const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// A session that lives as long as this value, and no longer than the process.
#[derive(Debug)]
pub struct HeldSession {
    id: SessionId,
    path: PathBuf,
    _locked: File,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shared {
    session: SessionId,
    boot: String,
}

impl Document for Shared {
    const SCHEMA: &'static str = "exacta.session/1";
}

impl Home {
    /// The session that single commands share; a new one after a reboot or [`Home::end_session`].
    ///
    /// # Errors
    /// Where it can be neither read nor made.
    pub fn shared_session(&self, project: &ProjectId) -> Result<SessionId, HomeError> {
        let boot = boot()?;
        let path = self.shared_file(project);
        let alive = |shared: Option<Shared>| shared.filter(|shared| shared.boot == boot).map(|shared| shared.session);
        if let Some(session) = alive(document::read(&path)?) {
            return Ok(session);
        }
        let lock = Lock::on(&self.sessions())?;
        if let Some(session) = alive(document::read(&path)?) {
            return Ok(session);
        }
        let session = fresh_id(SessionId::parse)?;
        document::write(&lock, &path, &Shared { session: session.clone(), boot })?;
        Ok(session)
    }

    /// Ends the shared session. Says which one it was, if there was one.
    ///
    /// # Errors
    /// Where its record cannot be read or removed.
    pub fn end_session(&self, project: &ProjectId) -> Result<Option<SessionId>, HomeError> {
        let lock = Lock::on(&self.sessions())?;
        let path = self.shared_file(project);
        let ended = match document::read::<Shared>(&path) {
            // One that nobody can understand is in everybody's way.
            Err(FileError::Malformed { .. }) => None,
            read => read?,
        };
        lock.remove(&path)?;
        let boot = boot()?;
        Ok(ended.filter(|shared| shared.boot == boot).map(|shared| shared.session))
    }

    /// A session of this process's own.
    ///
    /// # Errors
    /// Where its file cannot be made.
    pub fn hold_session(&self, project: &ProjectId) -> Result<HeldSession, HomeError> {
        let folder = self.held(project);
        let _lock = Lock::on(&folder)?;
        sweep(&folder)?;
        let id = fresh_id(SessionId::parse)?;
        let path = folder.join(id.as_str());
        let locked = file::create(&path, OFlags::RDWR)?;
        flock(&locked, FlockOperation::NonBlockingLockExclusive).map_err(FileError::io("lock", &path))?;
        Ok(HeldSession { id, path, _locked: locked })
    }

    /// Whether a session still lives.
    ///
    /// # Errors
    /// Where it cannot be found out.
    pub fn is_alive(&self, project: &ProjectId, session: &SessionId) -> Result<bool, HomeError> {
        if let Some(shared) = document::read::<Shared>(&self.shared_file(project))?
            && shared.session == *session
            && shared.boot == boot()?
        {
            return Ok(true);
        }
        let path = self.held(project).join(session.as_str());
        let held = is_held(&path)?;
        note(&path, || Was::Session(held));
        Ok(held)
    }

    fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    fn shared_file(&self, project: &ProjectId) -> PathBuf {
        self.sessions().join(format!("{project}.json"))
    }

    fn held(&self, project: &ProjectId) -> PathBuf {
        self.sessions().join(project.as_str())
    }
}

impl HeldSession {
    /// Its name.
    #[must_use]
    pub const fn id(&self) -> &SessionId {
        &self.id
    }
}

impl Drop for HeldSession {
    fn drop(&mut self) {
        // Only tidiness: the lock ends with the file handle, and the next process sweeps.
        let _gone = std::fs::remove_file(&self.path);
    }
}

/// A new UUIDv7. Before 1970 its time is that of 1970, and the rest of it random all the same.
#[must_use]
pub fn fresh_uuid() -> Uuid {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(_) => Uuid::now_v7(),
        Err(_) => Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, 0, 0)),
    }
}

/// A new identifier (UUIDv7) of some kind.
pub(crate) fn fresh_id<T>(parse: impl FnOnce(&str) -> Result<T, BadId>) -> Result<T, FileError> {
    let id = fresh_uuid().hyphenated().to_string();
    parse(&id).map_err(|error| FileError::Malformed { path: PathBuf::new(), why: error.to_string() })
}

/// Which boot of the machine this is.
fn boot() -> Result<String, FileError> {
    let path = Path::new(BOOT_ID);
    let text = std::fs::read_to_string(path).map_err(FileError::io("read", path))?;
    Ok(text.trim().to_owned())
}

/// Removes the files of sessions whose processes are gone. Called under the folder's lock, which their makers take too.
fn sweep(folder: &Path) -> Result<(), FileError> {
    for entry in std::fs::read_dir(folder).map_err(FileError::io("read", folder))? {
        let path = entry.map_err(FileError::io("read", folder))?.path();
        let is_session =
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| SessionId::parse(name).is_ok());
        if is_session && !is_held(&path)? {
            std::fs::remove_file(&path).map_err(FileError::io("remove", &path))?;
        }
    }
    Ok(())
}
