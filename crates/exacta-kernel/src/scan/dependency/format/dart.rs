//! Dart and Flutter: `pubspec.yaml` and `pubspec.lock`.

use super::super::document::{drop_own, take_map, take_text, yaml};
use super::super::manifest::{Locked, Manifest, folder};
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::Value;

const OWN: &[&str] = &[
    "name",
    "version",
    "description",
    "homepage",
    "repository",
    "issue_tracker",
    "documentation",
    "publish_to",
    "topics",
    "funding",
    "screenshots",
];
const HOSTS: &[&str] = &["https://pub.dev", "https://pub.dartlang.org"];

/// `pubspec.yaml`.
pub(super) fn manifest(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut document = yaml(text)?;
    let mut manifest = Manifest::default();
    for section in ["dependencies", "dev_dependencies", "dependency_overrides"] {
        for (name, value) in take_map(&mut document, &[section]) {
            let inner = |key: &str, part: &str| {
                let value = value.get(key)?;
                value.as_str().or_else(|| value.get(part)?.as_str())
            };
            let elsewhere = inner("git", "url").or_else(|| inner("hosted", "url")).filter(|url| !HOSTS.contains(url));
            let source = elsewhere.map(ToOwned::to_owned).or_else(|| folder(path, inner("path", "")?));
            let real = value.get("hosted").and_then(|hosted| hosted.get("name")?.as_str()).unwrap_or(&name);
            manifest.add(real, &value.to_string(), source);
        }
    }
    drop_own(&mut document, &[], OWN);
    manifest.rest(document);
    Some(manifest)
}

/// `pubspec.lock`.
pub(super) fn lock(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut document = yaml(text)?;
    let mut manifest = Manifest::default();
    for (name, mut package) in take_map(&mut document, &["packages"]) {
        let version = take_text(&mut package, &["version"]).unwrap_or_default();
        let mut described = |key: &str| take_text(&mut package, &["description", key]);
        let (hash, address, commit) = (described("sha256"), described("url"), described("resolved-ref"));
        let real = described("name").filter(|real| *real != name).map(|real| format!("package {real}"));
        let source = real.or_else(|| address.clone().filter(|address| !HOSTS.contains(&address.as_str())));
        let version = format!("{version} {}", commit.unwrap_or_default());
        manifest.lock(&name, &version, source, Locked::one(hash.as_deref(), address.as_deref()));
        let mut rest = package;
        rest.as_object_mut().map(|rest| rest.remove("dependency"));
        manifest.edge(&name, rest);
    }
    manifest.rest(Value::Object(document.as_object_mut().map(core::mem::take).unwrap_or_default()));
    Some(manifest.sorted())
}
