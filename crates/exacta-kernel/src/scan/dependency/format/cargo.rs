//! Cargo: `Cargo.toml` and `Cargo.lock`.

use super::super::document::{drop_own, tables, take, take_list, take_map, take_text, toml};
use super::super::manifest::{Locked, Manifest, folder};
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::{Map, Value};

const CRATES_IO: &[&str] =
    &["registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io/"];
const SECTIONS: &[&str] =
    &["dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies"];
/// What only describes a package.
const OWN: &[&str] = &[
    "name",
    "version",
    "authors",
    "description",
    "documentation",
    "readme",
    "homepage",
    "repository",
    "license",
    "license-file",
    "keywords",
    "categories",
];

/// `Cargo.toml`: dependencies of every kind, target and workspace, patches, and registries.
pub(super) fn manifest(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut document = toml(text)?;
    let mut manifest = Manifest::default();
    sections(&mut document, path, &mut manifest);
    if let Some(workspace) = document.get_mut("workspace") {
        sections(workspace, path, &mut manifest);
    }
    for target in document.get_mut("target").map(tables).unwrap_or_default() {
        sections(target, path, &mut manifest);
    }
    for patches in take_map(&mut document, &["patch"]).into_values().chain(take(&mut document, &["replace"])) {
        match patches {
            Value::Object(patches) => packages(patches, path, &mut manifest),
            other => manifest.rest(other),
        }
    }
    for keys in [&["package"][..], &["project"], &["workspace", "package"]] {
        drop_own(&mut document, keys, OWN);
    }
    manifest.rest(document);
    Some(manifest)
}

fn sections(table: &mut Value, path: &RelPath, manifest: &mut Manifest) {
    for section in SECTIONS {
        packages(take_map(table, &[section]), path, manifest);
    }
}

fn packages(packages: Map<String, Value>, path: &RelPath, manifest: &mut Manifest) {
    for (key, value) in packages {
        let Some(detail) = value.as_object() else {
            manifest.add(&key, value.as_str().unwrap_or_default(), None);
            continue;
        };
        let text = |key: &str| detail.get(key).and_then(Value::as_str);
        let source = text("git").map(|address| format!("repository {address}"));
        let source = source.or_else(|| text("registry").map(|registry| format!("registry {registry}")));
        let source = source.or_else(|| text("registry-index").map(|registry| format!("registry {registry}")));
        let source = source.or_else(|| text("path").and_then(|inner| folder(path, inner)));
        manifest.add(text("package").unwrap_or(&key), &value.to_string(), source);
    }
}

/// `Cargo.lock`: one table a package. In the first format the hashes are in a table of their own.
pub(super) fn lock(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut document = toml(text)?;
    let mut manifest = Manifest::default();
    for mut package in take_list(&mut document, &["package"]) {
        let name = take_text(&mut package, &["name"])?;
        let version = take_text(&mut package, &["version"]).unwrap_or_default();
        let source = take_text(&mut package, &["source"]).unwrap_or_default();
        let checksum = take_text(&mut package, &["checksum"]);
        let old = format!("checksum {name} {version} ({source})");
        let checksum = checksum.or_else(|| take_text(&mut document, &["metadata", &old]));
        // A commit is a version.
        let (source, commit) = source.split_once('#').unwrap_or((&source, ""));
        let own = source.is_empty() || CRATES_IO.contains(&source);
        let foreign = (!own).then(|| source.split('?').next().unwrap_or(source).to_owned());
        manifest.lock(&name, &format!("{version} {commit}"), foreign, Locked::one(checksum.as_deref(), Some(source)));
        manifest.edge(&name, package);
    }
    manifest.rest(document);
    Some(manifest.sorted())
}
