//! An opened project: its folder, its record, and the user's own configuration.

pub mod trust;

use crate::app::trust::safe_on_tampering;
use crate::caller::Act;
use crate::clock::now;
use crate::error::{Error, ErrorCode, Exit};
use crate::in_force::InForce;
use crate::options::Options;
use crate::project::ProjectRef;
use crate::signer::Signer;
use exacta_exec::ProjectRoot;
use exacta_home::{HeldSession, Home, ProjectRecord};
use exacta_kernel::audit::Actor;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::{ProjectId, SessionId};
use exacta_kernel::policy::profile::Profile;
use exacta_record::{Presence, RECORDS, Record, RecordError};
use exacta_view::Recovery;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An opened project.
pub struct App {
    pub(crate) root: ProjectRoot,
    pub(crate) home: Home,
    pub(crate) project: ProjectRecord,
    pub(crate) store: Record,
    pub(crate) held: Option<Arc<HeldSession>>,
    /// What the journals of effects are sealed with.
    pub(crate) effect_key: exacta_effect::JournalKey,
    /// What it was opened with, its folder found.
    pub(crate) options: Options,
    /// What was found unfinished when the project was opened, and what became of it.
    pub(crate) recovered: Vec<Recovery>,
}

/// What entering a project may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// Nothing but look.
    Look,
    /// Write where something was recorded before.
    Known,
    /// Make what is missing.
    Make,
}

impl App {
    /// Opens a project for a command that decides or acts: makes what is missing, and recovers first.
    ///
    /// # Errors
    /// If the project, its record or the user's configuration cannot be used.
    pub fn open(options: &Options) -> Result<Self, Error> {
        let mut app = Self::enter(options, Entry::Make)?;
        app.recovered = app.recover()?;
        Ok(app)
    }

    /// The folder that [`App::open`] would make a project of; `None` where there is one.
    ///
    /// # Errors
    /// As [`App::open`].
    pub fn would_make(options: &Options) -> Result<Option<PathBuf>, Error> {
        let (path, home) = (options.root()?, options.home()?);
        let known = match home.project(&path)? {
            Some(project) => home.pin(&project.id)?.is_some(),
            None => false,
        };
        Ok((!known && exacta_record::presence(&path)? == Presence::Nothing).then_some(path))
    }

    /// The same for a command about something recorded: where nothing is, nothing is made.
    ///
    /// # Errors
    /// As [`App::open`], and if nothing was ever recorded here.
    pub fn resume(options: &Options) -> Result<Self, Error> {
        let mut app = Self::known(options)?;
        app.recovered = app.recover()?;
        Ok(app)
    }

    /// Opens a project for a command that only reads: nothing is made, healed or recovered.
    ///
    /// # Errors
    /// As [`App::open`], and if nothing was ever recorded here.
    pub fn look(options: &Options) -> Result<Self, Error> {
        Self::enter(options, Entry::Look)
    }

    /// Opens a project that is known already, so that something can be recorded in it.
    pub(crate) fn known(options: &Options) -> Result<Self, Error> {
        Self::enter(options, Entry::Known)
    }

    /// The same, whatever is wrong with its records.
    pub(crate) fn enter_known(options: &Options) -> Result<Self, Error> {
        Self::enter_records(options, Entry::Known)
    }

    fn enter(options: &Options, entry: Entry) -> Result<Self, Error> {
        safe_on_tampering(options, || Self::enter_records(options, entry))
    }

    fn enter_records(options: &Options, entry: Entry) -> Result<Self, Error> {
        let path = options.root()?;
        let home = options.home()?;
        let root = crate::project::open(&path)?;
        let records = path.join(RECORDS);
        // Looked at first: whoever makes a project makes it known before its records.
        let recorded = is_recorded(&path)?;
        let project = match home.project(&path)? {
            None if entry == Entry::Make && !recorded => {
                options.authorize(Act::Begin)?;
                home.create_project(&path, now())?
            }
            Some(project) if recorded || is_recorded(&path)? => project,
            // Entries were seen, and the records are made before the first of them.
            Some(project) if home.pin(&project.id)?.is_some() && !is_recorded(&path)? => {
                return Err(gone(&records));
            }
            Some(project) if entry == Entry::Make || exacta_record::presence(&path)? != Presence::Nothing => project,
            _ => return Err(nothing_here(&path)),
        };
        let signer = Box::new(Signer::new(&home, &project.id)?);
        let (root, effect_key) = (root.with_key(signer.journal_key()), signer.effect_key());
        let store = match entry {
            Entry::Look => Record::read(&records, &project.id, signer)?,
            Entry::Known | Entry::Make => Record::open(&records, &project.id, signer)?,
        };
        let options = Options { project: Some(path), exactly: true, ..options.clone() };
        Ok(Self { root, home, project, store, held: None, effect_key, options, recovered: Vec::new() })
    }

