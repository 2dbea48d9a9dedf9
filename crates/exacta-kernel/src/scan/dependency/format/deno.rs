//! Deno's configuration, and import maps.

use super::super::document::{drop_own, jsonc, take_map, take_text};
use super::super::manifest::{Manifest, folder};
use super::npm::split_version;
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::{Map, Value};

/// `deno.json`, `deno.jsonc` and import maps: what each import stands for.
pub(super) fn manifest(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut document = jsonc(text)?;
    let mut manifest = Manifest::default();
    imports(take_map(&mut document, &["imports"]), path, &mut manifest);
    for (scope, map) in take_map(&mut document, &["scopes"]) {
        match map {
            Value::Object(map) => imports(map, path, &mut manifest),
            other => manifest.rest(Value::from(vec![Value::from(scope), other])),
        }
    }
    manifest.includes.extend(take_text(&mut document, &["importMap"]).map(|map| format!("import map {map}")));
    drop_own(&mut document, &[], &["name", "version", "license"]);
    manifest.rest(document);
    Some(manifest)
}

fn imports(map: Map<String, Value>, path: &RelPath, manifest: &mut Manifest) {
    for (name, target) in map {
        let Some(target) = target.as_str() else {
            manifest.rest(Value::from(vec![Value::from(name), target]));
            continue;
        };
        match target.split_once(':') {
            Some((scheme @ ("npm" | "jsr" | "node"), inner)) => {
                let (package, version) = split_version(inner.trim_start_matches('/'));
                manifest.add(&format!("{scheme}:{package}"), &format!("{name} = {version}"), None);
            }
            Some(_) => manifest.add(target, &name, Some(target.to_owned())),
            None => match folder(path, target) {
                Some(outside) => manifest.add(&name, target, Some(outside)),
                None => manifest.rest(Value::from(vec![name, target.to_owned()])),
            },
        }
    }
}
