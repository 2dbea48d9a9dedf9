//! What is wrong with a policy file, and where.

use crate::prelude::*;
use crate::text::visible_line;
use core::fmt;
use core::ops::Range;

/// A policy file that cannot be used. It stops everything that decides.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PolicyError {
    /// The file, as it was named by whoever read it.
    pub file: String,
    /// The line, from 1; none where the whole file is meant.
    pub line: Option<usize>,
    /// The column in characters, from 1.
    pub column: Option<usize>,
    /// What is wrong: one line, names in backticks.
    pub message: String,
    /// What would fix it.
    pub hint: String,
}

impl PolicyError {
    /// A problem at a place in a text, given as a byte range.
    pub(super) fn at(file: &str, text: &str, span: Option<Range<usize>>, message: &str, hint: &str) -> Self {
        let place = span.map(|span| place(text, span.start));
        Self {
            file: file.to_owned(),
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            message: visible_line(message).into_owned(),
            hint: visible_line(hint).into_owned(),
        }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// Line and column, both from 1, of a byte offset.
pub(super) fn place(text: &str, offset: usize) -> (usize, usize) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = text.get(..offset).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    (line, before.get(start..).unwrap_or_default().chars().count() + 1)
}
