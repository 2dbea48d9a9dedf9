//! Which files name dependencies, and what is read from them.

use super::{json, line, toml, xml};
use crate::path::RelPath;
use crate::prelude::*;

/// What a manifest or lock file names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// The packages by name.
    pub packages: BTreeMap<String, Package>,
    /// Registries and indexes besides the ecosystem's own.
    pub registries: BTreeSet<String>,
}

/// One package as a manifest names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Package {
    /// Versions, ranges and features as written; several joined.
    pub version: String,
    /// Repository, address, registry or folder outside the project; `None` for the ecosystem's own registry.
    pub source: Option<String>,
    /// It runs a script of its own when it is installed.
    pub runs_script: bool,
}

/// Whose names these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ecosystem {
    Cargo,
    Npm,
    Pypi,
    Go,
    Composer,
    Gem,
    Maven,
    Nuget,
}

/// A kind of manifest or lock file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    CargoManifest,
    CargoLock,
    PackageJson,
    PackageLock,
    YarnLock,
    PnpmLock,
    Pyproject,
    Requirements,
    Pipfile,
    PipfileLock,
    PythonLock,
    GoMod,
    GoSum,
    ComposerJson,
    ComposerLock,
    Gemfile,
    GemfileLock,
    Pom,
    Gradle,
    GradleCatalog,
    Nuget,
}

/// The kind of a file, by its name.
pub(crate) fn kind_of(name: &str) -> Option<Kind> {
    let kind = match name {
        "Cargo.toml" => Kind::CargoManifest,
        "Cargo.lock" => Kind::CargoLock,
        "package.json" => Kind::PackageJson,
        "package-lock.json" | "npm-shrinkwrap.json" => Kind::PackageLock,
        "yarn.lock" => Kind::YarnLock,
        "pnpm-lock.yaml" => Kind::PnpmLock,
        "pyproject.toml" => Kind::Pyproject,
        "Pipfile" => Kind::Pipfile,
        "Pipfile.lock" => Kind::PipfileLock,
        "poetry.lock" | "uv.lock" | "pdm.lock" => Kind::PythonLock,
        "go.mod" => Kind::GoMod,
        "go.sum" => Kind::GoSum,
        "composer.json" => Kind::ComposerJson,
        "composer.lock" => Kind::ComposerLock,
        "Gemfile" | "gems.rb" => Kind::Gemfile,
        "Gemfile.lock" | "gems.locked" => Kind::GemfileLock,
        "pom.xml" => Kind::Pom,
        "build.gradle" | "build.gradle.kts" => Kind::Gradle,
        "libs.versions.toml" => Kind::GradleCatalog,
        "Directory.Packages.props" | "packages.config" => Kind::Nuget,
        _ if name.ends_with(".csproj") || name.ends_with(".fsproj") || name.ends_with(".vbproj") => Kind::Nuget,
        _ if name.ends_with(".txt") && (name.starts_with("requirements") || name.starts_with("constraints")) => {
            Kind::Requirements
        }
        _ => return None,
    };
    Some(kind)
}

impl Kind {
    /// Whether a tool writes it, with every package that the named ones need.
    pub const fn is_lock(self) -> bool {
        matches!(
            self,
            Self::CargoLock
                | Self::PackageLock
                | Self::YarnLock
                | Self::PnpmLock
                | Self::PipfileLock
                | Self::PythonLock
                | Self::GoSum
                | Self::ComposerLock
                | Self::GemfileLock
        )
    }

    pub const fn ecosystem(self) -> Ecosystem {
        match self {
            Self::CargoManifest | Self::CargoLock => Ecosystem::Cargo,
            Self::PackageJson | Self::PackageLock | Self::YarnLock | Self::PnpmLock => Ecosystem::Npm,
            Self::Pyproject | Self::Requirements | Self::Pipfile | Self::PipfileLock | Self::PythonLock => {
                Ecosystem::Pypi
            }
            Self::GoMod | Self::GoSum => Ecosystem::Go,
            Self::ComposerJson | Self::ComposerLock => Ecosystem::Composer,
            Self::Gemfile | Self::GemfileLock => Ecosystem::Gem,
            Self::Pom | Self::Gradle | Self::GradleCatalog => Ecosystem::Maven,
            Self::Nuget => Ecosystem::Nuget,
        }
    }

    /// What a file of this kind names; `None` if it cannot be read.
    pub(super) fn read(self, text: &str, path: &RelPath) -> Option<Manifest> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        match self {
            Self::CargoManifest => toml::cargo(text, path),
            Self::CargoLock | Self::PythonLock => toml::lock(text),
            Self::Pyproject => toml::pyproject(text, path),
            Self::GradleCatalog => toml::gradle_catalog(text),
            Self::Pipfile => toml::pipfile(text),
            Self::PackageJson => json::package(text, path),
            Self::PackageLock => json::package_lock(text),
            Self::PipfileLock => json::pipfile_lock(text),
            Self::ComposerJson => json::composer(text),
            Self::ComposerLock => json::composer_lock(text),
            Self::Requirements => Some(line::requirements(text)),
            Self::GoMod => Some(line::go_mod(text, path)),
            Self::GoSum => Some(line::go_sum(text)),
            Self::Gemfile => Some(line::gemfile(text)),
            Self::GemfileLock => Some(line::gemfile_lock(text)),
            Self::YarnLock => Some(line::yarn_lock(text)),
            Self::PnpmLock => Some(line::pnpm_lock(text)),
            Self::Gradle => Some(line::gradle(text)),
            Self::Pom => Some(xml::pom(text)),
            Self::Nuget => Some(xml::nuget(text)),
        }
    }
}

impl Manifest {
    /// Adds a package; a second mention of the same name joins the first.
    pub fn add(&mut self, name: &str, version: &str, source: Option<String>) {
        let name = name.trim();
        if name.is_empty() {
            return;
        }
        let package = self.packages.entry(name.to_owned()).or_default();
        if !package.version.is_empty() {
            package.version.push_str(", ");
        }
        package.version.push_str(version.trim());
        if source.is_some() {
            package.source = source;
        }
    }

    /// Says that a package runs a script when it is installed.
    pub fn runs_script(&mut self, name: &str) {
        if let Some(package) = self.packages.get_mut(name) {
            package.runs_script = true;
        }
    }
}

/// A folder as a source: none if it lies in the project, where the plan's own diff shows it.
pub(super) fn folder(manifest: &RelPath, path: &str) -> Option<String> {
    let outside = || Some(format!("folder {path}"));
    if path.starts_with(['/', '\\', '~']) || path.get(1..2) == Some(":") {
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
