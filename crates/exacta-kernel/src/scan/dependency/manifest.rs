//! What is read from a manifest or lock file.

use crate::path::RelPath;
use crate::prelude::*;
use serde_json::Value;

/// What a manifest or lock file names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The packages by name.
    pub packages: BTreeMap<String, Package>,
    /// Registries and indexes besides the ecosystem's own.
    pub registries: BTreeSet<String>,
    /// Other lists that it takes in.
    pub includes: BTreeSet<String>,
    /// What else it says that may bear on its packages. Comments, layout and the project's own description are left out.
    pub rest: Vec<String>,
    /// In a lock file, how the packages it names hang together. This changes with their versions.
    pub edges: Vec<String>,
}

/// One package as a manifest names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Package {
    /// Versions, ranges and features as written; several joined.
    pub version: String,
    /// Repository, address, registry or folder outside the project; `None` for the ecosystem's own registry.
    pub source: Option<String>,
    /// Where a lock file says that every version of it is developed.
    pub home: Option<String>,
    /// It runs a script of its own when it is installed.
    pub runs_script: bool,
    /// What exactly a lock file takes for each version.
    pub locked: BTreeMap<String, Locked>,
}

/// What a lock file takes for one version of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Locked {
    /// The hashes of what may be installed.
    pub hashes: BTreeSet<String>,
    /// Where it is taken from.
    pub addresses: BTreeSet<String>,
}

impl Manifest {
    /// Adds a package; a second mention of the same name joins the first.
    pub fn add(&mut self, name: &str, version: &str, source: Option<String>) {
        let (name, version) = (name.trim(), version.trim());
        if name.is_empty() {
            return;
        }
        let package = self.packages.entry(name.to_owned()).or_default();
        if !version.is_empty() {
            if !package.version.is_empty() {
                package.version.push_str(", ");
            }
            package.version.push_str(version);
        }
        if source.is_some() {
            package.source = source;
        }
    }

    /// Adds a package as a lock file names it, with what is taken for this version.
    pub fn lock(&mut self, name: &str, version: &str, source: Option<String>, locked: Locked) {
        let repeated =
            self.packages.get(name.trim()).is_some_and(|package| package.locked.contains_key(version.trim()));
        self.add(name, if repeated { "" } else { version }, source);
        if let Some(package) = self.packages.get_mut(name.trim()) {
            let all = package.locked.entry(version.trim().to_owned()).or_default();
            all.hashes.extend(locked.hashes);
            all.addresses.extend(locked.addresses);
        }
    }

    /// Makes sure that a name which another part of a lock file uses is among its packages.
    pub fn name(&mut self, name: &str) {
        self.add(name, "", None);
    }

    /// Says that a package runs a script when it is installed.
    pub fn runs_script(&mut self, name: &str) {
        if let Some(package) = self.packages.get_mut(name) {
            package.runs_script = true;
        }
    }

    /// Says where every version of a package is developed.
    pub fn home(&mut self, name: &str, home: Option<String>) {
        if let Some(package) = self.packages.get_mut(name) {
            package.home = home;
        }
    }

    /// Adds registries or indexes that are not the ecosystem's own.
    pub fn registries<'a>(&mut self, addresses: impl IntoIterator<Item = &'a str>) {
        self.registries.extend(addresses.into_iter().map(ToOwned::to_owned));
    }

    /// Keeps what was not taken out of a document.
    pub fn rest(&mut self, mut document: Value) {
        prune(&mut document);
        if !is_empty(&document) {
            self.rest.push(document.to_string());
        }
    }

    /// Keeps what was not taken out of one part of a lock file.
    pub fn edge(&mut self, place: &str, mut part: Value) {
        prune(&mut part);
        if !is_empty(&part) {
            self.edges.push(format!("{place} {part}"));
        }
    }

    /// Takes in all that another names.
    pub fn absorb(&mut self, other: Self) {
        for (name, package) in other.packages {
            let mine = self.packages.entry(name).or_default();
            if !mine.version.is_empty() && !package.version.is_empty() {
                mine.version.push_str(", ");
            }
            mine.version.push_str(&package.version);
            mine.source = package.source.or(mine.source.take());
            mine.home = package.home.or(mine.home.take());
            mine.runs_script |= package.runs_script;
            mine.locked.extend(package.locked);
        }
        self.registries.extend(other.registries);
        self.includes.extend(other.includes);
        self.rest.extend(other.rest);
        self.edges.extend(other.edges);
    }

    /// The same, whatever the order of the lines.
    pub fn sorted(mut self) -> Self {
        self.rest.sort_unstable();
        self.edges.sort_unstable();
        self
    }
}

/// Drops empty objects, so that an empty section and none are the same.
fn prune(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(prune);
            map.retain(|_, value| !is_empty(value));
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        value => value.is_null(),
    }
}

impl Locked {
    /// One hash and one address, where there are any.
    pub fn one(hash: Option<&str>, address: Option<&str>) -> Self {
        let set =
            |value: Option<&str>| value.filter(|value| !value.is_empty()).map(ToOwned::to_owned).into_iter().collect();
        Self { hashes: set(hash), addresses: set(address) }
    }

    /// What differs in what is taken for the same version, in words.
    pub fn differs(&self, before: &Self) -> Option<String> {
        let new = |now: &BTreeSet<String>, was: &BTreeSet<String>| {
            (!was.is_empty()).then(|| now.difference(was).next().cloned()).flatten()
        };
        if let Some(address) = new(&self.addresses, &before.addresses) {
            return Some(format!("another address for the same version: {address}"));
        }
        if new(&self.hashes, &before.hashes).is_some() {
            return Some("another hash for the same version".to_owned());
        }
        let lost = self.hashes.is_empty() && !before.hashes.is_empty();
        lost.then(|| "no hash any more for the same version".to_owned())
    }
}

impl Package {
    /// What differs in what is taken for a version that was there before.
    pub fn differs(&self, before: &Self) -> Option<String> {
        self.locked.iter().find_map(|(version, now)| now.differs(before.locked.get(version)?))
    }
}

/// A folder as a source: none if it lies in the project, where the plan's own diff shows it.
pub(super) fn folder(manifest: &RelPath, path: &str) -> Option<String> {
    let outside = || Some(format!("folder {path}"));
    if path.starts_with(['/', '\\', '~']) || path.contains(['$', '%']) || path.get(1..2) == Some(":") {
        return outside();
    }
    let mut depth = manifest.parts().count().saturating_sub(1);
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return outside(),
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    None
}

/// The host of an address, for lock files that name one address a package.
pub(super) fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    host.rsplit('@').next().unwrap_or(host)
}
