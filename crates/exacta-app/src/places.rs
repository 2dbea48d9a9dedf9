//! The user's projects, for a process that serves them all.

use crate::app::{App, is_recorded};
use crate::caller::Act;
use crate::clock::now;
use crate::error::Error;
use crate::options::Options;
use crate::stored;
use exacta_home::ProjectRecord;
use exacta_kernel::id::{PlanId, ProjectId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::path::RelPath;
use exacta_record::Filter;
use std::collections::BTreeSet;

impl Options {
    /// The projects that are meant: the one that is named, or else all of the user's in which something is recorded, the desk among them.
    ///
    /// # Errors
    /// If the user's own folder cannot be read, or the named project does not exist.
    pub fn served(&self) -> Result<Vec<(ProjectId, Self)>, Error> {
        let home = self.home()?;
        let named = self.project.as_ref().map(|_| self.root()).transpose()?;
        let known = home.known_projects()?.into_iter();
        let meant = known.filter(|project| named.as_ref().is_none_or(|named| *named == project.root));
        // One whose records are gone or cannot even be looked at is told of when it is opened.
        let pinned = |project: &ProjectRecord| home.pin(&project.id).map_or(true, |pin| pin.is_some());
        let recorded = meant.filter(|project| is_recorded(&project.root).unwrap_or(true) || pinned(project));
        Ok(recorded
            .map(|project| (project.id, Self { project: Some(project.root), exactly: true, ..self.clone() }))
            .collect())
    }
}

impl App {
    /// Whether a plan is recorded here that the caller sees.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn has_plan(&self, id: &PlanId) -> Result<bool, Error> {
        self.authorize(Act::Read)?;
        Ok(self.store.plan(id)?.is_some() && self.sees(id))
    }

    /// Whether a run is recorded here whose plan the caller sees.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn has_run(&self, id: &RunId) -> Result<bool, Error> {
        self.authorize(Act::Read)?;
        Ok(self.store.run(id)?.is_some_and(|run| self.sees(&run.plan_id)))
    }

    /// What plans that can still be used would change: whoever watches these files knows at once when such a plan is over.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn targets_in_use(&self) -> Result<BTreeSet<RelPath>, Error> {
        self.authorize(Act::ReadAll)?;
        let status = vec![Status::Pending, Status::AutoApproved, Status::UserApproved];
        let usable = Filter { status, usable: true, not_over: Some(now()), ..Filter::default() };
        let mut targets = BTreeSet::new();
        for plan in self.store.list(&usable)? {
            targets.extend(stored::identity(&self.record(&plan.id)?)?.binding.targets.into_keys());
        }
        Ok(targets)
    }
}
