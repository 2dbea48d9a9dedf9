//! The run is entered into the record while what is staged is brought to the disk: either is waited for, and neither is an
//! effect. The commit waits for both.

use super::receipt::Begin;
use super::stage::Staging;
use crate::error::RunError;
use crate::fs::Fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{panic, thread};

impl<F: Fs> Staging<'_, '_, F> {
    /// Has the run entered, and what is staged on the disk. Nothing is left of one that is not.
    pub(super) fn enter(self, begin: &mut Begin<'_>, sync: bool) -> Result<Self, RunError> {
        let mut entered = false;
        let mut enter = |failed: &AtomicBool| entered = begin(failed);
        // Only a disk that is waited for leaves time to do both.
        let synced = if sync {
            beside(&mut enter, || self.sync())
        } else {
            self.sync().inspect(|()| enter(&AtomicBool::new(false)))
        };
        match synced {
            Ok(()) if entered => Ok(self),
            synced => {
                self.discard();
                Err(synced.err().unwrap_or(RunError::NotBegun))
            }
        }
    }
}

/// Does both at the same time; one after the other where no thread is to be had. Whoever enters is told if the other failed.
fn beside<T, E>(enter: &mut (impl FnMut(&AtomicBool) + Send), sync: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let failed = AtomicBool::new(false);
    let (synced, started) = thread::scope(|scope| {
        let entering = thread::Builder::new().spawn_scoped(scope, || enter(&failed));
        let synced = sync();
        failed.store(synced.is_err(), Ordering::Relaxed);
        let started = entering.map(|entering| entering.join().unwrap_or_else(|cause| panic::resume_unwind(cause)));
        (synced, started.is_ok())
    });
    if started { synced } else { synced.inspect(|_| enter(&failed)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Somebody who waits for a place need not wait for one that has failed.
    #[test]
    fn whoever_enters_is_told_of_a_failure() {
        let mut told = false;
        let mut enter = |failed: &AtomicBool| {
            told = (0..10_000).any(|_| {
                thread::sleep(Duration::from_millis(1));
                failed.load(Ordering::Relaxed)
            });
        };
        assert_eq!(beside(&mut enter, || Err::<(), _>("no")), Err("no"));
        assert!(told);
    }
}
