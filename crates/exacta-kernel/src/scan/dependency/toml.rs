//! Manifests and lock files in TOML.

use super::line::requirement;
use super::manifest::{Manifest, folder};
use crate::path::RelPath;
use crate::prelude::*;
use ::toml::{Table, Value};

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// `Cargo.toml`: dependencies of every kind, target and workspace, patches, and registries.
pub(super) fn cargo(text: &str, path: &RelPath) -> Option<Manifest> {
    let table: Table = text.parse().ok()?;
    let mut manifest = Manifest::default();
    cargo_sections(&table, path, &mut manifest);
    if let Some(workspace) = table.get("workspace").and_then(Value::as_table) {
        cargo_sections(workspace, path, &mut manifest);
    }
    for target in tables(table.get("target")) {
        cargo_sections(target, path, &mut manifest);
    }
    for patches in tables(table.get("patch")) {
        cargo_packages(patches, path, &mut manifest);
    }
    cargo_packages_at(&table, "replace", path, &mut manifest);
    Some(manifest)
}

fn cargo_sections(table: &Table, path: &RelPath, manifest: &mut Manifest) {
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        cargo_packages_at(table, section, path, manifest);
    }
}

fn cargo_packages_at(table: &Table, section: &str, path: &RelPath, manifest: &mut Manifest) {
    if let Some(packages) = table.get(section).and_then(Value::as_table) {
        cargo_packages(packages, path, manifest);
    }
}

fn cargo_packages(packages: &Table, path: &RelPath, manifest: &mut Manifest) {
    for (key, value) in packages {
        let Some(detail) = value.as_table() else {
            manifest.add(key, value.as_str().unwrap_or_default(), None);
            continue;
        };
        let text = |key: &str| detail.get(key).and_then(Value::as_str);
        let name = text("package").unwrap_or(key);
        let source = text("git").map(|address| format!("repository {address}"));
        let source = source.or_else(|| text("registry").map(|registry| format!("registry {registry}")));
        let source = source.or_else(|| text("registry-index").map(|registry| format!("registry {registry}")));
        let source = source.or_else(|| text("path").and_then(|inner| folder(path, inner)));
        manifest.add(name, &detail.to_string(), source);
    }
}

/// `Cargo.lock`, `poetry.lock`, `uv.lock`, `pdm.lock`: one table a package.
pub(super) fn lock(text: &str) -> Option<Manifest> {
    let table: Table = text.parse().ok()?;
    let mut manifest = Manifest::default();
    for package in tables(table.get("package")) {
        let text = |key: &str| package.get(key).and_then(Value::as_str);
        manifest.add(text("name")?, text("version").unwrap_or_default(), lock_source(package.get("source")));
    }
    Some(manifest)
}

/// The source of a locked package, without the commit: that is a version.
fn lock_source(source: Option<&Value>) -> Option<String> {
    let source = match source? {
        Value::String(source) if source == CRATES_IO => return None,
        Value::String(source) => source.clone(),
        Value::Table(table) if table.contains_key("editable") || table.contains_key("virtual") => return None,
        Value::Table(table) => {
            let named =
                ["url", "registry", "git", "directory", "path"].iter().find_map(|key| table.get(*key)?.as_str());
            named?.to_owned()
        }
        _ => return None,
    };
    let source = source.split(['#', '?']).next().unwrap_or_default();
    (!source.starts_with("https://pypi.org")).then(|| source.to_owned())
}

