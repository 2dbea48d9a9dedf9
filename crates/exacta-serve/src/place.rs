//! The projects of this server: each with a session of its own for what is planned here, and a bounded number of workers.

use crate::kept::KeptAnswers;
use crate::problem::refuse;
use crate::session::lock;
use exacta_app::{App, Caller, Error, HeldSession, Options};
use exacta_kernel::id::{PlanId, ProjectId, RunId};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many requests that only read are worked on at the same time, and how many that decide or act.
const WORKERS: (usize, usize) = (6, 4);

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many plans and runs are remembered with their place.
const REMEMBERED: usize = 10_000;

/// One project.
pub struct Place {
    /// Its id.
    pub id: ProjectId,
    /// The last part of its folder.
    pub name: String,
    /// How many of its plans wait for a person, as far as was last seen.
    pub waiting: AtomicUsize,
    /// Readings that are handed out again while nothing of them changed.
    pub kept: KeptAnswers,
    options: Options,
    held: Arc<HeldSession>,
    workers: Workers,
}

/// All of them.
pub struct Places {
    /// The one project that was named, or any.
    meant: Options,
    open: Mutex<Vec<Arc<Place>>>,
    /// Those that could not be opened, and why.
    broken: Mutex<BTreeMap<String, String>>,
    /// Where plans and runs are: an id is found once.
    found: Mutex<BTreeMap<String, Arc<Place>>>,
}

/// A bounded number of workers: those that read never wait for those that act.
pub struct Workers {
    readers: Arc<Semaphore>,
    actors: Arc<Semaphore>,
}

/// A worker's place, given back when it is dropped.
pub type Turn = OwnedSemaphorePermit;

impl Default for Workers {
    fn default() -> Self {
        let [readers, actors] = [WORKERS.0, WORKERS.1].map(|count| Arc::new(Semaphore::new(count)));
        Self { readers, actors }
    }
}

impl Workers {
    /// Waits for a worker.
    ///
    /// # Errors
    /// If everybody is busy for too long.
    pub async fn turn(&self, acts: bool) -> Result<Turn, Error> {
        let places = Arc::clone(if acts { &self.actors } else { &self.readers });
        match tokio::time::timeout(PATIENCE, places.acquire_owned()).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(Error::fault("busy", "every worker of this project is busy").hint("try again in a moment")),
        }
    }
}

impl Place {
    /// Opens a project for the server's own session.
    fn open(id: ProjectId, options: Options, person: &Caller) -> Result<Self, Error> {
        let mut app = App::resume(&Options { caller: person.clone(), ..options.clone() })?;
        let held = app.hold_session()?;
        let folder = app.path();
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
        let (waiting, kept, workers) = (AtomicUsize::new(0), KeptAnswers::default(), Workers::default());
        Ok(Self { id, name, waiting, kept, options, held, workers })
    }

    /// The project for whoever asks, to look at only.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn look(&self, caller: &Caller) -> Result<App, Error> {
        App::look(&self.options_for(caller))
    }

    /// The project for whoever asks, to decide or act. What a crash left unfinished is recovered first.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn act(&self, caller: &Caller) -> Result<App, Error> {
        let mut app = App::resume(&self.options_for(caller))?;
        app.join_session(Arc::clone(&self.held));
        Ok(app)
    }

    /// The project and who asks.
    #[must_use]
    pub fn options_for(&self, caller: &Caller) -> Options {
        Options { caller: caller.clone(), ..self.options.clone() }
    }

    /// Waits for a worker of this project.
    ///
    /// # Errors
    /// If everybody is busy for too long.
    pub async fn turn(&self, acts: bool) -> Result<Turn, Error> {
        self.workers.turn(acts).await
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.options.project.as_deref().unwrap_or_else(|| Path::new("."))
    }
}

impl Places {
    /// Those that the options mean: the project that they name, or all of the user's.
    #[must_use]
    pub fn of(meant: Options) -> Self {
        let (open, broken, found) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { meant, open, broken, found }
    }

