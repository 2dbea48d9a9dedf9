//! What is due is done once, and the tick ends: a timer's, or that of a server which calls it again and again.

use super::look::Input;
use super::occasion::{Occasion, id_of};
use super::schedule;
use crate::app::App;
use crate::caller::Caller;
use crate::clock::now;
use crate::error::Error;
use crate::options::Options;
use exacta_home::HeldSession;
use exacta_kernel::autopilot::AutopilotName;
use exacta_record::DocumentKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An autopilot whose time had come, and what became of it.
#[derive(Debug)]
pub struct Due {
    /// Which one.
    pub autopilot: AutopilotName,
    /// The occasion, or why there is none.
    pub outcome: Result<Occasion, Error>,
}

/// Does what is due in all of the user's projects, or in the one that the options name. What fails does not keep others from their turn.
///
/// # Errors
/// Only if the user's own folder cannot be read.
pub fn tick(options: &Options) -> Result<Vec<Due>, Error> {
    tick_in(options, |_| None)
}

/// The same in sessions that a process holds, by project: what is planned there ends with that process.
///
/// # Errors
/// As [`tick`].
pub fn tick_in(options: &Options, session: impl Fn(&Path) -> Option<Arc<HeldSession>>) -> Result<Vec<Due>, Error> {
    let mut places: BTreeMap<PathBuf, Vec<AutopilotName>> = BTreeMap::new();
    for (name, place) in options.home()?.autopilots()? {
        places.entry(place).or_default().push(name);
    }
    if options.project.is_some() {
        let root = options.root()?;
        places.retain(|place, _| *place == root);
    }
    let mut done = Vec::new();
    for (place, names) in places {
        let here = Options { project: Some(place), exactly: true, ..options.clone() };
        match App::resume(&here) {
            Ok(mut app) => {
                if let Some(held) = session(app.path()) {
                    app.join_session(held);
                }
                done.extend(names.into_iter().filter_map(|name| {
                    let outcome = app.begin_as_timer(&name).transpose()?;
                    Some(Due { autopilot: name, outcome })
                }));
            }
            Err(error) => {
                done.extend(names.into_iter().map(|autopilot| Due { autopilot, outcome: Err(error.clone()) }))
            }
        }
    }
    Ok(done)
}

impl App {
    /// The same as the timer of this autopilot, which may do nothing else.
    fn begin_as_timer(&mut self, name: &AutopilotName) -> Result<Option<Occasion>, Error> {
        self.options.caller = Caller::timer(name.as_str())?;
        self.begin_due(name)
    }

    /// Begins the occasion that is due; `None` if none is, or another process has it. What was missed runs once: only the newest time counts.
    fn begin_due(&mut self, name: &AutopilotName) -> Result<Option<Occasion>, Error> {
        let autopilot = self.kept(name)?.autopilot;
        let Some(schedule) = autopilot.definition.schedule.as_ref().filter(|_| !autopilot.paused) else {
            return Ok(None);
        };
        let Some(due) = schedule::newest_due(schedule, now())? else { return Ok(None) };
        // What was due before it was signed for was never asked for.
        if due <= autopilot.signed.statement.at {
            return Ok(None);
        }
        let id = id_of(name, &format!("due {due}"));
        if self.store.document(DocumentKind::Occasion, &id)?.is_some() {
            return Ok(None);
        }
        self.begin_occasion(name, &Input { due: Some(due), ..Input::default() }).map(Some)
    }
}
