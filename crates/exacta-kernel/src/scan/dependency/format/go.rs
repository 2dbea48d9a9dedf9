//! Go: `go.mod`, `go.work` and `go.sum`.

use super::super::manifest::{Locked, Manifest, folder};
use crate::path::RelPath;
use crate::prelude::*;

/// `go.mod` and `go.work`: directives, each on a line or in a block in parentheses.
pub(super) fn manifest(text: &str, path: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let mut block: Option<String> = None;
    for line in text.lines() {
        let words = words(line)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match (words.as_slice(), block.as_deref()) {
            ([], _) => {}
            ([")"], Some(_)) => block = None,
            ([verb, "("], None) => block = Some((*verb).to_owned()),
            ([_, "(", ")"], None) => {}
            (rest, Some(verb)) => directive(verb, rest, path, &mut manifest)?,
            ([verb, rest @ ..], None) => directive(verb, rest, path, &mut manifest)?,
        }
    }
    manifest.rest.sort_unstable();
    block.is_none().then_some(manifest)
}

fn directive(verb: &str, words: &[&str], path: &RelPath, manifest: &mut Manifest) -> Option<()> {
    match (verb, words) {
        ("module" | "go", [_]) => {}
        ("require", [name, version]) => manifest.add(name, version, None),
        ("tool", [name]) => manifest.add(name, "", None),
        ("replace", [old, "=>", new, version @ ..] | [old, _, "=>", new, version @ ..]) if version.len() < 2 => {
            let local = new.starts_with(['.', '/', '\\']) || new.get(1..2) == Some(":");
            let source = if local { folder(path, new) } else { Some(format!("module {new}")) };
            manifest.add(old, &format!("=> {new} {}", version.concat()), source);
        }
        ("use", [place]) => match folder(path, place) {
            Some(outside) => manifest.add(place, "", Some(outside)),
            None => manifest.rest.push(format!("use {place}")),
        },
        ("toolchain" | "godebug" | "exclude" | "retract" | "ignore", _) => {
            manifest.rest.push(format!("{verb} {}", words.join(" ")));
        }
        _ => return None,
    }
    Some(())
}

/// The words of a line: parentheses stand for themselves, quotes come off, a comment ends it. `None` if a quote does not end.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            break;
        }
        let end = match first {
            '(' | ')' | ',' => 1,
            '"' | '`' => {
                let inner = rest.get(1..)?;
                let end = inner.find(first)?;
                let word = inner.get(..end)?;
                if word.contains('\\') {
                    return None;
                }
                words.push(word.to_owned());
                rest = inner.get(end + 1..)?.trim_start();
                continue;
            }
            _ => {
                let stop = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',')).unwrap_or(rest.len());
                rest.find("//").map_or(stop, |comment| comment.min(stop))
            }
        };
        let (word, after) = rest.split_at_checked(end)?;
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Some(words)
}

/// `go.sum`: module, version, hash. Lines that only hash a `go.mod` name nothing that is built.
pub(super) fn sum(text: &str, _: &RelPath) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, version, hash] = words.as_slice() else { return None };
        match version.strip_suffix("/go.mod") {
            None => manifest.lock(name, version, None, Locked::one(Some(hash), None)),
            Some(_) => manifest.edges.push(line.trim().to_owned()),
        }
    }
    // Another hash for the file that says what a module needs is another module, too.
    let described: Vec<String> = core::mem::take(&mut manifest.edges);
    for line in &described {
        let mut words = line.split_whitespace();
        let (name, version, hash) = (words.next()?, words.next()?, words.next());
        if let Some(package) = manifest.packages.get_mut(name) {
            package.locked.entry(version.to_owned()).or_default().hashes.extend(hash.map(ToOwned::to_owned));
        }
    }
    manifest.edges = described;
    Some(manifest.sorted())
}
