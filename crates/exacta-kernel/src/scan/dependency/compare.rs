//! What differs between a manifest before and after.

use super::format::{Format, format_of, is_unread};
use super::manifest::{Manifest, Package};
use super::resemble;
use crate::path::RelPath;
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::{DependencyChange, DependencyKind};
use core::cell::Cell;

/// What a change adds to a project's dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// Nothing, and everything in it is understood.
    Nothing,
    /// A package, a source or a registry that was not there before.
    Package(String),
    /// It cannot be told here; in words, why.
    Unknown(String),
}

const UNREAD: &str = "a file that names dependencies changes in a way that cannot be read here";
const OTHERWISE: &str = "a manifest changes, but not in the names and versions that are read from it";

/// What the change of one file adds.
pub(crate) fn added(path: &RelPath, before: &[u8], after: &[u8]) -> Added {
    if before == after || after.is_empty() {
        return Added::Nothing;
    }
    let Some(format) = format_of(path) else {
        return if is_unread(path) { Added::Unknown(UNREAD.to_owned()) } else { Added::Nothing };
    };
    let (Some(before), Some(after)) = (format.read(before, path), format.read(after, path)) else {
        return Added::Unknown(UNREAD.to_owned());
    };
    let known = names(&before);
    if let Some(name) = names(&after).into_iter().find(|name| !known.contains(name)) {
        return Added::Package(name);
    }
    let content = after.packages.iter().find_map(|(name, now)| Some((name, now.differs(before.packages.get(name)?)?)));
    if let Some((name, what)) = content {
        return Added::Unknown(format!("`{name}`: {what}"));
    }
    if format.is_program() {
        return Added::Unknown(UNREAD.to_owned());
    }
    // How packages hang together changes with their versions.
    let alike = before.packages == after.packages && before.registries == after.registries;
    let unexplained = before.rest != after.rest || alike && before.edges != after.edges;
    if unexplained { Added::Unknown(OTHERWISE.to_owned()) } else { Added::Nothing }
}

/// What a file names: packages, those from elsewhere than the ecosystem's own registry once more with their source, registries,
/// and other lists.
fn names(manifest: &Manifest) -> BTreeSet<String> {
    let from = |(name, package): (&String, &Package)| {
        let source = package.source.as_ref().or(package.home.as_ref())?;
        Some(format!("{name} from {source}"))
    };
    let mut names: BTreeSet<String> = manifest.packages.keys().cloned().collect();
    names.extend(manifest.packages.iter().filter_map(from));
    names.extend(manifest.registries.iter().chain(&manifest.includes).cloned());
    names
}

/// What one step does to the dependencies that a file names.
pub(super) fn in_file(change: &FileChange<'_>) -> Vec<DependencyChange> {
    let Some(format) = format_of(change.path) else { return Vec::new() };
    let read = |content: Option<&crate::facts::FileContent>| {
        content.map_or(Some(Manifest::default()), |content| format.read(content.bytes(), change.path))
    };
    // What could not be read before was no manifest; what cannot be read afterwards might be anything.
    let before = read(change.before).unwrap_or_default();
    match read(change.after) {
        Some(after) => Comparison { change, format, before, after, lines: Lines::new(change) }.all(),
        None => vec![DependencyChange {
            new_source: Some("a manifest that cannot be read".to_owned()),
            ..bare(change, change.path.name(), DependencyKind::Source)
        }],
    }
}

/// A change of which nothing else is known.
fn bare(change: &FileChange<'_>, name: &str, kind: DependencyKind) -> DependencyChange {
    DependencyChange {
        manifest: change.path.to_string(),
        name: name.to_owned(),
        change: kind,
        new_source: None,
        resembles: None,
        content: None,
        runs_script: false,
        place: change.place(None),
    }
}

/// A manifest before and after.
struct Comparison<'a> {
    change: &'a FileChange<'a>,
    format: &'static Format,
    before: Manifest,
    after: Manifest,
    lines: Lines<'a>,
}

