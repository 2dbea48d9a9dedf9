//! Attack 32: a file that gives way to a folder, and a folder that gives way to a file.

use super::project::*;
use crate::mark::Mark;
use crate::work::FileWork;
use crate::{Event, Outcome, RunError};
use exacta_testkit::succeeds;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

const FILES: [(&str, &str, u32); 3] =
    [("a", "file\n", 0o644), ("shelf/in/f", "deep\n", 0o644), ("shelf/g", "flat\n", 0o600)];

fn swap(number: u32) -> FileWork {
    work(
        number,
        vec![
            change("a", content("file\n", 0o644), None),
            change("a/b/c", None, content("new\n", 0o644)),
            change("shelf", None, content("file now\n", 0o644)),
            change("shelf/in/f", content("deep\n", 0o644), None),
            change("shelf/g", content("flat\n", 0o600), None),
        ],
    )
}

#[test]
fn a_file_and_a_folder_change_places_and_back() {
    let project = Project::new(&FILES);
    let before = project.tree();
    project.run(&swap(1)).unwrap();
    assert_eq!(fs::read(project.at("a/b/c")).unwrap(), b"new\n");
    assert_eq!(fs::read(project.at("shelf")).unwrap(), b"file now\n");
    let after = project.tree();
    project.run(&undo(2, &swap(1))).unwrap();
    assert_eq!(project.tree(), before, "with the modes of its folders");
    project.run(&undo(3, &undo(2, &swap(1)))).unwrap();
    assert_eq!(project.tree(), after);
}

/// A run that died while it was put back: what it had done of that decides nothing, not even a folder without its mode yet.
#[test]
fn it_is_put_back_from_its_journal_alone_however_far_that_went() {
    let halfway: [Act<'_>; 4] = [
        &|_| {},
        &|project| fs::remove_file(project.at("shelf")).unwrap(),
        &|project| {
            fs::remove_file(project.at("shelf")).unwrap();
            fs::create_dir_all(project.at("shelf/in")).unwrap();
        },
        &|project| fs::remove_dir_all(project.at("a")).unwrap(),
    ];
    for act in halfway {
        let project = Project::new(&FILES);
        let before = project.tree();
        project.run(&swap(1)).unwrap();
        project.reopen(1);
        fs::write(project.at(&marked(1, Mark::Back)), "").unwrap();
        act(&project);
        assert_eq!(project.root.recover().unwrap()[0].outcome, Outcome::RolledBack);
        assert_eq!(project.tree(), before);
    }
}

/// What the plan does not delete stays, and so does everything else.
#[test]
fn a_folder_gives_way_only_with_everything_in_it() {
    let others: [Act<'_>; 5] = [
        &|project| put(&project.at("shelf/in/mine"), "mine\n", 0o644),
        &|project| fs::create_dir(project.at("shelf/empty")).unwrap(),
        &|project| symlink("nowhere", project.at("shelf/link")).unwrap(),
        &|project| put(&project.at("shelf/in/f"), "changed\n", 0o644),
        &|project| {
            fs::remove_dir_all(project.at("shelf")).unwrap();
            symlink("/etc", project.at("shelf")).unwrap();
        },
    ];
    for (index, act) in others.iter().enumerate() {
        // Before the run, and just before its commit.
        let project = Project::new(&FILES);
        act(&project);
        let expected = project.tree();
        project.run(&swap(1)).unwrap_err();
        assert_eq!((project.tree(), project.traces()), (expected.clone(), vec![]), "{index}");

        let project = Project::new(&FILES);
        let mut late = |_: &[exacta_kernel::plan::Change]| {
            act(&project);
            Ok(())
        };
        project.run_with(&swap(1), &mut |_| {}, &mut late).unwrap_err();
        assert_eq!(project.tree(), expected, "{index}, just before the commit");

        let project = Project::new(&FILES);
        let mut at_commit = |event| {
            if event == Event::Committing {
                act(&project);
            }
        };
        project.run_with(&swap(1), &mut at_commit, &mut |_| Ok(())).unwrap_err();
        assert_eq!(project.tree(), expected, "{index}, at the commit");
    }
}

#[test]
fn a_folder_with_more_than_a_mode_is_refused() {
    let project = Project::new(&FILES);
    let attribute = ["-n", "user.note", "-v", "mine"];
    if !succeeds(Command::new("setfattr").args(attribute).arg(project.at("shelf"))) {
        return;
    }
    let expected = project.tree();
    assert!(matches!(project.run(&swap(1)), Err(RunError::Refused { .. })));
    assert_eq!((project.tree(), project.traces()), (expected, vec![]));
}

#[test]
fn what_someone_adds_to_the_new_folder_is_not_undone() {
    let project = Project::new(&FILES);
    project.run(&swap(1)).unwrap();
    put(&project.at("a/mine"), "mine\n", 0o644);
    let expected = project.tree();
    assert!(matches!(project.run(&undo(2, &swap(1))), Err(RunError::Drifted { .. })));
    assert_eq!(project.tree(), expected);
    // A mode that only the folder's owner gave it is given back with it.
    fs::remove_file(project.at("a/mine")).unwrap();
    fs::set_permissions(project.at("a/b"), fs::Permissions::from_mode(0o700)).unwrap();
    let after = project.tree();
    project.run(&undo(3, &swap(1))).unwrap();
    project.run(&undo(4, &undo(3, &swap(1)))).unwrap();
    assert_eq!(project.tree(), after);
}
