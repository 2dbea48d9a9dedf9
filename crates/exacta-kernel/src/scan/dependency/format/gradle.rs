//! Gradle: build files, which are programs, the catalogue of versions, and lock files.

use super::super::document::{take, take_map, toml};
use super::super::manifest::Manifest;
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::Value;

/// Build files: quoted coordinates, `group:` and `name:` beside each other, and repositories' addresses. What else such a
/// program adds is in no line.
pub(super) fn build(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        for value in quoted(line) {
            let mut parts = value.split(':');
            if value.starts_with("http") && (line.contains("url") || line.contains("maven") || line.contains("uri")) {
                manifest.registries.insert(value.to_owned());
            } else if let (Some(group), Some(artifact)) = (parts.next(), parts.next())
                && is_coordinate(group)
                && is_coordinate(artifact)
            {
                manifest.add(&format!("{group}:{artifact}"), parts.next().unwrap_or_default(), None);
            }
        }
        if let (Some(group), Some(name)) = (named(line, "group"), named(line, "name")) {
            manifest.add(&format!("{group}:{name}"), named(line, "version").unwrap_or_default(), None);
        }
    }
    Some(manifest)
}

/// The text in quotes after `name:` or `name =`.
fn named<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(name)?;
    let rest = rest.trim_start().strip_prefix([':', '='])?.trim_start();
    quoted(rest).next().filter(|_| rest.starts_with(['"', '\'']))
}

fn is_coordinate(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

/// The texts in quotes on a line.
pub(super) fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split(['"', '\'']).skip(1).step_by(2)
}

/// `libs.versions.toml`: libraries and plugins, with the versions that they refer to.
pub(super) fn catalog(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut document = toml(text)?;
    let mut manifest = Manifest::default();
    let mut versions = take_map(&mut document, &["versions"]);
    let mut entries: Vec<(String, Value)> = take_map(&mut document, &["libraries"]).into_iter().collect();
    entries.extend(take_map(&mut document, &["plugins"]));
    let mut used = BTreeSet::new();
    for (_, value) in &entries {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let (name, version) = match value {
            Value::String(text) => text.rsplit_once(':').unwrap_or((text, "")),
            _ => (text("module").or_else(|| text("id")).unwrap_or_default(), ""),
        };
        let whole = text("group").zip(text("name")).map(|(group, name)| format!("{group}:{name}"));
        let referred = value.get("version").and_then(|version| version.get("ref")?.as_str());
        let given = match referred {
            Some(key) => {
                used.insert(key.to_owned());
                versions.get(key).map(Value::to_string).unwrap_or_default()
            }
            None => value.get("version").map_or_else(|| version.to_owned(), Value::to_string),
        };
        manifest.add(whole.as_deref().unwrap_or(name), &given, None);
    }
    versions.retain(|key, _| !used.contains(key));
    take(&mut document, &["metadata"]);
    manifest.rest(Value::Object(versions));
    manifest.rest(document);
    Some(manifest)
}

/// `gradle.lockfile`: `group:artifact:version=configurations`.
pub(super) fn lock(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (package, uses) = line.split_once('=')?;
        if package == "empty" {
            manifest.edges.push(line.to_owned());
            continue;
        }
        let (name, version) = package.rsplit_once(':')?;
        manifest.add(name, version, None);
        manifest.edges.push(format!("{name} {uses}"));
    }
    Some(manifest.sorted())
}
