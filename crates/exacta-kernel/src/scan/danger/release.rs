//! Releases of packages that are known to hold malware.

use crate::diff::ChangeKind;
use crate::path::RelPath;
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::dependency::format_of;
use crate::scan::{Danger, DependencyChange, DependencyKind};

/// One package a line: ecosystem, name, releases (`*` for all), the advisory or report.
const RELEASES: &str = include_str!("releases.txt");
/// How many lines below its name a lock file gives a package's version.
const NEAR: u64 = 3;

/// The changed dependencies that become a known bad release.
pub(super) fn find(changes: &[FileChange<'_>], dependencies: &[DependencyChange]) -> Vec<Danger> {
    let taken = dependencies.iter().filter(|it| it.change != DependencyKind::Removed);
    taken.filter_map(|dependency| danger(changes, dependency)).collect()
}

fn danger(changes: &[FileChange<'_>], dependency: &DependencyChange) -> Option<Danger> {
    let (releases, report) = known(&dependency.manifest, &dependency.name)?;
    let change = changes.iter().find(|it| Some(&it.step.id) == dependency.place.step.as_ref())?;
    let release = releases.split(',').find(|release| *release == "*" || names(change, dependency, release))?;
    let what = match release {
        "*" => format!("takes `{}`, which is known to be malicious ({report})", dependency.name),
        _ => format!("takes `{} {release}`, which is known to be malicious ({report})", dependency.name),
    };
    Some(Danger { certain: true, what, place: dependency.place.clone() })
}

/// The bad releases of a package, and who reported them.
fn known(manifest: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let wanted = ecosystem(manifest)?;
    let rows = RELEASES.lines().filter_map(|line| line.split_once(" | "));
    let mut rows = rows.map(|(row, report)| (row.split(' ').collect::<Vec<_>>(), report));
    rows.find_map(|(row, report)| match row.as_slice() {
        [ecosystem, package, releases] if *ecosystem == wanted && package.eq_ignore_ascii_case(name) => {
            Some((*releases, report))
        }
        _ => None,
    })
}

fn ecosystem(manifest: &str) -> Option<&'static str> {
    let path = RelPath::parse(manifest).ok()?;
    format_of(&path)?.ecosystem().name()
}

/// Whether an added line gives this version: beside the package's name, or anywhere where the name did not change.
fn names(change: &FileChange<'_>, dependency: &DependencyChange, version: &str) -> bool {
    let near = |line: u64| dependency.place.line.is_none_or(|at| (at..=at + NEAR).contains(&line));
    let mut lines = change.lines.iter().filter(|line| line.kind == ChangeKind::Added && near(line.line));
    lines.any(|line| has_version(line.bytes, version.as_bytes()))
}

fn has_version(line: &[u8], version: &[u8]) -> bool {
    let part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.');
    memchr::memmem::find_iter(line, version).any(|at| {
        let before = at.checked_sub(1).and_then(|at| line.get(at));
        let after = line.get(at + version.len());
        // `coa-2.0.3.tgz` ends a file's name, `2.0.3.1` goes on.
        let goes_on = after == Some(&b'.') && line.get(at + version.len() + 1).is_some_and(u8::is_ascii_digit);
        !part(before) && !after.is_some_and(u8::is_ascii_digit) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_whole() {
        for line in ["\"coa\": \"2.0.3\"", "coa-2.0.3.tgz", "coa==2.0.3", "coa@2.0.3:"] {
            assert!(has_version(line.as_bytes(), b"2.0.3"), "{line}");
        }
        for line in ["2.0.31", "12.0.3", "2.0.3.1", "1.2.0.3"] {
            assert!(!has_version(line.as_bytes(), b"2.0.3"), "{line}");
        }
    }

    #[test]
    fn every_row_is_whole() {
        for line in RELEASES.lines() {
            let (row, report) = line.split_once(" | ").unwrap();
            assert!(row.split(' ').count() == 3 && !report.is_empty(), "{line}");
        }
    }
}
