//! What went wrong, for a person and for a script: a code, a message, what would help, and the exit code.

use exacta_home::{HomeError, KeyError};
use exacta_kernel::hint::Hint;
use exacta_kernel::id::RunId;
use exacta_record::RecordError;

/// How a command ended. The numbers are part of the command line's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exit {
    /// Done, or allowed.
    Done = 0,
    /// Used wrongly, or an id that names nothing.
    Usage = 2,
    /// Denied by parsing, validation, security, policy or quality, or rejected by a person.
    Denied = 10,
    /// Above the ceiling that the Safety Policy sets.
    AboveCeiling = 20,
    /// A person has to confirm.
    Confirm = 30,
    /// A person asked for changes: the plan waits for its proposer.
    ChangesRequested = 35,
    /// Drifted, expired, another binding, a lost race, the wrong status.
    Drifted = 40,
    /// Execution failed or was cancelled, and was rolled back.
    RolledBack = 50,
    /// A fault of the system, a lock held by another, records that do not verify: needs attention.
    Fault = 60,
}

impl Exit {
    /// The number a process ends with.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// Why a command did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// A stable name, such as `plan_unknown`.
    pub code: &'static str,
    /// What happened, where and why: lower case, one line, names in backticks.
    pub message: String,
    /// What would help; each surface words it.
    pub hint: Option<Hint>,
    /// Where, if it is several places.
    pub places: Vec<String>,
    /// How the command ends.
    pub exit: Exit,
    /// The run that ended so, if one had begun.
    pub run_id: Option<RunId>,
}

impl Error {
    /// The code of every error that says that the record was changed from outside.
    pub(crate) const TAMPERED: &'static str = "record_tampered";

    /// The code where there was a record, and there is none.
    pub(crate) const GONE: &'static str = "record_gone";

    /// The code where the database is none any more.
    const DAMAGED: &'static str = "record_damaged";

    /// The code where another project's records lie.
    pub(crate) const ELSEWHERE: &'static str = "record_elsewhere";

    /// An error without a hint.
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, places: Vec::new(), exit, run_id: None }
    }

    /// The same with what would help.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With what helps besides.
    #[must_use]
    pub fn also(mut self, hint: Hint) -> Self {
        self.hint = Some(match self.hint.take() {
            Some(first) => first.then(hint),
            None => hint,
        });
        self
    }

    /// The same with every place it is about.
    #[must_use]
    pub fn places(mut self, places: Vec<String>) -> Self {
        self.places = places;
        self
    }

    /// Whether it says that the record was changed from outside.
    pub(crate) fn is_tampered(&self) -> bool {
        self.code == Self::TAMPERED
    }

    /// Whether it says that the records are not as they were left, by whoever's doing.
    pub(crate) fn is_distrust(&self) -> bool {
        matches!(self.code, Self::TAMPERED | Self::GONE | Self::DAMAGED | Self::ELSEWHERE)
    }

    /// A fault of the system.
    pub fn fault(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Exit::Fault, code, message)
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::fault("internal", format!("a value cannot be written as JSON: {error}"))
            .hint("report this as a defect of exacta")
    }
}

impl From<HomeError> for Error {
    fn from(error: HomeError) -> Self {
        let exit = match error {
            HomeError::NotTheFirst
            | HomeError::NoApprover(_)
            | HomeError::ApproverExists(_)
            | HomeError::KeyInUse(_)
            | HomeError::LastApprover(_)
            | HomeError::NoProvider(_) => Exit::Usage,
            HomeError::Approval(_) => Exit::Denied,
            _ => Exit::Fault,
        };
        Self::new(exit, "home", error.to_string()).hint(error.hint())
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self::new(Exit::Usage, "key", error.to_string()).hint(error.hint())
    }
}

impl From<RecordError> for Error {
    fn from(error: RecordError) -> Self {
        let code = match &error {
            error if error.is_tampered() => Self::TAMPERED,
            RecordError::Corrupt { .. } => Self::DAMAGED,
            RecordError::OtherProject { .. } => Self::ELSEWHERE,
            _ => "store",
        };
        Self::fault(code, error.to_string()).hint(error.hint())
    }
}
