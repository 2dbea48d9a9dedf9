//! The second act: an approved plan is judged again and, if everything still holds, carried out.

use crate::app::App;
use crate::checks::{CheckEvent, Checks};
use crate::clock::{new_id, now};
use crate::current::{Current, EXPIRED, expired, messages, regenerate, tampered};
use crate::decide::wrong_status;
use crate::error::{Error, Exit};
use crate::pipeline::Evaluation;
use crate::process::is_dead;
use crate::read::run_view;
use crate::submit::{data, reason, scored};
use crate::terms::{Changed, Moment, Site, Terms};
use crate::view::RunView;
use exacta_exec::{Event as Progress, Objection, ProjectRoot, Receipts, Retention, RunError, RunOptions, Staged};
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::drift::{self, Answer, DriftKind};
use exacta_kernel::facts::FileState;
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::{self, Candidate, Permit, Refused, Transition, Work};
use exacta_kernel::plan::{Change, Content};
use exacta_kernel::proposal::Action;
use exacta_store::{PlanRecord, RunRecord, RunState, SqliteStore, Start, Store, StoreError};
use serde_json::json;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a run that waits for others sleeps between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// After how many looks it asks whether those others still live.
const LOOKS: usize = 25;

/// The code of [`not_now`].
const TOO_MANY: &str = "too_many_runs";

/// How a run is carried out.
pub struct Execution<'a> {
    /// Whether every write is made durable; without it a run survives a crash of the process, not a power cut.
    pub sync: bool,
    /// How long to wait for targets that another run holds.
    pub wait: Duration,
    /// Set to cancel between steps.
    pub cancel: &'a AtomicBool,
    /// Told about every step.
    pub observer: &'a mut dyn FnMut(Progress),
    /// Told about every check.
    pub check_observer: &'a mut dyn FnMut(CheckEvent<'_>),
}

/// How a run is entered into the record: of any number racing, one wins.
pub(crate) struct Beginning<'a> {
    /// The states of the plan from which it may begin.
    pub(crate) from: &'a [Status],
    /// How many may go on at the same time.
    pub(crate) concurrency: u32,
    /// What the log is told.
    pub(crate) entry: EntryDraft,
    /// What must hold then, and until the commit.
    pub(crate) terms: Terms<'a>,
    /// What losing means.
    pub(crate) lost: &'a (dyn Fn(Start) -> Error + Sync),
}

impl Beginning<'_> {
    /// Waits for runs that have to end first, as long as `wait` says.
    fn enter(
        &self,
        store: &mut SqliteStore,
        run: &mut RunRecord,
        site: Site<'_>,
        (wait, cancel): (Duration, &AtomicBool),
    ) -> Result<(), Error> {
        let until = Instant::now().checked_add(wait);
        for look in 1_usize.. {
            if let Some(changed) = self.terms.changed(site, Moment::Start)? {
                return Err(outdated(&run.plan_id, &changed));
            }
            run.started_at = now();
            let entries = std::slice::from_ref(&self.entry);
            match store.start_run(run, self.from, self.concurrency, entries, run.started_at)? {
                Start::Started => break,
                Start::TooMany { .. } if cancel.load(Ordering::Relaxed) => return Err(run_error(&RunError::Cancelled)),
                start @ Start::TooMany { .. } => {
                    let is_late = until.is_none_or(|until| Instant::now() >= until);
                    if is_late || (look.is_multiple_of(LOOKS) && some_are_dead(store, site.root)?) {
                        return Err((self.lost)(start));
                    }
                    std::thread::sleep(PAUSE);
                }
                start => return Err((self.lost)(start)),
            }
        }
        Ok(())
    }
}

impl App {
    /// Carries out an approved plan, once, all or nothing.
    ///
    /// # Errors
    /// If the approval no longer holds, the run could not start, or it failed and was rolled back.
    pub fn execute(&mut self, id: &PlanId, execution: Execution<'_>) -> Result<RunView, Error> {
        self.wary(|app| app.patiently(execution, |app, execution| app.execute_plan(id, execution)))
    }

