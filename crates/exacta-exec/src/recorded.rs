//! What the record knows of runs, as far as the executor is told.

use exacta_kernel::id::RunId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The runs without an end that the record knows; `None` where there is no record to ask.
pub(crate) type OpenRuns = Option<Arc<BTreeMap<RunId, RecordedState>>>;

/// How a run stands in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordedState {
    /// There is no record to ask.
    Unknown,
    /// It has its end there, or never was.
    Over,
    /// It was entered, and has no end.
    Running,
    /// Its end is that a person has to look.
    Attention,
}