/// `pyproject.toml`: PEP 621, PEP 735, Poetry, PDM and uv.
pub(super) fn pyproject(text: &str, path: &RelPath) -> Option<Manifest> {
    let table: Table = text.parse().ok()?;
    let mut manifest = Manifest::default();
    let at = |keys: &[&str]| {
        keys.iter().try_fold(None::<&Value>, |value, key| {
            Some(Some(value.map_or_else(|| table.get(*key), |value| value.get(*key))?))
        })?
    };
    requirements(at(&["project", "dependencies"]), &mut manifest);
    requirements(at(&["build-system", "requires"]), &mut manifest);
    for groups in [
        at(&["project", "optional-dependencies"]),
        at(&["dependency-groups"]),
        at(&["tool", "pdm", "dev-dependencies"]),
    ] {
        groups
            .and_then(Value::as_table)
            .into_iter()
            .flat_map(Table::values)
            .for_each(|list| requirements(Some(list), &mut manifest));
    }
    for section in [at(&["tool", "poetry", "dependencies"]), at(&["tool", "poetry", "dev-dependencies"])] {
        poetry(section, path, &mut manifest);
    }
    for group in tables(at(&["tool", "poetry", "group"])) {
        poetry(group.get("dependencies"), path, &mut manifest);
    }
    for sources in [at(&["tool", "poetry", "source"]), at(&["tool", "uv", "index"]), at(&["tool", "pdm", "source"])] {
        manifest
            .registries
            .extend(tables(sources).filter_map(|source| source.get("url")?.as_str()).map(ToOwned::to_owned));
    }
    for index in [at(&["tool", "uv", "index-url"]), at(&["tool", "uv", "extra-index-url"])].into_iter().flatten() {
        manifest.registries.extend(strings(index).map(ToOwned::to_owned));
    }
    poetry(at(&["tool", "uv", "sources"]), path, &mut manifest);
    Some(manifest)
}

fn requirements(list: Option<&Value>, manifest: &mut Manifest) {
    for text in list.into_iter().flat_map(strings) {
        requirement(text, manifest);
    }
}

/// Packages as `name = "version"` or `name = { version, git, url, path, source }`.
fn poetry(section: Option<&Value>, path: &RelPath, manifest: &mut Manifest) {
    for (name, value) in section.and_then(Value::as_table).into_iter().flatten().filter(|(name, _)| *name != "python") {
        let detail = value.as_table();
        let text = |key: &str| detail.and_then(|detail| detail.get(key)).and_then(Value::as_str);
        let source =
            ["git", "url", "source", "index"].iter().find_map(|key| text(key)).map(|source| format!("source {source}"));
        let source = source.or_else(|| text("path").and_then(|inner| folder(path, inner)));
        manifest.add(&name.to_lowercase(), &value.to_string(), source);
    }
}

/// Gradle's `libs.versions.toml`: libraries and plugins, with the versions that they refer to.
pub(super) fn gradle_catalog(text: &str) -> Option<Manifest> {
    let table: Table = text.parse().ok()?;
    let mut manifest = Manifest::default();
    let versions = table.get("versions");
    for value in table.get("libraries").into_iter().chain(table.get("plugins")).filter_map(Value::as_table).flatten() {
        let value = value.1;
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let (name, version) = match value {
            Value::String(text) => text.rsplit_once(':').unwrap_or((text, "")),
            _ => (text("module").or_else(|| text("id")).unwrap_or_default(), text("version").unwrap_or_default()),
        };
        let named = text("group").zip(text("name")).map(|(group, name)| format!("{group}:{name}"));
        let referred = value.get("version").and_then(|version| version.get("ref")?.as_str());
        let version = referred.and_then(|key| versions?.get(key)).map_or_else(|| version.to_owned(), Value::to_string);
        manifest.add(named.as_deref().unwrap_or(name), &version, None);
    }
    Some(manifest)
}

/// `Pipfile`.
pub(super) fn pipfile(text: &str) -> Option<Manifest> {
    let table: Table = text.parse().ok()?;
    let mut manifest = Manifest::default();
    let root = RelPath::parse("Pipfile").ok()?;
    poetry(table.get("packages"), &root, &mut manifest);
    poetry(table.get("dev-packages"), &root, &mut manifest);
    let sources = tables(table.get("source")).filter_map(|source| source.get("url")?.as_str());
    manifest.registries.extend(sources.filter(|url| !url.starts_with("https://pypi.org")).map(ToOwned::to_owned));
    Some(manifest)
}

/// The tables in a table or an array.
fn tables(value: Option<&Value>) -> impl Iterator<Item = &Table> {
    let items: Vec<&Value> = match value {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(Value::Table(table)) => table.values().collect(),
        _ => Vec::new(),
    };
    items.into_iter().filter_map(Value::as_table)
}

/// A string, or the strings of an array.
fn strings(value: &Value) -> impl Iterator<Item = &str> {
    let items: Vec<&str> = match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    items.into_iter()
}
