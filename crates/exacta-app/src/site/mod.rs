//! Sites and skills: kept in a project's record or on the user's desk, and what plans do with them.
//!
//! Nothing here counts by being stored: a site and a skill are verified against the list of approvers at every use ([`kept`]), and a plan
//! is bound to both ([`standing`]). What a site offers is asked, kept in the user's folder, and bound too.

mod active;
mod change;
mod contract;
mod draft;
mod effector;
mod kept;
mod pages;
mod planner;
mod reach;
mod runs;
mod skill;
mod standing;
mod view;

pub use contract::{ContractEvent, ContractFilter, Llm, PlanContract};
pub use draft::{Drafted, NewDraft};
pub use planner::Planner;
pub use runs::{RunEvent, RunTrouble, SiteRunView, SiteStepView};
pub use skill::{SkillFilter, SkillView};
pub use view::SiteView;

pub(crate) use effector::Sites;
pub(crate) use kept::Keeper;
pub(crate) use standing::site_now;

use crate::error::{Error, Exit};
use crate::options::Options;
use exacta_kernel::site::SiteName;

/// Code that makes a role with the least rights, to paste.
#[must_use]
pub fn role() -> String {
    exacta_site::role()
}

/// A name as it was typed.
///
/// # Errors
/// If it is none.
pub fn name(text: &str) -> Result<SiteName, Error> {
    SiteName::parse(text)
        .map_err(|error| Error::new(Exit::Usage, "name_invalid", error.to_string()).hint("such as `blog`"))
}

impl Options {
    /// The project that a site lives in, wherever the command was given.
    ///
    /// # Errors
    /// If there is no site of this name.
    pub fn of_site(&self, name: &SiteName) -> Result<Self, Error> {
        let places = self.home()?.sites()?;
        let place = places.get(name).ok_or_else(|| kept::unknown(name))?;
        Ok(Self { project: Some(place.clone()), exactly: true, ..self.clone() })
    }

    /// The projects that have sites: all of the user's, or the one that is named.
    ///
    /// # Errors
    /// If the user's own folder cannot be read.
    pub fn site_places(&self) -> Result<Vec<Self>, Error> {
        let named = self.project.as_ref().map(|_| self.root()).transpose()?;
        let places: std::collections::BTreeSet<std::path::PathBuf> = self.home()?.sites()?.into_values().collect();
        let meant = places.into_iter().filter(|place| named.as_ref().is_none_or(|named| named == place));
        Ok(meant.map(|place| Self { project: Some(place), exactly: true, ..self.clone() }).collect())
    }
}
