//! Which folder is the project.

use crate::error::{Error, Exit};
use crate::git::{self, WorkTree};
use exacta_exec::ProjectRoot;
use exacta_home::Home;
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use exacta_kernel::id::ProjectId;
use exacta_record::RECORDS;
use rustix::fs::{AtFlags, CWD, statat};
use std::path::{Path, PathBuf};

/// Where things are looked at.
#[derive(Clone, Copy)]
pub(crate) struct ProjectRef<'a> {
    pub home: &'a Home,
    pub root: &'a ProjectRoot,
    pub project: &'a ProjectId,
}

/// The project that `start` is in: the nearest folder upward with `.exacta/`, but never above the root of the git work tree
/// around `start`; else that root; else `start`.
///
/// # Errors
/// If `start` is not a folder that can be reached, or what was found is another user's.
pub fn find(start: &Path) -> Result<PathBuf, Error> {
    search(folder(start)?, false)
}

/// The same for `init`: records and work trees of another user further up do not keep anybody from a project of their own.
///
/// # Errors
/// As [`find`].
pub(crate) fn find_to_begin(start: &Path) -> Result<PathBuf, Error> {
    search(folder(start)?, true)
}

/// A folder, without symbolic links on the way.
///
/// # Errors
/// If there is none.
#[expect(clippy::disallowed_methods, reason = "the way to the project is the user's own; from its root on by handle")]
pub fn folder(start: &Path) -> Result<PathBuf, Error> {
    let unusable = |message| Error::new(Exit::Usage, "project_unusable", message);
    let start = start.canonicalize().map_err(|error| {
        unusable(format!("cannot use `{}` as the project: {error}", start.display()))
            .hint("name an existing folder with `--project DIR`")
    })?;
    if !start.is_dir() {
        return Err(
            unusable(format!("`{}` is not a folder", start.display())).hint("name a folder with `--project DIR`")
        );
    }
    Ok(start)
}

/// A handle on it, beneath which everything is done.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn open(path: &Path) -> Result<ProjectRoot, Error> {
    ProjectRoot::open(path).map_err(|error| {
        Error::fault("project_unusable", error.to_string())
            .hint("the project's folder must be yours to read; name another with `--project DIR`")
    })
}

fn search(start: PathBuf, to_begin: bool) -> Result<PathBuf, Error> {
    let user = rustix::process::geteuid().as_raw();
    for folder in start.ancestors() {
        match owner_of_records(folder) {
            Some(owner) if owner == user => return Ok(folder.to_owned()),
            Some(_) if to_begin && folder != start => {}
            Some(owner) => return Err(foreign_records(folder, owner, &start)),
            None => {}
        }
        match git::work_tree(folder, user) {
            WorkTree::None => {}
            WorkTree::Accepted => return Ok(folder.to_owned()),
            WorkTree::Foreign(_) if to_begin && folder != start => return Ok(start),
            WorkTree::Foreign(owner) => return Err(foreign_work_tree(folder, owner, &start)),
        }
    }
    Ok(start)
}

/// Whose the records in a folder are, if something has their name there: also what is no folder ends the search, so that nobody
/// can send it further up.
fn owner_of_records(folder: &Path) -> Option<u32> {
    statat(CWD, folder.join(RECORDS), AtFlags::SYMLINK_NOFOLLOW).ok().map(|found| found.st_uid)
}

fn foreign_records(folder: &Path, owner: u32, start: &Path) -> Error {
    let records = folder.join(RECORDS);
    let hint = if folder == start {
        "give the command as that user, or in a folder of your own".into()
    } else {
        own_project(start)
    };
    let message = format!("`{}` belongs to another user ({owner}), who could write anything there", records.display());
    Error::new(Exit::Usage, "project_foreign", message).hint(hint)
}

fn own_project(start: &Path) -> Hint {
    hint![Remedy::Init, format!(" begins a project of your own in `{}`", start.display())]
}

