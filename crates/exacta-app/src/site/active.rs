//! One run at a time on each site, over all projects of the user; and none while nobody knows what became of the last one.

use super::kept;
use super::name;
use crate::app::App;
use crate::error::{Error, Exit};
use crate::project::ProjectRef;
use exacta_home::{HeldSite, Home, SiteRun};
use exacta_kernel::effect::Effect;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::RunId;
use exacta_record::RunState;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long is slept between two looks at a site that somebody else has.
const PAUSE: Duration = Duration::from_millis(50);

/// The sites that a run acts on. Nobody else acts there until this is dropped.
pub(crate) struct SitesHeld(Vec<(String, HeldSite)>);

impl SitesHeld {
    /// Notes that the run begins on each of them.
    pub fn begin(&self, project_ref: ProjectRef<'_>, run: &RunId) -> Result<(), Error> {
        for (url, held) in &self.0 {
            let (root, project) = (project_ref.root.path().to_owned(), project_ref.project.clone());
            held.begin(&SiteRun { url: url.clone(), root, project, run: run.clone() })?;
        }
        Ok(())
    }

    /// Notes that it is over, whatever it left is known.
    pub fn end(&self) {
        // The note alone does no harm: whoever finds it asks the record how the run ended.
        for (_, held) in &self.0 {
            let _found_over = held.end();
        }
    }
}

impl App {
    /// Takes the sites that effects act on, waiting for others until then.
    pub(crate) fn hold_sites(&self, effects: &[Effect], until: Option<Instant>) -> Result<SitesHeld, Error> {
        let held = self.taken_sites(effects, until)?;
        held.0.iter().try_for_each(|(_, held)| still_open(&self.home, held))?;
        Ok(held)
    }

    /// The same for the run itself that is not over.
    pub(crate) fn hold_sites_again(&self, effects: &[Effect]) -> Result<SitesHeld, Error> {
        self.taken_sites(effects, None)
    }

    fn taken_sites(&self, effects: &[Effect], until: Option<Instant>) -> Result<SitesHeld, Error> {
        let places = effects.iter().map(|effect| effect.place().as_str());
        let named: BTreeSet<&str> =
            places.filter_map(|place| place.strip_prefix("sites/")?.split('/').next()).collect();
        let mut held = Vec::new();
        for site in named {
            let setup = kept::verified_site(&self.home, &self.store, &self.project.id, &name(site)?)?;
            let taken = taken(&self.home, &setup.url, until)?;
            held.push((setup.url, taken));
        }
        Ok(SitesHeld(held))
    }
}

fn taken(home: &Home, url: &str, until: Option<Instant>) -> Result<HeldSite, Error> {
    loop {
        if let Some(held) = home.hold_site(url)? {
            return Ok(held);
        }
        if until.is_none_or(|until| Instant::now() >= until) {
            return Err(conflict(url, home.site_run(url)?.as_ref()));
        }
        std::thread::sleep(PAUSE);
    }
}

/// That the run which was there last is over, and known how. It is looked up in the record of its own project.
fn still_open(home: &Home, held: &HeldSite) -> Result<(), Error> {
    let Some(last) = held.last()? else { return Ok(()) };
    let record = kept::look(home, &last.root, &last.project);
    let found = record.and_then(|record| Ok(record.run(&last.run)?));
    match found {
        Ok(Some(run)) if run.state == RunState::Unknown => Err(unknown(&last)),
        Ok(Some(run)) if run.state.is_under_way() => Err(conflict(&last.url, Some(&last))),
        Ok(_) => Ok(held.end()?),
        // Its project cannot be read: nobody can tell whether something is open there.
        Err(_) => Err(conflict(&last.url, Some(&last))),
    }
}

/// That nothing is open on a site.
pub(super) fn nothing_open(home: &Home, url: &str) -> Result<(), Error> {
    still_open(home, &taken(home, url, None)?)
}

fn unknown(last: &SiteRun) -> Error {
    let SiteRun { url, run, root, .. } = last;
    let message = format!("nobody knows what became of run `{run}` on {url}; no other run begins there");
    Error { run_id: Some(run.clone()), ..Error::fault("SITE_UNKNOWN_OUTCOME", message) }.hint(hint![
        "look at the site; then ",
        Remedy::SiteResolve { project: root.display().to_string(), run: run.clone() },
        ", or `not-landed`"
    ])
}

fn conflict(url: &str, other: Option<&SiteRun>) -> Error {
    let whose = other.map_or_else(String::new, |other| format!(", run `{}` of `{}`", other.run, other.root.display()));
    let error = Error::new(Exit::Fault, "RUN_ACTIVE_CONFLICT", format!("another run is on {url}{whose}"));
    let error = Error { run_id: other.map(|other| other.run.clone()), ..error };
    match other {
        Some(other) => error.hint(hint![
            Remedy::RecoverIn(other.root.display().to_string()),
            " if its process died; else wait for it with `--wait`"
        ]),
        None => error.hint("wait for it with `--wait`"),
    }
}
