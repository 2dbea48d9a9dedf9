//! Why a path was refused.

use crate::finding::{Code, Finding};
use crate::prelude::*;
use crate::text;

/// The most that is shown of a refused path, in characters.
const SHOWN: usize = 120;

/// A path that was refused: a code, the path as it may be shown, what is wrong and what would help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PathError {
    /// `PLAN_PATH_OUTSIDE`, `PLAN_PATH_INVALID` or `PLAN_PATH_PROTECTED`.
    pub code: Code,
    /// The path, cut and with hidden characters written as escapes.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What would fix it.
    pub hint: String,
}

impl PathError {
    pub(super) fn outside(path: &str, problem: &str, hint: &str) -> Self {
        Self::new(Code::PathOutside, path, problem, hint)
    }

    pub(super) fn invalid(path: &str, problem: &str, hint: &str) -> Self {
        Self::new(Code::PathInvalid, path, problem, hint)
    }

    pub(super) fn protected(path: &str, part: &str) -> Self {
        let problem = format!("has the part `{}`, which is protected", text::excerpt(part, SHOWN));
        Self::new(Code::PathProtected, path, &problem, "leave the step out: no plan may go into `.git` or `.exacta`")
    }

    fn new(code: Code, path: &str, problem: &str, hint: &str) -> Self {
        let path = text::excerpt(path, SHOWN);
        Self { code, message: format!("the path `{path}` {problem}"), hint: hint.to_owned(), path }
    }

    /// The same as a finding about this path; the caller adds the step.
    #[must_use]
    pub fn into_finding(self) -> Finding {
        Finding::new(self.code, self.message, self.hint).at_path(&self.path)
    }
}
