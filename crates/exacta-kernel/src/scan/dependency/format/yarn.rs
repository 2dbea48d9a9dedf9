//! `yarn.lock`: the first format, which is its own, and the later ones, which are YAML.

use super::super::document::{take, take_map, take_text, yaml};
use super::super::manifest::{Locked, Manifest};
use super::npm::{foreign, hashes, source, split_fragment, split_version};
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::{Map, Value};

/// How many patterns may stand for one package, and how long its address and hash may be: each pattern keeps both.
const MAX_PATTERNS: usize = 500;
const MAX_TEXT: usize = 4096;

/// `yarn.lock`.
pub(super) fn lock(text: &str, path: &RelPath) -> Option<Manifest> {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    match first {
        Some(line) if line.starts_with("__metadata") => berry(text, path),
        _ => classic(text, path),
    }
}

fn berry(text: &str, path: &RelPath) -> Option<Manifest> {
    let document = yaml(text)?;
    let mut manifest = Manifest::default();
    for (header, mut entry) in document.as_object().cloned().unwrap_or_default() {
        if header == "__metadata" {
            manifest.rest(entry);
            continue;
        }
        let version = take_text(&mut entry, &["version"])?;
        let resolution = take_text(&mut entry, &["resolution"]).unwrap_or_default();
        let checksum = take_text(&mut entry, &["checksum"]);
        if header.matches(',').count() > MAX_PATTERNS
            || resolution.len() + checksum.as_ref().map_or(0, String::len) > MAX_TEXT
        {
            return None;
        }
        let (real, from) = split_version(&resolution);
        for pattern in header.split(',').map(str::trim) {
            let (name, _) = split_version(pattern);
            let other = (real != name && !real.is_empty()).then(|| format!("package {real}"));
            let elsewhere = other.or_else(|| berry_source(from, path));
            let patched = from.contains("patch:");
            let address = (!from.starts_with("npm:") || patched).then_some(resolution.as_str());
            manifest.lock(name, &version, elsewhere, Locked::one(checksum.as_deref(), address));
        }
        manifest.edge(&header, entry);
    }
    Some(manifest.sorted())
}

/// A resolution names the exact version, after `npm:` with the archive's address if it is not the registry's.
fn berry_source(from: &str, path: &RelPath) -> Option<String> {
    let (scheme, inner) = from.split_once(':')?;
    match scheme {
        "npm" => inner.split_once("__archiveUrl=").map(|(_, address)| address.to_owned()),
        "workspace" | "link" | "portal" | "file" => None,
        "patch" => None,
        _ => source(split_fragment(from).0, path),
    }
}

/// Blocks that begin with `"name@range", …:`, with fields indented by two blanks and lists by four.
fn classic(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let mut block: Option<(String, Value)> = None;
    let mut list = String::new();
    for line in text.lines() {
        let line = line.trim_end();
        let bare = line.trim_start();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        match line.len() - bare.len() {
            0 => {
                if let Some((header, fields)) =
                    block.replace((bare.strip_suffix(':')?.to_owned(), Value::Object(Map::new())))
                {
                    entry(&header, fields, path, &mut manifest)?;
                }
            }
            2 => {
                let (key, value) = field(bare)?;
                let fields = block.as_mut()?.1.as_object_mut()?;
                let empty = value.is_none();
                key.clone_into(&mut list);
                let value = value.map_or_else(|| Value::Object(Map::new()), Value::from);
                if fields.insert(key, value).is_some() {
                    return None;
                }
                if !empty {
                    list.clear();
                }
            }
            4 => {
                let (key, value) = field(bare)?;
                block.as_mut()?.1.get_mut(&list)?.as_object_mut()?.insert(key, Value::from(value?));
            }
            _ => return None,
        }
    }
    if let Some((header, fields)) = block {
        entry(&header, fields, path, &mut manifest)?;
    }
    Some(manifest.sorted())
}

/// `key value` or `key:`; either may be quoted.
fn field(text: &str) -> Option<(String, Option<String>)> {
    let (key, rest) = word(text)?;
    let rest = rest.trim_start();
    if rest == ":" || rest.is_empty() && key.ends_with(':') {
        return Some((key.trim_end_matches(':').to_owned(), None));
    }
    let (value, rest) = word(rest)?;
    rest.trim().is_empty().then_some((key, Some(value)))
}

/// The first word, without its quotes, and what comes after it. A quoted one has no escapes here.
fn word(text: &str) -> Option<(String, &str)> {
    if let Some(inner) = text.strip_prefix('"') {
        let (word, rest) = inner.split_once('"')?;
        return (!word.contains('\\')).then(|| (word.to_owned(), rest));
    }
    let end = text.find([' ', '\t', ',', '"']).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (!word.is_empty()).then(|| (word.to_owned(), rest))
}

fn entry(header: &str, mut fields: Value, path: &RelPath, manifest: &mut Manifest) -> Option<()> {
    let version = take_text(&mut fields, &["version"])?;
    let resolved = take_text(&mut fields, &["resolved"]).unwrap_or_default();
    let integrity = take_text(&mut fields, &["integrity"]);
    if header.matches(',').count() > MAX_PATTERNS
        || resolved.len() + integrity.as_ref().map_or(0, String::len) > MAX_TEXT
    {
        return None;
    }
    let (address, fragment) = split_fragment(&resolved);
    take_map(&mut fields, &["engines"]);
    let mut rest = header;
    loop {
        let (pattern, after) = word(rest)?;
        let (name, range) = split_version(&pattern);
        let alias = source(range, path);
        let real = alias.as_deref().and_then(|alias| alias.strip_prefix("package ")).unwrap_or(name);
        let elsewhere = foreign(real, &version, address);
        let hash = integrity.as_deref().or(fragment);
        manifest.lock(name, &version, alias.clone().or(elsewhere), Locked::one(None, Some(address)));
        manifest.lock(name, &version, None, Locked { hashes: hashes(hash), ..Locked::default() });
        match after.trim_start().strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None if after.trim().is_empty() => break,
            None => return None,
        }
    }
    take(&mut fields, &["uid"]);
    manifest.edge(header, fields);
    Some(())
}
