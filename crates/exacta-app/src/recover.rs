//! Runs that a crash left unfinished: put back or completed before anything else is done.

use crate::app::App;
use crate::current::tampered;
use crate::error::{Error, Exit};
use crate::execute::{Ran, run_error};
use crate::process;
use crate::view::outcome;
use exacta_exec::look::TARGET_CAP;
use exacta_exec::{Outcome, Recovered, RunError};
use exacta_kernel::audit::Event;
use exacta_kernel::facts::{FileState, Target};
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::Transition;
use exacta_store::{RunRecord, RunState, Store};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An unfinished run and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recovery {
    /// The run.
    pub run_id: String,
    /// The plan it carried out.
    pub plan_id: String,
    /// How it stands now: as [`crate::view::RunView::outcome`].
    pub outcome: &'static str,
    /// Why, in words.
    pub reason: String,
    /// Files in which somebody else's change was found and kept.
    pub kept: Vec<String>,
}

impl App {
    /// Puts back or completes every run that a crash left unfinished. Doing it twice changes nothing more.
    ///
    /// # Errors
    /// If a journal cannot be read, or was written by a newer version.
    pub fn recover(&mut self) -> Result<Vec<Recovery>, Error> {
        self.wary(Self::recover_runs)
    }

    fn recover_runs(&mut self) -> Result<Vec<Recovery>, Error> {
        let mut recoveries = Vec::new();
        let (none_open, recovered) = self.recover_admitted()?;
        if none_open && recovered.is_empty() {
            return Ok(recoveries);
        }
        for recovered in recovered {
            recoveries.extend(self.enter_recovery(&recovered)?);
        }
        let mut dead = self.store.running()?;
        dead.retain(|run| self.is_dead(run));
        if !dead.is_empty() {
            // Another process may be at it at this moment, and will record what comes of it. Looked at after the record and
            // before the receipts, so that what is not there any more has its receipts.
            let unfinished = self.root.unfinished().map_err(|error| unrecovered(&error))?;
            dead.retain(|run| unfinished.iter().all(|other| other.run_id != run.id));
        }
        for run in dead {
            recoveries.extend(self.settle(&run)?);
        }
        Ok(recoveries)
    }

    /// Settles what the record knows to have no end, and says whether it knew of nothing. A run that began after the record was
    /// asked, and has died since, is no forgery, whether it still has no end or another process has settled it meanwhile: then
    /// the record is asked again, once for each.
    fn recover_admitted(&mut self) -> Result<(bool, Vec<Recovered>), Error> {
        let mut unknown = BTreeSet::new();
        loop {
            let admitted = self.admit_open_runs()?;
            match self.root.recover() {
                Err(RunError::UnknownRun { run_id }) if unknown.insert(run_id.clone()) => {}
                recovered => return Ok((admitted.is_empty(), recovered.map_err(|error| unrecovered(&error))?)),
            }
        }
    }

    /// Whether nobody is at a run any more.
    pub(crate) fn is_dead(&self, run: &RunRecord) -> bool {
        process::is_dead(&self.root, run)
    }

    /// Tells the executor which runs have no end: exactly those of which the log says so.
    pub(crate) fn admit_open_runs(&mut self) -> Result<BTreeSet<RunId>, Error> {
        let open: BTreeSet<RunId> = self.store.open_runs()?.into_iter().map(|run| run.id).collect();
        self.root.admit(open.clone());
        Ok(open)
    }

    /// Records what the executor did about an unfinished run. `None` if the record has its end already.
    fn enter_recovery(&mut self, recovered: &Recovered) -> Result<Option<Recovery>, Error> {
        let (state, reason) = match recovered.how {
            Outcome::Completed => (RunState::Completed, "the commit point had passed: every target is as approved"),
            Outcome::RolledBack => (RunState::RolledBack, "the commit point had not passed: every target is as before"),
            Outcome::NeedsAttention => {
                (RunState::NeedsAttention, "everything is as before, except for what somebody else saved meanwhile")
            }
        };
        let receipts = serde_json::to_value(&recovered.receipts)?;
        let end = match self.store.run(&recovered.run_id)? {
            Some(run) if matches!(run.state, RunState::Running | RunState::NeedsAttention) => {
                self.end(&run, state, &receipts, reason)?
            }
            Some(_) => None,
            // It died before it was entered, and so before its first effect.
            None => Some((state, reason.to_owned())),
        };
        Ok(end.map(|(state, reason)| Recovery {
            run_id: recovered.run_id.to_string(),
            plan_id: recovered.plan_id.as_ref().map(ToString::to_string).unwrap_or_default(),
            outcome: outcome(state),
            reason,
            kept: recovered.kept.clone(),
        }))
    }

