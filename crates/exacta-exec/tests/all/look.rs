//! What `facts` says about everything a target can be.

use exacta_exec::ProjectRoot;
use exacta_kernel::facts::{Obstacle, Target, TargetFact};
use exacta_kernel::path::RelPath;
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn fact(root: &ProjectRoot, text: &str) -> TargetFact {
    let path = path(text);
    root.facts([&path], 1000).get(&path).unwrap().clone()
}

fn blocked(at: &str, by: Obstacle) -> Target {
    Target::Blocked { at: at.to_owned(), by }
}

#[test]
fn every_kind_of_target_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("src/deep")).unwrap();
    fs::write(at("src/a.rs"), "fn a() {}\n").unwrap();
    fs::set_permissions(at("src/a.rs"), fs::Permissions::from_mode(0o751)).unwrap();
    fs::create_dir_all(at("plain/in")).unwrap();
    fs::write(at("plain/in/b"), "").unwrap();
    fs::write(at("plain/a"), "").unwrap();
    fs::write(at("big"), vec![b'x'; 1001]).unwrap();
    fs::write(at("full"), vec![b'x'; 1000]).unwrap();
    symlink("src", at("link")).unwrap();
    symlink("/nowhere", at("src/dangling")).unwrap();
    assert!(exacta_testkit::succeeds(Command::new("mkfifo").arg(at("pipe"))));
    let root = ProjectRoot::open(dir.path()).unwrap();

    let Target::File(file) = fact(&root, "src/a.rs").target else { panic!("not a file") };
    assert_eq!((file.bytes(), file.mode()), (b"fn a() {}\n".as_slice(), 0o751));
    let Target::File(file) = fact(&root, "full").target else { panic!("not a file") };
    assert_eq!(file.size(), 1000);
    let cases = [
        ("none", Target::Absent),
        ("none/at/all", Target::Absent),
        ("src/deep/none", Target::Absent),
        ("big", Target::TooLarge { size: 1001 }),
        ("link", Target::Symlink),
        ("src/dangling", Target::Symlink),
        ("src", Target::Directory { files: None }),
        ("src/deep", Target::Directory { files: None }),
        ("plain", Target::Directory { files: Some(vec![path("plain/a"), path("plain/in/b")]) }),
        ("pipe", Target::Special),
        ("link/a.rs", blocked("link", Obstacle::Symlink)),
        ("src/dangling/x", blocked("src/dangling", Obstacle::Symlink)),
        ("src/a.rs/x/y", blocked("src/a.rs", Obstacle::NotAFolder)),
        ("pipe/x", blocked("pipe", Obstacle::NotAFolder)),
    ];
    for (path, expected) in cases {
        assert_eq!(fact(&root, path).target, expected, "{path}");
    }
}

#[test]
fn another_file_system_is_not_entered() {
    let root = ProjectRoot::open("/").unwrap();
    assert_eq!(fact(&root, "proc/cpuinfo").target, blocked("proc", Obstacle::Mount));
    assert_eq!(fact(&root, "proc").target, blocked("proc", Obstacle::Mount));
}

#[test]
fn names_that_look_alike_are_listed_for_new_files() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("Src")).unwrap();
    fs::write(dir.path().join("Src/README"), "").unwrap();
    fs::write(dir.path().join("Src/caf\u{e9}"), "").unwrap();
    let root = ProjectRoot::open(dir.path()).unwrap();
    let cases: [(&str, &[&str]); 6] = [
        ("Src/readme", &["Src/README"]),
        ("Src/Cafe\u{301}", &["Src/caf\u{e9}"]),
        ("Src/README", &[]),
        ("Src/other", &[]),
        ("src/new", &["Src"]),
        ("SRC", &["Src"]),
    ];
    for (path, expected) in cases {
        let fact = fact(&root, path);
        assert_eq!(fact.lookalikes, expected, "{path}");
        assert!(!fact.folds, "{path}");
    }
}

#[test]
fn what_may_not_be_read_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("secret");
    fs::write(&file, "x").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    let look = || {
        // The super-user may read everything, but for this thread.
        let sets = CapabilitySets { effective: CapabilitySet::empty(), ..capabilities(None).unwrap() };
        set_capabilities(None, sets).unwrap();
        let root = ProjectRoot::open(dir.path()).unwrap();
        assert!(matches!(fact(&root, "secret").target, Target::Unreadable { .. }));
    };
    std::thread::scope(|scope| scope.spawn(look).join().unwrap());
}

#[test]
fn a_removed_project_is_empty() {
    let dir = tempfile::tempdir().unwrap();
    let root = ProjectRoot::open(dir.path()).unwrap();
    let long = vec!["x".repeat(255); 15].join("/");
    assert_eq!(fact(&root, &long).target, Target::Absent);
    drop(dir);
    assert_eq!(fact(&root, "file").target, Target::Absent);
    assert!(ProjectRoot::open("/nowhere/at/all").unwrap_err().to_string().contains("`/nowhere/at/all`"));
}