    /// Acts, its record as durable as is asked for. Runs that die while it waits for them are recovered, and it is tried
    /// again: on the project as that left it.
    pub(crate) fn patiently(
        &mut self,
        execution: Execution<'_>,
        mut act: impl FnMut(&mut Self, Execution<'_>) -> Result<RunView, Error>,
    ) -> Result<RunView, Error> {
        let Execution { sync, wait, cancel, observer, check_observer } = execution;
        let until = Instant::now().checked_add(wait);
        loop {
            let wait = until.map_or(wait, |until| until.saturating_duration_since(Instant::now()));
            let again =
                Execution { sync, wait, cancel, observer: &mut *observer, check_observer: &mut *check_observer };
            let ended = self.as_durable(sync, |app| act(app, again));
            let crowded = ended.as_ref().is_err_and(|error| error.code == TOO_MANY);
            if !crowded || wait.is_zero() || !some_are_dead(&mut self.store, &self.root)? {
                return ended;
            }
            self.recover()?;
        }
    }

    /// Does something whose record is on the disk when it is made, or not.
    fn as_durable<T>(&mut self, durable: bool, act: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.store.set_durable(durable)?;
        let done = act(self);
        let restored = self.store.set_durable(true);
        let done = done?;
        restored?;
        Ok(done)
    }

    fn execute_plan(&mut self, id: &PlanId, execution: Execution<'_>) -> Result<RunView, Error> {
        let run_id = new_id(RunId::parse)?;
        let current = self.current(id)?;
        self.note_policy(current.world())?;
        if let Some(run) = &current.record.run {
            // Its own run changed the targets: that is no drift, and does not expire the plan.
            return Err(already_run(id, run.id.as_str()));
        }
        let permit = match self.permit(&current, run_id.clone()) {
            Ok(permit) => permit,
            Err(refused) => return Err(self.refused(&current, refused)?),
        };
        let checks = self.checks(&current.world().policy, has_build(&current.evaluation));
        if let Err(error) = checks.see(&permit.work().changes) {
            self.note_refusal(&current, Event::RunRefused, &error.to_string())?;
            return Err(Error::new(Exit::Denied, "unseen_by_check", error.to_string()).hint(error.hint()));
        }
        let why = reason(current.evaluation.decision());
        let mut entry = scored(EntryDraft::new(Event::RunStarted, Self::agent(), why), &current.record);
        entry.run_id = Some(run_id);
        entry.decision = Some("allow".to_owned());
        entry.data = data(json!({ "plan_hash": permit.work().plan_hash, "changes": transitions(&permit) }));
        let concurrency = current.world().policy.concurrency();
        let lost = |start: Start| match start {
            Start::AlreadyRun(run) => already_run(id, run.as_str()),
            Start::Lost { status } => wrong_status(id, status),
            start => not_now(&start),
        };
        let from = &[Status::AutoApproved, Status::UserApproved];
        let terms = Terms::Plan(current.bound());
        let ended =
            self.carry_out(permit, Beginning { from, concurrency, entry, terms, lost: &lost }, &checks, execution);
        if let Err(error) = &ended
            && error.code == EXPIRED
        {
            self.expire(id, &error.message)?;
        }
        ended
    }

    /// Whether it is approved, has not run, and no approval there is counts any more.
    pub(crate) fn wants_approval(&self, current: &Current) -> bool {
        let record = &current.record;
        let refused = || new_id(RunId::parse).ok().and_then(|run| self.permit(current, run).err());
        record.status.is_approved() && record.run.is_none() && matches!(refused(), Some(Refused::NeedsApproval { .. }))
    }

    fn permit(&self, current: &Current, run_id: RunId) -> Result<Permit, Refused> {
        let status = current.record.status;
        if status == Status::Pending && drift::answer(&current.drifts) == Some(Answer::Expired) {
            return Err(Refused::Expired(current.drifts.clone()));
        }
        if !status.is_approved() {
            return Err(Refused::NotApproved(status));
        }
        let standing = current.standing();
        match &current.evaluation {
            Evaluation::Valid(valid) => {
                let candidate = Candidate {
                    project: &self.project.id,
                    identity: &current.identity,
                    recorded_hash: current.record.plan_hash,
                    status: current.record.status,
                    plan: &valid.plan,
                    decision: &valid.decision,
                    approvals: &current.record.approvals,
                    approvers: &current.world().approvers,
                    standing: &standing,
                };
                permit::permit(&candidate, run_id)
            }
            // A plan that was valid is no longer: its targets or the policy changed.
            _ if drift::answer(&current.drifts) == Some(Answer::Expired) => {
                Err(Refused::Expired(current.drifts.clone()))
            }
            other => Err(Refused::Denied(other.decision().clone())),
        }
    }

    /// What a refusal means: recorded where it ends the plan, and told with the command that helps.
    fn refused(&mut self, current: &Current, refused: Refused) -> Result<Error, Error> {
        let id = &current.record.id;
        Ok(match refused {
            Refused::NotApproved(Status::Pending) => waits(id),
            Refused::NotApproved(_) => self.over(&current.record),
            Refused::HashMismatch | Refused::NotCanonical => {
                self.fall_to_safe("a stored plan did not match its recorded hash")?;
                tampered(id)
            }
            Refused::Expired(drifts) => {
                self.expire(id, &messages(&drifts))?;
                expired(id, &messages(&drifts))
            }
            Refused::Regenerate(drifts) => {
                self.note_refusal(current, Event::ModelDrift, &messages(&drifts))?;
                regenerate(id, &messages(&drifts))
            }
            Refused::Denied(decision) => {
                let why = reason(&decision);
                self.note_refusal(current, Event::RunRefused, &why)?;
                if decision.is_denied_by_security() {
                    self.fall_to_safe("the security gate denied a plan at execution")?;
                }
                Error::new(Exit::Denied, "plan_denied", format!("plan `{id}` is denied: {why}"))
                    .hint("no approval can override this; `exacta policy explain` says which rule spoke")
            }
            Refused::NoExecutor(domain) => {
                let why = format!("nothing carries steps of the {} domain out", domain.name());
                self.note_refusal(current, Event::RunRefused, &why)?;
                Error::new(Exit::Denied, "no_executor", format!("plan `{id}` cannot be executed: {why}"))
                    .hint("it stays readable with `exacta show`; only changes of files can be carried out")
            }
            Refused::NeedsApproval { drifts, error } if drifts.is_empty() => {
                let why = error.map_or_else(String::new, |error| format!(": {error}"));
                self.note_refusal(current, Event::RunRefused, &format!("it needs a person's approval{why}"))?;
                Error::new(Exit::Confirm, "approval_needed", format!("plan `{id}` needs a person's approval{why}"))
                    .hint(format!("look at it with `exacta review {id}`, or approve it with `exacta approve {id}`"))
            }
            Refused::NeedsApproval { drifts, .. } => {
                let is_model = drifts.iter().all(|drift| drift.kind == DriftKind::ModelVersion);
                let event = if is_model { Event::ModelDrift } else { Event::RunRefused };
                self.note_refusal(current, event, &messages(&drifts))?;
                let message = format!("plan `{id}` needs a fresh approval: {}", messages(&drifts));
                Error::new(Exit::Drifted, "approval_outdated", message)
                    .hint(format!("look at it with `exacta show {id}` and approve it again with `exacta approve {id}`"))
            }
        })
    }

    fn note_refusal(&mut self, current: &Current, event: Event, why: &str) -> Result<(), Error> {
        let mut entry = scored(EntryDraft::new(event, Self::agent(), why), &current.record);
        entry.decision = Some("deny".to_owned());
        Ok(self.store.record(&[entry], now())?)
    }

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
        let (mut run, mut begun) = (run_record(&permit)?, None);
        let site = Site { home: &self.home, root: &self.root, project: &self.project.id };
        let (root, store) = (&self.root, &mut self.store);
        let mut begin = || {
            let entered = beginning.enter(store, &mut run, site, (wait, cancel));
            let told = entered.as_ref().map_or_else(|error| Err(error.to_string()), |()| Ok(()));
            begun = Some(entered);
            told
        };
        let mut before_commit = |staged: &Staged<'_>| {
            checks.run(root, staged, cancel, check_observer).map_err(Objection::Check)?;
            match beginning.terms.changed(site, Moment::Commit) {
                Ok(None) => Ok(()),
                Ok(Some(changed)) => Err(Objection::Withdrawn(changed.why)),
                Err(error) => Err(Objection::Withdrawn(error.message)),
            }
        };
        let mut options = RunOptions { sync, cancel, wait, observer, before_commit: &mut before_commit };
        let outcome = root.run(permit, &mut begin, &mut options);
        let run_id = begun.transpose()?.map(|()| ran.run_id.clone());
        let ended = match outcome {
            Ok(receipts) => self.completed(&ran, &receipts),
            Err(error) => self.failed(&ran, &error).and_then(Err),
        };
        ended.map_err(|error| Error { run_id, ..error })
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
        let _later = (self.forget_failures(), self.collect_garbage());
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
    fn collect_garbage(&self) -> Result<(), Error> {
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
        self.root.collect_garbage(&retention).map(drop).map_err(|error| run_error(&error))
    }

