//! Manifests and lock files in JSON.

use super::manifest::{Manifest, folder, host};
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::{Map, Value};

/// `package.json`.
pub(super) fn package(text: &str, path: &RelPath) -> Option<Manifest> {
    let document: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut manifest = Manifest::default();
    let sections =
        ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "overrides", "resolutions"];
    for (name, version) in sections.iter().filter_map(|section| document.get(*section)?.as_object()).flatten() {
        let version = version.as_str().map_or_else(|| version.to_string(), ToOwned::to_owned);
        manifest.add(name, &version, npm_source(&version, path));
    }
    Some(manifest)
}

/// Where a version that is no range points to.
fn npm_source(version: &str, path: &RelPath) -> Option<String> {
    let inner = ["file:", "link:", "portal:"].iter().find_map(|scheme| version.strip_prefix(scheme));
    if let Some(inner) = inner {
        return folder(path, inner);
    }
    if let Some(alias) = version.strip_prefix("npm:") {
        return Some(format!("package {}", alias.rsplit_once('@').map_or(alias, |(name, _)| name)));
    }
    let address = version.contains("://")
        || ["git@", "github:", "gitlab:", "bitbucket:", "gist:"].iter().any(|start| version.starts_with(start));
    let shorthand = version.contains('/') && !version.starts_with(['@', '.', '^', '~', 'w']);
    (address || shorthand).then(|| version.split('#').next().unwrap_or(version).to_owned())
}

/// `package-lock.json` and `npm-shrinkwrap.json`, all three formats.
pub(super) fn package_lock(text: &str) -> Option<Manifest> {
    let document: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut manifest = Manifest::default();
    let section = document.get("packages").or_else(|| document.get("dependencies")).and_then(Value::as_object);
    for (key, value) in section.into_iter().flatten() {
        let name = key.rsplit("node_modules/").next().unwrap_or(key);
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        if value.get("link").is_none() {
            let source = text("resolved").map(host).filter(|host| *host != "registry.npmjs.org" && !host.is_empty());
            manifest.add(name, text("version").unwrap_or_default(), source.map(ToOwned::to_owned));
        }
        if value.get("hasInstallScript").and_then(Value::as_bool) == Some(true) {
            manifest.runs_script(name);
        }
    }
    Some(manifest)
}

/// `Pipfile.lock`.
pub(super) fn pipfile_lock(text: &str) -> Option<Manifest> {
    let document: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut manifest = Manifest::default();
    let sections = ["default", "develop"].iter().filter_map(|section| document.get(*section)?.as_object());
    for (name, value) in sections.flatten() {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let source = text("git").or_else(|| text("index").filter(|index| *index != "pypi"));
        manifest.add(name, text("version").unwrap_or_default(), source.map(ToOwned::to_owned));
    }
    Some(manifest)
}

/// `composer.json`.
pub(super) fn composer(text: &str) -> Option<Manifest> {
    let document: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut manifest = Manifest::default();
    let sections = ["require", "require-dev"].iter().filter_map(|section| document.get(*section)?.as_object());
    for (name, version) in sections.flatten() {
        manifest.add(name, version.as_str().unwrap_or_default(), None);
    }
    let repositories = match document.get("repositories") {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(Value::Object(map)) => map.values().collect(),
        _ => Vec::new(),
    };
    manifest.registries.extend(repositories.iter().filter_map(|item| item.get("url")?.as_str()).map(ToOwned::to_owned));
    Some(manifest)
}

/// `composer.lock`.
pub(super) fn composer_lock(text: &str) -> Option<Manifest> {
    let document: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut manifest = Manifest::default();
    let sections = ["packages", "packages-dev"].iter().filter_map(|section| document.get(*section)?.as_array());
    for package in sections.flatten() {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
        let addresses = ["source", "dist"].iter().filter_map(|from| text(package.get(*from)?, "url"));
        let source = addresses.into_iter().find(|address| !matches!(host(address), "github.com" | "api.github.com"));
        let version = text(package, "version").unwrap_or_default();
        manifest.add(&text(package, "name").unwrap_or_default(), &version, source);
    }
    Some(manifest)
}
