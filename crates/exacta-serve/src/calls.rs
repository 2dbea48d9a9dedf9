//! The calls of agents that are under way, so that they can be cancelled, and how many of them may wait.

use crate::session::lock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many calls wait for something at the same time; one more is answered at once.
const WAITING: usize = 64;

/// By name: raise the flag to stop one.
type Open = Arc<Mutex<Vec<(String, Arc<AtomicBool>)>>>;

/// The calls that are under way.
pub struct Calls {
    open: Open,
    waiting: Arc<Semaphore>,
}

/// One call, until its answer is sent or nobody waits for it any more: then it is stopped.
pub struct Call {
    open: Open,
    stop: Arc<AtomicBool>,
}

impl Default for Calls {
    fn default() -> Self {
        Self { open: Open::default(), waiting: Arc::new(Semaphore::new(WAITING)) }
    }
}

impl Calls {
    /// A call begins; without a name nobody can cancel it.
    pub fn begin(&self, name: Option<String>) -> Call {
        let call = Call { open: Arc::clone(&self.open), stop: Arc::default() };
        if let Some(name) = name {
            lock(&self.open).push((name, call.stop()));
        }
        call
    }

    /// Stops the calls of a name, if they are still under way.
    pub fn cancel(&self, name: &str) {
        let open = lock(&self.open);
        open.iter().filter(|(open, _)| open == name).for_each(|(_, stop)| stop.store(true, Ordering::SeqCst));
    }

    /// The right to wait for something, for as long as it is held.
    pub fn may_wait(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.waiting).try_acquire_owned().ok()
    }
}

impl Call {
    /// Raised when it is to stop.
    pub fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        lock(&self.open).retain(|(_, stop)| !Arc::ptr_eq(stop, &self.stop));
    }
}
