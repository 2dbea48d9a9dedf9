//! Held against git itself.
#![expect(clippy::disallowed_methods, reason = "tests make their own folders")]

use super::attributes::Attributes;
use super::*;
use exacta_testkit::{git, output};
use std::fs;

fn run(folder: &Path, arguments: &[&str]) -> String {
    let me = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
    let done = output(git().args(me).args(arguments).current_dir(folder));
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    run(path, &["init", "-q", "-b", "main"]);
    write(path, "a.txt", "one\n");
    write(path, "src/deep/b.txt", "two\n");
    write(path, "ä ö", "three\n");
    run(path, &["add", "-A"]);
    run(path, &["commit", "-qm", "first"]);
    folder
}

fn open(path: &Path) -> Result<Repository, GitError> {
    let root = fs::File::open(path).unwrap();
    Repository::of(root.as_fd(), path, 1 << 20)
}

#[test]
fn head_files_and_contents_are_gits() {
    let folder = repository();
    let path = &folder.path().canonicalize().unwrap();
    for packed in [false, true] {
        if packed {
            run(path, &["gc", "-q"]);
        }
        let mut repository = open(path).unwrap();
        let head = repository.head().unwrap();
        assert_eq!(hex(&head), run(path, &["rev-parse", "HEAD"]).trim());
        let files = repository.files(&head).unwrap();
        let mut listed = String::new();
        for (name, file) in &files {
            listed.push_str(&format!("{}\0{}\0", String::from_utf8_lossy(name), hex(&file.id)));
        }
        assert_eq!(
            listed,
            run(path, &["-c", "core.quotePath=false", "ls-tree", "-rz", "--format=%(path)%x00%(objectname)", "HEAD"])
        );
        assert_eq!(repository.blob(&files[&b"src/deep/b.txt"[..]].id).unwrap(), b"two\n");
        assert_eq!(repository.blob(&[7; 20]), None);
    }
}

#[test]
fn a_linked_work_tree_is_read_if_the_link_holds_both_ways() {
    let folder = repository();
    let path = folder.path().canonicalize().unwrap();
    let linked = path.join("linked");
    run(&path, &["worktree", "add", "-q", "-b", "other", "linked"]);
    write(&linked, "a.txt", "changed\n");
    run(&linked, &["commit", "-qam", "second"]);
    let mut repository = open(&linked).unwrap();
    let head = repository.head().unwrap();
    assert_eq!(hex(&head), run(&linked, &["rev-parse", "HEAD"]).trim());
    let id = repository.files(&head).unwrap()[&b"a.txt"[..]].id;
    assert_eq!(repository.blob(&id).unwrap(), b"changed\n");
    assert!(repository.index().unwrap().entries.contains_key(&b"a.txt"[..]));
    let copied = path.join("copied");
    fs::create_dir(&copied).unwrap();
    fs::copy(linked.join(".git"), copied.join(".git")).unwrap();
    assert!(matches!(open(&copied), Err(GitError::None(_))));
}

#[test]
fn what_is_staged_is_told_from_what_lies_there() {
    let folder = repository();
    let path = &folder.path().canonicalize().unwrap();
    write(path, "a.txt", "staged\n");
    write(path, "new.txt", "n\n");
    run(path, &["add", "a.txt"]);
    run(path, &["add", "-N", "new.txt"]);
    run(path, &["update-index", "--skip-worktree", "src/deep/b.txt"]);
    for version in ["2", "4"] {
        run(path, &["update-index", "--index-version", version]);
        let mut repository = open(path).unwrap();
        let index = repository.index().unwrap();
        let entry = &index.entries[&b"a.txt"[..]];
        assert_eq!(repository.blob(&entry.id).unwrap(), b"staged\n");
        assert!(index.entries[&b"new.txt"[..]].to_add && !entry.to_add && !entry.unwatched);
        assert!(index.entries[&b"src/deep/b.txt"[..]].unwatched);
        assert!(index.conflicts.is_empty());
    }
    let stat = |name: &str| rustix::fs::stat(path.join(name)).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    run(path, &["add", "-A"]);
    let index = open(path).unwrap().index().unwrap();
    let entry = &index.entries[&b"a.txt"[..]];
    assert!(index.is_untouched(entry, &stat("a.txt")));
    write(path, "a.txt", "later!\n");
    assert!(!index.is_untouched(entry, &stat("a.txt")), "of the same size, but touched");
}

#[test]
fn what_is_kept_in_another_way_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(open(folder.path()), Err(GitError::None(_))));
    run(folder.path(), &["init", "-q", "--object-format=sha256"]);
    assert_eq!(open(folder.path()).unwrap_err(), GitError::Unknown("names its objects by SHA-256"));
    let folder = repository();
    run(folder.path(), &["update-index", "--split-index"]);
    assert_eq!(open(folder.path()).unwrap().index().unwrap_err(), GitError::Unreadable("the index"));
}

#[test]
fn files_that_git_converts_are_known() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        ".gitattributes",
        "*.bin filter=lfs diff=lfs -text\n*.sh text eol=lf\n*.bat eol=crlf\n# x\n*.c ident\n",
    );
    write(folder.path(), "sub/.gitattributes", "keep.bin -filter\n/top.txt filter=x\n");
    let root = fs::File::open(folder.path()).unwrap();
    let mut attributes = Attributes::of(root.as_fd(), "*.u working-tree-encoding=UTF-16\n", "own.txt filter=y\n");
    let cases = [
        ("a.bin", true),
        ("sub/a.bin", true),
        ("sub/keep.bin", false),
        ("sub/top.txt", true),
        ("sub/in/top.txt", false),
        ("x.sh", false),
        ("x.bat", true),
        ("x.c", true),
        ("x.u", true),
        ("own.txt", true),
        ("x.rs", false),
    ];
    for (path, converts) in cases {
        assert_eq!(attributes.converts(path).is_some(), converts, "{path}");
    }
}
