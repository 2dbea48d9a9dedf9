//! What others do in the project while a run is at it.

use super::project::*;
use crate::{Event, RunError};
use exacta_kernel::plan::Change;
use exacta_testkit::offers;
use rustix::fs::XattrFlags;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

/// Between staging and the commit lie the checks: minutes, in which somebody who can write to `.exacta` can do anything there.
#[test]
fn what_lies_ready_is_looked_at_again_before_the_commit() {
    let staged = |project: &Project, suffix: &str| project.at(&format!(".exacta/exec/{}.{suffix}", run_id(1)));
    let again = |at: &std::path::Path, text: &str, mode| {
        fs::remove_file(at).unwrap();
        put(at, text, mode);
    };
    let cases: [(&str, Act<'_>); 10] = [
        ("moved away", &|project| fs::rename(project.at(".exacta/exec"), project.at(".exacta/away")).unwrap()),
        ("written to", &|project| fs::write(staged(project, "0"), "evil!\n").unwrap()),
        ("same bytes, another file", &|project| again(&staged(project, "0"), "new a\n", 0o644)),
        ("gone", &|project| fs::remove_file(staged(project, "1")).unwrap()),
        ("another mode", &|project| {
            fs::set_permissions(staged(project, "1"), fs::Permissions::from_mode(0o777)).unwrap();
        }),
        ("a link", &|project| {
            fs::remove_file(staged(project, "0")).unwrap();
            symlink("/etc/passwd", staged(project, "0")).unwrap();
        }),
        ("a second name", &|project| fs::hard_link(staged(project, "3"), project.at(".exacta/twin")).unwrap()),
        ("another attribute", &|project| {
            let set = rustix::fs::setxattr(staged(project, "0"), "user.note", b"mine", XattrFlags::empty());
            if !offers(set.is_ok(), "extended attributes") {
                fs::write(staged(project, "0"), "").unwrap();
            }
        }),
        ("the journal", &|project| {
            let mut journal = fs::read(staged(project, "intent")).unwrap();
            *journal.last_mut().unwrap() ^= 1;
            fs::write(staged(project, "intent"), journal).unwrap();
        }),
        ("another journal", &|project| {
            let journal = fs::read_to_string(staged(project, "intent")).unwrap();
            again(&staged(project, "intent"), &journal, 0o600);
        }),
    ];
    for (how, tamper) in cases {
        let project = Project::new(&EVERYTHING);
        let before = project.tree();
        let checks = &mut |_: &[Change]| {
            tamper(&project);
            Ok(())
        };
        let error = project.run_with(&everything(1), &mut |_| {}, checks).unwrap_err();
        let told = matches!(&error, RunError::RolledBack { cause } if cause.ends_with("before the commit"));
        assert!(told, "{how}: {error:?}");
        assert_eq!((project.tree(), project.traces()), (before, vec![]), "{how}");
    }
}

#[test]
fn an_editors_save_is_kept() {
    let save = |project: &Project| {
        put(&project.at("swap"), "saved\n", 0o644);
        fs::rename(project.at("swap"), project.at("a.txt")).unwrap();
    };
    let in_place = |project: &Project| fs::write(project.at("a.txt"), "saved\n").unwrap();
    let recreate = |project: &Project| put(&project.at("new.txt"), "saved\n", 0o644);
    let editors: [(&str, Act<'_>); 3] = [("a.txt", &save), ("a.txt", &in_place), ("new.txt", &recreate)];
    for (at, editor) in editors {
        let project = Project::new(&EVERYTHING);
        editor(&project);
        let expected = project.tree();

        let project = Project::new(&EVERYTHING);
        let late = &mut |_: &[Change]| {
            editor(&project);
            Ok(())
        };
        let error = project.run_with(&everything(1), &mut |_| {}, late).unwrap_err();
        assert!(matches!(error, RunError::Drifted { .. }), "{error:?}");
        assert_eq!((project.tree(), project.traces()), (expected.clone(), vec![]));

        let project = Project::new(&EVERYTHING);
        let observer = &mut |event| {
            if event == Event::Committing {
                editor(&project);
            }
        };
        let error = project.run_with(&everything(1), observer, &mut |_| Ok(())).unwrap_err();
        assert_eq!(error, RunError::Kept { kept: vec![at.to_owned()] });
        assert_eq!(project.tree(), expected);
        assert_eq!(project.root.recover().unwrap(), []);
    }
}

/// A folder that was missing is something else by the time of the commit: drift, and nothing stands in anybody's way afterwards.
#[test]
fn what_takes_the_place_of_a_missing_folder_is_drift() {
    let cases: [(&str, Act<'_>); 3] = [
        ("a file", &|project| fs::write(project.at("n"), "mine").unwrap()),
        ("a link", &|project| symlink("/tmp", project.at("n")).unwrap()),
        ("the target", &|project| put(&project.at("n/m/new.txt"), "mine", 0o644)),
    ];
    for (what, take) in cases {
        for late in [false, true] {
            let project = Project::new(&EVERYTHING);
            let mut changes = everything(1).changes;
            changes.push(change("n/m/new.txt", None, content("new\n", 0o644)));
            let work = work(1, changes);
            let checks = &mut |_: &[Change]| {
                if !late {
                    take(&project);
                }
                Ok(())
            };
            let observer = &mut |event| {
                if late && event == Event::Committing {
                    take(&project);
                }
            };
            let error = project.run_with(&work, observer, checks).unwrap_err();
            assert_eq!(matches!(error, RunError::Drifted { .. }), !late, "{what}: {error:?}");
            assert!(!error.is_unsettled(), "{what}: {error:?}");
            let expected = Project::new(&EVERYTHING);
            take(&expected);
            assert_eq!(project.tree(), expected.tree(), "{what}");
            assert_eq!(project.root.recover().unwrap(), [], "{what}");
        }
    }
}

/// Of several folders one is moved away during a check: its targets are named, and no others.
#[test]
fn a_moved_folder_is_told_of_its_own_targets_alone() {
    let project = Project::new(&EVERYTHING);
    let checks = &mut |_: &[Change]| {
        fs::rename(project.at("bin"), project.at("away")).unwrap();
        Ok(())
    };
    let error = project.run_with(&everything(1), &mut |_| {}, checks).unwrap_err();
    let RunError::Drifted { targets } = error else { panic!("{error:?}") };
    let names: Vec<&str> = targets.iter().map(|target| target.path.as_str()).collect();
    assert_eq!(names, ["bin/tool"]);
}

/// Removed by somebody just before the last look, or right after it: everything else is as before. The folder stays away, or comes
/// back as it was where the run cannot tell the removal from its own.
#[test]
fn a_folder_removed_during_the_run_leaves_the_rest_as_before() {
    for folder in ["bin", "old"] {
        let expected = Project::new(&EVERYTHING);
        fs::remove_dir_all(expected.at(folder)).unwrap();

        let project = Project::new(&EVERYTHING);
        let late = &mut |_: &[Change]| {
            fs::remove_dir_all(project.at(folder)).unwrap();
            Ok(())
        };
        let error = project.run_with(&everything(1), &mut |_| {}, late).unwrap_err();
        assert!(matches!(error, RunError::Drifted { .. }), "{folder}: {error:?}");
        assert_eq!((project.tree(), project.traces()), (expected.tree(), vec![]), "{folder}");

        let project = Project::new(&EVERYTHING);
        let observer = &mut |event| {
            if event == Event::Committing {
                fs::remove_dir_all(project.at(folder)).unwrap();
            }
        };
        let error = project.run_with(&everything(1), observer, &mut |_| Ok(())).unwrap_err();
        let told = matches!(
            error,
            RunError::Failed(_) | RunError::RolledBack { .. } | RunError::Kept { .. } | RunError::NeedsAttention { .. }
        );
        assert!(told, "{folder}: {error:?}");
        project.root.recover().unwrap();
        let tree = project.tree();
        assert!(
            [expected, Project::new(&EVERYTHING)].iter().any(|fine| fine.tree() == tree),
            "{folder}: {error:?}: {tree:?}"
        );
    }
}
