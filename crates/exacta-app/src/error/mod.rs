//! What went wrong, for a person and for a script: a code, a message, what would help, and the exit code.

mod code;

pub use code::{ErrorCode, Row};

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

    /// Whether what was asked is refused as it is.
    #[must_use]
    pub const fn is_denial(self) -> bool {
        matches!(self, Self::Denied)
    }

    /// Whether the command was used wrongly, or names what there is not.
    #[must_use]
    pub const fn is_usage(self) -> bool {
        matches!(self, Self::Usage)
    }

    /// Whether a run failed or was cancelled, and everything is as before.
    #[must_use]
    pub const fn is_rolled_back(self) -> bool {
        matches!(self, Self::RolledBack)
    }

    /// Whether it is how the plan stands now that stops it: undecided, or out of date.
    #[must_use]
    pub const fn is_of_the_plan(self) -> bool {
        matches!(self, Self::Confirm | Self::ChangesRequested | Self::Drifted)
    }

    /// Whether the system is at fault, not what was asked.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        matches!(self, Self::Fault)
    }

    /// Whether a person has to say something first.
    #[must_use]
    pub const fn is_for_a_person(self) -> bool {
        matches!(self, Self::Confirm)
    }

    /// Whether the same can succeed later: once a person has said something, a fault is gone, or nobody stops it.
    #[must_use]
    pub const fn leaves_open(self) -> bool {
        matches!(self, Self::Confirm | Self::Fault | Self::RolledBack)
    }

    /// Whether the plan waits for somebody: a person, or its proposer.
    #[must_use]
    pub const fn is_undecided(self) -> bool {
        matches!(self, Self::Confirm | Self::ChangesRequested)
    }
}

/// Why a command did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// A stable name, such as `plan_unknown`.
    pub code: ErrorCode,
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
    /// An error without a hint.
    pub fn new(exit: Exit, code: impl Into<ErrorCode>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), hint: None, places: Vec::new(), exit, run_id: None }
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
        self.code == ErrorCode::RECORD_TAMPERED
    }

    /// Whether it says that the records are not as they were left, by whoever's doing.
    pub(crate) fn is_distrust(&self) -> bool {
        use ErrorCode as Code;
        matches!(self.code, Code::RECORD_TAMPERED | Code::RECORD_GONE | Code::RECORD_DAMAGED | Code::RECORD_ELSEWHERE)
    }

    /// Whether a run failed before it began: its plan can still be executed.
    pub(crate) fn did_not_begin(&self) -> bool {
        matches!(self.code, ErrorCode::TARGET_REFUSED | ErrorCode::ROLLED_BACK) && self.run_id.is_none()
    }

    /// Whether it is the folder that cannot be a project, whatever its record says.
    pub(crate) fn is_of_the_folder(&self) -> bool {
        matches!(self.code, ErrorCode::PROJECT_FOREIGN | ErrorCode::PROJECT_UNUSABLE)
    }

    /// Whether policy, configuration or the list of approvers cannot be read, so that everything is denied.
    pub(crate) fn is_broken_policy(&self) -> bool {
        matches!(self.code, ErrorCode::POLICY_BROKEN | ErrorCode::CONFIG_UNUSABLE)
    }

    /// Whether a provider has to be set up or chosen first.
    pub(crate) fn needs_provider(&self) -> bool {
        matches!(self.code, ErrorCode::ASK_NO_PROVIDER | ErrorCode::ASK_NO_CHOICE)
    }

    /// Whether there is no project here to do anything in: nothing is recorded, or the folder cannot be one.
    #[must_use]
    pub fn is_no_project(&self) -> bool {
        self.code == ErrorCode::PROJECT_UNKNOWN || self.is_of_the_folder()
    }

    /// A fault of the system.
    pub fn fault(code: impl Into<ErrorCode>, message: impl Into<String>) -> Self {
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
            error if error.is_tampered() => ErrorCode::RECORD_TAMPERED,
            RecordError::Corrupt { .. } => ErrorCode::RECORD_DAMAGED,
            RecordError::OtherProject { .. } => ErrorCode::RECORD_ELSEWHERE,
            _ => ErrorCode::STORE,
        };
        Self::fault(code, error.to_string()).hint(error.hint())
    }
}
