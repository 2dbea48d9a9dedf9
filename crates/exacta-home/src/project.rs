//! Projects, by the place they are at: a copy or a moved folder is another project and inherits nothing.

use crate::document::{self, Document};
use crate::file::Lock;
use crate::{FileError, Home, HomeError};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::ProjectId;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// What the user's folder knows of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRecord {
    /// Names it in statements and logs.
    pub id: ProjectId,
    /// Where it is, without symbolic links.
    pub root: PathBuf,
    /// How much may happen without a person.
    pub profile: Profile,
    /// Whether somebody chose it; until then `init` asks.
    pub chosen: bool,
    /// When it became known.
    pub created_at: Timestamp,
    /// Runs that failed one after the other, up to now.
    pub failed_runs: u32,
    /// When and why the profile last fell by itself.
    pub fell: Option<Fall>,
    /// The Safety Policy that the project's log knows of, by hash; `None` before the first decision.
    pub policy: Option<Digest>,
}

/// A profile that fell by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fall {
    /// When.
    pub at: Timestamp,
    /// Why, in words.
    pub why: String,
}

/// As it is stored. The place is told for people to read; the file's name is what counts.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    id: ProjectId,
    root: String,
    profile: Profile,
    #[serde(default)]
    chosen: bool,
    created_at: Timestamp,
    failed_runs: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fell: Option<Fall>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<Digest>,
}

impl Document for Stored {
    const SCHEMA: &'static str = "exacta.project/1";
}

impl Home {
    /// What is known of the project at a place; `None` where it is not known.
    ///
    /// # Errors
    /// Where the place does not exist, or contains this home, so that plans could write what grants.
    pub fn project(&self, root: &Path) -> Result<Option<ProjectRecord>, HomeError> {
        let root = self.project_root(root)?;
        let stored = document::read::<Stored>(&self.project_file(&root))?;
        Ok(stored.map(|stored| stored.at(root)))
    }

    /// Every project that is known and still at its place, oldest first. What the file says of its place counts only if the file's name agrees.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn known_projects(&self) -> Result<Vec<ProjectRecord>, HomeError> {
        let folder = self.projects();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(FileError::io("read", &folder)(error).into()),
        };
        let mut known = Vec::new();
        for entry in entries {
            let path = entry.map_err(FileError::io("read", &folder))?.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            // One damaged file does not hide the other projects; whoever works in its folder is told.
            let Ok(Some(stored)) = document::read::<Stored>(&path) else { continue };
            let root = PathBuf::from(&stored.root);
            if self.project_root(&root).is_ok_and(|real| real == root) && self.project_file(&root) == path {
                known.push(stored.at(root));
            }
        }
        known.sort_by(|a, b| (a.created_at, &a.root).cmp(&(b.created_at, &b.root)));
        Ok(known)
    }

    /// The project at a place, made known with profile SAFE where it is not known yet.
    ///
    /// # Errors
    /// As [`Home::project`].
    pub fn create_project(&self, root: &Path, at: Timestamp) -> Result<ProjectRecord, HomeError> {
        let root = self.project_root(root)?;
        let path = self.project_file(&root);
        let lock = Lock::on(&self.projects())?;
        match document::read::<Stored>(&path)? {
            Some(stored) => Ok(stored.at(root)),
            None => write_new(&lock, &path, root, at),
        }
    }

    /// The project at a place as a new one, whatever was known of the old one: profile SAFE, and nothing that was signed for
    /// the old one counts for it.
    ///
    /// # Errors
    /// As [`Home::project`].
    pub fn renew_project(&self, root: &Path, at: Timestamp) -> Result<ProjectRecord, HomeError> {
        let root = self.project_root(root)?;
        let lock = Lock::on(&self.projects())?;
        let path = self.project_file(&root);
        write_new(&lock, &path, root, at)
    }

    /// Changes what is known of a project, and returns what it is then. No other process's change comes
    /// between; `change` must not itself change projects.
    ///
    /// # Errors
    /// [`HomeError::NoProject`] where it is not known, and as [`Home::project`].
    pub fn update_project(
        &self,
        root: &Path,
        change: impl FnOnce(&mut ProjectRecord),
    ) -> Result<ProjectRecord, HomeError> {
        let root = self.project_root(root)?;
        let path = self.project_file(&root);
        let lock = Lock::on(&self.projects())?;
        let stored = document::read::<Stored>(&path)?.ok_or_else(|| HomeError::NoProject(root.clone()))?;
        let before = stored.at(root);
        let mut changed = before.clone();
        change(&mut changed);
        // Which project it is, no change can touch.
        let after = ProjectRecord { id: before.id.clone(), root: before.root.clone(), ..changed };
        if after != before {
            document::write(&lock, &path, &Stored::of(&after))?;
        }
        Ok(after)
    }

    /// The place of a project without symbolic links, if it can be one.
    fn project_root(&self, root: &Path) -> Result<PathBuf, HomeError> {
        let root = root.canonicalize().map_err(FileError::io("find", root))?;
        for home in [&self.config, &self.state] {
            let home = without_links(home);
            if home.starts_with(&root) {
                return Err(HomeError::InsideProject { home, root });
            }
        }
        Ok(root)
    }

    fn projects(&self) -> PathBuf {
        self.config.join("projects")
    }

    fn project_file(&self, root: &Path) -> PathBuf {
        self.projects().join(format!("{}.json", Digest::of(root.as_os_str().as_bytes())))
    }
}

fn write_new(lock: &Lock, path: &Path, root: PathBuf, at: Timestamp) -> Result<ProjectRecord, HomeError> {
    let id = crate::session::fresh_id(ProjectId::parse);
    let record = ProjectRecord {
        id: id?,
        root,
        profile: Profile::Safe,
        chosen: false,
        created_at: at,
        failed_runs: 0,
        fell: None,
        policy: None,
    };
    document::write(lock, path, &Stored::of(&record))?;
    Ok(record)
}

/// The path without symbolic links, as far as it exists.
fn without_links(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|there| Some((there.canonicalize().ok()?, path.strip_prefix(there).ok()?)));
    found.map_or_else(|| path.to_owned(), |(there, rest)| there.join(rest))
}

impl Stored {
    fn of(record: &ProjectRecord) -> Self {
        Self {
            id: record.id.clone(),
            root: record.root.to_string_lossy().into_owned(),
            profile: record.profile,
            chosen: record.chosen,
            created_at: record.created_at,
            failed_runs: record.failed_runs,
            fell: record.fell.clone(),
            policy: record.policy,
        }
    }

    fn at(self, root: PathBuf) -> ProjectRecord {
        let Self { id, root: _, profile, chosen, created_at, failed_runs, fell, policy } = self;
        ProjectRecord { id, root, profile, chosen, created_at, failed_runs, fell, policy }
    }
}
