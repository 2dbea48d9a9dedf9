//! How a plan is run: what waits, what cancels, who watches.

use crate::checks::CheckEvent;
use exacta_exec::Event as Progress;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Where the entry of a run's beginning says that no person was asked.
pub(crate) const NOTICE: &str = "notice";

/// How a plan is run.
pub struct Execution<'a> {
    /// Whether every write is made durable; without it a run survives a crash of the process, not a power cut.
    pub sync: bool,
    /// How long to wait for targets that another run holds, and for a place among the runs that may go on at the same time.
    pub wait: Duration,
    /// Set to cancel between steps.
    pub cancel: &'a AtomicBool,
    /// Told about every step.
    pub observer: &'a mut dyn FnMut(Progress),
    /// Told about every check.
    pub check_observer: &'a mut dyn FnMut(CheckEvent<'_>),
}