    /// The project's folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Whether it is the user's desk: a project without a work tree.
    pub(crate) fn is_desk(&self) -> bool {
        crate::project::folder(&self.home.desk()).is_ok_and(|desk| desk == self.root.path())
    }

    /// The project's id.
    #[must_use]
    pub const fn project_id(&self) -> &ProjectId {
        &self.project.id
    }

    /// What was found unfinished when the project was opened, and what became of it.
    #[must_use]
    pub fn recovered(&self) -> &[Recovery] {
        &self.recovered
    }

    /// Holds a session of this process's own: plans made from now on end with it, however it dies.
    ///
    /// # Errors
    /// If the user's own folder cannot be written.
    pub fn hold_session(&mut self) -> Result<Arc<HeldSession>, Error> {
        let held = Arc::new(self.home.hold_session(&self.project.id)?);
        self.held = Some(Arc::clone(&held));
        Ok(held)
    }

    /// Makes plans in a session that this process holds already: it ends with its last holder.
    pub fn join_session(&mut self, held: Arc<HeldSession>) {
        self.held = Some(held);
    }

    /// The session that plans are made in: this process's own, or the one that single commands share.
    ///
    /// # Errors
    /// If the user's own folder cannot be used.
    pub fn session(&self) -> Result<SessionId, Error> {
        match &self.held {
            Some(held) => Ok(held.id().clone()),
            None => Ok(self.home.shared_session(&self.project.id)?),
        }
    }

    /// Where things are looked at.
    pub(crate) fn project_ref(&self) -> ProjectRef<'_> {
        ProjectRef { home: &self.home, root: &self.root, project: &self.project.id }
    }

    /// What is in force now. The profile is read again: another process may have lowered it.
    pub(crate) fn in_force(&self) -> Result<InForce, Error> {
        InForce::load(&self.home, &self.root, self.profile()?)
    }

    pub(crate) fn profile(&self) -> Result<Profile, Error> {
        let record = self.home.project(self.root.path())?;
        Ok(record.map_or(Profile::Safe, |record| record.profile))
    }

    /// Who gives commands here: the credential that plans are submitted with.
    pub(crate) fn credential(&self) -> String {
        self.options.caller.credential()
    }

    /// The same, as it is recorded.
    pub(crate) fn actor(&self) -> Actor {
        self.options.caller.actor()
    }
}

/// Whether records lie in a project's folder, whosever they are. What cannot be looked at is not gone.
pub(crate) fn is_recorded(path: &Path) -> Result<bool, Error> {
    match exacta_record::presence(path) {
        Ok(found) => Ok(found == Presence::Records),
        Err(error @ RecordError::Io { .. }) => {
            let hint = format!("see whose `{RECORDS}` is, and who may read it; only you should");
            Err(Error::fault("record_unreadable", error.to_string()).hint(hint))
        }
        Err(error) => Err(error.into()),
    }
}

/// Records lie here that were made at another place.
fn elsewhere(records: &Path) -> Error {
    let message = format!(
        "the records in `{}` were made elsewhere: the folder was copied or moved, or your own settings are others now",
        records.display()
    );
    Error::fault(ErrorCode::RECORD_ELSEWHERE, message)
        .hint(hint![Remedy::InitAgain, " puts them aside and begins a record of this folder's own"])
}

/// There was a record, and there is none.
pub(crate) fn gone(records: &Path) -> Error {
    Error::fault(ErrorCode::RECORD_GONE, format!("the records in `{}` are gone", records.display()))
        .hint(hint!["put them back from a backup, or begin a new record: ", Remedy::InitAgain])
}

pub(crate) fn nothing_here(path: &Path) -> Error {
    match is_recorded(path) {
        Ok(false) => {}
        Ok(true) => return elsewhere(&path.join(RECORDS)),
        Err(error) => return error,
    }
    Error::new(Exit::Usage, "project_unknown", format!("nothing is recorded for `{}`", path.display())).hint(hint![
        "run ",
        Remedy::Init,
        " there, or name another folder with `--project DIR`"
    ])
}
