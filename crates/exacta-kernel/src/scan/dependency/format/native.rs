//! C, C++ and Swift: `vcpkg.json`, `conanfile.txt`, `Package.resolved`.

use super::super::document::{drop_own, json, tables, take_list, take_registries, take_text};
use super::super::manifest::{Locked, Manifest};
use super::ini;
use crate::path::RelPath;
use crate::prelude::*;

/// `vcpkg.json`, and `vcpkg-configuration.json`.
pub(super) fn vcpkg(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut document = json(text)?;
    let mut manifest = Manifest::default();
    let mut listed = take_list(&mut document, &["dependencies"]);
    listed.append(&mut take_list(&mut document, &["overrides"]));
    for feature in document.get_mut("features").map(tables).unwrap_or_default() {
        listed.append(&mut take_list(feature, &["dependencies"]));
    }
    for item in listed {
        match item.as_str().or_else(|| item.get("name")?.as_str()) {
            Some(name) => manifest.add(name, &if item.is_string() { String::new() } else { item.to_string() }, None),
            None => manifest.rest(item),
        }
    }
    for keys in [&["registries"][..], &["vcpkg-configuration", "registries"]] {
        for key in ["repository", "location", "path"] {
            let sources = keys.iter().try_fold(&mut document, |value, key| value.get_mut(*key));
            take_registries(sources, key, &[], &mut manifest);
        }
    }
    drop_own(
        &mut document,
        &[],
        &[
            "$schema",
            "name",
            "version",
            "version-string",
            "version-semver",
            "description",
            "homepage",
            "license",
            "maintainers",
        ],
    );
    manifest.rest(document);
    Some(manifest)
}

/// `conanfile.txt`: `name/version@user/channel` in its sections.
pub(super) fn conan(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for (section, line) in ini::lists(text)? {
        if section.ends_with("requires") {
            let (name, version) = line.split_once('/').unwrap_or((&line, ""));
            manifest.add(name, version, None);
        } else {
            manifest.rest.push(format!("[{section}] {line}"));
        }
    }
    manifest.rest.sort_unstable();
    Some(manifest)
}

/// `Package.resolved`, all versions. There is no registry: a package is where its repository is.
pub(super) fn resolved(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut document = json(text)?;
    let mut manifest = Manifest::default();
    let mut pins = take_list(&mut document, &["pins"]);
    pins.append(&mut take_list(&mut document, &["object", "pins"]));
    for mut pin in pins {
        let name = take_text(&mut pin, &["identity"]).or_else(|| take_text(&mut pin, &["package"]))?;
        let address = take_text(&mut pin, &["location"]).or_else(|| take_text(&mut pin, &["repositoryURL"]));
        let revision = take_text(&mut pin, &["state", "revision"]);
        let version = take_text(&mut pin, &["state", "version"]);
        let (version, hash) = match (version, revision) {
            (Some(version), revision) => (version, revision),
            // A branch has no version but its commit.
            (None, revision) => (revision.unwrap_or_default(), None),
        };
        manifest.lock(&name, &version, None, Locked::one(hash.as_deref(), address.as_deref()));
        manifest.home(&name, address);
        manifest.edge(&name, pin);
    }
    drop_own(&mut document, &[], &["originHash"]);
    manifest.rest(document);
    Some(manifest.sorted())
}
