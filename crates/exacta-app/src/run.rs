//! A run, from its permit to its recorded end.

use crate::app::App;
use crate::begin::{Beginning, Wait};
use crate::checks::Checks;
use crate::clock::now;
use crate::error::{Error, Exit};
use crate::execute::Execution;
use crate::read::run_view;
use crate::submit::data;
use crate::terms::{Moment, Site};
use crate::view::RunView;
use exacta_exec::{Objection, Receipts, Retention, RunError, RunOptions};
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::facts::FileState;
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::{Permit, Transition, Work};
use exacta_kernel::plan::{Change, Content};
use exacta_store::{PlanRecord, RunRecord, RunState, Scores, Store, StoreError};
use serde_json::json;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The code for a target that cannot be changed without losing something.
pub(crate) const TARGET_REFUSED: &str = "target_refused";

/// The code for a run that failed and left everything as before.
pub(crate) const ROLLED_BACK: &str = "rolled_back";

impl App {
    /// Acts, and records how it began and ended. A run that cannot have its targets never began, and its plan can still be carried out.
    pub(crate) fn carry_out(
        &mut self,
        permit: Permit,
        beginning: Beginning<'_>,
        checks: &Checks,
        execution: Execution<'_>,
    ) -> Result<RunView, Error> {
        let ran = Ran::of(permit.work(), &beginning.entry);
        self.admit_open_runs()?;
        let Execution { sync, wait, cancel, observer, check_observer } = execution;
        let until = Instant::now().checked_add(wait);
        let (mut run, mut begun, mut broken) = (run_record(&permit)?, Begun::NotYet, None);
        let site = Site { home: &self.home, root: &self.root, project: &self.project.id };
        let (root, store) = (&self.root, &mut self.store);
        let mut begin = || {
            begun = match beginning.enter(store, &mut run, site, Wait { until, cancel }) {
                Ok(()) => Begun::Entered,
                Err(error) => Begun::Refused(error),
            };
            matches!(begun, Begun::Entered)
        };
        let mut before_commit = |changes: &[Change]| {
            checks.run(root, changes, cancel, check_observer).map_err(Objection::Check)?;
            match beginning.terms.changed(site, Moment::Commit) {
                Ok(None) => Ok(()),
                Ok(Some(changed)) => Err(Objection::Withdrawn(changed.why)),
                Err(error) => Err(Objection::Withdrawn(broken.insert(error).message.clone())),
            }
        };
        let mut options = RunOptions { sync, cancel, wait, observer, before_commit: &mut before_commit };
        let outcome = root.run(permit, &mut begin, &mut options);
        let run_id = Some(ran.run_id.clone());
        let ended = match (begun, outcome) {
            (Begun::Refused(error), _) => return Err(self.not_begun(&ran, error)),
            (Begun::NotYet, Err(error)) => return Err(ran.not_tried(&error)),
            (Begun::Entered, Err(error)) => self.failed(&ran, &error, broken).and_then(Err),
            (Begun::Entered | Begun::NotYet, Ok(receipts)) => self.completed(&ran, &receipts),
        };
        ended.map_err(|error| Error { run_id, ..error })
    }

    /// A run that could not be entered. If it is in the record all the same, because only what comes after that failed, it has
    /// its end there now, and its plan has had its run.
    fn not_begun(&mut self, run: &Ran, error: Error) -> Error {
        let run_id = Some(run.run_id.clone());
        match self.store.run(&run.run_id) {
            Ok(None) => return error,
            Ok(Some(_)) => {}
            Err(_) => return Error { run_id, ..error },
        }
        let message = format!("nothing was changed: {}", error.message);
        let ended = match self.finish(run, RunState::Failed, &json!({}), Event::RunRolledBack, &message) {
            Ok(_) => {
                // It began and came to nothing, by a sync that failed for one.
                let _later = self.count_failure();
                run.ended_with(Error { message, hint: None, ..error })
            }
            Err(failure) => unrecorded(&message, &failure),
        };
        Error { run_id, ..ended }
    }

    fn completed(&mut self, run: &Ran, receipts: &Receipts) -> Result<RunView, Error> {
        let undo = run.undoes.is_some();
        let event = if undo { Event::RunUndone } else { Event::PlanExecuted };
        let receipts = serde_json::to_value(receipts)?;
        let how = if undo { "every target is as it was before that run" } else { "every target is as approved" };
        let ended = self
            .finish(run, RunState::Completed, &receipts, event, how)
            .map_err(|error| unrecorded(&format!("run `{}` is completed: {how}", run.run_id), &error))?;
        // The run is over and recorded, whatever comes of these: what cannot be done now is done after a later run.
        let _later = (self.forget_failures(), self.collect_garbage(&run.run_id));
        match ended {
            Some(run) => Ok(run_view(run)),
            // Another process took this one for dead and recorded the end.
            None => self.ended_elsewhere(&run.run_id),
        }
    }

