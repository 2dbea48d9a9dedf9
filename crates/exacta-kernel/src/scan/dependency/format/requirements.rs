//! Lists of Python requirements: `requirements.txt` and its like, and the PEP 508 texts in other manifests.

use super::super::manifest::{Locked, Manifest, folder};
use crate::path::RelPath;
use crate::prelude::*;

/// The options of a list that have a value, by their long names; pip takes any beginning of one for the whole.
const VALUED: &[&str] = &[
    "index-url",
    "extra-index-url",
    "find-links",
    "trusted-host",
    "requirement",
    "constraint",
    "editable",
    "no-binary",
    "only-binary",
    "use-feature",
];

/// A list of requirements as pip reads it.
pub(super) fn list(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let lines = logical(text);
    if lines.iter().any(|line| is_prose(line)) {
        // An installer refuses the whole file.
        manifest.rest.push(text.to_owned());
        return Some(manifest);
    }
    for line in &lines {
        if let Some(option) = line.strip_prefix('-') {
            self::option(option, path, &mut manifest)?;
        } else {
            requirement(line, path, &mut manifest)?;
        }
    }
    manifest.rest.sort_unstable();
    Some(manifest)
}

/// Lines joined where they end in a backslash, without comments.
fn logical(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        let comment = line.trim_start().starts_with('#');
        match line.strip_suffix('\\') {
            Some(part) if !comment => open.push_str(part),
            _ => {
                if comment {
                    // Within a continued line it ends it.
                    open.push(' ');
                }
                open.push_str(line);
                lines.push(core::mem::take(&mut open));
            }
        }
    }
    lines.push(open);
    let plain = |line: &String| uncommented(line).trim().to_owned();
    lines.iter().map(plain).filter(|line| !line.is_empty()).collect()
}

/// A comment begins the line or comes after a blank.
fn uncommented(line: &str) -> &str {
    let starts = line.match_indices('#').map(|(at, _)| at);
    let mut starts =
        starts.filter(|at| line.get(..*at).is_some_and(|head| head.is_empty() || head.ends_with(char::is_whitespace)));
    starts.next().and_then(|at| line.get(..at)).unwrap_or(line)
}

/// Three bare words, as in a manual page called `constraints.txt`. An installer refuses a whole file that has such a line.
fn is_prose(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let bare = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphabetic());
    words.by_ref().take(3).filter(|word| bare(word)).count() == 3 && words.all(bare)
}

fn option(option: &str, path: &RelPath, manifest: &mut Manifest) -> Option<()> {
    let (name, value) = split_option(option);
    let value = value.trim_matches(['"', '\'']);
    match name {
        "index-url" | "extra-index-url" | "find-links" | "trusted-host" => {
            manifest.registries.insert(value.to_owned());
        }
        "editable" if value.contains("://") => requirement(value, path, manifest)?,
        "editable" if folder(path, value).is_some() => manifest.add(value, "", folder(path, value)),
        "editable" | "requirement" | "constraint" => {
            manifest.includes.insert(format!("--{name} {value}"));
        }
        _ => manifest.rest.push(format!("-{option}")),
    }
    Some(())
}

/// An option's long name and its value: `r x`, `rx`, `-requirement x`, `-req=x`.
fn split_option(option: &str) -> (&'static str, &str) {
    let long = option.strip_prefix('-');
    let Some(long) = long else {
        let value = option.get(1..).unwrap_or_default().trim();
        let name = match option.chars().next() {
            Some('i') => "index-url",
            Some('f') => "find-links",
            Some('r') => "requirement",
            Some('c') => "constraint",
            Some('e') => "editable",
            _ => "",
        };
        return (name, value);
    };
    let (name, value) = long.split_once([' ', '\t', '=']).unwrap_or((long, ""));
    let full = VALUED.iter().find(|full| full.starts_with(name)).copied().unwrap_or_default();
    (full, value.trim())
}

/// One requirement: `name[extra]>=1 ; marker`, `name @ address`, an address, or a file. `None` for none of these.
pub(super) fn requirement(text: &str, path: &RelPath, manifest: &mut Manifest) -> Option<()> {
    let (text, options) = text.split_once(" --").unwrap_or((text, ""));
    let hashes = options.split_whitespace().filter_map(|word| word.trim_start_matches("--").strip_prefix("hash"));
    let hashes = hashes.map(|hash| hash.trim_start_matches('=').to_owned()).collect();
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let after = after_extras(rest)?;
    let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && !after.starts_with(['/', ':', '\\', '+']);
    if let Some(address) = after.strip_prefix('@').filter(|_| starts) {
        let address = address.split(" ;").next().unwrap_or(address).trim();
        let source = if address.contains("://") { Some(plain(address)) } else { folder(path, address) };
        manifest.lock(&normal(name), rest, source, Locked { hashes, ..Locked::default() });
        return Some(());
    }
    if starts && !is_file(name) {
        if !(after.is_empty() || after.starts_with(['<', '>', '=', '!', '~', ';', '('])) {
            return None;
        }
        manifest.lock(&normal(name), rest, None, Locked { hashes, ..Locked::default() });
        return Some(());
    }
    let text = text.split(" ;").next().unwrap_or(text).trim();
    let name = text.split_once("#egg=").map_or(text, |(_, name)| name);
    let source = if text.contains("://") { Some(plain(text)) } else { folder(path, text) };
    let local = text.contains(['/', '\\']) || is_file(text);
    local.then(|| manifest.lock(name, text, source, Locked { hashes, ..Locked::default() }))
}

fn is_file(name: &str) -> bool {
    [".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".egg"].iter().any(|end| name.ends_with(end))
        || matches!(name, "." | "..")
}

/// What comes after `[extra, …]`, if there is any.
fn after_extras(rest: &str) -> Option<&str> {
    match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']').map(|(_, after)| after.trim_start()),
        None => Some(rest),
    }
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
pub(super) fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace(['_', '.'], "-")
}
