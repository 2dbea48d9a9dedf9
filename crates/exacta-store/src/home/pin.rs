//! Pinned checkpoints: how far each project's log was seen, kept where the project's agents cannot write.
//!
//! A log that is shorter than its pin was truncated; one with another root at the pin's size was rewritten.

use super::file::Lock;
use super::record::{self, Record};
use super::{Home, HomeError};
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

impl Record for Pin {
    const SCHEMA: &'static str = "exacta.pin/1";
}

impl Home {
    /// How far a project's log was seen; `None` where it never was.
    ///
    /// # Errors
    /// Where the record is damaged or could have been changed by others.
    pub fn pin(&self, project: &ProjectId) -> Result<Option<Pin>, HomeError> {
        // An empty one was left by a crash of the machine after a run without syncs; nobody else can write there.
        Ok(record::read_unless_empty(&self.pin_file(project))?)
    }

    /// Moves the pin forward. The caller has verified that the pinned log is a prefix of this one. Unless `durable`, a crash of
    /// the machine may lose the pin altogether.
    ///
    /// # Errors
    /// Where the log became shorter, or another of the same size.
    pub fn set_pin(&self, project: &ProjectId, pin: &Pin, durable: bool) -> Result<(), HomeError> {
        let lock = Lock::on(&self.pins())?;
        match self.pin(project)? {
            Some(pinned) if pin.size < pinned.size => {
                Err(HomeError::PinBackward { pinned: pinned.size, given: pin.size })
            }
            Some(pinned) if pin.size == pinned.size && pin.root != pinned.root => {
                Err(HomeError::PinConflict(pinned.size))
            }
            Some(pinned) if pin.size == pinned.size => Ok(()),
            // An older pin is weaker, not wrong, and this happens with every decision: one sync less.
            _ if durable => Ok(record::write_soon(&lock, &self.pin_file(project), pin)?),
            _ => Ok(record::write_loosely(&lock, &self.pin_file(project), pin)?),
        }
    }

    fn pins(&self) -> PathBuf {
        self.config.join("pins")
    }

    fn pin_file(&self, project: &ProjectId) -> PathBuf {
        self.pins().join(format!("{project}.json"))
    }
}
