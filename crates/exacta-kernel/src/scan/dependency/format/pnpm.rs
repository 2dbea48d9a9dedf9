//! `pnpm-lock.yaml`, in the forms of all its versions.

use super::super::document::{take, take_map, take_text};
use super::super::manifest::{Locked, Manifest};
use super::super::yaml;
use super::npm::{foreign, hashes, split_version};
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::Value;

/// `pnpm-lock.yaml`. Newer ones have a document for pnpm itself before that of the project.
pub(super) fn lock(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for mut document in yaml::read(text)? {
        for (key, value) in take_map(&mut document, &["packages"]) {
            package(&key, value, &mut manifest)?;
        }
        for part in ["importers", "snapshots", "dependencies", "devDependencies", "optionalDependencies", "specifiers"]
        {
            if let Some(links) = take(&mut document, &[part]) {
                importers(part, &links, &mut manifest);
                manifest.edge(part, links);
            }
        }
        manifest.rest(document);
    }
    Some(manifest.sorted())
}

/// A name that an importer asks for is among the packages, whatever it is linked to.
fn importers(part: &str, links: &Value, manifest: &mut Manifest) {
    let sections = ["dependencies", "devDependencies", "optionalDependencies"];
    let importers = links.as_object().into_iter().flatten().filter(|_| part == "importers");
    let wanted =
        importers.flat_map(|(_, importer)| sections.iter().filter_map(|section| importer.get(*section)?.as_object()));
    let names: Vec<String> = wanted.flat_map(serde_json::Map::keys).cloned().collect();
    names.iter().for_each(|name| manifest.name(name));
}

fn package(key: &str, mut value: Value, manifest: &mut Manifest) -> Option<()> {
    let bare = key.strip_prefix('/').unwrap_or(key);
    let bare = bare.split('(').next().unwrap_or(bare);
    let (mut name, mut version) = split_version(bare);
    if version.is_empty() {
        (name, version) = bare.rsplit_once('/')?;
    }
    let mut resolution = take(&mut value, &["resolution"]).unwrap_or(Value::Null);
    let integrity = take_text(&mut resolution, &["integrity"]);
    let tarball = take_text(&mut resolution, &["tarball"]);
    let elsewhere = ["repo", "directory"].iter().find_map(|key| take_text(&mut resolution, &[key]));
    let given = take_text(&mut value, &["name"]);
    let commit = take_text(&mut resolution, &["commit"]).unwrap_or_default();
    let address = tarball.as_deref().or(elsewhere.as_deref());
    let source = elsewhere.clone().or_else(|| foreign(name, version, tarball.as_deref().unwrap_or_default()));
    // A key that is itself an address.
    let source =
        source.or_else(|| (version.contains(':') || name.contains('.') && !key.contains('@')).then(|| key.to_owned()));
    let name = given.as_deref().unwrap_or(name);
    let version = format!("{version} {commit}");
    manifest.lock(name, &version, source, Locked::one(None, address));
    manifest.lock(name, &version, None, Locked { hashes: hashes(integrity.as_deref()), ..Locked::default() });
    if value.get("requiresBuild").and_then(Value::as_bool) == Some(true) {
        manifest.runs_script(name);
    }
    manifest.edge(key, value);
    manifest.edge(key, resolution);
    Some(())
}
