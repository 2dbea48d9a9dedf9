//! Pinned checkpoints: how far each project's log was seen, kept where the project's agents cannot write.
//!
//! A log that is shorter than its pin was truncated; one with another root at the pin's size was rewritten.

use crate::document::{self, Document};
use crate::file::{self, Lock};
use crate::{Home, HomeError};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::ProjectId;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A log as it was last seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// How many entries it had.
    pub size: u64,
    /// The root of their Merkle tree.
    pub root: Digest,
    /// The signed checkpoint that says so.
    pub checkpoint: String,
}

/// A pin that is written and has yet to take the place of the one before.
#[derive(Debug)]
pub struct StagedPin {
    /// `None` if it is the one that is there.
    staged: Option<PathBuf>,
    path: PathBuf,
    durable: bool,
}

/// The right to move one project's pin.
#[derive(Debug)]
pub struct PinHold {
    _lock: Lock,
}

impl StagedPin {
    /// Puts it in its place. An older pin is weaker, not wrong, and this happens with every decision: the folder is not synced.
    ///
    /// # Errors
    /// Where the file cannot take its name.
    pub fn put(self) -> Result<(), HomeError> {
        match &self.staged {
            Some(staged) => Ok(file::put(staged, &self.path, self.durable)?),
            None => Ok(()),
        }
    }
}

impl Document for Pin {
    const SCHEMA: &'static str = "exacta.pin/1";
}

impl Home {
    /// How far a project's log was seen; `None` where it never was.
    ///
    /// # Errors
    /// Where the record is damaged or could have been changed by others.
    pub fn pin(&self, project: &ProjectId) -> Result<Option<Pin>, HomeError> {
        // An empty one was left by a crash of the machine after a run without syncs; nobody else can write there.
        Ok(document::read_unless_empty(&self.pin_file(project))?)
    }

    /// Keeps every other process from moving this project's pin, as long as what is given back lives.
    ///
    /// # Errors
    /// Where another process keeps it too long, or the folder cannot be written.
    pub fn hold_pin(&self, project: &ProjectId) -> Result<PinHold, HomeError> {
        Ok(PinHold { _lock: Lock::named(&self.pins(), &format!(".{project}.lock"))? })
    }

    /// Writes the pin that comes next beside the one there is, ready to take its place. The caller holds the pin
    /// ([`Home::hold_pin`]) since before it verified that the pinned log is a prefix of this one. Unless `durable`, a crash of the machine may lose the pin altogether.
    ///
    /// # Errors
    /// Where the log became shorter, or another of the same size; and where the file cannot be written.
    pub fn stage_pin(&self, project: &ProjectId, pin: &Pin, durable: bool) -> Result<StagedPin, HomeError> {
        let lock = Lock::on(&self.pins())?;
        let path = self.pin_file(project);
        match self.pin(project)? {
            Some(pinned) if pin.size < pinned.size => {
                Err(HomeError::PinBackward { pinned: pinned.size, given: pin.size })
            }
            Some(pinned) if pin.size == pinned.size && pin.root != pinned.root => {
                Err(HomeError::PinConflict(pinned.size))
            }
            Some(pinned) if pin.size == pinned.size => Ok(StagedPin { staged: None, path, durable }),
            _ => {
                // A name of its own: others of this user stage theirs meanwhile.
                let staged = self.pins().join(format!(".{project}.new"));
                document::stage(&lock, &staged, pin, durable)?;
                Ok(StagedPin { staged: Some(staged), path, durable })
            }
        }
    }

    /// Moves the pin forward at once: [`Home::stage_pin`], and [`StagedPin::put`].
    ///
    /// # Errors
    /// As [`Home::stage_pin`].
    pub fn set_pin(&self, project: &ProjectId, pin: &Pin, durable: bool) -> Result<(), HomeError> {
        self.stage_pin(project, pin, durable)?.put()
    }

    fn pins(&self) -> PathBuf {
        self.config.join("pins")
    }

    fn pin_file(&self, project: &ProjectId) -> PathBuf {
        self.pins().join(format!("{project}.json"))
    }
}
