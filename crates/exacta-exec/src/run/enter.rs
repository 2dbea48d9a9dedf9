//! The run is entered into the record while its new files are made ready: either takes its time, and neither is an effect. The
//! commit waits for both.

use super::prepare::Prepared;
use super::receipt::{Begin, Event, RunOptions};
use super::stage::Staging;
use crate::error::RunError;
use crate::fs::Fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{panic, thread};

impl<'a, 'fs, F: Fs> Prepared<'a, 'fs, F> {
    /// Stages the run, and has it entered. Nothing is left of one that is not.
    pub(super) fn enter(
        self,
        begin: &mut Begin<'_>,
        options: &mut RunOptions<'_>,
    ) -> Result<Staging<'a, 'fs, F>, RunError> {
        let (entered, failed) = (AtomicBool::new(false), AtomicBool::new(false));
        let mut enter = || entered.store(begin(&failed), Ordering::Relaxed);
        let mut untold = Untold { entered: &entered, events: Vec::new(), observer: &mut *options.observer };
        let stage = || self.stage(options.cancel, &mut |event| untold.hear(event));
        // Only a disk that is waited for leaves time to do both.
        let staged = if options.sync { beside(&mut enter, stage, &failed) } else { stage().inspect(|_| enter()) };
        untold.tell();
        match staged {
            Ok(staging) if !entered.load(Ordering::Relaxed) => {
                staging.discard();
                Err(RunError::NotBegun)
            }
            staged => staged,
        }
    }
}

/// What happened in a run that may not have begun: nobody hears of one that does not.
struct Untold<'a> {
    entered: &'a AtomicBool,
    events: Vec<Event>,
    observer: &'a mut dyn FnMut(Event),
}

impl Untold<'_> {
    fn hear(&mut self, event: Event) {
        self.events.push(event);
        self.tell();
    }

    fn tell(&mut self) {
        if self.entered.load(Ordering::Relaxed) {
            self.events.drain(..).for_each(&mut *self.observer);
        }
    }
}

/// Does both at the same time; one after the other where no thread is to be had.
fn beside<T, E>(
    enter: &mut (impl FnMut() + Send),
    stage: impl FnOnce() -> Result<T, E>,
    failed: &AtomicBool,
) -> Result<T, E> {
    let (staged, started) = thread::scope(|scope| {
        let entering = thread::Builder::new().spawn_scoped(scope, &mut *enter);
        let staged = stage();
        failed.store(staged.is_err(), Ordering::Relaxed);
        let started = entering.map(|entering| entering.join().unwrap_or_else(|cause| panic::resume_unwind(cause)));
        (staged, started.is_ok())
    });
    if started { staged } else { staged.inspect(|_| enter()) }
}
