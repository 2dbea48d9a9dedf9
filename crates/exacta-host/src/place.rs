//! Where an agent is served from: what a pipe and a server do each in its own way.

use exacta_app::{App, Error, Options};
use exacta_kernel::id::PlanId;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Raised to stop what goes on.
pub trait Stop {
    /// The flag.
    fn flag(&self) -> &AtomicBool;
}

impl Stop for Arc<AtomicBool> {
    fn flag(&self) -> &AtomicBool {
        self
    }
}

/// Where an agent is served from.
pub trait Place: Clone + Send {
    /// The project, and the agent as its caller with the scopes that it has now.
    fn options(&self) -> Options;

    /// The project, to submit and withdraw.
    ///
    /// # Errors
    /// If it cannot be used.
    fn open(&self) -> Result<App, Error>;

    /// What stops a call that is under way, for as long as it is held.
    ///
    /// # Errors
    /// If it cannot be had.
    fn stop(&self) -> Result<Box<dyn Stop>, Error>;

    /// Runs a plan to its end, or for as long as a call may take. A run that failed and was put back is an outcome, and no error.
    ///
    /// # Errors
    /// If there was no run.
    fn run(&self, app: App, plan: &PlanId, tell: &mut dyn FnMut(&str)) -> Result<(), Error>;
}
