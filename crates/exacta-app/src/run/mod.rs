//! A run, from its permit to its recorded end. The app drives it through the executor's stages, and does what comes between
//! them: it enters the run into the record, and has the checks look at the result.

pub(crate) mod begin;
mod cancel;
mod effects;
mod ended;
pub(crate) mod error;
pub mod execution;
pub(crate) mod preconditions;
#[expect(clippy::disallowed_methods, reason = "/proc")]
mod process;
mod propose_undo;
pub mod recover;
mod resolve;
mod undo;
mod view;

use crate::app::App;
use crate::checks::{CheckEvent, Checks};
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::project::ProjectRef;
use begin::{Beginning, Wait};
use ended::Ended;
use error::{run_error, unrecorded};
use exacta_exec::{Entered, Objection, Permitted, Receipts, Retention, RunError, RunOptions, Staged};
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::facts::FileState;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::{Permit, Transition, Work};
use exacta_kernel::plan::{Change, Content};
use exacta_record::{PlanRecord, RecordError, RunRecord, RunState, Scores};
use exacta_view::RunView;
pub(crate) use execution::{Execution, NOTICE};
use preconditions::Moment;
use serde_json::json;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
pub(crate) use view::run_view;

/// What a run that is in the record still needs on the way to its commit.
struct Way<'w> {
    beginning: Beginning<'w>,
    checks: &'w Checks,
    cancel: &'w AtomicBool,
    check_observer: &'w mut dyn FnMut(CheckEvent<'_>),
}

impl App {
    /// Acts, and records how the run began and ended. A run that cannot have its targets never began, and its plan can still be executed.
    pub(crate) fn run_permitted(
        &mut self,
        permit: Permit,
        beginning: Beginning<'_>,
        checks: &Checks,
        execution: Execution<'_>,
    ) -> Result<RunView, Error> {
        if permit.work().is_outside() {
            return self.run_effects(permit, &beginning, execution);
        }
        let about = AboutRun::of(permit.work(), &beginning.entry);
        self.admit_open_runs()?;
        let Execution { sync, wait, cancel, observer, check_observer } = execution;
        let until = Instant::now().checked_add(wait);
        let record = run_record(&permit)?;
        let never_began = |error: RunError| about.never_began(&error);
        let permitted: Permitted = self.root.permitted(permit, sync).map_err(never_began)?;
        let mut options = RunOptions { cancel, wait, observer };
        let staged = permitted.stage(&mut options).map_err(never_began)?;
        let project_ref = ProjectRef { home: &self.home, root: &self.root, project: &self.project.id };
        let staged = match beginning.enter(&mut self.store, record, project_ref, Wait { until, cancel }) {
            Ok(()) => staged,
            Err(error) => {
                staged.discard();
                return Err(self.not_entered(&about, error));
            }
        };
        let way = Way { beginning, checks, cancel, check_observer };
        self.end(&about, staged, way, &mut options)
            .map_err(|error| Error { run_id: Some(about.run_id.clone()), ..error })
    }

    /// A run that is in the record comes to its end, which is recorded.
    fn end(
        &mut self,
        about: &AboutRun,
        staged: Staged<'_>,
        way: Way<'_>,
        options: &mut RunOptions<'_>,
    ) -> Result<RunView, Error> {
        let mut unreadable = None;
        let ended = staged
            .entered()
            .and_then(|entered| self.checked(entered, way, &mut unreadable))
            .and_then(|entered| entered.commit(options))
            .and_then(|committed| committed.finish(options));
        match ended {
            Ok(receipts) => self.completed(about, &receipts),
            Err(error) => self.failed(about, &error, unreadable).and_then(Err),
        }
    }