    fn ended_elsewhere(&self, id: &RunId) -> Result<RunView, Error> {
        let run = self.store.run(id)?;
        run.map(run_view).ok_or_else(|| Error::fault("run_unknown", format!("no run `{id}`")))
    }

    /// A completed run ends a row of failed ones.
    fn forget_failures(&self) -> Result<(), Error> {
        if self.home.project(self.root.path())?.is_some_and(|project| project.failed_runs > 0) {
            self.home.update_project(self.root.path(), |project| project.failed_runs = 0)?;
        }
        Ok(())
    }

    /// Drops before-images that are older, or take more room, than the Safety Policy allows.
    fn collect_garbage(&self, run: &RunId) -> Result<(), Error> {
        const DAY: u64 = 24 * 60 * 60;
        let kept = crate::world::safety_policy(&self.home)?.before_images;
        // Asked only where something would go, which is seldom; what cannot be told stays.
        let open = LazyCell::new(|| Some(self.store.open_runs().ok()?.into_iter().map(|run| run.id).collect()));
        let is_open = |run: &RunId| open.as_ref().is_none_or(|open: &Vec<RunId>| open.contains(run));
        let retention = Retention {
            older_than: Duration::from_secs(kept.days.saturating_mul(DAY)),
            size_cap: kept.max_mib.saturating_mul(1 << 20),
            keep: &is_open,
        };
        self.root.collect_when_due(&retention, run).map(drop).map_err(|error| run_error(&error))
    }

    /// A run that had begun and failed. Where what it was permitted under cannot be told any more, `broken` says why.
    fn failed(&mut self, run: &Ran, error: &RunError, broken: Option<Error>) -> Result<Error, Error> {
        let told = run_error(error);
        let told = broken.map_or(told.clone(), |broken| Error { message: told.message, ..broken });
        let (state, event) = if error.is_unsettled() || matches!(error, RunError::Kept { .. }) {
            (RunState::NeedsAttention, Event::RunNeedsAttention)
        } else if matches!(error, RunError::Cancelled) {
            (RunState::Cancelled, Event::RunRolledBack)
        } else {
            (RunState::RolledBack, Event::RunRolledBack)
        };
        let finished = self.finish(run, state, &json!({}), event, &told.message);
        finished.map_err(|failure| unrecorded(&told.message, &failure))?;
        if is_failure(error) {
            // How the run ended is recorded, and is what counts here.
            let _later = self.count_failure();
        }
        Ok(run.ended_with(told))
    }

