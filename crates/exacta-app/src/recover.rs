//! Runs that a crash left unfinished: put back or completed before anything else is done.

use crate::app::App;
use crate::error::{Error, Exit};
use crate::execute::{Ran, run_error};
use crate::process;
use crate::view::outcome;
use exacta_exec::{Outcome, Recovered};
use exacta_kernel::audit::Event;
use exacta_store::{RunRecord, RunState, Store};
use serde::Serialize;
use serde_json::{Value, json};

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
        let none_open = self.admit_open_runs()?;
        let recovered = self.root.recover().map_err(|error| run_error(&error))?;
        if none_open && recovered.is_empty() {
            return Ok(recoveries);
        }
        for recovered in recovered {
            recoveries.push(self.enter_recovery(&recovered)?);
        }
        let mut dead = self.store.running()?;
        dead.retain(|run| !process::lives(run.pid, &run.boot));
        if !dead.is_empty() {
            // Another process may be at it at this moment, and will record what comes of it. Looked at after the record and
            // before the receipts, so that what is not there any more has its receipts.
            let unfinished = self.root.unfinished().map_err(|error| run_error(&error))?;
            dead.retain(|run| unfinished.iter().all(|other| other.run_id != run.id));
        }
        for run in dead {
            recoveries.extend(self.settle(&run)?);
        }
        Ok(recoveries)
    }

    /// Tells the executor which runs have no end: exactly those of which the log says so. Whether there are none.
    pub(crate) fn admit_open_runs(&mut self) -> Result<bool, Error> {
        let open = self.store.open_runs()?;
        let none = open.is_empty();
        self.root.admit(open.into_iter().map(|run| run.id).collect());
        Ok(none)
    }

    /// Records what the executor did about an unfinished run.
    fn enter_recovery(&mut self, recovered: &Recovered) -> Result<Recovery, Error> {
        let (state, reason) = match recovered.how {
            Outcome::Completed => (RunState::Completed, "the commit point had passed: every target is as approved"),
            Outcome::RolledBack => (RunState::RolledBack, "the commit point had not passed: every target is as before"),
            Outcome::NeedsAttention => {
                (RunState::NeedsAttention, "everything is as before, except for what somebody else saved meanwhile")
            }
        };
        let receipts = serde_json::to_value(&recovered.receipts)?;
        let known = self.store.run(&recovered.run_id)?;
        let open = known.filter(|run| matches!(run.state, RunState::Running | RunState::NeedsAttention));
        if let Some(run) = open {
            self.finish_recovered(&run, state, &receipts, reason)?;
        }
        Ok(Recovery {
            run_id: recovered.run_id.to_string(),
            plan_id: recovered.plan_id.as_ref().map(ToString::to_string).unwrap_or_default(),
            outcome: outcome(state),
            reason: reason.to_owned(),
            kept: recovered.kept.clone(),
        })
    }

    fn finish_recovered(
        &mut self,
        run: &RunRecord,
        state: RunState,
        receipts: &Value,
        reason: &str,
    ) -> Result<Option<RunRecord>, Error> {
        let run = Ran::recorded(run, self.record(&run.plan_id)?.correlation_id);
        self.finish(&run, state, receipts, Event::RunRecovered, reason)
    }

    /// A run in the record whose process died outside the executor: before its first effect, or after its last. `None` if another
    /// process was faster to record it.
    fn settle(&mut self, run: &RunRecord) -> Result<Option<Recovery>, Error> {
        let receipts = self.root.receipts(&run.id).map_err(|error| run_error(&error))?;
        let (state, reason) = if receipts.is_some() {
            (RunState::Completed, "the process died after its last effect: every target is as approved")
        } else {
            (RunState::Failed, "the process died before its first effect: every target is as before")
        };
        let receipts = receipts.map_or_else(|| Ok(json!({})), |receipts| serde_json::to_value(&receipts))?;
        let ended = self.finish_recovered(run, state, &receipts, reason)?;
        Ok(ended.map(|_| Recovery {
            run_id: run.id.to_string(),
            plan_id: run.plan_id.to_string(),
            outcome: outcome(state),
            reason: reason.to_owned(),
            kept: Vec::new(),
        }))
    }
}

/// A run that needs a person stops nothing but is told by every command.
#[must_use]
pub fn attention(recoveries: &[Recovery]) -> Option<Error> {
    let first = recoveries.iter().find(|recovery| recovery.outcome == RunState::NeedsAttention.name())?;
    let message = format!("run `{}` needs attention: {}", first.run_id, first.reason);
    Some(Error::new(Exit::Fault, "needs_attention", message).hint(format!("see `exacta show {}`", first.plan_id)))
}
