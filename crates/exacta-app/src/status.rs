//! How a project stands: its profile and policy, what is under way, and what needs a person.

use crate::app::App;
use crate::caller::Act;
use crate::error::Error;
use crate::run::error::run_error;
use exacta_exec::RunError;
use exacta_kernel::lifecycle::Status;
use exacta_record::{DocumentKind, RunFilter, RunRecord, RunState, Tampered};
use exacta_view::command::at_a_terminal;
use exacta_view::{Outcome, Recovery, StatusView};

impl App {
    /// Where the record was changed from outside, as far as a look at its ends tells; then the profile falls to SAFE. Only
    /// [`crate::verify`] looks at all of it.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn damage(&self) -> Result<Option<String>, Error> {
        self.authorize(Act::Read)?;
        Ok(self.told(self.store.damage()?))
    }

    /// The same of the autopilots, sites and skills, each by what the log vouches for.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn documents_damage(&self) -> Result<Option<String>, Error> {
        self.authorize(Act::ReadAll)?;
        let kinds = [DocumentKind::Autopilot, DocumentKind::Site, DocumentKind::Skills];
        Ok(self.told(self.store.documents_damage(&kinds)?))
    }

    fn told(&self, damage: Option<Tampered>) -> Option<String> {
        if damage.is_some() {
            // What is found is told all the same; the next command that decides or acts ends with it.
            let _kept = crate::app::trust::distrust(&self.options);
        }
        damage.map(|found| format!("{}: {}", found.place, found.what))
    }

    /// How the project stands, also where a broken policy stops everything else.
    ///
    /// # Errors
    /// If the record or the approvers cannot be read.
    pub fn status(&self) -> Result<StatusView, Error> {
        self.authorize(Act::Read)?;
        let (policy, policy_error) = match self.in_force() {
            Ok(in_force) => (Some(in_force.policy), None),
            Err(error) if error.is_broken_policy() => (None, Some(error.message)),
            Err(error) => return Err(error),
        };
        let project = self.home.project(self.path())?;
        let mut runs = self.store.runs(&RunFilter { limit: Some(10), ..RunFilter::default() })?;
        let (stuck, unreadable) = match self.stuck() {
            Ok(stuck) => (stuck, None),
            Err(error) => (Vec::new(), Some(error.message)),
        };
        let attention = !stuck.is_empty() || unreadable.is_none() && self.needs_attention(runs.first())?;
        let running = self.store.running()?;
        let older = running.iter().filter(|run| runs.iter().all(|newest| newest.id != run.id)).cloned();
        runs.extend(older.collect::<Vec<_>>());
        runs.retain(|run| self.sees(&run.plan_id));
        let is_stuck = |run: &RunRecord| stuck.iter().any(|other| other.run_id == run.id.as_str());
        let dead = running.iter().filter(|run| self.is_dead(run) && !is_stuck(run));
        let mut unfinished: Vec<Recovery> = dead.map(unfinished_run).collect();
        unfinished.extend(stuck);
        Ok(StatusView {
            project: self.path().display().to_string(),
            profile: policy.as_ref().map(|policy| policy.profile().name()),
            ceiling: policy.as_ref().map(|policy| policy.ceiling().name()),
            policy_error,
            fell: project.and_then(|project| project.fell).map(|fall| format!("{}: {}", fall.at, fall.why)),
            pending: self.list(Some(Status::Pending.name()), Some(20))?,
            approved: self.approved()?,
            runs: runs.into_iter().map(|run| self.listed_run(run)).collect(),
            attention,
            unfinished,
            damage: self.damage()?.into_iter().chain(unreadable).collect(),
            log_size: self.store.checkpoint().ok().flatten().map_or(0, |checkpoint| checkpoint.checkpoint().size),
            approvers: self.home.approvers()?.iter().filter(|approver| approver.removed_at.is_none()).count(),
            notices: if self.sees_all() { self.notices()? } else { Vec::new() },
        })
    }

    /// Whether nobody is at a run any more that has no end.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn is_cut_off(&self) -> Result<bool, Error> {
        self.authorize(Act::Read)?;
        Ok(self.store.running()?.iter().any(|run| self.is_dead(run)))
    }

    /// The runs that no recovery settles, so that every command that decides or acts stops at them: their journals cannot be used.
    fn stuck(&self) -> Result<Vec<Recovery>, Error> {
        let mut dead = self.root.unfinished().map_err(|error| run_error(&error))?;
        dead.retain(|run| run.committed && !run.alive);
        // Asked after the journals: a run is entered before it is committed, and has its end there after it.
        let open = if dead.is_empty() { Vec::new() } else { self.store.open_runs()? };
        let stuck = dead.into_iter().filter_map(|run| {
            let known = open.iter().find(|known| known.id == run.run_id);
            let plan_id = known.map(|known| known.plan_id.clone()).or(run.plan_id);
            let error = match (run.broken, known) {
                (Some(what), _) => RunError::BadJournal { run_id: run.run_id.clone(), what },
                (None, None) => RunError::UnknownRun { run_id: run.run_id.clone() },
                (None, Some(_)) => return None,
            };
            Some(Recovery {
                run_id: run.run_id.to_string(),
                plan_id: plan_id.map(|id| id.to_string()).unwrap_or_default(),
                outcome: Outcome::NeedsAttention,
                reason: format!(
                    "{error}; every command that decides or acts stops here; {}",
                    error.hint().as_ref().map(at_a_terminal).unwrap_or_default()
                ),
                kept: Vec::new(),
            })
        });
        let mut stuck: Vec<Recovery> = stuck.collect();
        if !stuck.is_empty() {
            // Another process may have settled one while the record was asked.
            let still = self.root.unfinished().map_err(|error| run_error(&error))?;
            stuck.retain(|run| still.iter().any(|other| other.run_id.as_str() == run.run_id));
        }
        Ok(stuck)
    }

    /// Whether a run could not be settled, or the newest one met somebody else's changes. Whoever ran another since has
    /// seen those.
    fn needs_attention(&self, newest: Option<&RunRecord>) -> Result<bool, Error> {
        if newest.is_some_and(|run| run.state.waits_for_a_person()) {
            return Ok(true);
        }
        let open = self.store.open_runs()?;
        if open.iter().any(|run| run.state == RunState::Unknown) {
            return Ok(true);
        }
        if open.iter().all(|run| !run.state.waits_for_a_person()) {
            return Ok(false);
        }
        let unsettled = self.root.unfinished().map_err(|error| run_error(&error))?;
        let is_unsettled = |run: &RunRecord| unsettled.iter().any(|other| other.run_id == run.id);
        Ok(open.iter().any(|run| run.state.waits_for_a_person() && is_unsettled(run)))
    }
}

fn unfinished_run(run: &RunRecord) -> Recovery {
    Recovery {
        run_id: run.id.to_string(),
        plan_id: run.plan_id.to_string(),
        outcome: Outcome::Running,
        reason: "its process died; the next command that decides or acts recovers it".to_owned(),
        kept: Vec::new(),
    }
}