fn foreign_work_tree(folder: &Path, owner: u32, start: &Path) -> Error {
    let own = if folder == start { "make it yours".into() } else { own_project(start) };
    let folder = folder.display();
    let message =
        format!("the git work tree `{folder}` belongs to another user ({owner}): git would not use it either");
    Error::new(Exit::Usage, "project_foreign", message).hint(
        own.then(format!("or, if you trust its owner, `git config --global --add safe.directory {folder}`").into()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir, create_dir_all, write};
    use std::os::unix::fs::{chown, symlink};

    const NOBODY: u32 = 65_534;

    fn repository(at: &Path) {
        for folder in ["objects", "refs"] {
            create_dir_all(at.join(folder)).unwrap();
        }
        write(at.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    #[test]
    fn nearest_exacta_then_git_then_here() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let deep = root.join("a/b/c");
        create_dir_all(&deep).unwrap();
        assert_eq!(find(&deep).unwrap(), deep);
        repository(&root.join("a/.git"));
        assert_eq!(find(&deep).unwrap(), root.join("a"));
        create_dir(root.join(".exacta")).unwrap();
        assert_eq!(find(&deep).unwrap(), root.join("a"), "never above the work tree");
        create_dir(root.join("a/b/.exacta")).unwrap();
        assert_eq!(find(&deep).unwrap(), root.join("a/b"));
        assert_eq!(find(&root.join("none")).unwrap_err().exit, Exit::Usage);
        assert_eq!(find(&root.join("a/.git/HEAD")).unwrap_err().code, "project_unusable");
    }

    /// attack 10: only what git accepts is a work tree.
    #[test]
    fn a_folder_called_git_is_no_work_tree() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let git = root.join("a/.git");
        create_dir_all(&git).unwrap();
        create_dir_all(root.join("a/b")).unwrap();
        let found = || find(&root.join("a/b")).unwrap();
        assert_eq!(found(), root.join("a/b"), "an empty folder");
        repository(&git);
        for head in ["", "hello\n", "ref: elsewhere\n", "0123\n"] {
            write(git.join("HEAD"), head).unwrap();
            assert_eq!(found(), root.join("a/b"), "{head:?}");
        }
        for head in ["ref: refs/heads/x\n", "ref:\trefs/heads/x", &"a1".repeat(20), &"a1".repeat(32)] {
            write(git.join("HEAD"), head).unwrap();
            assert_eq!(found(), root.join("a"), "{head:?}");
        }
        std::fs::remove_dir(git.join("refs")).unwrap();
        assert_eq!(found(), root.join("a/b"), "without refs");
        std::fs::remove_dir_all(&git).unwrap();
        write(&git, "gitdir: elsewhere").unwrap();
        assert_eq!(found(), root.join("a/b"), "a file that leads nowhere");
    }

    #[test]
    fn a_linked_worktree_is_a_root_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        repository(&root.join("main/.git"));
        let linked = root.join("main/.git/worktrees/other");
        create_dir_all(&linked).unwrap();
        write(linked.join("HEAD"), "ref: refs/heads/other\n").unwrap();
        write(linked.join("commondir"), "../..\n").unwrap();
        create_dir_all(root.join("main/other/src")).unwrap();
        write(root.join("main/other/.git"), format!("gitdir: {}\n", linked.display())).unwrap();
        assert_eq!(find(&root.join("main/other/src")).unwrap(), root.join("main/other"));
        write(root.join("main/other/.git"), "gitdir: ../.git/worktrees/other\n").unwrap();
        assert_eq!(find(&root.join("main/other/src")).unwrap(), root.join("main/other"));
    }

    /// attack 10: what another user put further up is not used, and keeps nobody from a project of their own.
    #[test]
    fn what_belongs_to_another_user_is_refused_by_name() {
        if !exacta_testkit::root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let work = root.join("work");
        create_dir_all(&work).unwrap();
        create_dir(root.join(".exacta")).unwrap();
        chown(root.join(".exacta"), Some(NOBODY), None).unwrap();
        let error = find(&work).unwrap_err();
        assert_eq!((error.code.as_str(), error.exit), ("project_foreign", Exit::Usage));
        assert!(error.message.contains("65534"), "{error}");
        assert!(exacta_view::command::at_a_terminal(&error.hint.unwrap()).contains("exacta init"));
        assert_eq!(find_to_begin(&work).unwrap(), work);
        assert_eq!(find_to_begin(&root).unwrap_err().code, "project_foreign", "in the very folder");
        repository(&work.join(".git"));
        assert_eq!(find(&work).unwrap(), work);
        chown(work.join(".git"), Some(NOBODY), None).unwrap();
        let error = find(&work).unwrap_err();
        assert_eq!(error.code, "project_foreign");
        assert!(exacta_view::command::at_a_terminal(&error.hint.unwrap()).contains("safe.directory"));
        assert_eq!(find_to_begin(&work).unwrap_err().code, "project_foreign", "in the very folder");
    }

    /// attack 58: nor does another user's work tree keep anybody from a project of their own beneath it.
    #[test]
    fn attack_58_a_project_can_begin_below_another_users_work_tree() {
        if !exacta_testkit::root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let mine = root.join("shared/mine");
        create_dir_all(&mine).unwrap();
        create_dir(root.join(".exacta")).unwrap();
        repository(&root.join("shared/.git"));
        chown(root.join("shared/.git"), Some(NOBODY), None).unwrap();
        let error = find(&mine).unwrap_err();
        assert_eq!(error.code, "project_foreign");
        assert!(
            exacta_view::command::at_a_terminal(&error.hint.unwrap())
                .contains("`exacta init` begins a project of your own")
        );
        assert_eq!(find_to_begin(&mine).unwrap(), mine, "and never above the work tree");
        create_dir(mine.join(".exacta")).unwrap();
        assert_eq!(find(&mine).unwrap(), mine);
    }

    #[test]
    fn records_that_are_no_folder_end_the_search_too() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        create_dir_all(root.join("a/b")).unwrap();
        create_dir(root.join(".exacta")).unwrap();
        symlink(root.join(".exacta"), root.join("a/.exacta")).unwrap();
        assert_eq!(find(&root.join("a/b")).unwrap(), root.join("a"));
    }
}
