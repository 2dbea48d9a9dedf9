//! Manifests in XML, read as far as dependencies go.

use super::manifest::Manifest;
use crate::prelude::*;

/// `pom.xml`: dependencies and plugins by `group:artifact`, repositories by address.
pub(super) fn pom(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for element in ["dependency", "plugin", "parent", "extension"] {
        for block in blocks(text, element) {
            let group = field(block, "groupId").unwrap_or("org.apache.maven.plugins");
            if let Some(artifact) = field(block, "artifactId") {
                manifest.add(&format!("{group}:{artifact}"), field(block, "version").unwrap_or_default(), None);
            }
        }
    }
    for element in ["repository", "pluginRepository"] {
        manifest
            .registries
            .extend(blocks(text, element).filter_map(|block| field(block, "url")).map(ToOwned::to_owned));
    }
    manifest
}

/// Project files of .NET and their central lists: `PackageReference`, `PackageVersion`, `package`, and sources.
pub(super) fn nuget(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for tag in text.split('<').skip(1) {
        let name = tag.split([' ', '\t', '\n', '\r', '>', '/']).next().unwrap_or_default();
        match name {
            "PackageReference" | "PackageVersion" | "package" | "DotNetCliToolReference" => {
                let package = ["Include", "Update", "id"].iter().find_map(|key| attribute(tag, key));
                let version = ["Version", "version", "VersionOverride"].iter().find_map(|key| attribute(tag, key));
                manifest.add(package.unwrap_or_default(), version.unwrap_or_default(), None);
            }
            "RestoreSources" | "RestoreAdditionalProjectSources" => {
                manifest.registries.extend(tag.split_once('>').map(|(_, value)| value.trim().to_owned()));
            }
            _ => {}
        }
    }
    manifest
}

/// The contents of every element of this name.
fn blocks<'a>(text: &'a str, element: &str) -> impl Iterator<Item = &'a str> {
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    let parts: Vec<&str> = text.split(open.as_str()).skip(1).collect();
    parts.into_iter().map(move |part| part.split(close.as_str()).next().unwrap_or(part))
}

fn field<'a>(block: &'a str, element: &str) -> Option<&'a str> {
    let (_, rest) = block.split_once(format!("<{element}>").as_str())?;
    rest.split('<').next().map(str::trim)
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let tag = tag.split('>').next().unwrap_or(tag);
    let (_, rest) = tag.split_once(format!(" {name}=").as_str())?;
    rest.get(1..)?.split(['"', '\'']).next()
}
