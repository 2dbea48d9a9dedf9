//! The cache: never stale, never needed, never trusted when it is damaged.

use crate::project::Project;
use std::fs;

const FILES: &[(&str, &str)] = &[
    ("src/walk.rs", "pub fn walk_tree() { visit_node(); }\n"),
    ("src/visit.rs", "pub fn visit_node() {}\n"),
    ("README.md", "# Walks trees\n"),
];

fn cache_file(project: &Project) -> std::path::PathBuf {
    let mut files = fs::read_dir(project.cache.path()).unwrap().map(|entry| entry.unwrap().path());
    let file = files.next().expect("no cache was written");
    assert!(files.next().is_none(), "more than one file in the cache");
    file
}

#[test]
fn what_is_known_is_not_read_again_and_what_changed_is() {
    let project = Project::of(FILES);
    project.settle();
    let first = project.ask("walk the tree");
    assert_eq!(first.read, 3);
    let again = project.ask("walk the tree");
    assert_eq!((again.read, &again.text), (0, &first.text));
    // The same length and the same time of modification: only the time of the inode's change tells.
    let path = project.path().join("src/visit.rs");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "pub fn tree_walk() {}//\n").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    let changed = project.ask("walk the tree");
    assert_eq!(changed.read, 1);
    assert!(changed.text.contains("tree_walk"));
}

#[test]
fn files_that_changed_just_now_are_read_again() {
    let project = Project::of(FILES);
    project.ask("walk");
    // Within the grain of the file system's times, so nothing but reading tells.
    project.write("src/visit.rs", "pub fn walk_node() {}\n");
    let selection = project.ask("walk");
    assert_eq!(selection.read, 3);
    assert!(selection.text.contains("walk_node"));
}

#[test]
fn files_that_come_and_go_are_noticed() {
    let project = Project::of(FILES);
    project.settle();
    project.ask("walk");
    fs::remove_file(project.path().join("README.md")).unwrap();
    project.write("src/walk_more.rs", "fn walk() {}\n");
    let selection = project.ask("walk");
    let paths = crate::project::paths(&selection);
    assert!(paths.contains(&"src/walk_more.rs") && !paths.contains(&"README.md"), "{paths:?}");
}

#[test]
fn a_damaged_cache_is_made_again() {
    let project = Project::of(FILES);
    project.settle();
    let expected = project.ask("walk").text;
    let file = cache_file(&project);
    let good = fs::read(&file).unwrap();
    for at in (0..good.len()).step_by(7) {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        fs::write(&file, &bad).unwrap();
        let selection = project.ask("walk");
        assert_eq!((selection.read, &selection.text), (3, &expected), "byte {at}");
    }
    for length in [0, 1, good.len() / 2, good.len() - 1] {
        fs::write(&file, &good[..length]).unwrap();
        assert_eq!(project.ask("walk").read, 3, "cut to {length}");
    }
    assert_eq!(fs::read(&file).unwrap(), good);
}

#[test]
fn the_cache_holds_no_text_of_the_project() {
    let canary = "canary7f3a9c";
    let project = Project::of(&[("a.rs", "// canary7f3a9c\nfn canary7f3a9c() {}\n")]);
    project.ask("anything");
    let cache = fs::read(cache_file(&project)).unwrap();
    assert!(!cache.windows(canary.len()).any(|window| window == canary.as_bytes()));
}
