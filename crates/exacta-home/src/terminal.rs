//! Which terminal a process belongs to: what is remembered for one serves no other.

use std::fmt;

/// A terminal in one use of it: the device, the process that leads its session, and when that one started. The device alone is
/// given to somebody else's shell as soon as this one ends, and so is the leader's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terminal {
    device: u64,
    leader: u32,
    started: u64,
}

impl Terminal {
    /// This process's own. None where it has none, or nobody leads its session any more.
    pub(crate) fn own() -> Option<Self> {
        let own = Stat::of("self")?;
        let leader: u32 = own.field(SESSION)?;
        let device: u64 = own.field(TERMINAL).filter(|device| *device != 0)?;
        let started = Stat::of(&leader.to_string())?.field(STARTED)?;
        Some(Self { device, leader, started })
    }
}

impl fmt::Display for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.device, self.leader, self.started)
    }
}

/// Fields of `/proc/PID/stat` as `proc_pid_stat(5)` numbers them.
const SESSION: usize = 6;
const TERMINAL: usize = 7;
const STARTED: usize = 22;

/// What follows the name in brackets, which may itself contain anything: the fields from the third on.
struct Stat(String);

impl Stat {
    fn of(process: &str) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        Some(Self(text.rsplit_once(')')?.1.to_owned()))
    }

    fn field<T: std::str::FromStr>(&self, number: usize) -> Option<T> {
        self.0.split_ascii_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
    }
}