    /// Records the end of a run; `None` if another process has recorded it.
    pub(crate) fn finish(
        &mut self,
        run: &Ran,
        state: RunState,
        receipts: &serde_json::Value,
        event: Event,
        why: &str,
    ) -> Result<Option<RunRecord>, Error> {
        let mut entry = EntryDraft::new(event, self.actor(), why).about(&run.correlation_id, &run.plan_id);
        (entry.risk_score, entry.quality_score) = (run.scores.risk, run.scores.quality);
        entry.decision = Some(state.name().to_owned());
        entry.run_id = Some(run.run_id.clone());
        entry.data = data(json!({ "receipts": receipts, "undoes": run.undoes }));
        match self.store.finish_run(&run.run_id, state, receipts, &[entry], now()) {
            Ok(run) => Ok(Some(run)),
            Err(StoreError::RunEnded { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// How far a run came with being entered into the record.
enum Begun {
    /// It was not tried.
    NotYet,
    /// It is there.
    Entered,
    /// It could not be.
    Refused(Error),
}

/// A run that is to be recorded as ended.
pub(crate) struct Ran {
    run_id: RunId,
    plan_id: PlanId,
    correlation_id: CorrelationId,
    undoes: Option<RunId>,
    scores: Scores,
}

impl Ran {
    fn of(work: &Work, begun: &EntryDraft) -> Self {
        Self {
            run_id: work.run_id.clone(),
            plan_id: work.plan_id.clone(),
            correlation_id: work.correlation_id.clone(),
            undoes: work.undoes.clone(),
            scores: Scores { risk: begun.risk_score, quality: begun.quality_score },
        }
    }

    /// One that somebody else began, of this plan.
    pub fn recorded(run: &RunRecord, plan: &PlanRecord) -> Self {
        let (run_id, plan_id, undoes) = (run.id.clone(), run.plan_id.clone(), run.undoes.clone());
        Self { run_id, plan_id, correlation_id: plan.correlation_id.clone(), undoes, scores: plan.scores }
    }

    /// How the command ends that the run was for: it had begun, so that its plan is used up.
    fn ended_with(&self, told: Error) -> Error {
        let exit = if told.exit == Exit::Denied { Exit::RolledBack } else { told.exit };
        self.hinted(Error { exit, ..told })
    }

    /// How the command ends where the run never began: mostly its plan can still be carried out.
    fn not_tried(&self, error: &RunError) -> Error {
        let told = run_error(error);
        match error {
            RunError::Failed(_) | RunError::Refused { .. } | RunError::RolledBack { .. } if told.hint.is_none() => {
                told.hint("the run did not begin: mend that, and give the command again")
            }
            RunError::Cancelled => told.hint("the run did not begin: give the command again"),
            _ => self.hinted(told),
        }
    }

    /// With what helps, where the error does not say it.
    fn hinted(&self, told: Error) -> Error {
        match (&told.hint, &self.undoes) {
            (Some(_), _) => told,
            (None, Some(_)) => told.hint("`exacta undo` can be given again"),
            (None, None) => {
                let hint = format!("`exacta resubmit {}` makes a new plan from the same proposal", self.plan_id);
                told.hint(hint)
            }
        }
    }
}

/// Whether a run failed: it did not end by a check or at a person's word, and what it was approved for was still so when it came to
/// its commit. Whatever stopped it then, a sync or somebody's edit, it failed.
const fn is_failure(error: &RunError) -> bool {
    !matches!(
        error,
        RunError::CheckFailed { .. } | RunError::Cancelled | RunError::Withdrawn { .. } | RunError::Drifted { .. }
    )
}

/// How a run ended, where that could not be entered into the record.
fn unrecorded(ended: &str, error: &Error) -> Error {
    let message = format!("{ended}; but this could not be recorded: {}", error.message);
    if error.is_tampered() {
        return Error { message, ..error.clone() };
    }
    let cause = error.hint.as_deref().unwrap_or("remove the cause");
    Error::fault("unrecorded", message)
        .hint(format!("{cause}; the next command that decides or acts records it, or `exacta recover`"))
}

/// A run's failure, with how the command ends.
pub(crate) fn run_error(error: &RunError) -> Error {
    let (exit, code) = match error {
        RunError::Refused { .. } => (Exit::Denied, TARGET_REFUSED),
        RunError::Drifted { .. } => (Exit::Drifted, "target_changed"),
        RunError::Exists { .. } => (Exit::Drifted, "already_run"),
        RunError::CheckFailed { .. } => (Exit::RolledBack, "check_failed"),
        RunError::Withdrawn { .. } => (Exit::Drifted, "approval_outdated"),
        RunError::Cancelled => (Exit::RolledBack, "cancelled"),
        RunError::Failed(error) if error.is_locked() => (Exit::Fault, "locked"),
        RunError::Failed(_) | RunError::RolledBack { .. } | RunError::Changed { .. } => (Exit::RolledBack, ROLLED_BACK),
        RunError::Locked { .. } => (Exit::Fault, "locked"),
        RunError::NotBegun => (Exit::Fault, "not_begun"),
        RunError::Kept { .. } => (Exit::Fault, "edit_kept"),
        RunError::NeedsAttention { .. } | RunError::BadJournal { .. } | RunError::UnknownRun { .. } => {
            (Exit::Fault, "needs_attention")
        }
        RunError::NotKept { .. } => (Exit::Fault, "not_kept"),
    };
    let told = Error::new(exit, code, error.to_string());
    match error.hint() {
        Some(hint) => told.hint(hint),
        None => told,
    }
}

/// What a run does to each file, by state.
pub(crate) fn transitions(permit: &Permit) -> BTreeMap<RelPath, Transition> {
    let state = |content: &Option<Content>| FileState::of(content.as_deref());
    let transition = |change: &Change| Transition { before: state(&change.before), after: state(&change.after) };
    permit.work().changes.iter().map(|change| (change.path.clone(), transition(change))).collect()
}

fn run_record(permit: &Permit) -> Result<RunRecord, Error> {
    let work = permit.work();
    Ok(RunRecord {
        id: work.run_id.clone(),
        plan_id: work.plan_id.clone(),
        undoes: work.undoes.clone(),
        state: RunState::Running,
        started_at: now(),
        ended_at: None,
        pid: std::process::id(),
        boot: crate::process::mark(),
        changes: serde_json::to_value(transitions(permit))?,
        receipts: json!({}),
    })
}