    /// The user's folder, and no project but the one that was named.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.meant
    }

    /// Opens those that came since. One that cannot be opened keeps no other from its turn, and is tried again the next time.
    ///
    /// # Errors
    /// If the user's own folder cannot be read; where one project was named, also if that cannot be opened.
    pub fn refresh(&self, person: &Caller) -> Result<(), Error> {
        for (id, options) in self.meant.served()? {
            if self.all().iter().any(|place| place.id == id) {
                continue;
            }
            let folder = options.project.as_ref().map(|folder| folder.display().to_string()).unwrap_or_default();
            match Place::open(id, options, person) {
                Ok(place) => {
                    lock(&self.open).push(Arc::new(place));
                    lock(&self.broken).remove(&folder);
                }
                Err(error) if self.meant.project.is_some() => return Err(error),
                Err(error) => drop(lock(&self.broken).insert(folder, error.message)),
            }
        }
        Ok(())
    }

    /// Every project.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Place>> {
        lock(&self.open).clone()
    }

    /// Those that could not be opened, and why.
    #[must_use]
    pub fn broken(&self) -> Vec<(String, String)> {
        lock(&self.broken).iter().map(|(folder, why)| (folder.clone(), why.clone())).collect()
    }

    /// The only one there is.
    #[must_use]
    pub fn only(&self) -> Option<Arc<Place>> {
        match lock(&self.open).as_slice() {
            [only] => Some(Arc::clone(only)),
            _ => None,
        }
    }

    /// The one of this id, or in this folder.
    #[must_use]
    pub fn named(&self, text: &str) -> Option<Arc<Place>> {
        let is = |place: &&Arc<Place>| place.id.as_str() == text || place.folder() == Path::new(text);
        lock(&self.open).iter().find(is).cloned()
    }

    /// The session of the project in this folder.
    #[must_use]
    pub fn session(&self, folder: &Path) -> Option<Arc<HeldSession>> {
        lock(&self.open).iter().find(|place| place.folder() == folder).map(|place| Arc::clone(&place.held))
    }

    /// Where a plan or run is, if that is known without looking.
    #[must_use]
    pub fn known(&self, id: &str) -> Option<Arc<Place>> {
        self.only().or_else(|| lock(&self.found).get(id).cloned())
    }

    /// Where a plan is that this caller sees.
    ///
    /// # Errors
    /// If there is none.
    pub fn of_plan(&self, id: &PlanId, caller: &Caller) -> Result<Arc<Place>, Error> {
        let unknown = || refuse("plan_unknown", "there is no such plan", "only a whole plan id counts here");
        self.search(id.as_str(), caller, |app| app.has_plan(id)).ok_or_else(unknown)
    }

    /// Where a run is that this caller sees.
    ///
    /// # Errors
    /// If there is none.
    pub fn of_run(&self, id: &RunId, caller: &Caller) -> Result<Arc<Place>, Error> {
        let unknown = || refuse("run_unknown", "there is no such run", "`run` of a plan has its id");
        self.search(id.as_str(), caller, |app| app.has_run(id)).ok_or_else(unknown)
    }

    fn search(&self, id: &str, caller: &Caller, has: impl Fn(&App) -> Result<bool, Error>) -> Option<Arc<Place>> {
        if let Some(known) = self.known(id) {
            return Some(known);
        }
        // One project that cannot be read hides no plan of another.
        let place =
            self.all().into_iter().find(|place| place.look(caller).and_then(|app| has(&app)).unwrap_or(false))?;
        let mut found = lock(&self.found);
        if found.len() >= REMEMBERED {
            found.clear();
        }
        found.insert(id.to_owned(), Arc::clone(&place));
        Some(place)
    }

    /// How many plans wait in all projects.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.all().iter().map(|place| place.waiting.load(Ordering::Relaxed)).sum()
    }
}
