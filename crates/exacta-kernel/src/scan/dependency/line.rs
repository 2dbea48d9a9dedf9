//! Manifests and lock files that are read line by line.

use super::manifest::{Manifest, folder, host};
use crate::path::RelPath;
use crate::prelude::*;

/// `requirements.txt` and its like.
pub(super) fn requirements(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    if text.lines().any(is_prose) {
        return manifest;
    }
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or_default().trim();
        if let Some(option) = line.strip_prefix('-') {
            requirement_option(option, &mut manifest);
        } else if !line.is_empty() && !line.starts_with('#') {
            requirement(line, &mut manifest);
        }
    }
    manifest
}

/// Three bare words, as in a manual page called `constraints.txt`. An installer refuses a whole file that has such a line.
fn is_prose(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let bare = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphabetic());
    words.by_ref().take(3).filter(|word| bare(word)).count() == 3 && words.all(bare)
}

fn requirement_option(option: &str, manifest: &mut Manifest) {
    let (name, value) = option.split_once([' ', '=']).unwrap_or((option, ""));
    let value = value.trim();
    match name {
        "i" | "-index-url" | "-extra-index-url" | "f" | "-find-links" | "-trusted-host" => {
            manifest.registries.insert(value.to_owned());
        }
        "e" | "-editable" if value.contains("://") => requirement(value, manifest),
        _ => {}
    }
}

/// One PEP 508 requirement: `name[extra]>=1 ; marker`, `name @ address`, or an address.
pub(super) fn requirement(text: &str, manifest: &mut Manifest) {
    let text = text.split(';').next().unwrap_or_default().trim();
    if let Some((name, address)) = text.split_once('@').filter(|(_, address)| address.contains("://")) {
        if name.contains("://") {
            return requirement_address(text, manifest);
        }
        return manifest.add(&normal(name.split('[').next().unwrap_or(name)), address, Some(plain(address)));
    }
    if text.contains("://") {
        return requirement_address(text, manifest);
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(text.len());
    let (name, version) = text.split_at(end);
    manifest.add(&normal(name), version, None);
}

fn requirement_address(address: &str, manifest: &mut Manifest) {
    let name = address.split_once("#egg=").map_or(address, |(_, name)| name);
    manifest.add(name, address, Some(plain(address)));
}

/// An address without its fragment, and without the branch or commit after its last `@`.
fn plain(address: &str) -> String {
    let address = address.split('#').next().unwrap_or(address).trim();
    let start = address.find("://").map_or(0, |at| at + 3);
    let path = address.get(start..).and_then(|rest| rest.find('/')).map_or(address.len(), |at| start + at);
    let at = address.get(path..).and_then(|rest| rest.rfind('@')).map_or(address.len(), |at| path + at);
    address.get(..at).unwrap_or(address).to_owned()
}

/// PEP 503: case and separators do not matter.
fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace(['_', '.'], "-")
}

/// `go.mod`: `require` and `replace`.
pub(super) fn go_mod(text: &str, path: &RelPath) -> Manifest {
    let mut manifest = Manifest::default();
    let mut block = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if let Some(verb) = line.strip_suffix('(') {
            verb.trim().clone_into(&mut block);
            continue;
        }
        if line == ")" {
            block.clear();
            continue;
        }
        let (verb, rest) =
            if block.is_empty() { line.split_once(' ').unwrap_or((line, "")) } else { (block.as_str(), line) };
        match verb {
            "require" | "tool" => {
                let (name, version) = rest.split_once(' ').unwrap_or((rest, ""));
                manifest.add(name, version, None);
            }
            "replace" => {
                let Some((old, new)) = rest.split_once("=>") else { continue };
                let (new, version) = new.trim().split_once(' ').unwrap_or((new.trim(), ""));
                let local = new.starts_with(['.', '/']);
                let source = if local { folder(path, new) } else { Some(format!("module {new}")) };
                manifest.add(old.split_whitespace().next().unwrap_or_default(), version, source);
            }
            _ => {}
        }
    }
    manifest
}

/// `go.sum`, without the lines that only hash a `go.mod`.
pub(super) fn go_sum(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) =
            (words.next(), words.next().filter(|version| !version.ends_with("/go.mod")))
        {
            manifest.add(name, version, None);
        }
    }
    manifest
}

