//! Runs that a crash left unfinished: put back or completed before anything else is done.

use crate::app::App;
use crate::error::{Error, ErrorCode, Exit};
use crate::run::AboutRun;
use crate::run::ended::Ended;
use crate::run::error::run_error;
use crate::run::process;
use crate::run::undo::is_no_file;
use crate::stored::tampered;
use exacta_exec::look::TARGET_CAP;
use exacta_exec::{Recovered, RunError};
use exacta_kernel::audit::Event;
use exacta_kernel::facts::{FileState, Target};
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::Transition;
use exacta_record::{RunFilter, RunRecord, RunState};
use exacta_view::Recovery;
use std::collections::{BTreeMap, BTreeSet};

impl App {
    /// Puts back or completes every run that a crash left unfinished. Doing it twice changes nothing more.
    ///
    /// # Errors
    /// If a journal cannot be read, or was written by a newer version.
    pub fn recover(&mut self) -> Result<Vec<Recovery>, Error> {
        self.safe_on_tampering(Self::recover_runs)
    }

    fn recover_runs(&mut self) -> Result<Vec<Recovery>, Error> {
        let mut recoveries = self.recover_effects()?;
        let (none_open, recovered) = self.recover_admitted()?;
        if none_open && recovered.is_empty() {
            return Ok(recoveries);
        }
        for recovered in recovered {
            recoveries.extend(self.record_recovery(recovered)?);
        }
        let mut dead = self.store.open_runs()?;
        dead.retain(|run| self.is_dead(run));
        self.retain_file_runs(&mut dead)?;
        if !dead.is_empty() {
            // Another process may be at it at this moment, and will record what comes of it. Looked at after the record and
            // before the receipts, so that what is not there any more has its receipts.
            let unfinished = self.root.unfinished().map_err(|error| unrecovered(&error))?;
            dead.retain(|run| unfinished.iter().all(|other| other.run_id != run.id));
        }
        for run in dead {
            recoveries.extend(self.record_unrecorded(&run)?);
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

    /// Leaves out the runs outside the project: those were recovered by their own journals.
    fn retain_file_runs(&self, runs: &mut Vec<RunRecord>) -> Result<(), Error> {
        if runs.is_empty() {
            return Ok(());
        }
        let Some(outside) = self.outside()? else { return Ok(()) };
        let effects = outside.effects()?;
        runs.retain(|run| effects.is_known(&run.id) == Ok(false));
        Ok(())
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
                RunState::Running | RunState::RollingBack => running.push(run.id),
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
    fn record_recovery(&mut self, recovered: Recovered) -> Result<Option<Recovery>, Error> {
        match self.store.run(&recovered.run_id)? {
            Some(run) if run.state.is_open() => self.record_recovered(&run, Ended::of(recovered.outcome)?),
            Some(_) => Ok(None),
            // It died before it was entered: it never was.
            None => Ok(None),
        }
    }

    /// A run in the record that has no end there, though for the executor it is over: its process died before its first effect or
    /// after its last, or whoever recovered it could not record that. `None` if another process was faster, or if it needs a person and
    /// still does.
    fn record_unrecorded(&mut self, run: &RunRecord) -> Result<Option<Recovery>, Error> {
        let waits = run.state == RunState::NeedsAttention;
        let unrecovered = |error| unrecovered(&error);
        if waits && self.root.waits_for_a_person(&run.id).map_err(unrecovered)? {
            return Ok(None);
        }
        let Some(outcome) = self.root.outcome(&run.id).map_err(unrecovered)? else { return Ok(None) };
        let end = Ended::of(outcome)?;
        if waits && self.contradiction(run, &end)?.is_some() {
            return Ok(None);
        }
        self.record_recovered(run, end)
    }

    /// Records how a run ended, unless its targets tell otherwise. `None` if another process was faster.
    fn record_recovered(&mut self, run: &RunRecord, mut end: Ended) -> Result<Option<Recovery>, Error> {
        if let Some(otherwise) = self.contradiction(run, &end)? {
            (end.state, end.reason) = (RunState::NeedsAttention, otherwise);
        }
        let about = AboutRun::recorded(run, &self.record(&run.plan_id)?);
        let ended = self.record_end(&about, &end, Event::RunRecovered)?;
        // One that needs attention was counted when it came to that.
        if ended.is_some() && end.state != RunState::Completed && run.state == RunState::Running {
            // How the run ended is recorded, and is what counts here.
            let _later = self.count_failure();
        }
        Ok(ended.map(|_| end.into_recovery(&run.id, &run.plan_id)))
    }

    /// What the targets say against an end. The marks in `.exacta/exec` can be made and removed by whoever can write there; what
    /// a run was to do is in the record. No run is said to be completed that left a target as before, or put back that left one
    /// other than before, unless a later run is why. Where a run changed nothing, somebody's edit is no concern of it.
    fn contradiction(&self, run: &RunRecord, end: &Ended) -> Result<Option<String>, Error> {
        let meant = match end.state {
            RunState::Completed => "completed",
            // What it did not adopt lies there all the same.
            RunState::RolledBack if self.has_adopted(run)? => return Ok(None),
            RunState::RolledBack => "put back",
            _ => return Ok(None),
        };
        let changes: BTreeMap<RelPath, Transition> =
            serde_json::from_value(run.changes.clone()).map_err(|_| tampered(&run.plan_id))?;
        let paths: Vec<RelPath> = changes.keys().cloned().collect();
        let facts = self.root.facts(&paths, TARGET_CAP);
        let is_as = |path: &RelPath, state: &FileState| match facts.get(path).map(|fact| &fact.target) {
            Some(Target::File(content)) => FileState::of(Some(content)) == *state,
            Some(target) if is_no_file(target, &changes) => *state == FileState::Absent,
            _ => false,
        };
        for (path, change) in &changes {
            let (before, after) = (is_as(path, &change.before), is_as(path, &change.after));
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

    /// Whether a run was to adopt what lies in its targets, and so never touched one.
    fn has_adopted(&self, run: &RunRecord) -> Result<bool, Error> {
        let identity = crate::stored::identity(&self.record(&run.plan_id)?)?;
        Ok(run.undoes.is_none() && identity.binding.adopts.is_some())
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

/// Recovery that could not be done: nothing was run, so nothing was rolled back either.
fn unrecovered(error: &RunError) -> Error {
    let error = run_error(error);
    if error.exit.is_rolled_back() {
        Error { exit: Exit::Fault, code: ErrorCode::RECOVERY_FAILED, ..error }
    } else {
        error
    }
}
