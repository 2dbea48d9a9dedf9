//! Ctrl-C and its relatives: they end the program, unless something is under way that must end in order.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

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

    /// Whether a signal came.
    #[must_use]
    pub fn interrupted(&self) -> bool {
        self.flag.load(Ordering::SeqCst)
    }
}

impl Drop for Orderly {
    fn drop(&mut self) {
        if let (true, Some(state)) = (self.outermost, STATE.get()) {
            state.at_once.store(true, Ordering::SeqCst);
        }
    }
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
