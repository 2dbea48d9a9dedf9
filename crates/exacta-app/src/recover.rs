//! Runs that a crash left unfinished: put back or completed before anything else is done.

use crate::app::App;
use crate::current::tampered;
use crate::error::{Error, Exit};
use crate::process;
use crate::run::{Ran, run_error};
use crate::undo::is_no_file;
use crate::view::outcome;
use exacta_exec::look::TARGET_CAP;
use exacta_exec::{Outcome, Recovered, RunError};
use exacta_kernel::audit::Event;
use exacta_kernel::facts::{FileState, Target};
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::Transition;
use exacta_store::{RunFilter, RunRecord, RunState, Store};
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
        let mut dead = self.store.open_runs()?;
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

    /// Tells the executor which runs have no end: exactly those of which the log says so. One that a person has to look at is over
    /// for good once a later run changed one of its targets: as long as it was not settled, none could.
    pub(crate) fn admit_open_runs(&mut self) -> Result<BTreeSet<RunId>, Error> {
        let (mut running, mut attention) = (Vec::new(), Vec::new());
        for run in self.store.open_runs()? {
            match run.state {
                RunState::Running => running.push(run.id),
                _ if self.is_superseded(&run)? => {}
                _ => attention.push(run.id),
            }
        }
        let open = running.iter().chain(&attention).cloned().collect();
        self.root.admit(running, attention);
        Ok(open)
    }

    /// Whether a later run was about one of a run's targets.
    fn is_superseded(&self, run: &RunRecord) -> Result<bool, Error> {
        let paths: Vec<&String> = run.changes.as_object().into_iter().flat_map(|changes| changes.keys()).collect();
        self.has_later(run, |other| paths.iter().any(|path| other.changes.get(path.as_str()).is_some()))
    }

    /// Records what the executor did about an unfinished run. `None` if the record has its end already.
    fn enter_recovery(&mut self, recovered: &Recovered) -> Result<Option<Recovery>, Error> {
        let end = End::of(recovered)?;
        match self.store.run(&recovered.run_id)? {
            Some(run) if matches!(run.state, RunState::Running | RunState::NeedsAttention) => self.end(&run, end),
            Some(_) => Ok(None),
            // It died before it was entered: it never was.
            None => Ok(None),
        }
    }

    /// A run in the record that has no end there, though for the executor it is over: its process died before its first effect or
    /// after its last, or whoever recovered it could not record that. `None` if another process was faster, or if it needs a person and
    /// still does.
    fn settle(&mut self, run: &RunRecord) -> Result<Option<Recovery>, Error> {
        let waits = run.state == RunState::NeedsAttention;
        // What it met is not looked at again: its journal may be gone or broken by now, which must not stop anybody.
        let is_told = || Ok(self.root.met_others(&run.id)? || self.root.is_left(&run.id)?);
        if waits && is_told().map_err(|error| unrecovered(&error))? {
            return Ok(None);
        }
        let end = self.traced(run)?;
        if waits && self.contradiction(run, &end)?.is_some() {
            return Ok(None);
        }
        self.end(run, end)
    }

    /// How a run ended, by what the executor left of it.
    fn traced(&self, run: &RunRecord) -> Result<End, Error> {
        if self.root.is_left(&run.id).map_err(|error| unrecovered(&error))? {
            return Ok(End::unclear(&self.root.kept(&run.id).map_err(|error| unrecovered(&error))?));
        }
        if self.root.met_others(&run.id).map_err(|error| unrecovered(&error))? {
            return Ok(End::kept(self.root.kept(&run.id).map_err(|error| unrecovered(&error))?));
        }
        let receipts = self.root.receipts(&run.id).map_err(|error| unrecovered(&error))?;
        let Some(receipts) = receipts else {
            // What it met of others would lie there. A target that is as the run did not expect, it never touched.
            let how = "nobody recorded its end: it had no effect, or all that it did was put back";
            return Ok(End { reason: how.to_owned(), untouched: true, ..End::as_before(RunState::Failed) });
        };
        Ok(End {
            state: RunState::Completed,
            reason: "the process died after its last effect: every target is as approved".to_owned(),
            receipts: serde_json::to_value(&receipts)?,
            kept: receipts.kept,
            untouched: false,
        })
    }

    /// Records how a run ended, unless its targets tell otherwise. `None` if another process was faster.
    fn end(&mut self, run: &RunRecord, mut end: End) -> Result<Option<Recovery>, Error> {
        if let Some(otherwise) = self.contradiction(run, &end)? {
            (end.state, end.reason) = (RunState::NeedsAttention, otherwise);
        }
        let ran = Ran::recorded(run, &self.record(&run.plan_id)?);
        let ended = self.finish(&ran, end.state, &end.receipts, Event::RunRecovered, &end.reason)?;
        // One that needs attention was counted when it came to that.
        if ended.is_some() && end.state != RunState::Completed && run.state == RunState::Running {
            // How the run ended is recorded, and is what counts here.
            let _later = self.count_failure();
        }
        Ok(ended.map(|_| end.told(&run.id, Some(&run.plan_id))))
    }

    /// What the targets say against an end. The marks in `.exacta/exec` can be made and removed by whoever can write there; what
    /// a run was to do is in the record. No run is said to be completed that left a target as before, or put back that left one
    /// other than before, unless a later run is why. Where a run changed nothing, somebody's edit is no concern of it.
    fn contradiction(&self, run: &RunRecord, end: &End) -> Result<Option<String>, Error> {
        let meant = match end.state {
            RunState::Completed => "completed",
            RunState::RolledBack | RunState::Failed => "put back",
            _ => return Ok(None),
        };
        let changes: BTreeMap<RelPath, Transition> =
            serde_json::from_value(run.changes.clone()).map_err(|_| tampered(&run.plan_id))?;
        let paths: Vec<RelPath> = changes.keys().cloned().collect();
        let facts = self.root.facts(&paths, TARGET_CAP);
        let stands = |path: &RelPath, state: &FileState| match facts.get(path).map(|fact| &fact.target) {
            Some(Target::File(content)) => FileState::of(Some(content)) == *state,
            Some(target) if is_no_file(target, &changes) => *state == FileState::Absent,
            _ => false,
        };
        for (path, change) in &changes {
            let (before, after) = (stands(path, &change.before), stands(path, &change.after));
            let found = match end.state {
                RunState::Completed if before => "as before",
                RunState::Completed => continue,
                _ if after => "as approved",
                _ if before || end.untouched => continue,
                _ => "not as before",
            };
            if self.is_taken_over(run, path)? {
                continue;
            }
            return Ok(Some(format!(
                "its journal has it {meant}, but `{path}` is {found}: somebody changed the journal, or the file since"
            )));
        }
        Ok(None)
    }

    /// Whether a target is a later run's concern by now. Never where a person is to look at it.
    fn is_taken_over(&self, run: &RunRecord, path: &RelPath) -> Result<bool, Error> {
        let is_about = |other: &RunRecord| other.changes.get(path.as_str()).is_some();
        Ok(run.state != RunState::NeedsAttention && self.has_later(run, is_about)?)
    }

    /// Whether there is a later run of which this holds.
    fn has_later(&self, run: &RunRecord, holds: impl Fn(&RunRecord) -> bool) -> Result<bool, Error> {
        let since = Some(run.started_at);
        for other in self.store.runs(&RunFilter { since, ..RunFilter::default() })? {
            // What the list says is looked up in the log.
            if other.id != run.id && holds(&other) && self.store.run(&other.id)?.is_some_and(|other| holds(&other)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// How an unfinished run ended.
struct End {
    state: RunState,
    reason: String,
    receipts: Value,
    kept: Vec<String>,
    /// Whether it is certain that the run changed nothing.
    untouched: bool,
}

impl End {
    /// As the executor tells it.
    fn of(recovered: &Recovered) -> Result<Self, Error> {
        Ok(match recovered.how {
            Outcome::Completed => Self {
                state: RunState::Completed,
                reason: "the commit point had passed: every target is as approved".to_owned(),
                receipts: serde_json::to_value(&recovered.receipts)?,
                kept: recovered.kept.clone(),
                untouched: false,
            },
            Outcome::RolledBack if recovered.committed => Self::as_before(RunState::RolledBack),
            Outcome::RolledBack => Self {
                reason: "the commit point had not passed: the run changed nothing".to_owned(),
                untouched: true,
                ..Self::as_before(RunState::RolledBack)
            },
            Outcome::NeedsAttention => Self::kept(recovered.kept.clone()),
            Outcome::Unclear => Self::unclear(&recovered.kept),
        })
    }

    /// The journal and the targets contradict each other.
    fn unclear(others: &[String]) -> Self {
        let reason = format!(
            "by its journal it changed nothing, but these are not as before: {}; somebody changed the journal, or the files since",
            quoted(others)
        );
        Self { reason, ..Self::as_before(RunState::NeedsAttention) }
    }

    fn as_before(state: RunState) -> Self {
        let reason =
            "the commit point had passed, and what was done could not be finished: every target is as before again";
        Self { state, reason: reason.to_owned(), receipts: json!({}), kept: Vec::new(), untouched: false }
    }

    /// Everything is as before, but for this.
    fn kept(kept: Vec<String>) -> Self {
        let except = if kept.is_empty() { "what somebody else saved meanwhile".to_owned() } else { quoted(&kept) };
        Self {
            state: RunState::NeedsAttention,
            reason: format!("everything is as before except {except}, saved by another program and kept"),
            receipts: json!({ "kept": &kept }),
            kept,
            untouched: false,
        }
    }

    fn told(self, run_id: &RunId, plan_id: Option<&PlanId>) -> Recovery {
        Recovery {
            run_id: run_id.to_string(),
            plan_id: plan_id.map(ToString::to_string).unwrap_or_default(),
            outcome: outcome(self.state),
            reason: self.reason,
            kept: self.kept,
        }
    }
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
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
