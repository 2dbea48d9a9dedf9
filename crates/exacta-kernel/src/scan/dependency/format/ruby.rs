//! Bundler: `Gemfile`, which is a program, and `Gemfile.lock`.

use super::super::manifest::{Locked, Manifest};
use super::gradle::quoted;
use crate::path::RelPath;
use crate::prelude::*;

/// `Gemfile`: `gem "name", "version", git: "…"` and `source "…"`. What else such a program adds is in no line.
pub(super) fn gemfile(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for line in text.lines().map(str::trim) {
        let quoted: Vec<&str> = quoted(line).collect();
        let Some(first) = quoted.first() else { continue };
        let word = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        if word == "gem" {
            let foreign = [
                "git:",
                "github:",
                "gitlab:",
                "bitbucket:",
                "gist:",
                "path:",
                "source:",
                ":git =>",
                ":path =>",
                ":github =>",
                ":source =>",
            ];
            let source = foreign
                .iter()
                .any(|key| line.contains(key))
                .then(|| quoted.last().copied().unwrap_or_default().to_owned());
            manifest.add(first, quoted.get(1..).unwrap_or_default().join(" ").as_str(), source);
        } else if word == "source" && first.trim_end_matches('/') != "https://rubygems.org" {
            manifest.registries.insert((*first).to_owned());
        }
    }
    Some(manifest)
}

/// `Gemfile.lock`: sections; packages are indented by four blanks, what they need by six.
pub(super) fn lock(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let (mut section, mut source, mut commit) = ("", None::<String>, "");
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let bare = line.trim_start();
        let from = matches!(section, "GEM" | "GIT" | "PATH" | "PLUGIN SOURCE");
        match (line.len() - bare.len(), bare.split_once(": ")) {
            (0, _) => (section, source, commit) = (bare.trim_end(), None, ""),
            (2, Some(("remote", remote))) if from => {
                let own =
                    remote.starts_with("https://rubygems.org/") || remote == "https://rubygems.org" || remote == ".";
                source = if own { source } else { Some(remote.to_owned()) };
                manifest.rest.push(format!("{section} {remote}"));
            }
            (2, Some(("revision", revision))) if from => commit = revision,
            (2, _) if from => manifest.edges.push(bare.to_owned()),
            (4, _) if from => {
                let (name, version) = spec(bare)?;
                let locked = Locked::one(None, source.as_deref());
                manifest.lock(name, &format!("{version} {commit}"), source.clone(), locked);
            }
            (6, _) if from => manifest.edges.push(line.to_owned()),
            (2, _) if section == "DEPENDENCIES" => {
                let name = bare.split([' ', '!']).next().unwrap_or(bare);
                manifest.name(name);
                manifest.edges.push(bare.to_owned());
            }
            (2, _) if section == "CHECKSUMS" => {
                let (package, hash) = bare.split_once(") ").unwrap_or((bare, ""));
                let (name, version) = spec(&format!("{})", package.trim_end_matches(')')))
                    .map(|(name, version)| (name.to_owned(), version.to_owned()))?;
                let locked = Locked::one(Some(hash), None);
                if let Some(package) = manifest.packages.get_mut(&name) {
                    package.locked.entry(version).or_default().hashes.extend(locked.hashes);
                }
            }
            _ if section == "BUNDLED WITH" => {}
            _ if !from => manifest.rest.push(format!("{section} {bare}")),
            _ => return None,
        }
    }
    Some(manifest.sorted())
}

/// `name (version)`.
fn spec(text: &str) -> Option<(&str, &str)> {
    match text.split_once(" (") {
        Some((name, version)) => Some((name, version.strip_suffix(')')?)),
        None => Some((text, "")),
    }
}
