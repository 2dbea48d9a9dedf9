//! What a plan does to the project's dependencies, from the manifests and lock files before and after.

mod json;
mod line;
mod manifest;
mod resemble;
mod toml;
mod xml;

pub(crate) use manifest::{Kind, kind_of};

use super::change::FileChange;
use super::{DependencyChange, DependencyKind};
use crate::path::RelPath;
use crate::prelude::*;
use manifest::{Manifest, Package};

/// What a file names: packages, those from elsewhere than the ecosystem's own registry once more with their source, and
/// registries. `None` if it cannot be read.
pub(crate) fn names(kind: Kind, path: &RelPath, text: &str) -> Option<BTreeSet<String>> {
    let manifest = kind.read(text, path)?;
    let from = |(name, package): (&String, &Package)| Some(format!("{name} from {}", package.source.as_ref()?));
    let mut names: BTreeSet<String> = manifest.packages.iter().filter_map(from).collect();
    names.extend(manifest.packages.into_keys());
    names.extend(manifest.registries);
    Some(names)
}

/// Every package that a manifest or lock file names differently afterwards, manifest by manifest, sorted by name.
pub(super) fn find(changes: &[FileChange<'_>]) -> Vec<DependencyChange> {
    changes.iter().flat_map(in_file).collect()
}

fn in_file(change: &FileChange<'_>) -> Vec<DependencyChange> {
    let Some(kind) = kind_of(change.path.name()) else { return Vec::new() };
    let read = |content: Option<&crate::facts::FileContent>| {
        content.map_or(Some(Manifest::default()), |content| {
            kind.read(core::str::from_utf8(content.bytes()).ok()?, change.path)
        })
    };
    // What could not be read before was no manifest; what cannot be read afterwards might be anything.
    let before = read(change.before).unwrap_or_default();
    match read(change.after) {
        Some(after) => compare(change, kind, &before, &after),
        None => vec![DependencyChange {
            manifest: change.path.to_string(),
            name: change.path.name().to_owned(),
            change: DependencyKind::Source,
            new_source: Some("a manifest that cannot be read".to_owned()),
            resembles: None,
            runs_script: false,
            place: change.place(None),
        }],
    }
}

fn compare(change: &FileChange<'_>, kind: Kind, before: &Manifest, after: &Manifest) -> Vec<DependencyChange> {
    let sources: BTreeSet<&str> = before.packages.values().filter_map(|package| package.source.as_deref()).collect();
    let has_script =
        |manifest: &Manifest, name: &str| manifest.packages.get(name).is_some_and(|package| package.runs_script);
    let runs_script = |name: &str| has_script(after, name) && !has_script(before, name);
    let mut found = Vec::new();
    let mut report = |name: &str, what: DependencyKind, new_source: Option<String>, resembles: Option<String>| {
        found.push(DependencyChange {
            manifest: change.path.to_string(),
            name: name.to_owned(),
            change: what,
            new_source,
            resembles,
            runs_script: runs_script(name),
            place: change.place(line_of(change, name)),
        });
    };
    let names: BTreeSet<&String> = before.packages.keys().chain(after.packages.keys()).collect();
    for name in names {
        let new_source = |package: &Package| package.source.clone().filter(|source| !sources.contains(source.as_str()));
        match (before.packages.get(name), after.packages.get(name)) {
            (None, Some(now)) => {
                report(name, DependencyKind::Added, new_source(now), resemble::known(kind.ecosystem(), name))
            }
            (Some(_), None) => report(name, DependencyKind::Removed, None, None),
            (Some(was), Some(now)) if was.source != now.source => {
                report(name, DependencyKind::Source, new_source(now), None)
            }
            (Some(was), Some(now)) if was.version != now.version || was.runs_script != now.runs_script => {
                report(name, DependencyKind::Version, None, None)
            }
            _ => {}
        }
    }
    for registry in after.registries.difference(&before.registries) {
        report(registry, DependencyKind::Source, Some(registry.clone()), None);
    }
    for registry in before.registries.difference(&after.registries) {
        report(registry, DependencyKind::Source, None, None);
    }
    found
}

/// The first added line that names the package.
fn line_of(change: &FileChange<'_>, name: &str) -> Option<u64> {
    let name = name.rsplit(':').next().unwrap_or(name).as_bytes();
    let mut lines = change.added_lines();
    lines.find(|line| memchr::memmem::find(line.bytes, name).is_some()).map(|line| line.line)
}

#[cfg(test)]
mod tests;
