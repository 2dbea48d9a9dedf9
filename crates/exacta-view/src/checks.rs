//! What the operator's checks said of a plan before anybody decided about it, as every surface shows it.

use crate::words::{line, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of what a check printed is kept and shown, in bytes: its end.
const SHOWN: usize = 4 << 10;

/// How checks came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// All of them, or this one, with exit code 0.
    Passed,
    /// One did not pass.
    Failed,
    /// Nobody ran them on this content, or they could not be run.
    NotRun,
}

/// The operator's checks on the result of a plan. They are run again before anything is kept, whatever this says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChecksView {
    /// `passed`, `failed` or `not_run`.
    pub state: CheckState,
    /// When they were run; absent if they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Why they were not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Each, in order.
    pub commands: Vec<CheckView>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckView {
    /// What the operator calls it.
    pub name: String,
    /// `passed`, `failed` or `not_run`.
    pub state: CheckState,
    /// How it ended, in words; absent if it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The end of what it printed: untrusted words of the changed project. Only of one that failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

impl CheckState {
    /// The word for it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotRun => "not run",
        }
    }
}

impl ChecksView {
    /// Checks that nobody has run.
    #[must_use]
    pub fn not_run<'n>(names: impl Iterator<Item = &'n str>, reason: Option<String>) -> Self {
        Self { state: CheckState::NotRun, at: None, reason, commands: names.map(CheckView::not_run).collect() }
    }

    /// The first that failed.
    #[must_use]
    pub fn failed(&self) -> Option<&CheckView> {
        self.commands.iter().find(|check| check.state == CheckState::Failed)
    }
}

impl CheckView {
    /// One that nobody has run.
    #[must_use]
    pub fn not_run(name: &str) -> Self {
        Self { name: line(name), state: CheckState::NotRun, ended: None, output: String::new() }
    }

    /// One that ended so. What it printed is kept only where it failed: whoever reads it wants to know why.
    #[must_use]
    pub fn ended(name: &str, state: CheckState, ended: &str, printed: &str) -> Self {
        let output = if state == CheckState::Failed { end_of(printed) } else { String::new() };
        Self { name: line(name), state, ended: Some(line(ended)), output }
    }
}

/// The last lines of a text, masked and without anything hidden.
fn end_of(printed: &str) -> String {
    let shown = text(printed.trim_end());
    let from = shown.len().saturating_sub(SHOWN);
    let tail = shown.get(shown.ceil_char_boundary(from)..).unwrap_or_default();
    match (from > 0, tail.split_once('\n')) {
        (true, Some((_, whole))) => whole.to_owned(),
        _ => tail.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_failed_check_is_kept_in_whole_lines() {
        let printed: String = (0..2000).map(|line| format!("line {line}\n")).collect();
        let check = CheckView::ended("test", CheckState::Failed, "exit code 1", &printed);
        assert!(
            check.output.len() <= SHOWN && check.output.starts_with("line ") && check.output.ends_with("line 1999")
        );
        assert_eq!(CheckView::ended("test", CheckState::Passed, "passed", &printed).output, "");
        let wide = "é".repeat(SHOWN);
        assert!(CheckView::ended("test", CheckState::Failed, "exit code 1", &wide).output.len() <= SHOWN);
    }
}
