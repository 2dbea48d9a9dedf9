//! Which packages a manifest or lock file names that it did not name before.

use crate::path::RelPath;
use crate::prelude::*;
use crate::scan::dependency::{Kind, kind_of, names};

/// What a change adds to a project's dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Added {
    Nothing,
    Package(String),
    /// The file names dependencies, but cannot be read here.
    Unknown,
}

/// Files that name dependencies in a form that is not read here, and other spellings of those that are: lower case.
const UNREAD: &[&str] = &[
    "cargo.toml",
    "cargo.lock",
    "gemfile",
    "gemfile.lock",
    "settings.gradle",
    "pnpm-workspace.yaml",
    "pipfile",
    "pipfile.lock",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "package.json",
    "package-lock.json",
    "composer.json",
    "go.mod",
    "pom.xml",
    "directory.packages.props",
    "deno.json",
    "deno.jsonc",
    "vcpkg.json",
    "mix.exs",
    "mix.lock",
    "pubspec.yaml",
    "pubspec.lock",
    "package.swift",
    "package.resolved",
    "conanfile.txt",
    "conanfile.py",
    "environment.yml",
    "environment.yaml",
    "flake.nix",
    "flake.lock",
    "bun.lock",
    "bun.lockb",
    "podfile",
    "podfile.lock",
    ".gitmodules",
];
const UNREAD_EXTENSIONS: &[&str] = &[".csproj", ".fsproj", ".vbproj", ".gemspec", ".cabal"];

/// Compares the file before and after.
pub(super) fn added(path: &str, before: &[u8], after: &[u8]) -> Added {
    if before == after || after.is_empty() {
        return Added::Nothing;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let (Some(kind), Ok(path)) = (kind_of(name), RelPath::parse(path)) else {
        let name = name.to_ascii_lowercase();
        let unread = UNREAD.contains(&name.as_str())
            || UNREAD_EXTENSIONS.iter().any(|end| name.ends_with(end))
            || name.contains("requirements") && name.ends_with(".txt");
        return if unread { Added::Unknown } else { Added::Nothing };
    };
    let (Some(before), Some(after)) = (all(kind, &path, before), all(kind, &path, after)) else {
        return Added::Unknown;
    };
    match after.into_iter().find(|name| !before.contains(name)) {
        Some(name) => Added::Package(name),
        // These are programs: what they add may be in no line.
        None if matches!(kind, Kind::Gemfile | Kind::Gradle) => Added::Unknown,
        None => Added::Nothing,
    }
}

/// What a file names: packages, where they come from, and other lists that it takes in.
fn all(kind: Kind, path: &RelPath, bytes: &[u8]) -> Option<BTreeSet<String>> {
    if bytes.trim_ascii().is_empty() {
        return Some(BTreeSet::new());
    }
    let text = core::str::from_utf8(bytes).ok()?;
    let mut all = names(kind, path, text)?;
    if kind == Kind::Requirements {
        all.extend(text.lines().map(str::trim).filter(|line| line.starts_with('-')).map(ToOwned::to_owned));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_were_not_there_before() {
        // file, before, after, what is added (`?`: cannot be told)
        for (path, before, after, expected) in [
            ("Cargo.toml", "[dependencies]\na='1'", "[dependencies]\na='2'", ""),
            ("Cargo.toml", "[dependencies]\na='1'", "[dependencies]\na='1'\nb={version='1'}", "b"),
            ("x/Cargo.toml", "", "[target.'cfg(unix)'.dev-dependencies]\nc={package='real'}", "real"),
            ("Cargo.toml", "[dependencies]\na='1'", "[dependencies]", ""),
            ("Cargo.toml", "", "[package]\nname='x'\nversion='1'", ""),
            ("Cargo.toml", "[dependencies]", "[dependencies", "?"),
            ("Cargo.lock", "[[package]]\nname='a'", "[[package]]\nname='a'\n[[package]]\nname='b'", "b"),
            ("package.json", "{}", "{\"devDependencies\":{\"left-pad\":\"1\"}}", "left-pad"),
            ("package.json", "{\"dependencies\":{\"a\":\"1\"}}", "{\"dependencies\":{\"a\":\"2\"}}", ""),
            ("package.json", "", "{\"scripts\":{\"b\":\"1\"}}", ""),
            ("package-lock.json", "{}", "{\"packages\":{\"node_modules/a\":{\"version\":\"1\"}}}", "a"),
            ("pyproject.toml", "", "[project]\ndependencies=['Requests>=2']", "requests"),
            ("pyproject.toml", "", "[project.optional-dependencies]\ntest=['pytest']", "pytest"),
            ("pyproject.toml", "", "[tool.poetry.group.dev.dependencies]\nblack='*'", "black"),
            ("requirements-dev.txt", "a==1 # why\n", "# all\na==2\nb\n", "b"),
            ("requirements.txt", "a", "-r more.txt\na", "-r more.txt"),
            ("go.mod", "require a/b v1", "require (\n\ta/b v2 // indirect\n\tc/d v1\n)", "c/d"),
            ("go.mod", "module x\n\ngo 1.22", "module x\n\ngo 1.23", ""),
            ("composer.json", "{\"require\":{}}", "{\"require\":{\"a/b\":\"1\"}}", "a/b"),
            ("Gemfile", "gem 'a'", "gem 'b'", "b"),
            ("Gemfile", "gem 'a'", "gem 'a'\nmore()", "?"),
            ("yarn.lock", "", "b@^2:\n  version \"2.0.0\"\n", "b"),
            ("CARGO.TOML", "", "[dependencies]\nb='1'", "?"),
            ("Gemfile", "gem 'a'", "gem 'a'", ""),
            ("a.csproj", "", "<x/>", ""),
            ("a.csproj", "", "<PackageReference Include=\"B\" Version=\"1\" />", "B"),
            ("a.cabal", "", "x", "?"),
            ("src/main.rs", "", "[dependencies]\nb='1'", ""),
        ] {
            let found = match added(path, before.as_bytes(), after.as_bytes()) {
                Added::Nothing => String::new(),
                Added::Package(name) => name,
                Added::Unknown => "?".to_owned(),
            };
            assert_eq!(found, expected, "{path}: {before} → {after}");
        }
    }
}
