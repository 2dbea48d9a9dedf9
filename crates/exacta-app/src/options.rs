//! Where a command works, and who asks.

use crate::caller::Caller;
use crate::error::Error;
use exacta_home::Home;
use std::path::{Path, PathBuf};

/// Where a command works.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--project DIR`; the current folder where none is given.
    pub project: Option<PathBuf>,
    /// The user's own folder, in place of the one that the environment names.
    pub home: Option<PathBuf>,
    /// Whether that folder itself is the project, wherever it lies.
    pub exactly: bool,
    /// Who asks.
    pub caller: Caller,
}

impl Options {
    /// The user's own folder.
    ///
    /// # Errors
    /// If it cannot be found, or somebody else can write there.
    pub(crate) fn home(&self) -> Result<Home, Error> {
        Ok(self.home.as_deref().map_or_else(Home::open, Home::at)?)
    }

    /// The project's folder.
    ///
    /// # Errors
    /// If there is no such folder, or it is another user's.
    pub fn root(&self) -> Result<PathBuf, Error> {
        if self.exactly { crate::project::folder(self.start()) } else { crate::project::find(self.start()) }
    }

    /// The same folder for every command from now on: where `init` makes a project if there is none.
    ///
    /// # Errors
    /// If there is no such folder, or it is another user's.
    pub fn to_begin(&self) -> Result<Self, Error> {
        let project = Some(crate::project::find_to_begin(self.start())?);
        Ok(Self { project, home: self.home.clone(), exactly: true, caller: self.caller.clone() })
    }

    fn start(&self) -> &Path {
        self.project.as_deref().unwrap_or_else(|| Path::new("."))
    }
}
