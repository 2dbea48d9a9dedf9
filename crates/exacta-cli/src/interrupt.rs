//! Ctrl-C and its relatives: they end the program, unless something is under way that must end in order.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// How often a signal is looked for while nothing is typed. One that comes between a look and the wait, or to another thread,
/// does not end the wait.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// What a moment's wait for something to read came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// There is something.
    Ready,
    /// Not yet.
    Nothing,
    /// A signal came.
    Interrupted,
    /// The other end was closed.
    Gone,
}

static STATE: OnceLock<State> = OnceLock::new();

struct State {
    /// Whether a signal ends the program at once.
    at_once: Arc<AtomicBool>,
    /// Whether a signal came.
    flag: Arc<AtomicBool>,
}

/// As long as it lives, a signal only raises the flag.
#[derive(Debug)]
pub struct Orderly {
    flag: Arc<AtomicBool>,
    /// Nested ones change nothing.
    outermost: bool,
}

impl Orderly {
    /// Begins to hold signals back.
    ///
    /// # Errors
    /// If the handlers cannot be installed.
    pub fn begin() -> io::Result<Self> {
        let state = state()?;
        let outermost = state.at_once.swap(false, Ordering::SeqCst);
        Ok(Self { flag: Arc::clone(&state.flag), outermost })
    }

    /// Raised by a signal.
    #[must_use]
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// The same, for something that outlives a borrow.
    #[must_use]
    pub fn shared_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Whether a signal came.
    #[must_use]
    pub fn interrupted(&self) -> bool {
        self.flag.load(Ordering::SeqCst)
    }

    /// Waits a moment for something to read, or a signal.
    ///
    /// # Errors
    /// If there is nothing to wait for.
    pub fn wait(&self, source: &impl AsFd) -> io::Result<Waited> {
        if self.interrupted() {
            return Ok(Waited::Interrupted);
        }
        let mut fds = [PollFd::new(source, PollFlags::IN)];
        match poll(&mut fds, Some(&TICK)) {
            Ok(0) | Err(Errno::INTR) => Ok(Waited::Nothing),
            Ok(_) if fds.iter().all(|fd| fd.revents() == PollFlags::IN) => Ok(Waited::Ready),
            Ok(_) => Ok(Waited::Gone),
            Err(errno) => Err(errno.into()),
        }
    }
}

impl Drop for Orderly {
    fn drop(&mut self) {
        if let (true, Some(state)) = (self.outermost, STATE.get()) {
            state.at_once.store(true, Ordering::SeqCst);
        }
    }
}

/// A file that may grow no further is an error to be told, not the end.
pub fn outlive_limits() {
    // Where no handler can be had, it stays as it is.
    drop(flag::register(SIGXFSZ, Arc::default()));
}

fn state() -> io::Result<&'static State> {
    if let Some(state) = STATE.get() {
        return Ok(state);
    }
    let state = State { at_once: Arc::new(AtomicBool::new(true)), flag: Arc::default() };
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_default(signal, Arc::clone(&state.at_once))?;
        flag::register(signal, Arc::clone(&state.flag))?;
    }
    Ok(STATE.get_or_init(|| state))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes between the question and the wait for its answer must not be waited out.
    #[test]
    fn a_signal_before_the_wait_is_not_lost() {
        let (reader, writer) = io::pipe().unwrap();
        let signals = Orderly { flag: Arc::new(AtomicBool::new(true)), outermost: false };
        assert_eq!(signals.wait(&reader).unwrap(), Waited::Interrupted);
        signals.flag.store(false, Ordering::SeqCst);
        assert_eq!(signals.wait(&reader).unwrap(), Waited::Nothing);
        rustix::io::write(&writer, b"y").unwrap();
        assert_eq!(signals.wait(&reader).unwrap(), Waited::Ready);
        rustix::io::read(&reader, &mut [0_u8; 1]).unwrap();
        drop(writer);
        assert_eq!(signals.wait(&reader).unwrap(), Waited::Gone);
    }
}
