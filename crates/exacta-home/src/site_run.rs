//! One run at a time on each site, over all projects of the user: a lock by the site's address, which ends with its holder, and a note of
//! the run that began last, which outlives it.

use crate::document::{self, Document};
use crate::file::{self, Lock};
use crate::{FileError, Home, HomeError};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{ProjectId, RunId};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::PathBuf;

/// A run that acts on a site, and the project whose record has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteRun {
    /// The site's address.
    pub url: String,
    /// The folder of the project.
    pub root: PathBuf,
    /// The project.
    pub project: ProjectId,
    /// The run.
    pub run: RunId,
}

impl Document for SiteRun {
    const SCHEMA: &'static str = "exacta.site-active/1";
}

/// The only right to act on a site, until it is dropped or its holder dies.
#[derive(Debug)]
pub struct HeldSite {
    folder: PathBuf,
    note: PathBuf,
    _locked: File,
}

impl Home {
    /// Takes the site at this normalised address; `None` while somebody else has it.
    ///
    /// # Errors
    /// Where the lock cannot be made.
    pub fn hold_site(&self, url: &str) -> Result<Option<HeldSite>, HomeError> {
        let folder = self.state.join("sites").join("runs");
        let name = Digest::of(url.as_bytes()).to_string();
        file::make_folder(&folder)?;
        let path = folder.join(format!("{name}.lock"));
        let locked = file::create(&path, OFlags::RDWR)?;
        match flock(&locked, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(HeldSite { note: folder.join(format!("{name}.json")), folder, _locked: locked })),
            Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(None),
            Err(errno) => Err(FileError::io("lock", &path)(errno).into()),
        }
    }

    /// The run that began last on a site and was not noted as over.
    ///
    /// # Errors
    /// Where the note is damaged or could have been changed by others.
    pub fn site_run(&self, url: &str) -> Result<Option<SiteRun>, HomeError> {
        let name = format!("{}.json", Digest::of(url.as_bytes()));
        Ok(document::read(&self.state.join("sites").join("runs").join(name))?)
    }
}

impl HeldSite {
    /// The run that began last and was not noted as over.
    ///
    /// # Errors
    /// Where the note is damaged or could have been changed by others.
    pub fn last(&self) -> Result<Option<SiteRun>, HomeError> {
        Ok(document::read(&self.note)?)
    }

    /// Notes that a run begins, durably: whatever comes, others find it.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(&self, run: &SiteRun) -> Result<(), HomeError> {
        Ok(document::write(&Lock::on(&self.folder)?, &self.note, run)?)
    }

    /// Nothing is open on the site any more.
    ///
    /// # Errors
    /// Where the note cannot be removed.
    pub fn end(&self) -> Result<(), HomeError> {
        Ok(Lock::on(&self.folder)?.remove(&self.note)?)
    }
}
