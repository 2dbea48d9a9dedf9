//! A run is cancelled by somebody else than the process that is at it: that process is asked, and puts everything back.
//!
//! Which process it is, the record tells, which the log vouches for: nobody who can write in `.exacta/` can have another process
//! stopped. Nothing is granted by it either, since a cancelled run leaves every file as it was.

use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use crate::run::process::{self, Asked};
use exacta_home::CancelBox;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::{PlanId, RunId};
use exacta_record::{RunRecord, RunState};
use exacta_view::RunView;
use std::time::{Duration, Instant};

/// How often the run is looked at until it has ended, and how long.
const PAUSE: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(120);

impl App {
    /// The run whose id, or whose plan's id, begins so.
    ///
    /// # Errors
    /// If there is none, or several.
    pub fn run_named(&self, prefix: &str) -> Result<RunView, Error> {
        self.authorize(Act::Read)?;
        self.meant_run(Some(prefix)).map(crate::run::run_view)
    }

    /// That the caller may cancel the run of a plan, for whoever holds that run itself.
    ///
    /// # Errors
    /// If it may not.
    pub fn may_cancel(&self, id: &PlanId) -> Result<(), Error> {
        self.authorize_for(Act::Cancel, id)
    }

    /// Begins to listen for whoever wants the run of a plan cancelled, in a process that must not end for it.
    ///
    /// # Errors
    /// If the user's own folder cannot be written.
    pub fn cancel_box(&self, id: &PlanId) -> Result<CancelBox, Error> {
        self.authorize_start(id)?;
        Ok(self.home.cancel_box(id)?)
    }

    /// Cancels a run that goes on, and waits for its end.
    ///
    /// # Errors
    /// If it had ended, ended otherwise, or its process cannot be asked.
    pub fn cancel(&mut self, id: &RunId) -> Result<RunView, Error> {
        let run = self.recorded(id)?;
        self.authorize_for(Act::Cancel, &run.plan_id)?;
        if run.state != RunState::Running {
            return Err(over(&run));
        }
        if self.home.ask_to_cancel(&run.plan_id)? {
            return self.await_end(id);
        }
        match process::ask_to_stop(run.pid, &run.boot) {
            Ok(Asked::Yes) => self.await_end(id),
            // It ended between two looks, or died.
            Ok(Asked::Gone) if self.is_dead(&run) || self.recorded(id)?.state != RunState::Running => {
                self.await_end(id)
            }
            Ok(Asked::Gone) => Err(unreachable(&run, "it is in another container, or on another machine")),
            Err(errno) => Err(unreachable(&run, &errno.to_string())),
        }
    }

    fn await_end(&mut self, id: &RunId) -> Result<RunView, Error> {
        let end = Instant::now() + PATIENCE;
        loop {
            let run = self.recorded(id)?;
            match run.state {
                RunState::Running if self.is_dead(&run) => drop(self.recover()?),
                RunState::Running if Instant::now() >= end => {
                    let message = format!("run `{id}` was told to stop, and has not ended yet");
                    return Err(Error::fault("not_ended", message).hint(hint![Remedy::Watch, " shows when it does"]));
                }
                RunState::Running => std::thread::sleep(PAUSE),
                RunState::Cancelled => return Ok(crate::run::run_view(run)),
                _ => return Err(otherwise(&run)),
            }
        }
    }

    fn recorded(&self, id: &RunId) -> Result<RunRecord, Error> {
        let unknown = || Error::new(Exit::Usage, "run_unknown", format!("no run `{id}`"));
        self.store.run(id)?.ok_or_else(|| unknown().hint(hint![Remedy::Status, " shows the runs"]))
    }
}

/// There is nothing to cancel.
fn over(run: &RunRecord) -> Error {
    let message = format!("run `{}` has ended: it is {}", run.id, word(run.state));
    let told = Error::new(Exit::Drifted, "run_ended", message);
    match run.state {
        RunState::Completed => told.hint(hint![Remedy::Undo(Some(run.id.clone())), " undoes it"]),
        _ => told.hint(hint![Remedy::Show(Some(run.plan_id.clone())), " says more"]),
    }
}

/// It ended while it was being cancelled, but not by that.
fn otherwise(run: &RunRecord) -> Error {
    let id = &run.id;
    match run.state {
        RunState::Completed => {
            let message = format!("run `{id}` could not be cancelled any more: it is completed");
            Error::new(Exit::Drifted, "run_ended", message).hint(hint![Remedy::Undo(Some(id.clone())), " undoes it"])
        }
        RunState::NeedsAttention => Error::fault("needs_attention", format!("run `{id}` needs attention"))
            .hint(hint!["see ", Remedy::Show(Some(run.plan_id.clone()))]),
        _ => over(run),
    }
}

fn unreachable(run: &RunRecord, why: &str) -> Error {
    let message = format!("the process that is at run `{}`, {}, cannot be told to stop: {why}", run.id, run.pid);
    Error::fault("not_reached", message).hint("cancel it where it was started, or as the user who started it")
}

const fn word(state: RunState) -> &'static str {
    match state {
        RunState::Running => "running",
        RunState::Completed => "completed",
        RunState::RollingBack => "being rolled back",
        RunState::RolledBack => "rolled back",
        RunState::Unknown => "ended in a way that nobody can tell",
        RunState::Cancelled => "cancelled",
        RunState::NeedsAttention => "in need of attention",
        RunState::Undone => "completed and undone",
    }
}
