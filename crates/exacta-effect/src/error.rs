//! What is reported when a run of effects cannot begin, or its journal cannot be used.

use exacta_kernel::id::RunId;
use rustix::io::Errno;

/// A system call that failed: which one, on what, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot {call} `{path}`: {errno}")]
pub struct IoError {
    /// What was being done, as a verb.
    pub call: &'static str,
    /// What it was done to, relative to the folder of the user's state.
    pub path: String,
    /// The system's answer.
    pub errno: Errno,
}

impl IoError {
    pub(crate) fn of(call: &'static str, path: &str) -> impl FnOnce(Errno) -> Self {
        move |errno| Self { call, path: path.to_owned(), errno }
    }
}

/// Why a run of effects did not come to an end that could be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EffectError {
    /// Nothing performs a step. Nothing was done.
    #[error("nothing performs `{act}` of step `{step}`")]
    NoEffector {
        /// The step.
        step: String,
        /// What it would do.
        act: String,
    },
    /// What the plan expects is not so. Nothing was done.
    #[error("nothing was done: step `{step}` cannot begin: {found}")]
    Drifted {
        /// The step.
        step: String,
        /// What was found.
        found: String,
    },
    /// A call on the journal failed before the first act. Nothing was done.
    #[error("nothing was done: {0}")]
    Failed(#[from] IoError),
    /// A run with this id exists already. Nothing was done.
    #[error("run `{run}` exists already")]
    Exists {
        /// The run.
        run: RunId,
    },
    /// A call on the journal failed after the first act: the next recovery brings the run to its end.
    #[error("run `{run}` has no end yet: {cause}")]
    NoEnd {
        /// The run.
        run: RunId,
        /// What failed.
        cause: IoError,
    },
    /// No person's word is missing about this step. Nothing was done.
    #[error("run `{run}` does not wait for anybody's word about step `{step}`")]
    NotUnknown {
        /// The run.
        run: RunId,
        /// The step.
        step: String,
    },
    /// A journal that cannot be trusted or understood. Nothing was touched.
    #[error("the journal of run `{run}` cannot be used: {why}")]
    BadJournal {
        /// The run.
        run: RunId,
        /// Why.
        why: &'static str,
    },
}
