//! Python's manifests: `pyproject.toml`, `Pipfile`, `setup.cfg`, and conda's `environment.yml`.

use super::super::document::{drop_own, take, take_list, take_map, take_registries, take_text, texts, toml, yaml};
use super::super::manifest::{Manifest, folder};
use super::ini;
use super::requirements::{normal, requirement};
use crate::path::RelPath;
use crate::prelude::*;
use serde_json::{Map, Value};

const PYPI: &[&str] = &["https://pypi.org/simple"];
/// What only describes a project.
const OWN: &[&str] = &[
    "name",
    "version",
    "description",
    "readme",
    "authors",
    "maintainers",
    "license",
    "license-files",
    "keywords",
    "classifiers",
    "urls",
    "homepage",
    "repository",
    "documentation",
];
/// Where `pyproject.toml` has lists of requirements, and tables of such lists.
const LISTS: &[&[&str]] = &[
    &["project", "dependencies"],
    &["build-system", "requires"],
    &["tool", "uv", "dev-dependencies"],
    &["tool", "uv", "constraint-dependencies"],
    &["tool", "uv", "override-dependencies"],
    &["tool", "uv", "build-constraint-dependencies"],
    &["tool", "flit", "metadata", "requires"],
];
const GROUPS: &[&[&str]] = &[
    &["project", "optional-dependencies"],
    &["dependency-groups"],
    &["tool", "pdm", "dev-dependencies"],
    &["tool", "flit", "metadata", "requires-extra"],
];

/// `pyproject.toml`: PEP 621, PEP 735, Poetry, PDM, Hatch, Flit and uv.
pub(super) fn pyproject(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut document = toml(text)?;
    let mut manifest = Manifest::default();
    for keys in LISTS {
        requirements(take_list(&mut document, keys), path, &mut manifest)?;
    }
    for keys in GROUPS {
        for list in take_map(&mut document, keys).into_values() {
            match list {
                Value::Array(items) => requirements(items, path, &mut manifest)?,
                other => manifest.rest(other),
            }
        }
    }
    tables_by_name(&mut document, path, &mut manifest);
    hatch(&mut document, path, &mut manifest)?;
    for keys in [&["tool", "poetry", "source"][..], &["tool", "uv", "index"], &["tool", "pdm", "source"]] {
        let sources = keys.iter().try_fold(&mut document, |value, key| value.get_mut(*key));
        take_registries(sources, "url", PYPI, &mut manifest);
    }
    for keys in [["tool", "uv", "index-url"], ["tool", "uv", "extra-index-url"], ["tool", "uv", "find-links"]] {
        let taken = take(&mut document, &keys);
        manifest.registries(taken.iter().flat_map(texts));
    }
    drop_own(&mut document, &["project"], OWN);
    drop_own(&mut document, &["tool", "poetry"], OWN);
    manifest.rest(document);
    Some(manifest)
}

/// Where packages stand as `name = …`.
fn tables_by_name(document: &mut Value, path: &RelPath, manifest: &mut Manifest) {
    for keys in [["tool", "poetry", "dependencies"], ["tool", "poetry", "dev-dependencies"], ["tool", "uv", "sources"]]
    {
        packages(take_map(document, &keys), path, manifest);
    }
    let groups = document.get_mut("tool").and_then(|tool| tool.get_mut("poetry")?.get_mut("group"));
    for group in groups.map(super::super::document::tables).unwrap_or_default() {
        packages(take_map(group, &["dependencies"]), path, manifest);
    }
}

fn hatch(document: &mut Value, path: &RelPath, manifest: &mut Manifest) -> Option<()> {
    let environments = document.get_mut("tool").and_then(|tool| tool.get_mut("hatch")?.get_mut("envs"));
    for environment in environments.map(super::super::document::tables).unwrap_or_default() {
        for key in ["dependencies", "extra-dependencies"] {
            requirements(take_list(environment, &[key]), path, manifest)?;
        }
    }
    Some(())
}

fn requirements(list: Vec<Value>, path: &RelPath, manifest: &mut Manifest) -> Option<()> {
    for item in list {
        match item {
            Value::String(text) => requirement(&text, path, manifest)?,
            // `{include-group = "…"}`
            other => manifest.rest(other),
        }
    }
    Some(())
}

