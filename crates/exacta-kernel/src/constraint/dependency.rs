//! Which packages a manifest or lock file names that it did not name before.

use crate::prelude::*;
use serde_json::Value;

/// What a change adds to a project's dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Added {
    Nothing,
    Package(String),
    /// The file names dependencies, but cannot be read here.
    Unknown,
}

/// Files that name dependencies in a form that is not read here.
const UNREAD: &[&str] = &[
    "gemfile",
    "gemfile.lock",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "pipfile",
    "pipfile.lock",
    "setup.py",
    "setup.cfg",
    "packages.config",
    "directory.packages.props",
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
    "libs.versions.toml",
];
const UNREAD_EXTENSIONS: &[&str] = &[".csproj", ".fsproj", ".vbproj", ".gemspec", ".cabal"];

/// Compares the file before and after.
pub(super) fn added(path: &str, before: &[u8], after: &[u8]) -> Added {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let Some(read) = reader(&name) else {
        let unread = UNREAD.contains(&name.as_str()) || UNREAD_EXTENSIONS.iter().any(|end| name.ends_with(end));
        return if unread && before != after && !after.is_empty() { Added::Unknown } else { Added::Nothing };
    };
    match (read(before), read(after)) {
        (Some(before), Some(after)) => {
            after.into_iter().find(|name| !before.contains(name)).map_or(Added::Nothing, Added::Package)
        }
        _ => Added::Unknown,
    }
}

type Reader = fn(&[u8]) -> Option<BTreeSet<String>>;

fn reader(name: &str) -> Option<Reader> {
    match name {
        "cargo.toml" | "pyproject.toml" | "cargo.lock" | "poetry.lock" | "uv.lock" => Some(toml),
        "package.json"
        | "package-lock.json"
        | "npm-shrinkwrap.json"
        | "composer.json"
        | "composer.lock"
        | "deno.json"
        | "vcpkg.json" => Some(json),
        "go.mod" => Some(go_mod),
        _ if name.contains("requirements") && name.ends_with(".txt") => Some(requirements),
        _ => None,
    }
}

fn toml(bytes: &[u8]) -> Option<BTreeSet<String>> {
    let text = core::str::from_utf8(bytes).ok()?;
    toml::from_str::<Value>(text).ok().map(|value| all(&value))
}

fn json(bytes: &[u8]) -> Option<BTreeSet<String>> {
    if bytes.trim_ascii().is_empty() {
        return Some(BTreeSet::new());
    }
    serde_json::from_slice::<Value>(bytes).ok().map(|value| all(&value))
}

fn all(value: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(value, &mut names);
    names
}

fn collect(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if names_packages(key) || is_lock_list(key, value) {
                    packages(value, names);
                }
                collect(value, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        _ => {}
    }
}

/// `dependencies`, `devDependencies`, `build-dependencies`, `require`, and their like.
fn names_packages(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let named = ["dependency-groups", "requires", "require", "require-dev", "imports"];
    key.ends_with("dependencies") || named.contains(&key.as_str())
}

/// The packages of a lock file: `[[package]]`, `"packages": {…}`, `"packages": [{"name": …}]`.
fn is_lock_list(key: &str, value: &Value) -> bool {
    match key {
        "package" | "packages-dev" => value.is_array(),
        "packages" => value.is_object() || value.as_array().is_some_and(|items| items.iter().all(Value::is_object)),
        _ => false,
    }
}

fn packages(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    // A group of requirements.
                    Value::Array(_) => packages(value, names),
                    // `alias = { package = "name" }`
                    Value::Object(entry) => {
                        let real = entry.get("package").and_then(Value::as_str).unwrap_or(key);
                        names.insert(real.to_owned());
                    }
                    Value::String(_) | Value::Bool(_) => drop(names.insert(key.clone())),
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                match (item, item.get("name").and_then(Value::as_str)) {
                    (Value::String(text), _) => names.extend(requirement(text)),
                    (_, Some(name)) => drop(names.insert(name.to_owned())),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// The name in `name[extra] >= 1.2; marker`.
fn requirement(text: &str) -> Option<String> {
    let text = text.trim();
    let end = text.find([' ', '\t', '[', '<', '>', '=', '!', '~', ';', '@', '(', ',']).unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty()).map(str::to_ascii_lowercase)
}

fn requirements(bytes: &[u8]) -> Option<BTreeSet<String>> {
    let text = core::str::from_utf8(bytes).ok()?;
    let lines = text.lines().map(|line| line.split(" #").next().unwrap_or(line).trim());
    let given = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    // An option or address counts whole: a changed index or editable source is something new.
    let name = |line: &str| {
        let whole = line.starts_with('-') || line.contains("://");
        if whole { Some(line.to_owned()) } else { requirement(line) }
    };
    Some(given.filter_map(name).collect())
}

fn go_mod(bytes: &[u8]) -> Option<BTreeSet<String>> {
    let text = core::str::from_utf8(bytes).ok()?;
    let mut names = BTreeSet::new();
    let mut block = "";
    for line in text.lines().map(|line| line.split("//").next().unwrap_or(line).trim()) {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some(")"), _) => block = "",
            (Some(directive), Some("(")) => block = directive,
            (Some("require"), Some(name)) => drop(names.insert(name.to_owned())),
            (Some("replace"), Some(_)) => drop(names.insert(line.to_owned())),
            (Some(name), _) if block == "require" => drop(names.insert(name.to_owned())),
            (Some(_), _) if block == "replace" => drop(names.insert(format!("replace {line}"))),
            _ => {}
        }
    }
    Some(names)
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
            ("package-lock.json", "{}", "{\"packages\":{\"node_modules/a\":{\"version\":\"1\"}}}", "node_modules/a"),
            ("pyproject.toml", "", "[project]\ndependencies=['Requests>=2']", "requests"),
            ("pyproject.toml", "", "[project.optional-dependencies]\ntest=['pytest']", "pytest"),
            ("pyproject.toml", "", "[tool.poetry.group.dev.dependencies]\nblack='*'", "black"),
            ("requirements-dev.txt", "a==1 # why\n", "# all\na==2\nb\n", "b"),
            ("requirements.txt", "a", "-r more.txt\na", "-r more.txt"),
            ("go.mod", "require a/b v1", "require (\n\ta/b v2 // indirect\n\tc/d v1\n)", "c/d"),
            ("go.mod", "module x\n\ngo 1.22", "module x\n\ngo 1.23", ""),
            ("composer.json", "{\"require\":{}}", "{\"require\":{\"a/b\":\"1\"}}", "a/b"),
            ("Gemfile", "gem 'a'", "gem 'b'", "?"),
            ("Gemfile", "gem 'a'", "gem 'a'", ""),
            ("a.csproj", "", "<x/>", "?"),
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