    fn failed(&mut self, run: &Ran, error: &RunError) -> Result<Error, Error> {
        let told = run_error(error);
        let unrecorded = |failure: Error| unrecorded(&told.message, &failure);
        if self.store.run(&run.run_id).map_err(|error| unrecorded(error.into()))?.is_none() {
            return Ok(told);
        }
        let (state, event) = if error.is_unsettled() || matches!(error, RunError::Kept { .. }) {
            (RunState::NeedsAttention, Event::RunNeedsAttention)
        } else {
            (RunState::RolledBack, Event::RunRolledBack)
        };
        self.finish(run, state, &json!({}), event, &told.message).map_err(unrecorded)?;
        if is_failure(error) {
            self.count_failure()?;
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
        let mut entry = EntryDraft::new(event, Self::agent(), why).about(&run.correlation_id, &run.plan_id);
        (entry.risk_score, entry.quality_score) = run.scores;
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

/// A run that is to be recorded as ended.
pub(crate) struct Ran {
    run_id: RunId,
    plan_id: PlanId,
    correlation_id: CorrelationId,
    undoes: Option<RunId>,
    scores: (Option<u32>, Option<BasisPoints>),
}

impl Ran {
    fn of(work: &Work, begun: &EntryDraft) -> Self {
        Self {
            run_id: work.run_id.clone(),
            plan_id: work.plan_id.clone(),
            correlation_id: work.correlation_id.clone(),
            undoes: work.undoes.clone(),
            scores: (begun.risk_score, begun.quality_score),
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
        let told = Error { exit, ..told };
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

/// Whether some of the runs that take the places have died.
fn some_are_dead(store: &mut SqliteStore, root: &ProjectRoot) -> Result<bool, Error> {
    Ok(store.running()?.iter().any(|run| is_dead(root, run)))
}

/// Whether a run failed by itself: not by a check, at a person's word, or because what it was approved for is no longer so.
const fn is_failure(error: &RunError) -> bool {
    !matches!(
        error,
        RunError::CheckFailed { .. } | RunError::Cancelled | RunError::Withdrawn { .. } | RunError::Drifted { .. }
    )
}

/// How a run ended, where that could not be entered into the record.
fn unrecorded(ended: &str, error: &Error) -> Error {
    Error::fault("unrecorded", format!("{ended}; but this could not be recorded: {}", error.message))
        .hint("when that is mended, the next command that decides or acts records it, or `exacta recover`")
}

/// What the permit was given under does not hold any more, and the run had not begun.
fn outdated(id: &PlanId, changed: &Changed) -> Error {
    if changed.expired {
        return expired(id, &changed.why);
    }
    let message = format!("what the run of plan `{id}` was permitted under no longer holds: {}", changed.why);
    Error::new(Exit::Drifted, "approval_outdated", message)
        .hint("give the command again: it looks at how things stand now")
}

/// Nobody has decided yet.
#[must_use]
pub fn waits(id: &PlanId) -> Error {
    Error::new(Exit::Confirm, "approval_needed", format!("plan `{id}` waits for a person's decision"))
        .hint(format!("look at it with `exacta review {id}`, or approve it with `exacta approve {id}`"))
}

/// There was a run of the plan.
#[must_use]
pub fn already_run(id: &PlanId, run: &str) -> Error {
    let message = format!("plan `{id}` has had its run, `{run}`: one run per plan, ever, however it ended");
    Error::new(Exit::Drifted, "already_run", message)
        .hint(format!("`exacta resubmit {id}` makes a new plan from the same proposal"))
}

/// Others are at it, as many as may.
pub(crate) fn not_now(start: &Start) -> Error {
    let running = if let Start::TooMany { running } = start { *running } else { 1 };
    let are = if running == 1 { "1 run is" } else { &format!("{running} runs are") };
    Error::fault(TOO_MANY, format!("{are} going on already, as many as the profile allows"))
        .hint("wait for them with `--wait`, or look at them: `exacta status`")
}

/// A run's failure, with how the command ends.
pub(crate) fn run_error(error: &RunError) -> Error {
    let (exit, code) = match error {
        RunError::Refused { .. } => (Exit::Denied, "target_refused"),
        RunError::Drifted { .. } => (Exit::Drifted, "target_changed"),
        RunError::Exists { .. } => (Exit::Drifted, "already_run"),
        RunError::CheckFailed { .. } => (Exit::RolledBack, "check_failed"),
        RunError::Withdrawn { .. } => (Exit::Drifted, "approval_outdated"),
        RunError::Cancelled => (Exit::RolledBack, "cancelled"),
        RunError::Failed(_) | RunError::RolledBack { .. } => (Exit::RolledBack, "rolled_back"),
        RunError::Locked { .. } => (Exit::Fault, "locked"),
        RunError::NotBegun { .. } => (Exit::Fault, "not_begun"),
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

fn has_build(evaluation: &Evaluation) -> bool {
    evaluation.plan().is_some_and(|plan| plan.proposal().steps.iter().any(|step| step.action == Action::Build))
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
