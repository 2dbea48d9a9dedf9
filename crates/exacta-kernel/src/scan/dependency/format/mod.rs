//! Which files name dependencies, and who reads them: one table. A format is a name, a reader, and a line here.
//!
//! A reader takes the text and gives what it names. It says `None` where the text is not of its grammar, and keeps everything
//! that it does not understand as [`Manifest::rest`], so that nothing can hide from a constraint.

mod cargo;
mod composer;
mod dart;
mod deno;
mod go;
mod gradle;
mod ini;
mod maven;
mod native;
mod npm;
mod nuget;
mod pnpm;
mod python;
mod python_lock;
mod requirements;
mod ruby;
mod unread;
mod yarn;

pub(crate) use unread::is_unread;

use super::manifest::Manifest;
use crate::path::RelPath;
use crate::prelude::*;

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
    /// No list of well-known names is kept.
    Other,
}

impl Ecosystem {
    /// Its name in the list of known bad releases.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Cargo => Some("cargo"),
            Self::Npm => Some("npm"),
            Self::Pypi => Some("pypi"),
            Self::Go => Some("go"),
            Self::Composer => Some("composer"),
            Self::Gem => Some("gem"),
            Self::Maven => Some("maven"),
            Self::Nuget => Some("nuget"),
            Self::Other => None,
        }
    }
}

/// What a manifest is to its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    /// People write it.
    Manifest,
    /// A tool writes it, with every package that the named ones need.
    Lock,
    /// A program: what it adds may be in no line.
    Program,
}

/// A kind of manifest or lock file.
#[derive(Debug)]
pub(crate) struct Format {
    /// The names of such files, lower case; `*` stands for anything, and a folder before `/` is meant at any depth.
    names: &'static [&'static str],
    nature: Nature,
    ecosystem: Ecosystem,
    read: fn(&str, &RelPath) -> Option<Manifest>,
}

macro_rules! formats {
    ($($nature:ident $ecosystem:ident $read:path: $($name:literal)+;)+) => {
        /// Every format that is read. The first that fits counts.
        const FORMATS: &[Format] = &[$(Format {
            names: &[$($name),+],
            nature: Nature::$nature,
            ecosystem: Ecosystem::$ecosystem,
            read: $read,
        }),+];
    };
}

formats! {
    Manifest Cargo cargo::manifest: "cargo.toml";
    Lock Cargo cargo::lock: "cargo.lock";
    Manifest Npm npm::manifest: "package.json";
    Manifest Npm npm::workspace: "pnpm-workspace.yaml";
    Lock Npm npm::lock: "package-lock.json" "npm-shrinkwrap.json";
    Lock Npm yarn::lock: "yarn.lock";
    Lock Npm pnpm::lock: "pnpm-lock.yaml";
    Manifest Other deno::manifest: "deno.json" "deno.jsonc" "import_map.json" "importmap.json";
    Manifest Pypi python::pyproject: "pyproject.toml";
    Manifest Pypi python::pipfile: "pipfile";
    Manifest Pypi python::setup_cfg: "setup.cfg";
    Manifest Other python::environment: "environment.yml" "environment.yaml" "environment-*.yml" "environment-*.yaml";
    Lock Pypi python_lock::pipfile: "pipfile.lock";
    Lock Pypi python_lock::lock: "poetry.lock" "uv.lock" "pdm.lock" "pylock.toml" "pylock.*.toml";
    Manifest Pypi requirements::list: "*requirements*.txt" "*requirements*.in" "*requirements*.pip" "constraints*.txt" "constraints*.in"
        "requirements/*.txt" "requirements/*.in" "requirements/*.pip" "constraints/*.txt" "constraints/*.in";
    Manifest Go go::manifest: "go.mod" "go.work";
    Lock Go go::sum: "go.sum" "go.work.sum";
    Manifest Composer composer::manifest: "composer.json";
    Lock Composer composer::lock: "composer.lock";
    Program Gem ruby::gemfile: "gemfile" "gems.rb";
    Lock Gem ruby::lock: "gemfile.lock" "gems.locked";
    Manifest Maven maven::pom: "pom.xml" "*.pom";
    Program Maven gradle::build: "*.gradle" "*.gradle.kts";
    Manifest Maven gradle::catalog: "*.versions.toml";
    Lock Maven gradle::lock: "*gradle.lockfile";
    Manifest Nuget nuget::project: "*.csproj" "*.fsproj" "*.vbproj" "*.nuspec" "packages.config" "directory.packages.props"
        "directory.build.props" "directory.build.targets";
    Lock Nuget nuget::lock: "packages.lock.json";
    Manifest Other dart::manifest: "pubspec.yaml" "pubspec_overrides.yaml";
    Lock Other dart::lock: "pubspec.lock";
    Manifest Other native::vcpkg: "vcpkg.json" "vcpkg-configuration.json";
    Manifest Other native::conan: "conanfile.txt";
    Lock Other native::resolved: "package.resolved";
}

/// The format of a file, by its name and the folder it is in. Case does not matter: on some systems it does not to the tools.
pub(crate) fn format_of(path: &RelPath) -> Option<&'static Format> {
    let (folder, name) = last_two(path);
    FORMATS.iter().find(|format| format.names.iter().any(|pattern| fits(pattern, &folder, &name)))
}

/// The names of the last folder and of the file, lower case.
fn last_two(path: &RelPath) -> (String, String) {
    let mut parts = path.parts().rev().map(str::to_ascii_lowercase);
    let name = parts.next().unwrap_or_default();
    (parts.next().unwrap_or_default(), name)
}

fn fits(pattern: &str, folder: &str, name: &str) -> bool {
    match pattern.split_once('/') {
        Some((wanted, rest)) => wanted == folder && fits_name(rest, name),
        None => fits_name(pattern, name),
    }
}

fn fits_name(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    true
}

impl Format {
    /// Whether a tool writes it, with every package that the named ones need.
    pub fn is_lock(&self) -> bool {
        self.nature == Nature::Lock
    }

    /// Whether it is a program, so that what it adds may be in no line.
    pub fn is_program(&self) -> bool {
        self.nature == Nature::Program
    }

    pub fn ecosystem(&self) -> Ecosystem {
        self.ecosystem
    }

    /// What a file of this kind names; `None` if it cannot be read.
    pub fn read(&self, bytes: &[u8], path: &RelPath) -> Option<Manifest> {
        let text = core::str::from_utf8(bytes).ok()?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        if text.trim().is_empty() {
            return Some(Manifest::default());
        }
        (self.read)(text, path)
    }
}
