//! Copies of the project that agents work on, each in its own sandbox: made, listed, compared, submitted, updated, dropped.
//!
//! What an agent changed in its copy comes into the project in one way alone: as a proposal, submitted under the agent's own credential.

mod begin;
mod compare;
mod submit;

pub use crate::connected::confined;
pub use begin::{AgentCopy, AgentEnded, Start};
pub use compare::{AgentDifference, ChangedFile};
pub use exacta_agent::difference::{Rest, Why};
pub use exacta_agent::run::inside;
pub use exacta_agent::run::network::Network;
pub use exacta_agent::update::Take;
pub use submit::Submission;

use crate::agent::AgentName;
use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use exacta_agent::AgentError;
use exacta_agent::place::Place;
use exacta_agent::update::{Updated, update};
use exacta_agent::walk::Kept;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use rustix::fd::AsFd as _;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One line of the list of copies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentLine {
    /// Its name.
    pub name: String,
    /// Whether its agent runs, or another command works on it.
    pub running: bool,
    /// The program that ran in it last.
    pub program: String,
    /// When it was made.
    pub created_at: String,
    /// How many files it would change.
    pub files: usize,
    /// How many changes no plan can carry.
    pub rest: usize,
    /// How many files the project has changed since, too.
    pub apart: usize,
    /// The plan that its difference became last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanOf>,
    /// Other copies that change the same files.
    pub same_files: Vec<SameFiles>,
}

/// A plan, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanOf {
    /// Its id.
    pub plan_id: String,
    /// What a person types for it.
    pub short_id: String,
    /// Where it stands.
    pub status: &'static str,
}

/// Files that two want to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SameFiles {
    /// The other one: a copy's name, or a plan's short id.
    pub with: String,
    /// The files.
    pub files: Vec<String>,
}

/// What an update did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpdateView {
    /// The copy.
    pub name: String,
    /// What was brought over from the project.
    pub brought: Vec<String>,
    /// What both sides changed, each in its own way.
    pub apart: Vec<String>,
}

