//! Python's lock files: `poetry.lock`, `uv.lock`, `pdm.lock`, `pylock.toml` and `Pipfile.lock`.

use super::super::document::{json, take, take_list, take_map, take_registries, take_text, toml};
use super::super::manifest::{Locked, Manifest, folder, host};
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::Value;

const PYPI: &[&str] = &["https://pypi.org/simple"];
/// Where PyPI keeps its files.
const HOSTS: &[&str] = &["files.pythonhosted.org", "pypi.org"];

/// `poetry.lock`, `uv.lock`, `pdm.lock`, `pylock.toml`: one table a package.
pub(super) fn lock(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut document = toml(text)?;
    let mut manifest = Manifest::default();
    for key in ["content-hash", "content_hash"] {
        take(&mut document, &["metadata", key]);
    }
    let mut packages = take_list(&mut document, &["package"]);
    packages.append(&mut take_list(&mut document, &["packages"]));
    for mut package in packages {
        let name = take_text(&mut package, &["name"])?;
        let version = take_text(&mut package, &["version"]).unwrap_or_default();
        let mut locked = Locked::default();
        for key in ["files", "wheels", "sdist", "archive", "vcs"] {
            files(take(&mut package, &[key]), &mut locked);
        }
        // Poetry once had all files in one table.
        files(take(&mut document, &["metadata", "files", &name]), &mut locked);
        let (source, commit) = source(take(&mut package, &["source"]), path, &mut locked);
        let source = source.or_else(|| locked.addresses.iter().find(|host| !HOSTS.contains(&host.as_str())).cloned());
        manifest.lock(&name, &format!("{version} {commit}"), source, locked);
        manifest.edge(&name, package);
    }
    manifest.rest(document);
    Some(manifest.sorted())
}

/// The hashes of the files, and the hosts they come from.
fn files(files: Option<Value>, locked: &mut Locked) {
    let items = match files {
        Some(Value::Array(items)) => items,
        Some(table @ Value::Object(_)) => vec![table],
        _ => return,
    };
    for mut file in items {
        locked.hashes.extend(take_text(&mut file, &["hash"]));
        let hashes = take_map(&mut file, &["hashes"]);
        locked.hashes.extend(hashes.iter().filter_map(|(kind, hash)| Some(format!("{kind}:{}", hash.as_str()?))));
        locked.addresses.extend(take_text(&mut file, &["url"]).map(|url| host(&url).to_owned()));
    }
}

/// The source of a package, and its commit.
fn source(source: Option<Value>, path: &RelPath, locked: &mut Locked) -> (Option<String>, String) {
    let Some(mut source) = source else { return (None, String::new()) };
    let commit = take_text(&mut source, &["resolved_reference"]);
    let named = ["url", "registry", "git", "directory", "path"].iter().find_map(|key| take_text(&mut source, &[key]));
    let Some(address) = named else { return (None, commit.unwrap_or_default()) };
    let (plain, fragment) = address.split_once('#').unwrap_or((&address, ""));
    let plain = plain.split('?').next().unwrap_or(plain);
    if PYPI.iter().any(|own| plain.trim_end_matches('/') == *own) {
        return (None, String::new());
    }
    if !plain.contains("://") && !plain.contains('@') {
        return (folder(path, plain), String::new());
    }
    locked.addresses.insert(plain.to_owned());
    (Some(plain.to_owned()), commit.unwrap_or_else(|| fragment.to_owned()))
}

/// `Pipfile.lock`.
pub(super) fn pipfile(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut document = json(text)?;
    let mut manifest = Manifest::default();
    let mut meta = take(&mut document, &["_meta"]).unwrap_or(Value::Null);
    take(&mut meta, &["hash"]);
    take_registries(meta.get_mut("sources"), "url", PYPI, &mut manifest);
    let categories: Vec<String> = document.as_object()?.keys().cloned().collect();
    for category in categories {
        for (name, mut value) in take_map(&mut document, &[&category]) {
            let hashes = take_list(&mut value, &["hashes"]);
            let hashes = hashes.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect();
            let version = take_text(&mut value, &["version"]).unwrap_or_default();
            let commit = take_text(&mut value, &["ref"]).unwrap_or_default();
            let index = take_text(&mut value, &["index"]).filter(|index| index != "pypi");
            let source = ["git", "file", "path", "url"].iter().find_map(|key| take_text(&mut value, &[key])).or(index);
            let locked = Locked { hashes, addresses: source.iter().cloned().collect() };
            manifest.lock(&name, &format!("{version} {commit}"), source, locked);
            manifest.edge(&name, value);
        }
    }
    manifest.rest(meta);
    manifest.rest(document);
    Some(manifest.sorted())
}
