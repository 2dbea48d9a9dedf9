//! The run is entered into the record while its new files are made ready: either takes its time, and neither is an effect. The
//! commit waits for both.

use super::prepare::Prepared;
use super::receipt::{Begin, Event, RunOptions};
use super::stage::Staging;
use crate::area::Area;
use crate::error::RunError;
use crate::fs::Fs;
use exacta_kernel::permit::Work;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A run that has begun and is staged. One that did not begin leaves nothing behind.
pub(super) fn begin_and_stage<'a, 'fs, F: Fs>(
    area: &'a Area<'fs, F>,
    work: &'a Work,
    begin: &mut Begin<'_>,
    options: &mut RunOptions<'_>,
) -> Result<Staging<'a, 'fs, F>, RunError> {
    let entered = AtomicBool::new(false);
    let mut enter = || begin().inspect(|()| entered.store(true, Ordering::Relaxed));
    // Of a run that has not begun nobody hears.
    let mut untold = Vec::new();
    let mut observer = |event: Event| {
        untold.push(event);
        if entered.load(Ordering::Relaxed) {
            untold.drain(..).for_each(&mut *options.observer);
        }
    };
    let (begun, staged) = thread::scope(|scope| {
        // Only a disk that is waited for leaves time to do both.
        let entering = options.sync.then(|| thread::Builder::new().spawn_scoped(scope, &mut enter));
        let staged = Prepared::check(area, work).and_then(|prepared| prepared.stage(options.cancel, &mut observer));
        let failed = |_| Err("entering it into the record failed".to_owned());
        let begun = entering.and_then(Result::ok).map(|entering| entering.join().unwrap_or_else(failed));
        (begun, staged)
    });
    // Without a thread, or where none is to be had, one after the other.
    match begun.unwrap_or_else(enter) {
        Ok(()) => {
            untold.into_iter().for_each(&mut *options.observer);
            staged
        }
        Err(message) => {
            staged.into_iter().for_each(Staging::discard);
            Err(RunError::NotBegun { message })
        }
    }
}