impl App {
    /// All copies of this project, by name.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn agents(&self) -> Result<Vec<AgentLine>, Error> {
        self.authorize(Act::Read)?;
        let mut lines = Vec::new();
        let mut files: Vec<BTreeSet<String>> = Vec::new();
        for place in Place::all(&self.copies()?).map_err(error)?.into_iter().filter(Place::is_there) {
            let note = place.note().map_err(error)?;
            let difference = self.compare(&place, &note)?;
            files.push(
                difference.files.iter().map(|file| file.path.clone()).chain(difference.apart.iter().cloned()).collect(),
            );
            lines.push(AgentLine {
                name: place.name().to_owned(),
                running: place.is_busy(),
                plan: note.plan.as_deref().and_then(|id| self.plan_of(id)),
                program: note.program,
                created_at: note.created_at,
                files: difference.files.len(),
                rest: difference.rest.len(),
                apart: difference.apart.len(),
                same_files: Vec::new(),
            });
        }
        let names: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
        for (line, own) in lines.iter_mut().zip(&files) {
            let others = names.iter().zip(&files).filter(|(name, _)| **name != line.name);
            let shared = others.map(|(name, theirs)| SameFiles {
                with: name.clone(),
                files: own.intersection(theirs).cloned().collect(),
            });
            line.same_files = shared.filter(|shared| !shared.files.is_empty()).collect();
        }
        Ok(lines)
    }

    /// What the agent of a copy changed.
    ///
    /// # Errors
    /// If there is no such copy, or it cannot be read.
    pub fn agent_difference(&self, name: &AgentName) -> Result<AgentDifference, Error> {
        self.authorize(Act::Read)?;
        let place = self.place(name)?;
        self.compare(&place, &place.note().map_err(error)?)
    }

    /// Brings a copy to the project's present state, but for what both sides changed.
    ///
    /// # Errors
    /// If there is no such copy, its agent runs, or something cannot be read or written.
    pub fn update_agent(&self, name: &AgentName, take: Take) -> Result<UpdateView, Error> {
        self.authorize(Act::Propose)?;
        let place = self.place(name)?;
        let _held = place.hold().map_err(error)?;
        self.update_place(&place, take)
    }

    pub(crate) fn update_place(&self, place: &Place, take: Take) -> Result<UpdateView, Error> {
        let mut note = place.note().map_err(error)?;
        let copy = exacta_agent::hold(&place.copy()).map_err(error)?;
        let kept = Kept::of(&note.base);
        let updated = update(self.root.folder(), copy.as_fd(), &note.base, &kept, take).map_err(error)?;
        let Updated { base, brought, apart } = updated;
        note.base = base;
        place.write(&note).map_err(error)?;
        let names = |names: Vec<exacta_agent::tree::Name>| names.iter().map(ToString::to_string).collect();
        Ok(UpdateView { name: place.name().to_owned(), brought: names(brought), apart: names(apart) })
    }

    /// Removes a copy with all that its agent did.
    ///
    /// # Errors
    /// If there is no such copy, or its agent runs.
    pub fn drop_agent(&self, name: &AgentName) -> Result<(), Error> {
        self.authorize(Act::Propose)?;
        let place = self.place(name)?;
        place.remove(place.hold().map_err(error)?).map_err(error)
    }

    /// Plans that could still run and touch a file that this one touches.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn same_files(&self, id: &PlanId) -> Result<Vec<SameFiles>, Error> {
        self.authorize_for(Act::Read, id)?;
        let own: BTreeSet<String> = self.show(id)?.plan.target_files.into_iter().collect();
        let mut found = Vec::new();
        for status in [Status::Pending, Status::AutoApproved, Status::UserApproved] {
            for line in self.list(Some(status.name()), None)?.into_iter().filter(|line| line.outcome.is_none()) {
                let Ok(other) = PlanId::parse(&line.plan_id) else { continue };
                if other == *id {
                    continue;
                }
                let files: Vec<String> =
                    self.show(&other)?.plan.target_files.into_iter().filter(|file| own.contains(file)).collect();
                found.extend((!files.is_empty()).then_some(SameFiles { with: line.short_id, files }));
            }
        }
        Ok(found)
    }

    /// The folder of this project's copies.
    fn copies(&self) -> Result<PathBuf, Error> {
        Ok(self.home.project_state(&self.project.id)?.join("agents"))
    }

    /// A copy that is there.
    fn place(&self, name: &AgentName) -> Result<Place, Error> {
        let place = Place::of(&self.copies()?, name.as_str());
        if place.is_there() {
            return Ok(place);
        }
        let message = format!("there is no copy `{}`", name.as_str());
        Err(Error::new(Exit::Usage, "agent_unknown", message)
            .hint(hint![Remedy::AgentList, " shows the copies of this project"]))
    }

    fn plan_of(&self, id: &str) -> Option<PlanOf> {
        let id = PlanId::parse(id).ok()?;
        let status = self.show(&id).ok()?.plan.status?;
        Some(PlanOf { plan_id: id.to_string(), short_id: self.short_id(&id), status: status.name() })
    }
}

/// The same for a person and a script.
pub(crate) fn error(error: AgentError) -> Error {
    let (exit, code) = match &error {
        AgentError::Busy(_) => (Exit::Fault, "agent_busy"),
        AgentError::Refused { .. } => (Exit::Usage, "agent_refused"),
        AgentError::Unavailable { .. } => (Exit::Fault, "agent_unconfined"),
        AgentError::Changing(_) => (Exit::Fault, "agent_changing"),
        AgentError::Damaged { .. } => (Exit::Fault, "agent_damaged"),
        AgentError::Io { .. } => (Exit::Fault, "agent_io"),
    };
    let hint = error.hint();
    Error::new(exit, code, error.to_string()).hint(hint)
}
