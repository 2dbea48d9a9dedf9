//! Composer: `composer.json` and `composer.lock`.

use super::super::document::{drop_own, json, take, take_list, take_map, take_registries, take_text};
use super::super::manifest::{Locked, Manifest, folder, host};
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::Value;

/// What only describes a package.
const OWN: &[&str] = &[
    "name",
    "description",
    "version",
    "keywords",
    "homepage",
    "readme",
    "time",
    "license",
    "authors",
    "support",
    "funding",
];
const HOSTS: &[&str] = &["github.com", "api.github.com"];

/// `composer.json`.
pub(super) fn manifest(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut document = json(text)?;
    let mut manifest = Manifest::default();
    for section in ["require", "require-dev"] {
        for (name, version) in take_map(&mut document, &[section]) {
            let version = version.as_str().map_or_else(|| version.to_string(), ToOwned::to_owned);
            manifest.add(&name.to_lowercase(), &version, None);
        }
    }
    take_registries(document.get_mut("repositories"), "url", &[], &mut manifest);
    drop_own(&mut document, &[], OWN);
    manifest.rest(document);
    Some(manifest)
}

/// `composer.lock`.
pub(super) fn lock(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut document = json(text)?;
    let mut manifest = Manifest::default();
    for key in ["content-hash", "_readme", "plugin-api-version"] {
        take(&mut document, &[key]);
    }
    for section in ["packages", "packages-dev"] {
        for mut package in take_list(&mut document, &[section]) {
            let name = take_text(&mut package, &["name"])?;
            let version = take_text(&mut package, &["version"]).unwrap_or_default();
            locked(&name, &version, &mut package, path, &mut manifest);
            drop_own(&mut package, &[], OWN);
            manifest.edge(&name, package);
        }
    }
    manifest.rest(document);
    Some(manifest.sorted())
}

fn locked(name: &str, version: &str, package: &mut Value, path: &RelPath, manifest: &mut Manifest) {
    let mut locked = Locked::default();
    let mut commit = None;
    for from in ["source", "dist"] {
        let mut field = |key: &str| take_text(package, &[from, key]).filter(|text| !text.is_empty());
        // An archive's address ends in its commit.
        commit = field("reference").or(commit);
        locked.hashes.extend(field("shasum"));
        let address =
            field("url").map(|url| commit.as_ref().map_or(url.clone(), |commit| url.replace(commit.as_str(), "")));
        locked.addresses.extend(address);
    }
    // A branch has no version but its commit.
    let branch = version.starts_with("dev-") || version.ends_with("-dev");
    let version =
        if branch { format!("{version} {}", commit.as_deref().unwrap_or_default()) } else { version.to_owned() };
    locked.hashes.extend(commit.filter(|_| !branch));
    let place = |address: &String| match address.contains("://") || address.contains('@') {
        true => (!HOSTS.contains(&host(address))).then(|| address.clone()),
        false => folder(path, address),
    };
    let source = locked.addresses.iter().find_map(place);
    let home = locked.addresses.first().cloned();
    manifest.lock(name, &version, source, locked);
    manifest.home(name, home);
}