/// Packages as `name = "version"` or `name = { version, git, url, path, source }`.
fn packages(section: Map<String, Value>, path: &RelPath, manifest: &mut Manifest) {
    for (name, value) in section.into_iter().filter(|(name, _)| name != "python") {
        let details: Vec<&Value> = match &value {
            Value::Array(items) => items.iter().collect(),
            value => vec![value],
        };
        for detail in details {
            let text = |key: &str| detail.get(key).and_then(Value::as_str);
            let source = ["git", "url", "hg", "svn", "file", "source", "index"].iter().find_map(|key| text(key));
            let source = source.map(|source| format!("source {source}"));
            let source = source.or_else(|| text("path").and_then(|inner| folder(path, inner)));
            manifest.add(&normal(&name), &detail.to_string(), source);
        }
    }
}

/// `Pipfile`.
pub(super) fn pipfile(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut document = toml(text)?;
    let mut manifest = Manifest::default();
    take_registries(document.get_mut("source"), "url", PYPI, &mut manifest);
    // Every other table is a category of packages.
    let fixed = ["source", "requires", "pipenv", "scripts"];
    let categories: Vec<String> =
        document.as_object()?.keys().filter(|key| !fixed.contains(&key.as_str())).cloned().collect();
    for category in categories {
        packages(take_map(&mut document, &[&category]), path, &mut manifest);
    }
    manifest.rest(document);
    Some(manifest)
}

/// `setup.cfg`: setuptools' `[options]`.
pub(super) fn setup_cfg(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for entry in ini::read(text)? {
        let listed = match entry.section.as_str() {
            "options" => {
                matches!(entry.key.replace('-', "_").as_str(), "install_requires" | "setup_requires" | "tests_require")
            }
            "options.extras_require" => true,
            _ => false,
        };
        let own = entry.section == "metadata" && OWN.contains(&entry.key.as_str());
        if listed {
            for line in &entry.value {
                // `file: a.txt` takes in another list; one line may hold several with `;` between.
                match line.strip_prefix("file:") {
                    Some(file) => manifest.includes.extend([file.trim().to_owned()]),
                    None => requirement(line, path, &mut manifest)?,
                }
            }
            if let [line] = entry.value.as_slice()
                && line.contains(';')
            {
                manifest.rest.push(line.clone());
            }
        } else if !own {
            manifest.rest.push(entry.line());
        }
    }
    manifest.rest.sort_unstable();
    Some(manifest)
}

/// conda's `environment.yml`.
pub(super) fn environment(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut document = yaml(text)?;
    let mut manifest = Manifest::default();
    for item in take_list(&mut document, &["dependencies"]) {
        match item {
            Value::String(text) => conda(&text, &mut manifest),
            mut other => {
                let pip = take_list(&mut other, &["pip"]);
                for line in pip.iter().filter_map(Value::as_str) {
                    let list = super::requirements::list(line, path)?;
                    manifest.absorb(list);
                }
                manifest.rest(other);
            }
        }
    }
    let channels = take_list(&mut document, &["channels"]);
    let own = ["defaults", "nodefaults", "conda-forge"];
    manifest.registries(channels.iter().filter_map(Value::as_str).filter(|channel| !own.contains(channel)));
    take_text(&mut document, &["name"]);
    manifest.rest(document);
    Some(manifest)
}

/// `channel::name=version=build`, or an address.
fn conda(text: &str, manifest: &mut Manifest) {
    if text.contains("://") && !text.contains("::") {
        return manifest.add(text, "", Some(text.to_owned()));
    }
    let (channel, spec) = text.rsplit_once("::").map_or((None, text), |(channel, spec)| (Some(channel), spec));
    let spec = spec.trim();
    let end =
        spec.find(|c: char| c.is_whitespace() || matches!(c, '=' | '<' | '>' | '!' | '~' | '[')).unwrap_or(spec.len());
    let (name, version) = spec.split_at(end);
    let channel = channel.filter(|channel| !matches!(*channel, "defaults" | "conda-forge"));
    manifest.add(&name.to_lowercase(), version, channel.map(|channel| format!("channel {channel}")));
}
