//! Keeps: the user's own folder. Everything that grants anything lives here and never in a project: the Safety Policy, the list of
//! approvers and their keys, each project's profile and pinned checkpoint, and sessions.
//!
//! ```text
//! configuration  safety-policy.toml  approvers.toml  providers.json  tokens.json  mail.json  site-passwords/NAME  keys/NAME.key  projects/HASH.json  pins/PROJECT.json
//! state          log.key  sessions/…  identities/PROJECT/HASH.json  providers/NAME.json  sites/{.places,NAME.json,runs/HASH.json}  asks/PROJECT/HASH.json
//!                projects/PROJECT/{outbox,effects,autopilot,snapshots}/…  autopilots/places.json  desk/  cancel/PLAN
//! ```
//!
//! Nothing is made until something is written, so that reading commands work where nothing can be.
#![expect(clippy::disallowed_methods, reason = "the user's own folder, where nobody else can write")]

mod approver;
mod ask;
mod autopilot;
mod document;
mod error;
mod file;
mod file_error;
mod held;
mod identity;
mod key;
mod log_key;
mod mail;
mod pin;
mod policy_file;
mod project;
mod provider;
mod readings;
mod remember;
mod request;
mod seal;
mod session;
mod settings;
mod site;
mod site_keyring;
mod site_run;
mod spend;
mod terminal;
mod token;

pub use error::HomeError;
pub use file_error::{FileError, Weakness};
pub use identity::DeclaredIdentity;
pub use key::{KeyError, KeyFile, SigningKey};
pub use log_key::LogKey;
pub use mail::{MailSetup, PasswordFileError, PasswordSource, SignedMail, password_in};
pub use pin::{Pin, PinHold, StagedPin};
pub use policy_file::PolicySource;
pub use project::{Fall, ProjectRecord};
pub use provider::{ProviderState, Providers, ServedBy, TestedAt};
pub use readings::{Readings, noting};
pub use remember::{REMEMBERED_SECONDS, Remembered};
pub use request::CancelBox;
pub use session::{HeldSession, fresh_uuid};
pub use settings::SettingsSnapshot;
pub use site::SiteState;
pub use site_run::{HeldSite, SiteRun};
pub use token::{SignedToken, TokenRecord, fresh_secret};

use exacta_kernel::id::ProjectId;
use file::Trust;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where the user's own files are.
#[derive(Debug, Clone)]
pub struct Home {
    config: PathBuf,
    state: PathBuf,
    /// Gone at logout and never on a disk; not every system has one.
    runtime: Option<PathBuf>,
    /// The administrator's; its policy wins.
    system: PathBuf,
}

impl Home {
    /// Finds the folder: `EXACTA_HOME`, or `exacta` in the XDG folders.
    ///
    /// # Errors
    /// Where nothing says where it is, or where somebody else can write there.
    pub fn open() -> Result<Self, HomeError> {
        Self::find(|name| std::env::var_os(name))
    }

    /// As [`Home::open`], with the environment given.
    ///
    /// # Errors
    /// As [`Home::open`].
    pub fn find(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, HomeError> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        // The XDG specification: a relative path is to be ignored.
        let absolute = |name: &str| set(name).filter(|path| path.is_absolute());
        let runtime = absolute("XDG_RUNTIME_DIR").map(|folder| folder.join("exacta"));
        if let Some(folder) = set("EXACTA_HOME") {
            return Ok(Self { runtime, ..Self::at(&folder)? });
        }
        let in_home = |below: &str| absolute("HOME").map(|home| home.join(below));
        let config = absolute("XDG_CONFIG_HOME").or_else(|| in_home(".config")).ok_or(HomeError::NoFolder)?;
        let state = absolute("XDG_STATE_HOME").or_else(|| in_home(".local/state")).ok_or(HomeError::NoFolder)?;
        Self::checked(config.join("exacta"), state.join("exacta"), runtime)
    }

    /// Everything in one folder, as with `EXACTA_HOME`.
    ///
    /// # Errors
    /// Where somebody else can write there.
    pub fn at(folder: &Path) -> Result<Self, HomeError> {
        let folder = std::path::absolute(folder).map_err(FileError::io("find", folder))?;
        Self::checked(folder.clone(), folder.join("state"), None)
    }

    /// With another folder in place of `/etc/exacta`, for images and tests.
    #[must_use]
    pub fn with_system(self, folder: &Path) -> Self {
        Self { system: folder.to_owned(), ..self }
    }

    /// The configuration folder: what grants.
    #[must_use]
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// The state folder: what is remembered.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// The administrator's folder, which wins over the user's.
    #[must_use]
    pub fn system(&self) -> &Path {
        &self.system
    }

    /// Where what is judged is laid out: a folder that no agent can write to, unlike the project's own.
    #[must_use]
    pub fn scratch(&self) -> PathBuf {
        self.state.join("scratch")
    }

    /// The folder of one project under the state folder, made where it is missing: the outbox, and the journals of effects.
    ///
    /// # Errors
    /// If it cannot be made, or somebody else can write there.
    pub fn project_state(&self, project: &ProjectId) -> Result<PathBuf, HomeError> {
        let folder = self.state.join("projects").join(project.as_str());
        file::make_folder(&folder)?;
        Ok(folder)
    }

    /// Whether there is such a folder.
    #[must_use]
    pub fn has_project_state(&self, project: &ProjectId) -> bool {
        self.state.join("projects").join(project.as_str()).is_dir()
    }

    /// All of its folders, to be hidden from what runs confined.
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        [&self.config, &self.state].into_iter().chain(&self.runtime).cloned().collect()
    }

    fn checked(config: PathBuf, state: PathBuf, runtime: Option<PathBuf>) -> Result<Self, HomeError> {
        file::check_folder(&config, Trust::Own)?;
        file::check_folder(&state, Trust::Own)?;
        Ok(Self { config, state, runtime, system: PathBuf::from("/etc/exacta") })
    }
}
