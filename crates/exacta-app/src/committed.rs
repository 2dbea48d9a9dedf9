//! What is committed of some files.

use crate::error::Error;
use exacta_context::git::{FileMode, GitError, Repository, hex};
use exacta_exec::ProjectRoot;
use exacta_exec::look::TARGET_CAP;
use exacta_kernel::binding::{Adoption, Identity};
use exacta_kernel::facts::{FileContent, FileState};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::{Content, Plan};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is committed of each file, with a mode as git knows it; nothing where the commit has no such file.
pub(crate) type Base = BTreeMap<RelPath, Option<Content>>;

/// What the commit has that is checked out.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    /// Its hash; none where there is no commit yet.
    pub commit: Option<String>,
    /// Of the files that were asked about. What could not be read is missing.
    pub base: Base,
}

impl Head {
    /// What is committed of these files now. What is no file there, or cannot be read, is left out, so that no plan passes by it.
    ///
    /// # Errors
    /// If there is no repository, or one that cannot be read here.
    pub fn read<'p>(root: &ProjectRoot, paths: impl Iterator<Item = &'p RelPath>) -> Result<Self, Error> {
        let mut repository = repository(root)?;
        let commit = repository.head();
        let files = commit.map(|commit| repository.files(&commit)).transpose().map_err(unreadable)?.unwrap_or_default();
        let mut base = Base::new();
        for path in paths {
            match files.get(path.as_str().as_bytes()) {
                None => drop(base.insert(path.clone(), None)),
                Some(file) => {
                    let mode = match file.mode {
                        FileMode::Plain => 0o644,
                        FileMode::Executable => 0o755,
                        FileMode::Link | FileMode::Submodule => continue,
                    };
                    let content = repository.blob(&file.id).map(|bytes| Arc::new(FileContent::new(bytes, mode)));
                    base.extend(content.map(|content| (path.clone(), Some(content))));
                }
            }
        }
        Ok(Self { commit: commit.map(|id| hex(&id)), base })
    }

    /// The same for a plan, if it adopts what lies in the work tree.
    ///
    /// # Errors
    /// As [`Head::read`].
    pub fn for_plan(root: &ProjectRoot, identity: &Identity) -> Result<Option<Self>, Error> {
        let adopts = identity.binding.adopts.as_ref();
        adopts.map(|adopts| Self::read(root, adopts.base.keys())).transpose()
    }

    /// What a plan is bound to that adopts.
    pub fn of(&self, plan: &Plan) -> Adoption {
        let targets = plan.expected_states();
        let base = self.base.iter().filter(|(path, _)| targets.contains_key(*path));
        Adoption {
            head: self.commit.clone(),
            base: base.map(|(path, content)| (path.clone(), FileState::of(content.as_deref()))).collect(),
        }
    }
}

/// The repository of a project that is the root of its work tree.
pub(crate) fn repository(root: &ProjectRoot) -> Result<Repository, Error> {
    let largest = usize::try_from(TARGET_CAP).unwrap_or(usize::MAX);
    Repository::of(root.folder(), root.path(), largest).map_err(unreadable)
}

pub(crate) fn unreadable(error: GitError) -> Error {
    let hint = match error {
        GitError::None(_) => {
            "only what differs from a commit can be adopted: make the project in the root of a git work tree"
        }
        GitError::Unknown(_) => "submit the change as a patch: `git diff HEAD`",
        GitError::Unreadable(_) => "see what `git fsck` and `git status` say",
    };
    Error::fault("git_unreadable", error.to_string()).hint(hint)
}