    /// A run in the record whose process died outside the executor: before its first effect, or after its last. `None` if another
    /// process was faster to record it.
    fn settle(&mut self, run: &RunRecord) -> Result<Option<Recovery>, Error> {
        let receipts = self.root.receipts(&run.id).map_err(|error| unrecovered(&error))?;
        let (state, reason) = if receipts.is_some() {
            (RunState::Completed, "the process died after its last effect: every target is as approved")
        } else {
            (RunState::Failed, "the process died before its first effect: every target is as before")
        };
        let receipts = receipts.map_or_else(|| Ok(json!({})), |receipts| serde_json::to_value(&receipts))?;
        let end = self.end(run, state, &receipts, reason)?;
        Ok(end.map(|(state, reason)| Recovery {
            run_id: run.id.to_string(),
            plan_id: run.plan_id.to_string(),
            outcome: outcome(state),
            reason,
            kept: Vec::new(),
        }))
    }

    /// Records how a run ended, unless its targets tell otherwise. `None` if another process was faster.
    fn end(
        &mut self,
        run: &RunRecord,
        state: RunState,
        receipts: &Value,
        reason: &str,
    ) -> Result<Option<(RunState, String)>, Error> {
        let (state, reason) = match self.contradiction(run, state)? {
            None => (state, reason.to_owned()),
            Some(otherwise) => (RunState::NeedsAttention, otherwise),
        };
        let plan = self.record(&run.plan_id)?;
        let ended = self.finish(&Ran::recorded(run, &plan), state, receipts, Event::RunRecovered, &reason)?;
        Ok(ended.map(|_| (state, reason)))
    }

    /// What the targets say against an end. The marks in `.exacta/exec` can be made and removed by whoever can write there; what
    /// a run was to do is in the record, and no run is said to be completed that left a target as before, or put back that left
    /// one as approved.
    fn contradiction(&self, run: &RunRecord, state: RunState) -> Result<Option<String>, Error> {
        let changes: BTreeMap<RelPath, Transition> =
            serde_json::from_value(run.changes.clone()).map_err(|_| tampered(&run.plan_id))?;
        let paths: Vec<RelPath> = changes.keys().cloned().collect();
        let facts = self.root.facts(&paths, TARGET_CAP);
        let stands = |path: &RelPath, state: &FileState| match facts.get(path).map(|fact| &fact.target) {
            Some(Target::File(content)) => FileState::of(Some(content)) == *state,
            Some(Target::Absent) => *state == FileState::Absent,
            _ => false,
        };
        let against = |(path, change): &(&RelPath, &Transition)| match state {
            RunState::Completed => stands(path, &change.before),
            RunState::RolledBack | RunState::Failed => stands(path, &change.after),
            _ => false,
        };
        let (found, meant) = match state {
            RunState::Completed => ("as before", "completed"),
            _ => ("as approved", "put back"),
        };
        Ok(changes.iter().find(against).map(|(path, _)| {
            format!(
                "its journal has it {meant}, but `{path}` is {found}: somebody changed the journal, or the file since"
            )
        }))
    }
}

/// Recovery that could not be done: nothing was run, so nothing was rolled back either.
fn unrecovered(error: &RunError) -> Error {
    let error = run_error(error);
    if error.exit == Exit::RolledBack { Error { exit: Exit::Fault, code: "recovery_failed", ..error } } else { error }
}

/// A run that needs a person stops nothing but is told by every command.
#[must_use]
pub fn attention(recoveries: &[Recovery]) -> Option<Error> {
    let first = recoveries.iter().find(|recovery| recovery.outcome == RunState::NeedsAttention.name())?;
    let message = format!("run `{}` needs attention: {}", first.run_id, first.reason);
    Some(Error::new(Exit::Fault, "needs_attention", message).hint(format!("see `exacta show {}`", first.plan_id)))
}
