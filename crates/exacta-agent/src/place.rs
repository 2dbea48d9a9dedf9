//! Where the copies of a project are: a folder of the user's own for each, that nobody else can reach.
//!
//! ```text
//! NAME/copy        what the agent works on        NAME/home   its home folder, while it runs
//! NAME/agent.json  what is noted about it; there once the copy is whole
//! NAME/lock        held while its agent runs, or a command changes it
//! ```

use crate::beneath;
use crate::error::AgentError;
use crate::tree::Tree;
use exacta_kernel::hash::Digest;
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The form of what is noted.
const SCHEMA: &str = "exacta.agent-copy/1";

/// One copy.
#[derive(Debug, Clone)]
pub struct Place {
    name: String,
    folder: PathBuf,
}

/// What is noted about a copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The form.
    pub schema: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// What runs in it, or ran last: the program, not its arguments, among which may be secrets.
    pub program: String,
    /// The plan that its difference became last.
    pub plan: Option<String>,
    /// Where the objects of the project's repository are.
    pub objects: Option<PathBuf>,
    /// What was submitted as that plan, by its hash.
    #[serde(default)]
    pub submitted: Option<Digest>,
    /// What the copy was made of, or brought to.
    pub base: Tree,
}

impl Note {
    /// Of a new copy.
    #[must_use]
    pub fn new(created_at: String, program: String, base: Tree) -> Self {
        Self { schema: SCHEMA.to_owned(), created_at, program, plan: None, objects: None, submitted: None, base }
    }
}

/// The right to change a copy.
#[derive(Debug)]
pub struct Held {
    _lock: OwnedFd,
}

impl Place {
    /// The copy of this name among those in a folder.
    #[must_use]
    pub fn of(all: &Path, name: &str) -> Self {
        Self { name: name.to_owned(), folder: all.join(name) }
    }

    /// All copies in a folder, by name.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn all(all: &Path) -> Result<Vec<Self>, AgentError> {
        let entries = match std::fs::read_dir(all) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(AgentError::io("read", all))?,
        };
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names.iter().map(|name| Self::of(all, name)).filter(|place| place.folder.is_dir()).collect())
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the agent works on.
    #[must_use]
    pub fn copy(&self) -> PathBuf {
        self.folder.join("copy")
    }

    /// The agent's home folder.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Whether there is a whole copy.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.folder.join("agent.json").is_file()
    }

    /// Begins to change it: makes its folder where it is missing.
    ///
    /// # Errors
    /// If somebody else does, at this moment.
    pub fn hold(&self) -> Result<Held, AgentError> {
        make(&self.folder)?;
        let path = self.folder.join("lock");
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let lock = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR).map_err(AgentError::io("open", &path))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Held { _lock: lock }),
            Err(Errno::AGAIN) => Err(AgentError::Busy(self.name.clone())),
            Err(errno) => Err(AgentError::io("lock", &path)(errno)),
        }
    }

    /// Whether its agent runs, or another command changes it.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.folder.is_dir() && matches!(self.hold(), Err(AgentError::Busy(_)))
    }

    /// Makes room for a new copy, or for another try where one was cut short.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn begin(&self, _held: &Held) -> Result<OwnedFd, AgentError> {
        remove(&self.copy())?;
        make(&self.copy())?;
        beneath::hold(&self.copy())
    }

    /// An empty home folder.
    ///
    /// # Errors
    /// If that cannot be made.
    pub fn fresh_home(&self, _held: &Held) -> Result<(), AgentError> {
        remove(&self.home())?;
        make(&self.home())
    }

    /// Removes the home folder.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn drop_home(&self, _held: &Held) -> Result<(), AgentError> {
        remove(&self.home())
    }

    /// What is noted about it.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn note(&self) -> Result<Note, AgentError> {
        let damaged = |why: String| AgentError::Damaged { name: self.name.clone(), why };
        let path = self.folder.join("agent.json");
        let bytes = std::fs::read(&path).map_err(AgentError::io("read", &path))?;
        let note: Note = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if note.schema == SCHEMA { Ok(note) } else { Err(damaged(format!("it has the form `{}`", note.schema))) }
    }

    /// Notes it, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, note: &Note) -> Result<(), AgentError> {
        let (path, new) = (self.folder.join("agent.json"), self.folder.join("agent.json.new"));
        let bytes = serde_json::to_vec(note)
            .map_err(|error| AgentError::Damaged { name: self.name.clone(), why: error.to_string() })?;
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&new)
            .map_err(AgentError::io("make", &new))?;
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(AgentError::io("write", &new))?;
        std::fs::rename(&new, &path).map_err(AgentError::io("write", &path))?;
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(AgentError::io("sync", &self.folder))
    }

    /// Removes it with all that the agent did.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn remove(&self, _held: Held) -> Result<(), AgentError> {
        // The note first: what is left by a crash is then no copy any more.
        let note = self.folder.join("agent.json");
        match std::fs::remove_file(&note) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(AgentError::io("remove", &note)(error));
            }
            _ => {}
        }
        remove(&self.folder)
    }
}

/// Makes a folder that only the user can reach, with those above it.
fn make(folder: &Path) -> Result<(), AgentError> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(AgentError::io("make", folder))
}

/// Removes a folder with everything in it, also what was closed to its owner. No agent runs in it, and no link is followed.
fn remove(folder: &Path) -> Result<(), AgentError> {
    let gone = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    match std::fs::remove_dir_all(folder) {
        Ok(()) => return Ok(()),
        Err(error) if gone(&error) => return Ok(()),
        Err(_) => open_up(folder),
    }
    match std::fs::remove_dir_all(folder) {
        Err(error) if !gone(&error) => Err(AgentError::io("remove", folder)(error)),
        _ => Ok(()),
    }
}

/// Opens a folder and all in it for its owner, as far as that is possible.
fn open_up(folder: &Path) {
    let mut next = vec![folder.to_owned()];
    while let Some(folder) = next.pop() {
        // What cannot be opened up is told when it cannot be removed.
        let _closed = std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700));
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        next.extend(entries.filter(is_folder).map(|entry| entry.path()));
    }
}
