//! A file's new content, written by places of its former content, so that nothing of the former has to be quoted.

use crate::facts::FileContent;
use crate::hash::Digest;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// What a change leaves in a file, given the file as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    /// The content that the places are of.
    before: Digest,
    /// Whether the file can be executed afterwards.
    pub(crate) executable: bool,
    parts: Vec<Part>,
}

/// One piece of the new content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Part {
    /// Bytes of the file, from and to.
    Stays(usize, usize),
    /// Text that comes.
    Comes(String),
    /// Bytes that come and are not UTF-8.
    Bytes(Vec<u8>),
}

impl Places {
    pub(crate) const fn new(before: Digest, executable: bool, parts: Vec<Part>) -> Self {
        Self { before, executable, parts }
    }

    /// What it leaves of a file; `None` if the file is not the one that the places are of.
    pub(crate) fn apply(&self, before: &FileContent) -> Option<Vec<u8>> {
        if before.sha256() != self.before {
            return None;
        }
        let mut after = Vec::with_capacity(before.bytes().len());
        for part in &self.parts {
            after.extend_from_slice(match part {
                Part::Stays(start, end) => before.bytes().get(*start..*end)?,
                Part::Comes(text) => text.as_bytes(),
                Part::Bytes(bytes) => bytes,
            });
        }
        Some(after)
    }

    /// The text that it adds.
    pub(crate) fn added(&self) -> String {
        let come =
            self.parts.iter().filter_map(|part| if let Part::Comes(text) = part { Some(text.as_str()) } else { None });
        come.collect::<Vec<_>>().join("\n")
    }
}
