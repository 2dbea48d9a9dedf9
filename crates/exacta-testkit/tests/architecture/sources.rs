//! The sources of the workspace, as text.

use std::fs;
use std::path::{Path, PathBuf};

/// One Rust file of a crate.
#[derive(Debug)]
pub struct Source {
    /// Where it is beneath the crate's `src`, such as `policy/rule/mod.rs`.
    pub name: String,
    /// What it says, without comments and without its tests.
    pub code: String,
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The folders of all crates, by name.
pub fn crates() -> Vec<String> {
    let folder = workspace().join("crates");
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The files of one crate's `src`, but for those that hold only tests.
pub fn sources(name: &str) -> Vec<Source> {
    let root = workspace().join("crates").join(name).join("src");
    let mut files = files(&root);
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let relative = |path: &PathBuf| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
    let is_test = |name: &str| name.split('/').any(|part| part == "tests" || part == "tests.rs");
    let named = files.iter().map(|path| (relative(path), path)).filter(|(name, _)| !is_test(name));
    named.map(|(name, path)| Source { name, code: code(&fs::read_to_string(path).unwrap()) }).collect()
}

/// Every file beneath a folder, by name.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The code of a file: tests stand last in a file, so everything from `#[cfg(test)]` with a `mod` on is cut off.
pub fn code(text: &str) -> String {
    let tests = text.match_indices("#[cfg(test)]").find(|(at, _)| {
        let rest = text[*at..].lines().skip(1).find(|line| !line.trim_start().starts_with("#["));
        rest.is_some_and(|line| line.trim_start().starts_with("mod ") && line.trim_end().ends_with('{'))
    });
    let text = tests.map_or(text, |(at, _)| &text[..at]);
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}
