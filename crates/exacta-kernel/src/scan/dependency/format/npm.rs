//! npm and what reads its manifests: `package.json`, `package-lock.json`, and catalogues of versions.

use super::super::document::{drop_own, json, take, take_map, take_text, yaml};
use super::super::manifest::{Locked, Manifest, folder, host};
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::{Map, Value};

const SECTIONS: &[&str] = &["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
/// What only describes a package.
const OWN: &[&str] = &[
    "name",
    "version",
    "description",
    "keywords",
    "homepage",
    "bugs",
    "license",
    "author",
    "contributors",
    "maintainers",
    "funding",
    "repository",
    "private",
];
/// The registry under its names.
pub(super) const REGISTRY: &[&str] = &["registry.npmjs.org", "registry.yarnpkg.com"];

/// `package.json`.
pub(super) fn manifest(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut document = json(text)?;
    let mut manifest = Manifest::default();
    for section in SECTIONS {
        packages(take_map(&mut document, &[section]), path, &mut manifest);
    }
    for keys in [&["overrides"][..], &["resolutions"], &["pnpm", "overrides"]] {
        overrides(take_map(&mut document, keys), path, &mut manifest);
    }
    catalogs(&mut document, path, &mut manifest);
    if let Some(workspaces) = document.get_mut("workspaces") {
        catalogs(workspaces, path, &mut manifest);
    }
    drop_own(&mut document, &[], OWN);
    manifest.rest(document);
    Some(manifest)
}

/// `pnpm-workspace.yaml`: catalogues of versions and overrides.
pub(super) fn workspace(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut document = yaml(text)?;
    let mut manifest = Manifest::default();
    catalogs(&mut document, path, &mut manifest);
    overrides(take_map(&mut document, &["overrides"]), path, &mut manifest);
    packages(take_map(&mut document, &["configDependencies"]), path, &mut manifest);
    manifest.rest(document);
    Some(manifest)
}

fn catalogs(document: &mut Value, path: &RelPath, manifest: &mut Manifest) {
    packages(take_map(document, &["catalog"]), path, manifest);
    for (name, catalog) in take_map(document, &["catalogs"]) {
        match catalog {
            Value::Object(catalog) => packages(catalog, path, manifest),
            other => manifest.rest(Value::Object(Map::from_iter([(name, other)]))),
        }
    }
}

fn packages(section: Map<String, Value>, path: &RelPath, manifest: &mut Manifest) {
    for (name, version) in section {
        let version = version.as_str().map_or_else(|| version.to_string(), ToOwned::to_owned);
        manifest.add(&name, &version, source(&version, path));
    }
}

/// Overrides may be nested: `{"a": {".": "1", "b@^2": "npm:c@3"}}`, or say where with `a>b` and `**/a`.
fn overrides(section: Map<String, Value>, path: &RelPath, manifest: &mut Manifest) {
    for (key, value) in section {
        let name = key.rsplit(['>', ' ']).next().unwrap_or(&key);
        let name = name.strip_prefix("**/").unwrap_or(name);
        let name = split_version(name).0;
        match value {
            Value::Object(mut inner) => {
                let own = inner.remove(".").unwrap_or(Value::Null);
                manifest.add(name, own.as_str().unwrap_or_default(), own.as_str().and_then(|own| source(own, path)));
                overrides(inner, path, manifest);
            }
            value => {
                let version = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
                // `$name` is the version that the manifest itself asks for.
                manifest.add(name, &format!("for {key}: {version}"), source(&version, path));
            }
        }
    }
}

/// `name@version` in two; a scope begins with an `@` of its own.
pub(super) fn split_version(text: &str) -> (&str, &str) {
    let at = text.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
    at.and_then(|at| Some((text.get(..at)?, text.get(at + 1..)?))).unwrap_or((text, ""))
}

/// Where a version that is no range points to.
pub(super) fn source(version: &str, path: &RelPath) -> Option<String> {
    let version = version.trim();
    let plain = version.split('#').next().unwrap_or(version).to_owned();
    let Some((scheme, inner)) = version.split_once(':') else {
        if version.starts_with(['.', '/', '~']) && version.contains('/') {
            return folder(path, version);
        }
        return version.contains('/').then_some(plain);
    };
    match scheme {
        "file" | "link" | "portal" => folder(path, inner),
        "workspace" if inner.contains('/') && !inner.starts_with('@') => folder(path, inner),
        "workspace" | "npm" | "jsr" => {
            let (name, _) = split_version(inner);
            let range = name.is_empty() || name.starts_with(|c: char| !(c.is_ascii_alphabetic() || c == '@'));
            (!range || scheme == "jsr").then(|| format!("package {scheme}:{name}").replace("package npm:", "package "))
        }
        "catalog" => None,
        _ => Some(plain),
    }
}

/// `package-lock.json` and `npm-shrinkwrap.json`, all three formats.
pub(super) fn lock(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut document = json(text)?;
    let mut manifest = Manifest::default();
    drop_own(&mut document, &[], OWN);
    let mut names = Vec::new();
    for (key, value) in take_map(&mut document, &["packages"]) {
        if key.is_empty() {
            let sections = SECTIONS.iter().filter_map(|section| value.get(*section)?.as_object());
            names.extend(sections.flat_map(Map::keys).cloned());
            let mut root = value;
            drop_own(&mut root, &[], OWN);
            manifest.edge("", root);
        } else {
            locked(key.rsplit("node_modules/").next().unwrap_or(&key), value, &mut manifest);
        }
    }
    nested(take_map(&mut document, &["dependencies"]), &mut manifest);
    names.iter().for_each(|name| manifest.name(name));
    manifest.rest(document);
    Some(manifest.sorted())
}

/// The first format has a package's own packages inside it; the reader of JSON bounds how deep.
fn nested(packages: Map<String, Value>, manifest: &mut Manifest) {
    for (name, mut value) in packages {
        let inner = take_map(&mut value, &["dependencies"]);
        locked(&name, value, manifest);
        nested(inner, manifest);
    }
}

fn locked(name: &str, mut value: Value, manifest: &mut Manifest) {
    let mut text = |key: &str| take_text(&mut value, &[key]);
    let (version, resolved, integrity) = (text("version"), text("resolved"), text("integrity"));
    let (real, version) = (text("name"), version.unwrap_or_default());
    if take(&mut value, &["link"]).is_some() {
        return manifest.edge(name, Value::from(vec![resolved, real]));
    }
    let (address, fragment) = split_fragment(resolved.as_deref().unwrap_or_default());
    let source = foreign(real.as_deref().unwrap_or(name), &version, address);
    let source = real.filter(|real| real != name).map(|real| format!("package {real}")).or(source);
    // The first format has the address for a version where it is no registry's.
    let source = source.or_else(|| version.contains(':').then(|| split_fragment(&version).0.to_owned()));
    let hash = integrity.or_else(|| fragment.map(ToOwned::to_owned));
    manifest.lock(name, &version, source, Locked::one(None, Some(address)));
    manifest.lock(name, &version, None, Locked { hashes: hashes(hash.as_deref()), ..Locked::default() });
    if value.get("hasInstallScript").and_then(Value::as_bool) == Some(true) {
        manifest.runs_script(name);
    }
    manifest.edge(name, value);
}

/// An integrity may hold several hashes.
pub(super) fn hashes(integrity: Option<&str>) -> BTreeSet<String> {
    integrity.unwrap_or_default().split_whitespace().map(ToOwned::to_owned).collect()
}

/// An address and what comes after `#`: a commit, or a hash.
pub(super) fn split_fragment(address: &str) -> (&str, Option<&str>) {
    address.split_once('#').map_or((address, None), |(address, fragment)| (address, Some(fragment)))
}

/// The source of a locked package, given the address it is taken from: nothing for the registry's own file of this name and
/// version, the host for one elsewhere that has this name, else the whole address.
pub(super) fn foreign(name: &str, version: &str, address: &str) -> Option<String> {
    if address.is_empty() {
        return None;
    }
    let base = name.rsplit('/').next().unwrap_or(name);
    let place = host(address);
    let own = REGISTRY.contains(&place) && (address.starts_with("https://") || address.starts_with("http://"));
    let file = format!("/{name}/-/{base}-{version}.tgz");
    let encoded = address.replace("%2f", "/").replace("%2F", "/").replace("%40", "@");
    let path = encoded.split_once("://").map_or(encoded.as_str(), |(_, rest)| rest);
    match own {
        true if path.ends_with(&file) && path.len() == place.len() + file.len() => None,
        false if address.contains("://") && path.contains(name) => Some(place.to_owned()),
        // A mirror may hold the file under the name without its scope.
        _ => Some(address.to_owned()),
    }
}
