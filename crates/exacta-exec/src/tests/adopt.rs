//! What lies in the project already is adopted: recorded with what was before it, and not touched, whatever happens meanwhile.

use super::kill::{self, ERRORS, Hits};
use super::project::*;
use crate::mark::Mark;
use crate::{Drifted, Outcome, ProjectRoot, RunError};
use exacta_kernel::facts::FileState;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Inode, times and size of every file in a project, beside `.exacta`.
fn stamps(project: &Path) -> BTreeMap<PathBuf, (u64, i64, i64, i64, i64, u64)> {
    let stamp = |name: PathBuf| {
        let stat = fs::symlink_metadata(project.join(&name)).unwrap();
        (name, (stat.ino(), stat.mtime(), stat.mtime_nsec(), stat.ctime(), stat.ctime_nsec(), stat.size()))
    };
    tree(project).into_keys().map(stamp).collect()
}

#[test]
fn what_is_there_is_adopted_untouched_and_undone() {
    let project = done_already();
    let (stamps_before, done) = (stamps(project.dir.path()), project.tree());
    let work = adopting(everything(1));
    let receipts = project.run(&work).unwrap();
    assert_eq!(stamps(project.dir.path()), stamps_before);
    assert_eq!(receipts.steps.len(), 9);
    assert!(receipts.steps.iter().all(|step| step.bytes == 0), "nothing was written");
    assert_eq!(receipts.steps[0].before, FileState::of(content("old a\n", 0o644).as_deref()));
    assert_eq!(project.traces(), [Path::new(&marked(1, Mark::Done)).file_name().unwrap().to_str().unwrap()]);
    let image = project.root.before_image_of(&work.run_id, &path("old/gone.txt")).unwrap().unwrap();
    assert_eq!(image.bytes(), b"gone\n");

    project.run(&undo(2, &work)).unwrap();
    for (name, text, mode) in EVERYTHING {
        assert_eq!(fs::read_to_string(project.at(name)).unwrap(), text, "{name}");
        assert_eq!(fs::metadata(project.at(name)).unwrap().mode() & 0o777, mode, "{name}");
    }
    project.run(&undo(3, &undo(2, &work))).unwrap();
    assert_eq!(project.tree(), done);
}

#[test]
fn what_is_not_there_as_approved_is_named() {
    let cases: [(&str, Act<'_>, &str); 7] = [
        ("a.txt", &|project| put(&project.at("a.txt"), "old a\n", 0o644), "has other content now"),
        ("a.txt", &|project| put(&project.at("a.txt"), "new a\n", 0o600), "has another mode now"),
        ("new.txt", &|project| fs::remove_file(project.at("new.txt")).unwrap(), "is gone"),
        ("new/deep/er.txt", &|project| fs::remove_dir_all(project.at("new")).unwrap(), "is gone"),
        ("old/gone.txt", &|project| put(&project.at("old/gone.txt"), "gone\n", 0o640), "exists now"),
        ("old/gone.txt", &|project| fs::create_dir(project.at("old/gone.txt")).unwrap(), "is a folder now"),
        ("shelf", &|project| put(&project.at("shelf"), "another\n", 0o644), "has other content now"),
    ];
    for (at, change, found) in cases {
        let project = done_already();
        change(&project);
        let before = project.tree();
        let error = project.run(&adopting(everything(1))).unwrap_err();
        let expected = vec![Drifted { path: path(at), found: found.to_owned() }];
        assert_eq!(error, RunError::Drifted { targets: expected });
        assert_eq!((project.tree(), project.traces()), (before, Vec::new()));
    }
}

#[test]
fn an_edit_before_the_commit_keeps_it_from_being_recorded() {
    let project = done_already();
    let mut edit = |_: &[_]| {
        put(&project.at("a.txt"), "mine\n", 0o644);
        Ok(())
    };
    let error = project.run_with(&adopting(everything(1)), &mut |_| {}, &mut edit).unwrap_err();
    assert!(matches!(error, RunError::Drifted { .. }), "{error:?}");
    assert_eq!(fs::read_to_string(project.at("a.txt")).unwrap(), "mine\n");
    assert!(project.traces().is_empty());
}

/// A crash after the commit record: recorded as done if all is as approved, else not; and never is a file touched.
#[test]
fn recovery_touches_nothing() {
    let edits: [(Act<'_>, bool); 4] = [
        (&|_| {}, true),
        (&|project| put(&project.at("a.txt"), "mine\n", 0o644), false),
        // As it is committed: what would look like a run that has just to be brought forward.
        (&|project| put(&project.at("old/gone.txt"), "gone\n", 0o640), false),
        (&|project| fs::remove_file(project.at("new.txt")).unwrap(), false),
    ];
    for (edit, is_done) in edits {
        let project = done_already();
        project.run(&adopting(everything(1))).unwrap();
        project.reopen(1);
        edit(&project);
        let before = stamps(project.dir.path());
        let recovered = project.root.recover().unwrap();
        assert_eq!(recovered.len(), 1);
        let completed = matches!(recovered[0].outcome, Outcome::Completed(_));
        assert_eq!((completed, recovered[0].outcome == Outcome::NotAdopted), (is_done, !is_done), "{recovered:?}");
        assert_eq!(stamps(project.dir.path()), before);
        assert_eq!(project.traces().len(), usize::from(is_done), "{:?}", project.traces());
        assert_eq!(project.root.recover().unwrap(), []);
        assert_eq!(stamps(project.dir.path()), before);
    }
}

/// Killed at any call, and its recovery too: every file is what it was, to the inode and the time.
#[test]
fn a_sample_of_kills_and_errors_touches_nothing() {
    let Some(points) = kill::points_in("adopt", done_already().dir.path()) else { return };
    let mut hits = Hits::default();
    for point in kill::sample(&points, 10, 11) {
        let project = done_already();
        let (dir, before) = (project.dir.path(), stamps(project.dir.path()));
        hits.count(kill::killed("adopt", dir, &point));
        assert_eq!(stamps(dir), before, "killed at {point:?}");
        for second in kill::sample(&kill::points_of_recovery(dir), 1, 12) {
            hits.count(kill::killed("recover", dir, &second));
        }
        settled(dir, &before, &format!("killed at {point:?}"));
    }
    hits.enough();
    for (index, point) in kill::sample(&points, 10, 13).iter().enumerate() {
        let project = done_already();
        let (dir, before) = (project.dir.path(), stamps(project.dir.path()));
        let injection = format!("{}:error={}:when={}", point.0, ERRORS[index % ERRORS.len()], point.1);
        let code = kill::disturb("adopt", dir, &injection);
        assert!(matches!(code, Some(0 | 50 | 60)), "{injection}: {code:?}");
        settled(dir, &before, &injection);
    }
}

fn settled(dir: &Path, before: &BTreeMap<PathBuf, (u64, i64, i64, i64, i64, u64)>, place: &str) {
    let root = ProjectRoot::open(dir).unwrap();
    let recovered = root.recover().unwrap_or_else(|error| panic!("{place}: {error}"));
    let ended = |run: &crate::Recovered| {
        matches!(run.outcome, Outcome::Completed(_) | Outcome::NothingDone | Outcome::NotAdopted)
    };
    assert!(recovered.iter().all(ended), "{place}: {recovered:?}");
    assert_eq!(stamps(dir), *before, "{place}");
    assert!(root.unfinished().unwrap().is_empty(), "{place}");
    assert_eq!(root.recover().unwrap(), [], "{place}");
}
