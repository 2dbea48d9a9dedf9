//! Which folder is the project.

use crate::app::RECORDS;
use crate::error::{Error, Exit};
use exacta_exec::ProjectRoot;
use std::path::{Path, PathBuf};

/// The project that `start` is in: the nearest folder upward with `.exacta/`, else the git work tree's root, else `start`.
///
/// # Errors
/// If `start` is not a folder that can be reached.
pub fn find(start: &Path) -> Result<PathBuf, Error> {
    let start = start.canonicalize().map_err(|error| {
        let message = format!("cannot use `{}` as the project: {error}", start.display());
        Error::new(Exit::Usage, "project_unusable", message).hint("name an existing folder with `--project DIR`")
    })?;
    if !start.is_dir() {
        let message = format!("`{}` is not a folder", start.display());
        return Err(Error::new(Exit::Usage, "project_unusable", message).hint("name a folder with `--project DIR`"));
    }
    let upward = |name: &str| start.ancestors().find(|folder| folder.join(name).exists()).map(Path::to_owned);
    let exacta = start.ancestors().find(|folder| folder.join(RECORDS).is_dir()).map(Path::to_owned);
    Ok(exacta.or_else(|| upward(".git")).unwrap_or(start))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_exacta_then_git_then_here() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let deep = root.join("a/b/c");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(find(&deep).unwrap(), deep);
        std::fs::write(root.join("a/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(find(&deep).unwrap(), root.join("a"), "a work tree's `.git` may be a file");
        std::fs::create_dir(root.join(".exacta")).unwrap();
        assert_eq!(find(&deep).unwrap(), root);
        std::fs::create_dir(root.join("a/b/.exacta")).unwrap();
        assert_eq!(find(&deep).unwrap(), root.join("a/b"));
        assert_eq!(find(&root.join("none")).unwrap_err().exit, Exit::Usage);
        assert_eq!(find(&root.join("a/.git")).unwrap_err().code, "project_unusable");
    }
}
