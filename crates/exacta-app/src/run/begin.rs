//! A run is entered into the record: of any number racing one wins, and the others wait for it or are told.

use crate::app::App;
use crate::clock::now;
use crate::error::{Error, ErrorCode, Exit};
use crate::project::ProjectRef;
use crate::run::Execution;
use crate::run::error::run_error;
use crate::run::preconditions::{Changed, Moment, Preconditions};
use crate::run::process::is_dead;
use crate::stored::expired;
use exacta_exec::{ProjectRoot, RunError};
use exacta_kernel::audit::EntryDraft;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_record::{Record, RunRecord, RunRequest, Start};
use exacta_view::RunView;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a run that waits for others sleeps between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// After how many looks it asks whether those others still live.
const LOOKS: usize = 25;

/// How a run is entered into the record: of any number racing, one wins.
pub(crate) struct Beginning<'a> {
    /// The states of the plan from which it may begin.
    pub(crate) from: &'a [Status],
    /// How many may go on at the same time.
    pub(crate) concurrency: u32,
    /// What the log is told.
    pub(crate) entry: EntryDraft,
    /// What must hold then, and until the commit.
    pub(crate) preconditions: Preconditions<'a>,
    /// What losing means.
    pub(crate) lost: &'a dyn Fn(Lost) -> Error,
}

/// Why a run cannot begin, whatever it waits for.
pub(crate) enum Lost {
    /// This run has its place for good.
    To(RunId),
    /// Its plan stands there.
    Status(Status),
}

impl Beginning<'_> {
    /// Enters the run. Where other runs have to end first it waits.
    pub fn enter(
        &self,
        store: &mut Record,
        mut run: RunRecord,
        project_ref: ProjectRef<'_>,
        wait: Wait<'_>,
    ) -> Result<(), Error> {
        for look in 1_usize.. {
            run.started_at = now();
            match self.try_once(store, &run, project_ref, wait, look > 1)? {
                Start::Started => break,
                Start::TooLate { at } => return self.preconditions.in_time(&run.plan_id, at),
                Start::TooMany { running } => {
                    let now_and_then = look.is_multiple_of(LOOKS);
                    if wait.is_over() || (now_and_then && some_are_dead(store, project_ref.root)?) {
                        return Err(too_many(running));
                    }
                    if now_and_then || wait.is_cancelled() {
                        self.holds(&run, project_ref, wait, false)?;
                    }
                    std::thread::sleep(PAUSE);
                }
                Start::AlreadyRun(other) => return Err((self.lost)(Lost::To(other))),
                Start::Lost { status } => return Err((self.lost)(Lost::Status(status))),
            }
        }
        Ok(())
    }

    /// Enters the run if nothing is in its way. Other processes may keep this one waiting for its turn to write: so what it was
    /// permitted under is looked at when nobody can any more.
    fn try_once(
        &self,
        store: &mut Record,
        run: &RunRecord,
        project_ref: ProjectRef<'_>,
        wait: Wait<'_>,
        waited: bool,
    ) -> Result<Start, Error> {
        let before = self.preconditions.begins_before();
        let request = RunRequest { run, from: self.from, max_running: self.concurrency, before };
        let turn = store.turn()?;
        if let Some(obstacle) = turn.obstacle(&request, run.started_at)? {
            return Ok(obstacle);
        }
        self.holds(run, project_ref, wait, waited)?;
        Ok(turn.start_run(&request, std::slice::from_ref(&self.entry), run.started_at)?)
    }

    /// That it was not cancelled, and that what it was permitted under still holds; after it has `waited`, its targets too.
    fn holds(&self, run: &RunRecord, project_ref: ProjectRef<'_>, wait: Wait<'_>, waited: bool) -> Result<(), Error> {
        if wait.is_cancelled() {
            return Err(run_error(&RunError::Cancelled));
        }
        let moment = if waited { Moment::LateStart } else { Moment::Start };
        match self.preconditions.changed(project_ref, moment)? {
            Some(changed) => Err(outdated(&run.plan_id, &changed)),
            None => Ok(()),
        }
    }
}

/// How long a run waits to be entered.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'a> {
    /// Until then; not at all if there is no such time.
    pub until: Option<Instant>,
    /// Whether a person has had enough of it.
    pub cancel: &'a AtomicBool,
}

impl Wait<'_> {
    /// Whether its time is up. One that was cancelled ends by that.
    fn is_over(self) -> bool {
        !self.is_cancelled() && self.until.is_none_or(|until| Instant::now() >= until)
    }

    fn is_cancelled(self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

impl App {
    /// Acts, its record as durable as is asked for. Runs that die while it waits for them are recovered, and it is tried
    /// again: on the project as that left it.
    pub(crate) fn retry_after_dead_runs(
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
            let crowded = ended.as_ref().is_err_and(|error| error.code == ErrorCode::TOO_MANY_RUNS);
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
}

/// Whether some of the runs that take the places have died.
fn some_are_dead(store: &mut Record, root: &ProjectRoot) -> Result<bool, Error> {
    Ok(store.running()?.iter().any(|run| is_dead(root, run)))
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

/// Others are at it, as many as may.
fn too_many(running: u32) -> Error {
    let are = if running == 1 { "1 run is" } else { &format!("{running} runs are") };
    Error::fault(ErrorCode::TOO_MANY_RUNS, format!("{are} going on already, as many as the profile allows"))
        .hint(hint!["wait for them with `--queue`, or look at them: ", Remedy::Status])
}
