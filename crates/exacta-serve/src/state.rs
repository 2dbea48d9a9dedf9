//! What the server has: the projects, the approver, sessions, and whoever listens.

use crate::asks::Asks;
use crate::calls::Calls;
use crate::going::Runs;
use crate::limits::Limits;
use crate::live::Live;
use crate::page::{Around, Project};
use crate::place::{Place, Places, Workers};
use crate::session::{Session, Sessions};
use exacta_app::settings::KeyFile;
use exacta_app::{App, Caller, Error, FromHome, Options};
use exacta_kernel::approval::{ApproverName, PublicKey};
use hyper::StatusCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The server.
pub struct Server {
    /// The projects.
    pub places: Places,
    /// Whose page it is.
    pub approver: ApproverName,
    /// The key that this was when the server began: another one of the same name is somebody else.
    key: PublicKey,
    /// Whether that key is still on the list.
    listed: FromHome<bool>,
    /// `http`, or `https` where there is TLS.
    pub scheme: &'static str,
    /// Exactly what `Host` may say.
    pub hosts: Vec<String>,
    /// Who has a session.
    pub sessions: Sessions,
    /// Who listens.
    pub live: Live,
    /// What runs.
    pub runs: Runs,
    /// What models of the user's are asked for.
    pub asks: Asks,
    /// What agents have called.
    pub calls: Calls,
    /// How often one may ask.
    pub limits: Limits,
    /// Workers for what is about no project, or about all.
    pub workers: Workers,
    counts: [AtomicU64; 3],
}

impl Server {
    /// For these projects and this approver, reached by these names.
    #[must_use]
    pub fn new(
        places: Places,
        approver: &KeyFile,
        (scheme, hosts): (&'static str, Vec<String>),
        sessions: Sessions,
    ) -> Self {
        let (live, runs, limits, counts) = (Live::default(), Runs::default(), Limits::default(), Default::default());
        let (approver, key, listed) = (approver.name().clone(), approver.public_key(), FromHome::default());
        let (asks, calls, workers) = (Asks::default(), Calls::default(), Workers::default());
        Self {
            places,
            approver,
            key,
            listed,
            scheme,
            hosts,
            sessions,
            live,
            runs,
            asks,
            calls,
            limits,
            workers,
            counts,
        }
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

    /// The user's folder and who asks, about no project in particular.
    #[must_use]
    pub fn options_for(&self, caller: &Caller) -> Options {
        Options { caller: caller.clone(), ..self.places.options().clone() }
    }

    /// The approver of this server, in a session.
    #[must_use]
    pub fn person(&self) -> Caller {
        Caller::Session { approver: self.approver.clone() }
    }

    /// Whether that is still an approver. It is asked at every use of a session.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn approver_counts(&self) -> Result<bool, Error> {
        let options = self.places.options();
        self.listed.get(options, || exacta_app::settings::is_listed(options, self.key))
    }

    /// The approver's key, as it lies in its file.
    ///
    /// # Errors
    /// If it is not there, or the approver was removed.
    pub fn key_file(&self) -> Result<KeyFile, Error> {
        exacta_app::settings::key_of(self.places.options(), &self.approver)
    }

    /// What every page knows: of the project that it is about, and of all.
    ///
    /// # Errors
    /// If a record cannot be read.
    pub fn around(&self, looked: &[(Arc<Place>, App)], session: &Session) -> Result<Around, Error> {
        let all = self.places.all();
        let mut alarms: Vec<String> =
            self.places.broken().into_iter().map(|(folder, why)| format!("{folder}: {why}")).collect();
        let mut profile = None;
        for (place, app) in looked {
            let status = app.status()?;
            place.waiting.store(status.pending.len(), Ordering::Relaxed);
            profile = status.profile;
            let mut own: Vec<String> = status.policy_error.into_iter().chain(status.damage).collect();
            own.extend(status.unfinished.iter().map(|run| format!("run {}: {}", run.run_id, run.reason)));
            if status.attention && status.unfinished.is_empty() {
                own.push("a run needs attention: `exacta status` has the details".to_owned());
            }
            let several = all.len() > 1;
            alarms
                .extend(own.into_iter().map(|words| if several { format!("{}: {words}", place.name) } else { words }));
        }
        let here = match looked {
            [(only, _)] => Some(only),
            _ => None,
        };
        Ok(Around {
            project: here.map(|place| project(place)),
            projects: all.iter().map(|place| project(place)).collect(),
            approver: self.approver.to_string(),
            profile: profile.filter(|_| here.is_some()),
            waiting: self.places.waiting(),
            form_token: session.form_token.clone(),
            alarms,
        })
    }
}

fn project(place: &Place) -> Project {
    Project { id: place.id.to_string(), name: place.name.clone(), folder: place.folder().display().to_string() }
}
