//! The kernel is pure: what it depends on, with every feature, is listed, and so is every source file that may name `std`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A crate of the tree and its features, without versions.
fn entry(line: &str) -> String {
    let (name, features) = line.split_once('|').unwrap();
    format!("{} [{}]", name.split(' ').next().unwrap(), features.trim_end_matches(" (*)"))
}

/// A new dependency, or a new feature of one, may bring in a clock, files or the environment. Look at what it does before taking
/// over the list.
#[test]
fn nothing_else_is_depended_on() {
    let arguments = ["tree", "--package", "exacta-kernel", "--edges", "normal,no-proc-macro", "--target", "all"];
    let format = ["--locked", "--prefix", "none", "--format", "{p}|{f}"];
    let output = exacta_testkit::output(Command::new(env!("CARGO")).args(arguments).args(format));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree: BTreeSet<String> = String::from_utf8(output.stdout).unwrap().lines().map(entry).collect();
    for clock in ["jiff", "chrono", "time", "web-time", "getrandom", "rand", "rustix"] {
        assert!(!tree.iter().any(|entry| entry.split(' ').next() == Some(clock)), "{clock} reaches outside");
    }
    insta::assert_snapshot!(tree.into_iter().collect::<Vec<_>>().join("\n"));
}

/// `std` is for tests alone.
#[test]
fn only_tests_have_std() {
    let root = include_str!("../../src/lib.rs");
    assert!(root.contains("#![no_std]"));
    assert_eq!(root.matches("extern crate std").count(), 1);
    assert!(root.contains("#[cfg(test)]\nextern crate std;"));
    assert_eq!(files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "extern crate std"), 1);
}

/// How many source files beneath a folder hold a text.
fn files(folder: &Path, text: &str) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let count = |path: std::path::PathBuf| {
        if path.is_dir() {
            return files(&path, text);
        }
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        usize::from(is_source && std::fs::read_to_string(&path).unwrap().contains(text))
    };
    entries.map(count).sum()
}
