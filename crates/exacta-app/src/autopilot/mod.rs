//! Autopilots: a person's standing request, kept in a project's record or on the user's desk, and what is done for it.
//!
//! Nothing here counts by being stored: words, lists and switches are verified against the list of approvers at every use
//! ([`App::verified`]), and a plan made for an autopilot is bound to them ([`standing`]).

mod answer;
mod change;
mod custom;
mod draft;
mod health;
mod inbox;
mod look;
mod occasion;
mod recipe;
mod renew;
mod reply;
mod schedule;
mod sending;
mod settle;
mod snapshot;
mod spend;
mod standing;
mod submit;
mod tick;
mod view;

pub use change::{Listed, NewAutopilot, Switch};
pub use health::Health;
pub use look::Input;
pub use occasion::{Monitor, Needs, Occasion, OccasionState, Read, Sent};
pub use schedule::check as check_schedule;
pub use tick::{Due, tick, tick_in};
pub use view::{AllowedView, AutopilotView, Card};

pub(crate) use sending::MaySend;
pub(crate) use standing::{StandingNow, standing_now};

use crate::app::App;
use crate::error::{Error, Exit};
use crate::options::Options;
use exacta_kernel::autopilot::{Autopilot, AutopilotName};
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_record::{DocumentKind, DocumentRecord};

/// An autopilot as the log vouches for it, and what its record's hash was.
pub(crate) struct Kept {
    pub autopilot: Autopilot,
    pub was: Digest,
}

/// A name as it was typed.
///
/// # Errors
/// If it is none.
pub fn name(text: &str) -> Result<AutopilotName, Error> {
    AutopilotName::parse(text)
        .map_err(|error| Error::new(Exit::Usage, "name_invalid", error.to_string()).hint("such as `prices`"))
}

impl Options {
    /// The project that an autopilot lives in, wherever the command was given.
    ///
    /// # Errors
    /// If there is no autopilot of this name.
    pub fn of_autopilot(&self, name: &AutopilotName) -> Result<Self, Error> {
        let places = self.home()?.autopilots()?;
        let place = places.get(name).ok_or_else(|| unknown(name))?;
        Ok(Self { project: Some(place.clone()), exactly: true, ..self.clone() })
    }

    /// The projects that have autopilots: all of the user's, or the one that is named.
    ///
    /// # Errors
    /// If the user's own folder cannot be read.
    pub fn autopilot_places(&self) -> Result<Vec<Self>, Error> {
        let named = self.project.as_ref().map(|_| self.root()).transpose()?;
        let places: std::collections::BTreeSet<std::path::PathBuf> = self.home()?.autopilots()?.into_values().collect();
        let meant = places.into_iter().filter(|place| named.as_ref().is_none_or(|named| named == place));
        Ok(meant.map(|place| Self { project: Some(place), exactly: true, ..self.clone() }).collect())
    }

    /// The user's desk, made where it is missing.
    ///
    /// # Errors
    /// If the user's own folder cannot be used.
    pub fn desk(&self) -> Result<Self, Error> {
        let desk = self.home()?.make_desk()?;
        Ok(Self { project: Some(desk), exactly: true, ..self.clone() })
    }

    /// The same options, or the desk where nothing is recorded here and there is a desk.
    ///
    /// # Errors
    /// If the user's own folder cannot be used.
    pub fn or_desk(&self) -> Result<Self, Error> {
        let home = self.home()?;
        let is_recorded =
            |options: &Self| options.root().is_ok_and(|path| crate::app::is_recorded(&path).unwrap_or(true));
        if self.project.is_some() || is_recorded(self) {
            return Ok(self.clone());
        }
        let desk = Self { project: Some(home.desk()), exactly: true, ..self.clone() };
        Ok(if is_recorded(&desk) { desk } else { self.clone() })
    }
}

impl App {
    /// An autopilot of this project.
    pub(crate) fn kept(&self, name: &AutopilotName) -> Result<Kept, Error> {
        let found = self.store.document(DocumentKind::Autopilot, name.as_str())?;
        let kept = found.map(Kept::of).transpose()?;
        kept.filter(|kept| !kept.autopilot.removed).ok_or_else(|| unknown(name))
    }

    /// The same, if an approver's signature stands behind it.
    pub(crate) fn verified(&self, name: &AutopilotName) -> Result<Kept, Error> {
        let kept = self.kept(name)?;
        kept.autopilot.verify(&self.home.approvers()?, &self.project.id).map_err(|error| {
            Error::new(Exit::Denied, "not_signed", error.to_string())
                .hint(hint![Remedy::AutopilotAllow, " and `sending on` sign it again; or remove it and add it again"])
        })?;
        Ok(kept)
    }

    /// Every autopilot of this project.
    pub(crate) fn all_kept(&self) -> Result<Vec<Kept>, Error> {
        let found = self.store.documents(DocumentKind::Autopilot, None, None)?;
        let mut kept = found.into_iter().map(Kept::of).collect::<Result<Vec<_>, _>>()?;
        kept.retain(|kept| !kept.autopilot.removed);
        kept.sort_by(|a, b| a.autopilot.definition.name.cmp(&b.autopilot.definition.name));
        Ok(kept)
    }
}

impl Kept {
    fn of(found: DocumentRecord) -> Result<Self, Error> {
        Ok(Self { autopilot: serde_json::from_value(found.body)?, was: found.hash })
    }
}

pub(crate) fn unknown(name: &AutopilotName) -> Error {
    Error::new(Exit::Usage, "autopilot_unknown", format!("no autopilot `{name}`")).hint(hint![
        Remedy::AutopilotList,
        " shows yours; ",
        Remedy::AutopilotAdd,
        " makes one"
    ])
}
