//! What the server has: the project, the approver, sessions, and whoever listens.

use crate::going::Runs;
use crate::limits::Limits;
use crate::live::Live;
use crate::page::Around;
use crate::session::{Session, Sessions};
use exacta_app::settings::KeyFile;
use exacta_app::{App, Caller, Error, HeldSession, Options};
use exacta_kernel::approval::ApproverName;
use hyper::StatusCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many requests that only read are worked on at the same time, and how many that decide or act.
const WORKERS: (usize, usize) = (6, 4);

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(20);

/// The server.
pub struct Server {
    /// The project, found once, and the user's folder.
    pub options: Options,
    /// Whose page it is.
    pub approver: ApproverName,
    /// Exactly what `Host` may say.
    pub hosts: Vec<String>,
    /// Who has a session.
    pub sessions: Sessions,
    /// Who listens.
    pub live: Live,
    /// What runs.
    pub runs: Runs,
    /// How often one may ask.
    pub limits: Limits,
    counts: [AtomicU64; 3],
    /// The session that plans are made in: alive as long as this process.
    pub held: Arc<HeldSession>,
    readers: Arc<Semaphore>,
    actors: Arc<Semaphore>,
}

/// A worker's place, given back when it is dropped.
pub type Turn = OwnedSemaphorePermit;

impl Server {
    /// For this project and approver, reached by these names.
    #[must_use]
    pub fn new(
        options: Options,
        approver: ApproverName,
        hosts: Vec<String>,
        sessions: Sessions,
        held: Arc<HeldSession>,
    ) -> Self {
        let (live, runs, limits, counts) = (Live::default(), Runs::default(), Limits::default(), Default::default());
        let [readers, actors] = [WORKERS.0, WORKERS.1].map(|count| Arc::new(Semaphore::new(count)));
        Self { options, approver, hosts, sessions, live, runs, limits, counts, held, readers, actors }
    }

    /// Counts an answer by how it went.
    pub fn counted(&self, status: StatusCode) {
        let [all, refused, faults] = &self.counts;
        all.fetch_add(1, Ordering::Relaxed);
        refused.fetch_add(u64::from(status.is_client_error()), Ordering::Relaxed);
        faults.fetch_add(u64::from(status.is_server_error()), Ordering::Relaxed);
    }

    /// How many requests there were, how many were refused, and how many met a fault.
    #[must_use]
    pub fn counts(&self) -> [u64; 3] {
        [0, 1, 2].map(|at| self.counts.get(at).map_or(0, |count| count.load(Ordering::Relaxed)))
    }

    /// Waits for a place among the workers: those that read never wait for those that act.
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

    /// The approver of this server, in a session.
    #[must_use]
    pub fn person(&self) -> Caller {
        Caller::Session { approver: self.approver.clone() }
    }

    /// The approver's key, as it lies in its file.
    ///
    /// # Errors
    /// If it is not there, or the approver was removed.
    pub fn key_file(&self) -> Result<KeyFile, Error> {
        exacta_app::settings::key_of(&self.options, &self.approver)
    }

    /// What every page knows.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn around(&self, app: &App, session: &Session) -> Result<Around, Error> {
        let folder = app.path();
        let status = app.status()?;
        let mut alarms: Vec<String> = status.policy_error.into_iter().chain(status.damage).collect();
        alarms.extend(status.unfinished.iter().map(|run| format!("run {}: {}", run.run_id, run.reason)));
        if status.attention && status.unfinished.is_empty() {
            alarms.push("a run needs attention: `exacta status` has the details".to_owned());
        }
        Ok(Around {
            project: folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned(),
            folder: folder.display().to_string(),
            approver: self.approver.to_string(),
            profile: status.profile,
            waiting: status.pending.len(),
            form_token: session.form_token.clone(),
            alarms,
        })
    }
}
