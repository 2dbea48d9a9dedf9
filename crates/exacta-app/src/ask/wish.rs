//! What the user asks for.

use super::template;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the user asks for, as it is kept for `--resume`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// The request in words.
    pub text: String,
    /// What it is, where the user says so.
    pub intent: Option<String>,
    /// What must be.
    pub must: Vec<String>,
    /// What must not be.
    pub must_not: Vec<String>,
    /// Where changes are to stay.
    pub only: Vec<String>,
    /// What is to be left alone.
    pub not: Vec<String>,
    /// Files that it is about.
    pub files: Vec<String>,
    /// Names in code that it is about.
    pub symbols: Vec<String>,
    /// What it may cost.
    pub budget: Budget,
    /// Whether the user confirms the reading beforehand.
    pub confirmed: bool,
    /// Answers to what was asked, by field.
    pub answers: BTreeMap<String, String>,
}

/// What an ask may cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Tokens, sent and received.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub micro_usd: Option<u64>,
}

/// How far an ask goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Until {
    /// Only what the model would see: nothing is sent.
    Context,
    /// Only the steps: no change is written, nothing is stored.
    Plan,
    /// A stored plan.
    #[default]
    Done,
}

impl Wish {
    /// Whether the user's words, or options, ask for what is made by rule.
    pub(super) fn needs_no_model(&self) -> bool {
        match self.answer("intent").or(self.intent.as_deref()) {
            Some(named) => matches!(named, "CreateProject" | "BuildPackage"),
            None => template::read(&self.text).is_some(),
        }
    }

    /// The answer to a question, if there is one.
    pub(super) fn answer(&self, field: &str) -> Option<&str> {
        self.answers.get(field).map(|answer| answer.trim()).filter(|answer| !answer.is_empty())
    }
}