    /// The last word before the commit: the operator's checks, and whether what the run was permitted under still holds. Where that
    /// cannot be told, `unreadable` says why.
    fn checked<'p>(
        &self,
        entered: Entered<'p>,
        way: Way<'_>,
        unreadable: &mut Option<Error>,
    ) -> Result<Entered<'p>, RunError> {
        if let Err(failed) = way.checks.run(&self.root, entered.changes(), way.cancel, way.check_observer) {
            return Err(entered.refuse(Objection::Check(failed)));
        }
        let objection = match way.beginning.preconditions.changed(self.project_ref(), Moment::Commit) {
            Ok(None) => return Ok(entered),
            Ok(Some(changed)) => changed.why,
            Err(error) => unreadable.insert(error).message.clone(),
        };
        Err(entered.refuse(Objection::Withdrawn(objection)))
    }

    /// A run that could not be entered. If it is in the record all the same, because only what comes after that failed, it has
    /// its end there now, and its plan has had its run.
    fn not_entered(&mut self, run: &AboutRun, error: Error) -> Error {
        let run_id = Some(run.run_id.clone());
        match self.store.run(&run.run_id) {
            Ok(None) => return error,
            Ok(Some(_)) => {}
            Err(_) => return Error { run_id, ..error },
        }
        let message = format!("nothing was changed: {}", error.message);
        let end = Ended::nothing_done(message.clone());
        let ended = match self.record_end(run, &end, end.event(false)) {
            Ok(_) => {
                // It began and came to nothing, by a sync that failed for one.
                let _later = self.count_failure();
                run.ended_with(Error { message, hint: None, ..error })
            }
            Err(failure) => unrecorded(&message, &failure),
        };
        Error { run_id, ..ended }
    }

    fn completed(&mut self, run: &AboutRun, receipts: &Receipts) -> Result<RunView, Error> {
        let undo = run.undoes.is_some();
        let end = Ended::completed(receipts, undo)?;
        let ended = self
            .record_end(run, &end, end.event(undo))
            .map_err(|error| unrecorded(&format!("run `{}` is completed: {}", run.run_id, end.reason), &error))?;
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
        let kept = crate::in_force::safety_policy(&self.home)?.before_images;
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

    /// A run that had begun and failed. Where what it was permitted under cannot be read any more, `unreadable` says why.
    fn failed(&mut self, run: &AboutRun, error: &RunError, unreadable: Option<Error>) -> Result<Error, Error> {
        let told = run_error(error);
        let told = unreadable.map_or(told.clone(), |cause| Error { message: told.message, ..cause });
        let end = Ended::failed(error, told.message.clone());
        let recorded = self.record_end(run, &end, end.event(false));
        recorded.map_err(|failure| unrecorded(&told.message, &failure))?;
        if is_failure(error) {
            // How the run ended is recorded, and is what counts here.
            let _later = self.count_failure();
        }
        Ok(run.ended_with(told))
    }

    /// Records the end of a run; `None` if another process has recorded it.
    pub(crate) fn record_end(&mut self, run: &AboutRun, end: &Ended, event: Event) -> Result<Option<RunRecord>, Error> {
        let mut entry = EntryDraft::new(event, self.actor(), &end.reason).about(&run.correlation_id, &run.plan_id);
        (entry.risk_score, entry.quality_score) = (run.scores.risk, run.scores.quality);
        entry.decision = Some(end.state.name().to_owned());
        entry.run_id = Some(run.run_id.clone());
        entry.data = data(json!({ "receipts": end.receipts, "undoes": run.undoes }));
        match self.store.finish_run(&run.run_id, end.state, &end.receipts, &[entry], now()) {
            Ok(run) => Ok(Some(run)),
            Err(RecordError::RunEnded { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// What the entry of a run's end needs to know of it.
pub(crate) struct AboutRun {
    run_id: RunId,
    plan_id: PlanId,
    correlation_id: CorrelationId,
    undoes: Option<RunId>,
    scores: Scores,
}

impl AboutRun {
    fn of(work: &Work, begun: &EntryDraft) -> Self {
        Self {
            run_id: work.run_id().clone(),
            plan_id: work.plan_id().clone(),
            correlation_id: work.correlation_id().clone(),
            undoes: work.undoes().cloned(),
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
        let exit = if told.exit.is_denial() { Exit::RolledBack } else { told.exit };
        self.hinted(Error { exit, ..told })
    }

    /// How the command ends where the run never began: mostly its plan can still be executed.
    fn never_began(&self, error: &RunError) -> Error {
        let told = run_error(error);
        match error {
            RunError::Failed(_) | RunError::Refused { .. } | RunError::RolledBack { .. } if told.hint.is_none() => {
                told.hint("the run did not begin: fix that, and give the command again")
            }
            RunError::Cancelled => told.hint("the run did not begin: give the command again"),
            _ => self.hinted(told),
        }
    }

    /// With what helps, where the error does not say it.
    fn hinted(&self, told: Error) -> Error {
        match (&told.hint, &self.undoes) {
            (Some(_), _) => told,
            (None, Some(_)) => told.hint(hint![Remedy::Undo(None), " can be given again"]),
            (None, None) => {
                let again = Remedy::Resubmit(Some(self.plan_id.clone()));
                told.hint(hint![again, " makes a new plan from the same proposal"])
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

/// What a run does to each file, or to each place outside the project, by state.
pub(crate) fn transitions(permit: &Permit) -> BTreeMap<RelPath, Transition> {
    let state = |content: &Option<Content>| FileState::of(content.as_deref());
    let transition = |change: &Change| Transition { before: state(&change.before), after: state(&change.after) };
    let work = permit.work();
    let undo = |(place, Transition { before, after }): (RelPath, Transition)| match work.undoes() {
        Some(_) => (place, Transition { before: after, after: before }),
        None => (place, Transition { before, after }),
    };
    let files = work.changes().iter().map(|change| (change.path.clone(), transition(change)));
    files.chain(work.effects().iter().map(Transition::of).map(undo)).collect()
}

fn run_record(permit: &Permit) -> Result<RunRecord, Error> {
    let work = permit.work();
    Ok(RunRecord {
        id: work.run_id().clone(),
        plan_id: work.plan_id().clone(),
        undoes: work.undoes().cloned(),
        state: RunState::Running,
        started_at: now(),
        ended_at: None,
        pid: std::process::id(),
        boot: process::mark(),
        changes: serde_json::to_value(transitions(permit))?,
        receipts: json!({}),
    })
}
