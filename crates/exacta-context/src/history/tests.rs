//! Held against git itself, with loose objects and with packed ones.
#![expect(clippy::disallowed_methods, reason = "tests make their own folders")]

use super::*;
use rustix::fd::AsFd as _;
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]).args(arguments);
    command.current_dir(folder).env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What git says the same changes are.
fn expected(folder: &Path) -> Vec<Vec<String>> {
    let log = git(folder, &["log", "--first-parent", "-m", "--no-renames", "--name-only", "--format=format:commit"]);
    let mut changes: Vec<Vec<String>> = Vec::new();
    for line in log.lines().filter(|line| !line.is_empty()) {
        match changes.last_mut() {
            Some(files) if line != "commit" => files.push(line.to_owned()),
            _ => changes.push(Vec::new()),
        }
    }
    // The first commit has nothing to differ from.
    changes.pop();
    changes
}

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    git(path, &["init", "-q", "-b", "main"]);
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(path.join(name).parent().unwrap()).unwrap();
        std::fs::write(path.join(name), text).unwrap();
    };
    for round in 0..30 {
        write("src/long.txt", &(0..400).map(|line| format!("line {line} {}\n", line * round / 7)).collect::<String>());
        write(&format!("src/deep/er/{}.rs", round % 5), &format!("fn f{round}() {{}}\n"));
        write(&format!("{round}.md"), "x");
        if round == 10 {
            git(path, &["rm", "-rqf", "src/deep"]);
        }
        git(path, &["add", "-A"]);
        git(path, &["commit", "-qm", "change"]);
    }
    git(path, &["checkout", "-qb", "side", "HEAD~3"]);
    write("side.rs", "fn side() {}");
    git(path, &["add", "-A"]);
    git(path, &["commit", "-qm", "side"]);
    git(path, &["checkout", "-q", "main"]);
    git(path, &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    folder
}

#[test]
fn changes_are_those_that_git_tells() {
    let folder = repository();
    let root = std::fs::File::open(folder.path()).unwrap();
    let wanted = expected(folder.path());
    assert_eq!(wanted.len(), 30);
    assert_eq!(changes(root.as_fd()), wanted, "loose");
    git(folder.path(), &["repack", "-adq", "--depth=50"]);
    git(folder.path(), &["pack-refs", "--all"]);
    assert_eq!(changes(root.as_fd()), wanted, "packed");
    git(folder.path(), &["checkout", "-q", "--detach", "HEAD~4"]);
    assert_eq!(changes(root.as_fd()), expected(folder.path()), "detached");
}

#[test]
fn damage_ends_the_history_and_nothing_else() {
    let folder = repository();
    git(folder.path(), &["repack", "-adq"]);
    let root = std::fs::File::open(folder.path()).unwrap();
    let packs = std::fs::read_dir(folder.path().join(".git/objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    for file in packs.filter(|path| path.extension().is_some_and(|it| it == "idx" || it == "pack")) {
        let good = std::fs::read(&file).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        std::fs::set_permissions(&file, mode).unwrap();
        for at in (0..good.len()).step_by(good.len() / 150 + 1) {
            let mut bad = good.clone();
            bad[at] ^= 0xff;
            std::fs::write(&file, &bad).unwrap();
            let _ = changes(root.as_fd());
        }
        std::fs::write(&file, &good[..good.len() / 2]).unwrap();
        let _ = changes(root.as_fd());
        std::fs::write(&file, &good).unwrap();
    }
    assert_eq!(changes(root.as_fd()), expected(folder.path()));
    std::fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/none\n").unwrap();
    assert!(changes(root.as_fd()).is_empty());
}

#[test]
fn without_a_repository_there_is_no_history() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::File::open(folder.path()).unwrap();
    assert!(changes(root.as_fd()).is_empty());
    std::fs::write(folder.path().join(".git"), "gitdir: /elsewhere\n").unwrap();
    assert!(changes(root.as_fd()).is_empty());
}
