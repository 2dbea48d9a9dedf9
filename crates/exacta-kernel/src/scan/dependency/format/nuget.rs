//! NuGet: project files of .NET, their central lists, and `packages.lock.json`.

use super::super::document::{json, take_map, take_text};
use super::super::manifest::{Locked, Manifest};
use super::super::xml::{self, Element};
use crate::path::RelPath;
use crate::prelude::*;

/// Elements that name a package; MSBuild does not look at their case.
const ITEMS: &[&str] = &[
    "packagereference",
    "packageversion",
    "globalpackagereference",
    "packagedownload",
    "dotnetclitoolreference",
    "package",
    "dependency",
];
/// The kits that come with .NET itself.
const SDKS: &[&str] = &[
    "Microsoft.NET.Sdk",
    "Microsoft.NET.Sdk.Web",
    "Microsoft.NET.Sdk.Worker",
    "Microsoft.NET.Sdk.Razor",
    "Microsoft.NET.Sdk.BlazorWebAssembly",
    "Microsoft.NET.Sdk.WindowsDesktop",
];
/// What only describes a project.
const OWN: &[&str] = &[
    "version",
    "versionprefix",
    "assemblyversion",
    "fileversion",
    "informationalversion",
    "packageversion",
    "authors",
    "company",
    "product",
    "description",
    "copyright",
    "title",
    "packagetags",
    "packageprojecturl",
    "repositoryurl",
    "packagelicenseexpression",
    "packagereleasenotes",
];
const REGISTRY: &str = "https://api.nuget.org/v3/index.json";

/// Project files and lists of packages.
pub(super) fn project(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut root = xml::read(text)?;
    let mut manifest = Manifest::default();
    let is = |element: &Element, names: &[&str]| names.contains(&element.name.to_lowercase().as_str());
    for item in root.take(&|element| is(element, ITEMS) && named(element).is_some()) {
        package(&item, &mut manifest);
    }
    for sources in root.take(&|element| is(element, &["restoresources", "restoreadditionalprojectsources"])) {
        let addresses = sources.text.split(';').map(str::trim);
        manifest.registries(addresses.filter(|address| !address.is_empty() && *address != REGISTRY));
    }
    let kits = root.take(&|element| {
        is(element, &["sdk", "import"]) && element.attribute("Sdk").or(element.attribute("Name")).is_some()
    });
    for kit in &kits {
        sdk(kit, &mut manifest);
    }
    sdk(&root, &mut manifest);
    manifest.rest.extend(kits.iter().filter(|kit| kit.name.eq_ignore_ascii_case("import")).map(Element::line));
    let is_own = |element: &Element| element.children.is_empty() && element.attributes.is_empty() && is(element, OWN);
    root.take(&is_own);
    let is_shell =
        |element: &Element| element.children.is_empty() && element.text.is_empty() && element.attributes.is_empty();
    while !root.take(&is_shell).is_empty() {}
    if !is_shell(&root) {
        manifest.rest.push(root.line());
    }
    manifest.rest.sort_unstable();
    Some(manifest)
}

fn named(element: &Element) -> Option<&str> {
    ["Include", "Update", "Remove", "id"].iter().find_map(|key| element.attribute(key))
}

/// One item may name several packages with `;` between; a name made of properties is not read.
fn package(item: &Element, manifest: &mut Manifest) {
    let names = named(item).unwrap_or_default();
    let line = item.line();
    let many = names.split(';').nth(1).is_some();
    if many || names.contains(['$', '@', '%', '*']) {
        manifest.rest.push(line.clone());
    }
    for name in names.split(';').map(str::trim) {
        manifest.add(name, if many { "" } else { &line }, None);
    }
}

/// `<Project Sdk="Name/1.0;Other">`, `<Sdk Name="…" Version="…"/>`, `<Import Sdk="…"/>`.
fn sdk(element: &Element, manifest: &mut Manifest) {
    let own = element.name.eq_ignore_ascii_case("sdk").then(|| element.attribute("Name")).flatten();
    let version = element.attribute("Version").unwrap_or_default();
    for name in own.or_else(|| element.attribute("Sdk")).into_iter().flat_map(|names| names.split(';')) {
        let (name, inline) = name.trim().split_once('/').unwrap_or((name.trim(), version));
        if !SDKS.contains(&name) {
            manifest.add(name, inline, None);
        }
    }
}

/// `packages.lock.json`: packages by target framework.
pub(super) fn lock(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut document = json(text)?;
    let mut manifest = Manifest::default();
    for (framework, mut packages) in take_map(&mut document, &["dependencies"]) {
        for (name, mut value) in entries(&mut packages) {
            let resolved = take_text(&mut value, &["resolved"]).unwrap_or_default();
            let hash = take_text(&mut value, &["contentHash"]);
            manifest.lock(&name, &resolved, None, Locked::one(hash.as_deref(), None));
            manifest.edge(&format!("{framework} {name}"), value);
        }
    }
    manifest.rest(document);
    Some(manifest.sorted())
}

fn entries(packages: &mut serde_json::Value) -> serde_json::Map<String, serde_json::Value> {
    packages.as_object_mut().map(core::mem::take).unwrap_or_default()
}
