//! Whether autopilots work: when each looked last, how it went, and whether it is late.

use super::occasion::OccasionState;
use super::schedule;
use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::error::Error;
use exacta_kernel::autopilot::AutopilotName;
use serde::Serialize;

/// How many of the newest occasions are looked at.
const NEWEST: u32 = 20;

/// How an autopilot is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    /// Which one.
    pub autopilot: String,
    /// `healthy`, `waiting`, `failing`, `late`, `paused`, `unsigned` or `new`.
    pub state: &'static str,
    /// In words.
    pub reason: String,
    /// When it looked last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looked_at: Option<String>,
    /// When it looks next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// How many occasions failed in a row.
    pub failures: usize,
}

impl App {
    /// A line for each autopilot of this project that fails again and again, or has not looked for too long.
    pub(crate) fn notices(&self) -> Result<Vec<String>, Error> {
        let mut notices = Vec::new();
        for kept in self.all_kept()?.into_iter().filter(|kept| !kept.autopilot.paused) {
            let (name, signed) = (&kept.autopilot.definition.name, kept.autopilot.signed.statement.at);
            let occasions = self.occasions(Some(name), NEWEST)?;
            let failures = occasions.iter().take_while(|occasion| occasion.state == OccasionState::Failed).count();
            let since = occasions.first().map_or(signed, |last| last.at);
            let schedule = kept.autopilot.definition.schedule.as_ref();
            if schedule.is_some_and(|schedule| schedule::is_late(schedule, since, now())) {
                notices.push(format!("autopilot `{name}` has not looked since {since}: its health says more"));
            } else if failures >= 3 {
                notices.push(format!("autopilot `{name}` has failed {failures} times in a row: its health says more"));
            }
        }
        Ok(notices)
    }

    /// How one autopilot of this project is, or all of them.
    ///
    /// # Errors
    /// If there is no such autopilot, or the record cannot be read.
    pub fn health(&mut self, name: Option<&AutopilotName>) -> Result<Vec<Health>, Error> {
        self.authorize(Act::ReadAll)?;
        let names: Vec<AutopilotName> = match name {
            Some(name) => vec![name.clone()],
            None => self.all_kept()?.into_iter().map(|kept| kept.autopilot.definition.name).collect(),
        };
        names.iter().map(|name| self.health_of(name)).collect()
    }

    fn health_of(&mut self, name: &AutopilotName) -> Result<Health, Error> {
        let view = self.autopilot(name)?;
        let occasions = self.settled_occasions(Some(name), NEWEST)?;
        let failures = occasions.iter().take_while(|occasion| occasion.state == OccasionState::Failed).count();
        let last = occasions.first();
        let since =
            last.map_or_else(|| self.kept(name).map(|kept| kept.autopilot.signed.statement.at), |last| Ok(last.at))?;
        let late = view.schedule.as_ref().is_some_and(|schedule| schedule::is_late(schedule, since, now()));
        let waiting = last.filter(|last| last.state == OccasionState::NeedsApproval);
        let (state, reason) = if let Some(note) = &view.note {
            ("unsigned", note.clone())
        } else if view.paused {
            ("paused", "it rests".to_owned())
        } else if late {
            ("late", format!("it has not looked since {since}, for more than twice its interval: does its timer run?"))
        } else if failures >= 3 {
            (
                "failing",
                format!("{failures} times in a row: {}", last.map(|last| last.reason.as_str()).unwrap_or_default()),
            )
        } else if let Some(waiting) = waiting {
            ("waiting", waiting.reason.clone())
        } else if let Some(last) = last {
            ("healthy", last.reason.clone())
        } else {
            ("new", "it has not looked yet".to_owned())
        };
        let looked_at = last.map(|last| last.at.to_string());
        Ok(Health { autopilot: name.to_string(), state, reason, looked_at, next_at: view.next_at, failures })
    }
}
