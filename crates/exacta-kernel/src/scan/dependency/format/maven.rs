//! Maven's `pom.xml`.

use super::super::manifest::{Manifest, folder};
use super::super::xml::{self, Element};
use crate::path::RelPath;
use crate::prelude::*;

/// What only describes a project.
const OWN: &[&str] = &[
    "modelVersion",
    "groupId",
    "artifactId",
    "version",
    "name",
    "description",
    "url",
    "inceptionYear",
    "organization",
    "licenses",
    "developers",
    "contributors",
    "scm",
    "issueManagement",
];

/// How long a text may become when names in it are replaced.
const MAX_FILLED: usize = 4096;

/// `pom.xml`: whatever has an `artifactId` is a package, by `group:artifact`; repositories by address.
pub(super) fn pom(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut project = xml::read(text)?;
    let mut manifest = Manifest::default();
    let properties = Properties::of(&project, text);
    let packages = project.take(&|element| element.name != "exclusion" && element.child("artifactId").is_some());
    for package in packages {
        self::package(package, &properties, path, &mut manifest)?;
    }
    let is_address = |element: &Element| element.name == "url";
    let is_repository = |element: &Element| element.name.to_lowercase().ends_with("repository");
    for mut repository in project.take(&is_repository) {
        manifest.registries.extend(repository.take(&is_address).into_iter().map(|url| properties.fill(&url.text)));
        manifest.rest.push(repository.line());
    }
    project.children.retain(|child| !OWN.contains(&child.name.as_str()));
    project.take(&|element| element.children.is_empty() && properties.is_version(&element.name));
    // Where packages stood may be left as an empty shell.
    let shell =
        |element: &Element| element.children.is_empty() && element.text.is_empty() && element.attributes.is_empty();
    while !project.take(&shell).is_empty() {}
    if !project.children.is_empty() || !project.text.is_empty() {
        manifest.rest.push(project.line());
    }
    manifest.rest.sort_unstable();
    Some(manifest)
}

fn package(mut element: Element, properties: &Properties, path: &RelPath, manifest: &mut Manifest) -> Option<()> {
    let default = if element.name == "plugin" { "org.apache.maven.plugins" } else { "" };
    let filled = |name: &str| element.field(name).map(|value| properties.fill(value));
    let (group, artifact) = (filled("groupId").unwrap_or_else(|| default.to_owned()), filled("artifactId")?);
    let version = filled("version").unwrap_or_default();
    let outside = filled("systemPath").or_else(|| filled("relativePath")).and_then(|inner| folder(path, &inner));
    let outside = outside.filter(|_| element.name != "parent" || element.field("relativePath") != Some(""));
    let twice = ["groupId", "artifactId", "version"];
    if twice.iter().any(|name| element.children.iter().filter(|child| child.name == *name).count() > 1) {
        return None;
    }
    element.children.retain(|child| !twice.contains(&child.name.as_str()));
    let name = format!("{group}:{artifact}");
    let is_bare = element.children.is_empty() && element.attributes.is_empty() && element.text.is_empty();
    match element.name.as_str() {
        // What a plugin is told to do is no version of it.
        "plugin" | "extension" if !is_bare => {
            manifest.rest.push(format!("{name} {}", element.line()));
            manifest.add(&name, &version, outside);
        }
        _ if is_bare => manifest.add(&name, &version, outside),
        _ => manifest.add(&name, &format!("{version} {}", element.line()), outside),
    }
    Some(())
}

/// The project's own names for texts, `${name}`.
struct Properties {
    values: BTreeMap<String, String>,
    /// Those that are used for versions and nothing else.
    versions: BTreeSet<String>,
}

impl Properties {
    fn of(project: &Element, text: &str) -> Self {
        let mut values = BTreeMap::new();
        collect(project, &mut values);
        let mut used: BTreeMap<String, usize> = BTreeMap::new();
        count(project, &mut used);
        let mut all: BTreeMap<&str, usize> = BTreeMap::new();
        references(text).for_each(|name| *all.entry(name).or_default() += 1);
        let whole = |name: &str, times: usize| all.get(name) == Some(&times);
        let versions = used.into_iter().filter(|(name, times)| whole(name, *times)).map(|(name, _)| name).collect();
        Self { values, versions }
    }

    /// A text with the names in it replaced, once. One that would grow beyond all names stays as it is.
    fn fill(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let (name, tail) = after.split_once('}').unwrap_or((after, ""));
            filled.push_str(before);
            match self.values.get(name) {
                Some(value) => filled.push_str(value),
                None => filled.push_str(&format!("${{{name}}}")),
            }
            if filled.len() > MAX_FILLED {
                return text.to_owned();
            }
            rest = tail;
        }
        filled + rest
    }

    fn is_version(&self, name: &str) -> bool {
        self.versions.contains(name) && self.values.contains_key(name)
    }
}

/// The names in `${…}`.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
}

/// Every property; of two with one name, both count.
fn collect(element: &Element, values: &mut BTreeMap<String, String>) {
    for child in &element.children {
        if element.name == "properties" {
            let value = values.entry(child.name.clone()).or_default();
            value.push_str(&child.text);
        }
        collect(child, values);
    }
}

fn count(element: &Element, used: &mut BTreeMap<String, usize>) {
    if matches!(element.name.as_str(), "version" | "groupId" | "artifactId")
        && let Some(name) = element.text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
    {
        *used.entry(name.to_owned()).or_default() += 1;
    }
    element.children.iter().for_each(|child| count(child, used));
}
