//! The change, laid out in a private folder of ours as the upper layer of an overlay: files to write, names to delete, modes.

use crate::ProjectRoot;
use crate::handle::{open_beneath, retry, stat};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Change;
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// What the folders in the scratch folder are called.
const PREFIX: &str = "check-";

/// How far the set-up of a sandbox came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Not into the namespaces.
    Outside,
    /// Into them.
    Entered,
    /// The overlay is laid, and `bwrap` started.
    Started,
    /// Everything is set up, and the command's turn came.
    Began,
}

/// A folder that goes away with this value.
pub(super) struct Staging {
    folder: PathBuf,
    /// Locked as long as somebody uses the folder; the lock dies with its holder.
    _used: OwnedFd,
}

impl Staging {
    /// An empty one below `scratch`. Those that a killed process left there are removed.
    pub fn begin(scratch: &Path) -> std::io::Result<Self> {
        private(scratch)?;
        let all = open(scratch)?;
        // So that nobody takes the new folder for a forgotten one before it is locked.
        retry(|| flock(&all, FlockOperation::LockExclusive))?;
        sweep(scratch)?;
        // Told apart by chance alone: a clock may stand where no UUID can tell it.
        let name = uuid::Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, 0, 0));
        let folder = scratch.join(format!("{PREFIX}{}", name.simple()));
        private(&folder)?;
        let used = open(&folder)?;
        retry(|| flock(&used, FlockOperation::LockExclusive))?;
        Ok(Self { folder, _used: used })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Lays a change out. The folders that lead to it, and those that are mounted over, are there as well, with the modes
    /// that they have in the project: where a layer has a folder of its own, a link that is swapped in below leads nowhere.
    pub fn fill(&self, root: &ProjectRoot, changes: &[Change], folders: &[&str]) -> std::io::Result<()> {
        let written = self.folder.join("written");
        private(&written)?;
        private(&self.folder.join("layers"))?;
        let mut deleted = Vec::new();
        let mut modes = BTreeMap::from([(".", mode_of(root, "."))]);
        for folder in folders {
            make_folders(root, &written, folder, &mut modes)?;
        }
        // A new file hides the folder that gives way to it, and a new folder the file.
        let is_hidden = |path: &RelPath| {
            let new = changes.iter().filter(|change| change.after.is_some() && change.path != *path);
            new.map(|change| &change.path).any(|new| path.is_beneath(new) || new.is_beneath(path))
        };
        for change in changes {
            if change.after.is_none() && is_hidden(&change.path) {
                continue;
            }
            let path = change.path.as_str();
            if let Some((parent, _)) = path.rsplit_once('/') {
                make_folders(root, &written, parent, &mut modes)?;
            }
            if let Some(content) = &change.after {
                let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(written.join(path))?;
                file.write_all(content.bytes())?;
                modes.insert(path, content.mode() & 0o777);
            } else {
                deleted.extend_from_slice(path.as_bytes());
                deleted.push(0);
            }
        }
        // What is in a folder before the folder, which may be closed after that.
        let modes = modes.iter().rev().map(|(path, mode)| format!("{mode:o}\0{path}\0"));
        self.put("modes", modes.collect::<String>().as_bytes())?;
        self.put("deleted", &deleted)
    }

    /// Puts one more file there.
    pub fn put(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        std::fs::write(self.folder.join(name), bytes)
    }

    /// What the set-up could not do, if it said so: a word, a blank, and the folder that it is about.
    pub fn refusal(&self) -> Option<String> {
        std::fs::read_to_string(self.folder.join("refused")).ok()
    }

    /// What its programs said.
    pub fn said(&self) -> String {
        let bytes = std::fs::read(self.folder.join("said")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// How far it came.
    pub fn progress(&self) -> Progress {
        let there = |name: &str| self.folder.join(name).exists();
        if self.folder.join("began").metadata().is_ok_and(|facts| facts.len() > 0) {
            Progress::Began
        } else if there("started") {
            Progress::Started
        } else if there("entered") {
            Progress::Entered
        } else {
            Progress::Outside
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What cannot be removed is only space, and is swept by the next command.
        let _left_over = std::fs::remove_dir_all(&self.folder);
    }
}

/// Removes what nobody uses any more.
fn sweep(scratch: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(scratch)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        let unused = open(&entry.path())
            .is_ok_and(|folder| retry(|| flock(&folder, FlockOperation::NonBlockingLockExclusive)).is_ok());
        if unused {
            // As above.
            let _left_over = std::fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// Makes a folder and those above it, and notes the modes that they have in the project.
fn make_folders<'p>(
    root: &ProjectRoot,
    written: &Path,
    folder: &'p str,
    modes: &mut BTreeMap<&'p str, u32>,
) -> std::io::Result<()> {
    private(&written.join(folder))?;
    let mut rest = Some(folder);
    while let Some(path) = rest.filter(|path| !modes.contains_key(path)) {
        modes.insert(path, mode_of(root, path));
        rest = path.rsplit_once('/').map(|(parent, _)| parent);
    }
    Ok(())
}

/// The mode of a folder of the project, or that of a new one.
fn mode_of(root: &ProjectRoot, folder: &str) -> u32 {
    let held = open_beneath(root.fd(), folder, OFlags::PATH | OFlags::DIRECTORY);
    held.and_then(stat).map_or(0o755, |facts| u32::from(facts.stx_mode) & 0o777)
}

fn private(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn open(folder: &Path) -> std::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(retry(|| rustix::fs::open(folder, flags, Mode::empty()))?)
}