/// `Gemfile`: `gem "name", "version", git: "…"` and `source "…"`.
pub(super) fn gemfile(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for line in text.lines().map(str::trim) {
        let quoted: Vec<&str> = quoted(line).collect();
        let Some(first) = quoted.first() else { continue };
        if line.starts_with("gem ") || line.starts_with("gem(") {
            let foreign =
                ["git:", "github:", "path:", "source:", ":git =>", ":path =>"].iter().any(|key| line.contains(key));
            let source = foreign.then(|| quoted.last().copied().unwrap_or_default().to_owned());
            manifest.add(first, quoted.get(1..).unwrap_or_default().join(" ").as_str(), source);
        } else if line.starts_with("source ") && *first != "https://rubygems.org" {
            manifest.registries.insert((*first).to_owned());
        }
    }
    manifest
}

/// `Gemfile.lock`: packages are indented by four spaces, what they need by six.
pub(super) fn gemfile_lock(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut source = None;
    for line in text.lines() {
        if let Some(remote) = line.strip_prefix("  remote: ") {
            source = (!remote.starts_with("https://rubygems.org") && remote != ".").then(|| remote.to_owned());
        } else if let Some(package) = line.strip_prefix("    ").filter(|package| !package.starts_with(' ')) {
            let (name, version) = package.split_once(" (").unwrap_or((package, ""));
            manifest.add(name, version.trim_end_matches(')'), source.clone());
        }
    }
    manifest
}

/// `yarn.lock`, both formats: a header line `"name@range", …:` with indented fields under it.
pub(super) fn yarn_lock(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let (mut name, mut version, mut source) = (String::new(), String::new(), None);
    for line in text.lines().chain(["end:"]) {
        let field = line.strip_prefix("  ").map(str::trim);
        if let Some(field) = field {
            let (key, value) = field.split_once([' ', ':']).unwrap_or((field, ""));
            let value = value.trim_matches([' ', ':', '"']);
            match key {
                "version" => value.clone_into(&mut version),
                "resolved" => {
                    source = Some(host(value))
                        .filter(|host| !host.ends_with("yarnpkg.com") && *host != "registry.npmjs.org")
                        .map(ToOwned::to_owned)
                }
                _ => {}
            }
        } else if line.ends_with(':') && !line.starts_with('#') {
            manifest.add(&name, &version, source.take());
            let header = line.trim_matches(['"', ':']);
            let end = header.get(1..).and_then(|rest| rest.find('@')).map_or(0, |at| at + 1);
            header.get(..end).unwrap_or_default().clone_into(&mut name);
            version.clear();
        }
    }
    manifest
}

/// `pnpm-lock.yaml`: the keys of `packages`, in the forms of all versions, and which of them are built when installed.
pub(super) fn pnpm_lock(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let (mut within, mut last) = (false, String::new());
    for line in text.lines() {
        if !line.starts_with(' ') && !line.is_empty() {
            within = line.starts_with("packages:");
        }
        if within && line.trim() == "requiresBuild: true" {
            manifest.runs_script(&last);
        }
        let key = line.strip_prefix("  ").filter(|key| within && !key.starts_with(' '));
        let Some(key) = key.and_then(|key| key.strip_suffix(':')) else { continue };
        let key = key.trim_matches(['\'', '"']).trim_start_matches('/');
        let key = key.split('(').next().unwrap_or(key);
        let at = key.get(1..).and_then(|rest| rest.rfind(['@', '/'])).map_or(key.len(), |at| at + 1);
        let (name, version) = key.split_at(at);
        manifest.add(name, version.trim_start_matches(['@', '/']), None);
        name.clone_into(&mut last);
    }
    manifest
}

/// Gradle's build files: quoted coordinates after a configuration's name, and repositories' addresses.
pub(super) fn gradle(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        for value in quoted(line) {
            let mut parts = value.split(':');
            if value.starts_with("http") && (line.contains("url") || line.contains("maven")) {
                manifest.registries.insert(value.to_owned());
            } else if let (Some(group), Some(artifact)) = (parts.next(), parts.next())
                && is_coordinate(group)
                && is_coordinate(artifact)
            {
                manifest.add(&format!("{group}:{artifact}"), parts.next().unwrap_or_default(), None);
            }
        }
    }
    manifest
}

fn is_coordinate(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

/// The texts in quotes on a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split(['"', '\'']).skip(1).step_by(2)
}
