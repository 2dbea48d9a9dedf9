//! Which paths ignore files list: git's (`.gitignore` in any folder, `.git/info/exclude`, and the user's own) and `.exactaignore`.
//!
//! The two kinds are held apart: a path is ignored if either says so. So `.exactaignore` can hide more than git does, and never
//! show what git ignores. What is listed is ignored even where git tracks it.

use crate::beneath;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fd::BorrowedFd;
use std::sync::Arc;

/// The largest ignore file that is read.
const CAP: u64 = 1 << 20;

/// The rules that hold in one folder: its own and those of the folders above it.
#[derive(Debug, Clone)]
pub struct Rules {
    git: Arc<Vec<Gitignore>>,
    exacta: Arc<Vec<Gitignore>>,
}

impl Rules {
    /// The rules of a project's own folder; `user` holds the lines of the user's own ignore file.
    #[must_use]
    pub fn of_project(root: BorrowedFd<'_>, user: &str) -> Self {
        let exclude = read(root, ".git/info/exclude").unwrap_or_default();
        let git = [user, &exclude].into_iter().filter_map(|text| matcher("", text)).collect();
        Self { git: Arc::new(git), exacta: Arc::default() }.inner(root, "", |_| true)
    }

    /// The same with those of a folder inside, whose ignore files `has` says are there.
    #[must_use]
    pub fn inner(&self, root: BorrowedFd<'_>, folder: &str, has: impl Fn(&str) -> bool) -> Self {
        let add = |rules: &Arc<Vec<Gitignore>>, name: &str| {
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let own = has(name).then(|| read(root, &path)).flatten().and_then(|text| matcher(folder, &text));
            own.map_or_else(|| rules.clone(), |own| Arc::new(rules.iter().cloned().chain([own]).collect()))
        };
        Self { git: add(&self.git, ".gitignore"), exacta: add(&self.exacta, ".exactaignore") }
    }

    /// Whether a path is ignored by itself. What is in an ignored folder is never asked about.
    #[must_use]
    pub fn ignores(&self, path: &str, is_folder: bool) -> bool {
        [&self.git, &self.exacta].iter().any(|rules| {
            let nearest = rules.iter().rev().map(|rules| rules.matched(path, is_folder)).find(|found| !found.is_none());
            nearest.is_some_and(|found| found.is_ignore())
        })
    }
}

fn read(root: BorrowedFd<'_>, path: &str) -> Option<String> {
    let (_, bytes) = beneath::file(root, path, CAP).ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The rules of one ignore file; lines that are no pattern mean nothing, as with git.
fn matcher(folder: &str, text: &str) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::AsFd as _;
    use std::fs;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own folder")]
    fn ignore_files_hide_and_only_git_shows_again() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".git/info/exclude", "mine.txt\n");
        write(".gitignore", "*.log\n/build/\n!keep.log\nnode_modules/\n# comment\n\\#x\n");
        write(".exactaignore", "private/\n!a.log\n");
        write("sub/.gitignore", "!b.log\n/only\n");
        let root = fs::File::open(dir.path()).unwrap();
        let rules = Rules::of_project(root.as_fd(), "*.swp\n");
        let sub = rules.inner(root.as_fd(), "sub", |_| true);
        let cases = [
            ("a.log", false, true),
            ("keep.log", false, false),
            ("build", true, true),
            ("build", false, false),
            ("mine.txt", false, true),
            ("x.swp", false, true),
            ("private", true, true),
            ("#x", false, true),
            ("main.rs", false, false),
            ("deep/node_modules", true, true),
        ];
        for (path, is_folder, ignored) in cases {
            assert_eq!(rules.ignores(path, is_folder), ignored, "{path}");
        }
        let below = [
            ("sub/b.log", false, false),
            ("sub/c.log", false, true),
            ("sub/only", false, true),
            ("sub/build", true, false),
        ];
        for (path, is_folder, ignored) in below {
            assert_eq!(sub.ignores(path, is_folder), ignored, "{path}");
        }
    }
}
