//! What a plan does to the project's dependencies, from the manifests and lock files before and after.
//!
//! [`mod@format`] has one reader a format, [`compare`] says what differs between two readings.

mod compare;
mod document;
mod format;
mod manifest;
mod resemble;
mod xml;
mod yaml;

pub(crate) use compare::{Added, added};
pub(crate) use format::format_of;

use super::DependencyChange;
use super::change::FileChange;
use crate::prelude::*;

/// Every package that a manifest or lock file names differently afterwards, manifest by manifest, sorted by name.
pub(super) fn find(changes: &[FileChange<'_>]) -> Vec<DependencyChange> {
    changes.iter().flat_map(compare::in_file).collect()
}

#[cfg(test)]
mod tests;
