//! How much each file gains: the lines that can break something.

use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::dependency::format_of;
use crate::scan::source::{Role, code, language};

/// Folders whose files are for people, unless they are code.
const PROSE: &[&str] = &["doc", "docs", "documentation", "man"];

/// So many light lines count as one.
pub(super) const LIGHT: u64 = 4;

/// A file and what it gains.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gain<'a> {
    /// The file.
    pub change: &'a FileChange<'a>,
    /// Whether its lines hardly matter: tests, and what tools write.
    pub light: bool,
    /// Added lines, blank ones, comments and documentation left out.
    pub lines: u64,
}

/// What every file gains, in the order of the steps.
pub(super) fn gains<'a>(changes: &'a [FileChange<'a>]) -> Vec<Gain<'a>> {
    changes.iter().map(gain).collect()
}

/// The file whose gain counts most; of equals the first, so that the place does not change.
pub(super) fn largest<'a>(gains: &[Gain<'a>]) -> Option<&'a FileChange<'a>> {
    let weight = |gain: &&Gain<'_>| gain.lines.saturating_mul(if gain.light { 1 } else { LIGHT });
    gains.iter().rev().max_by_key(weight).map(|gain| gain.change)
}

fn gain<'a>(change: &'a FileChange<'a>) -> Gain<'a> {
    let locks = || format_of(change.path).is_some_and(|format| format.is_lock());
    let light = match change.role {
        Role::Test | Role::Foreign => true,
        Role::Manifest => locks(),
        Role::Docs | Role::Source | Role::Config | Role::Asset => false,
    };
    Gain { change, light, lines: if is_prose(change) { 0 } else { counted(change) } }
}

fn is_prose(change: &FileChange<'_>) -> bool {
    let beneath = || change.path.parts().rev().skip(1).any(|part| PROSE.contains(&part.to_ascii_lowercase().as_str()));
    match change.role {
        Role::Docs => true,
        Role::Test | Role::Foreign | Role::Source => false,
        Role::Manifest | Role::Config | Role::Asset => beneath(),
    }
}

fn counted(change: &FileChange<'_>) -> u64 {
    let language = language(change.path.name());
    let counts = |bytes: &[u8]| match language {
        Some(language) => !code(bytes, language).trim_ascii().is_empty(),
        None => !bytes.trim_ascii().is_empty(),
    };
    change.added_lines().filter(|line| counts(line.bytes)).count() as u64
}