impl Comparison<'_> {
    fn all(&self) -> Vec<DependencyChange> {
        let sources = self.before.packages.values().filter_map(|package| package.source.as_deref());
        let sources: BTreeSet<&str> = sources.collect();
        let names: BTreeSet<&String> = self.before.packages.keys().chain(self.after.packages.keys()).collect();
        let mut found: Vec<DependencyChange> =
            names.into_iter().filter_map(|name| self.package(name, &sources)).collect();
        for registry in self.after.registries.difference(&self.before.registries) {
            let new_source = Some(registry.clone());
            found.push(DependencyChange { new_source, ..self.report(registry, DependencyKind::Source) });
        }
        for registry in self.before.registries.difference(&self.after.registries) {
            found.push(self.report(registry, DependencyKind::Source));
        }
        found
    }

    fn package(&self, name: &str, sources: &BTreeSet<&str>) -> Option<DependencyChange> {
        let new = |package: &Package| package.source.clone().filter(|source| !sources.contains(source.as_str()));
        let (was, now) = (self.before.packages.get(name), self.after.packages.get(name));
        let runs_script = now.is_some_and(|now| now.runs_script) && !was.is_some_and(|was| was.runs_script);
        let found = match (was, now) {
            (None, Some(now)) => DependencyChange {
                new_source: new(now),
                resembles: resemble::known(self.format.ecosystem(), name),
                ..self.report(name, DependencyKind::Added)
            },
            (Some(_), None) => self.report(name, DependencyKind::Removed),
            (Some(was), Some(now)) => {
                let moved = was.home.is_some() && now.home.is_some() && was.home != now.home;
                let new_source = if moved { now.home.clone() } else { new(now) };
                let content = now.differs(was);
                let kind = match &content {
                    _ if was.source != now.source || moved => DependencyKind::Source,
                    Some(_) => DependencyKind::Content,
                    None if was.version != now.version || was.runs_script != now.runs_script => DependencyKind::Version,
                    None => return None,
                };
                let new_source = new_source.filter(|_| kind == DependencyKind::Source);
                DependencyChange { new_source, content, ..self.report(name, kind) }
            }
            (None, None) => return None,
        };
        Some(DependencyChange { runs_script, ..found })
    }

    fn report(&self, name: &str, kind: DependencyKind) -> DependencyChange {
        DependencyChange { place: self.change.place(self.lines.first(name)), ..bare(self.change, name, kind) }
    }
}

/// The added lines, by the words in them.
struct Lines<'a> {
    change: &'a FileChange<'a>,
    words: BTreeMap<&'a [u8], u64>,
    /// The bytes that may still be searched for names that are no word of their own.
    left: Cell<usize>,
}

impl<'a> Lines<'a> {
    /// The most bytes that are searched: as much as a few names in a large file take, or many in a small one.
    const MOST: usize = 8 << 20;

    fn new(change: &'a FileChange<'a>) -> Self {
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"-_./@+~".contains(byte);
        let mut words = BTreeMap::new();
        for line in change.added_lines() {
            for word in line.bytes.split(|byte| !part(byte)).filter(|word| !word.is_empty()) {
                words.entry(word).or_insert(line.line);
            }
        }
        Self { change, words, left: Cell::new(Self::MOST) }
    }

    /// The first added line that names the package.
    fn first(&self, name: &str) -> Option<u64> {
        let name = name.rsplit(':').next().unwrap_or(name).as_bytes();
        self.words.get(name).copied().or_else(|| self.search(name))
    }

    fn search(&self, name: &[u8]) -> Option<u64> {
        let mut lines = self.change.added_lines().take_while(|line| {
            let left = self.left.get().checked_sub(line.bytes.len() + 1);
            self.left.set(left.unwrap_or_default());
            left.is_some()
        });
        lines.find(|line| memchr::memmem::find(line.bytes, name).is_some()).map(|line| line.line)
    }
}
