//! How long and how much: every limit of this crate.

use std::time::Duration;

/// How often a request is sent again.
pub const RETRIES: u32 = 3;
/// The pause before the first retry; each further one is twice as long.
pub(crate) const BACKOFF: Duration = Duration::from_millis(500);
/// The longest pause that a provider may ask for. Beyond it the user is told instead.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How often waiting looks whether to stop.
pub(crate) const TICK: Duration = Duration::from_millis(25);
/// The most bytes of an answer on the wire: a stream spends some two hundred on a word.
pub(crate) const MAX_WIRE: usize = 64 << 20;
/// The most bytes of an answer that is not streamed, and of one event.
pub(crate) const MAX_WHOLE: usize = 16 << 20;
/// The most bytes of text: as many as a plan may have.
pub(crate) const MAX_TEXT: usize = 8 << 20;
/// How much of an error is read for its code.
pub(crate) const MAX_ERROR: usize = 64 << 10;
/// The most bytes of a model's name.
pub(crate) const MAX_NAME: usize = 128;

/// How long a provider may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until there is a connection.
    pub connect: Duration,
    /// From then until the first byte of an answer: a model reads the whole request first.
    pub first_byte: Duration,
    /// Between two bytes: a model that reasons may be silent.
    pub idle: Duration,
    /// From the first byte of an event to its last: servers send an event at once, and only a broken one drips.
    pub event: Duration,
    /// For everything, retries included.
    pub whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            connect: seconds(10),
            first_byte: seconds(120),
            idle: seconds(90),
            event: seconds(20),
            whole: seconds(600),
        }
    }
}

impl Patience {
    /// With another limit for everything. One longer than usual also waits longer for the first byte and for the next.
    #[must_use]
    pub fn of(whole: Duration) -> Self {
        let usual = Self::default();
        let share = |part: Duration, of: u32| part.max(whole / of).min(whole);
        Self {
            connect: usual.connect.min(whole),
            first_byte: share(usual.first_byte, 2),
            idle: share(usual.idle, 4),
            event: usual.event.min(whole),
            whole,
        }
    }
}
