//! Collects findings while walking through a document.

use crate::finding::{Code, Finding};
use crate::json::push_token;
use crate::prelude::*;

/// How many findings are listed. A text with more is not a proposal gone wrong but something else.
const MAX_FINDINGS: usize = 100;

/// The findings so far, and the place the walk is at.
#[derive(Debug, Default)]
pub(super) struct Report {
    findings: Vec<Finding>,
    unlisted: usize,
    pointer: String,
    step: Option<String>,
}

impl Report {
    /// Does something one level deeper.
    pub fn within<T>(&mut self, token: &str, walk: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        push_token(&mut self.pointer, token);
        let result = walk(self);
        self.pointer.truncate(length);
        result
    }

    /// Does something about one step.
    pub fn in_step<T>(&mut self, id: Option<&str>, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.step = id.map(|id| crate::text::excerpt(id, 128));
        let result = walk(self);
        self.step = None;
        result
    }

    /// Adds a finding at the present place.
    pub fn add(&mut self, code: Code, message: impl Into<String>, hint: impl Into<String>) {
        if self.findings.len() >= MAX_FINDINGS {
            self.unlisted += 1;
            return;
        }
        let finding = Finding::new(code, message, hint).at(self.pointer.clone());
        self.findings.push(match &self.step {
            Some(id) => finding.in_step(id),
            None => finding,
        });
    }

    /// [`Report::add`] for what does not fit the format.
    pub fn schema(&mut self, message: impl Into<String>, hint: impl Into<String>) {
        self.add(Code::SchemaInvalid, message, hint);
    }

    /// All findings, if there are any.
    pub fn into_result(mut self) -> Result<(), Vec<Finding>> {
        if self.unlisted > 0 {
            let message = format!("{} more findings are not listed", self.unlisted);
            self.findings.push(Finding::new(Code::SchemaInvalid, message, "fix the ones above first").at(""));
        }
        if self.findings.is_empty() { Ok(()) } else { Err(self.findings) }
    }
}
